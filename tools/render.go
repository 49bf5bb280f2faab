package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/taploop/taploop/runs"
	"github.com/taploop/taploop/session"
)

// maxResult is how large a result without pictures may be, in bytes; on the wire it has an envelope, and then it is still
// below 100 KB.
const maxResult = 97_000

// render makes the result of a call that was carried out.
func (t *Tools) render(ctx context.Context, c *call, st runs.Status, f *following) (*reply, error) {
	wanted := f.shows
	shown := wanted.private(t.opts.Privacy)
	body, err := NewResult(st)
	if err != nil {
		return nil, err
	}
	if f.hindrance != nil && body.Error != nil {
		fl := failure(f.hindrance)
		body.Error = &fl
	}
	if f.reply != "" {
		body.Task, body.Reply = "", f.reply
	}
	settled, err := t.answered(ctx, st, f, c.tongue)
	if err != nil {
		return nil, err
	}
	body.Notes = slices.Concat(f.notes, settled)
	t.link(body.Question)
	body.Next = nextOf(st)
	if body.Final != nil && !shown.FinalCaption {
		body.Final.Caption = ""
	}
	if shown.Logs {
		if err := addLogs(&body, st, shown); err != nil {
			return nil, err
		}
	}
	if wanted.pictures() && t.opts.Privacy == PrivacyCaptions {
		body.Notes = append(body.Notes, "this server keeps pictures private: screens are described in words instead")
	}
	r := &reply{tail: tailOf(body, st, c.tongue)}
	if err := r.fit(&body); err != nil {
		return nil, err
	}
	if shown.pictures() {
		if err := t.addPictures(ctx, &body, st, shown); err != nil {
			return nil, err
		}
	}
	r.body, r.tail = body, tailOf(body, st, c.tongue)
	return r, nil
}

// addLogs lists the steps of the call but the last.
func addLogs(body *Result, st runs.Status, s shows) error {
	body.Logs = []LoggedStep{}
	for _, step := range logged(st) {
		l, err := Logged(step)
		if err != nil {
			return err
		}
		if !s.Captions {
			l.Caption = ""
		}
		body.Logs = append(body.Logs, l)
	}
	return nil
}

// logged is the steps of the call but the last, which is the final action.
func logged(st runs.Status) []session.StepRecord {
	return st.Steps[:max(len(st.Steps)-1, 0)]
}

// tailOf is what the text ends with: the notes, then the call that comes next.
func tailOf(body Result, st runs.Status, in *tongue) string {
	lines := make([]string, 0, len(body.Notes)+1)
	for _, n := range body.Notes {
		lines = append(lines, say(in.note, n))
	}
	if l := body.Next.line(st, in); l != "" {
		lines = append(lines, l)
	}
	return strings.Join(lines, "\n")
}

// fit cuts long texts, and leaves early steps out, until the result is small enough.
func (r *reply) fit(body *Result) error {
	for _, level := range []struct{ text, logs int }{{20_000, 1000}, {4000, 1000}, {1000, 200}, {400, 100}, {200, 40}, {100, 10}, {60, 0}} {
		r.body = *body
		size, err := r.size()
		if err != nil || size <= maxResult {
			return err
		}
		body.shorten(level.text, level.logs)
	}
	r.body = *body
	size, err := r.size()
	if err == nil && size > maxResult {
		err = fmt.Errorf("the result has %d bytes (at most %d)", size, maxResult)
	}
	return err
}

// shorten cuts all texts to about n characters, and keeps the last logs.
func (b *Result) shorten(n, logs int) {
	for _, s := range []*string{&b.Task, &b.Reply} {
		*s = cut(*s, n)
	}
	if b.Answer != nil {
		answer := cut(*b.Answer, 4*n)
		b.Answer = &answer
	}
	if b.Question != nil {
		b.Question.shorten(2 * n)
	}
	if b.Error != nil {
		b.Error.Message, b.Error.Mend = cut(b.Error.Message, n), cut(b.Error.Mend, n)
	}
	if len(b.Logs) > logs {
		b.Logs = b.Logs[len(b.Logs)-logs:]
	}
	for i := range b.Logs {
		b.Logs[i].shorten(n)
	}
	if b.Final != nil {
		b.Final.shorten(n)
	}
	note := "long texts and early steps are left out; on the server, `taploop sessions show " + b.SessionID + "` has all of it"
	if len(b.Notes) == 0 || b.Notes[len(b.Notes)-1] != note {
		b.Notes = append(b.Notes, note)
	}
}

func (l *LoggedStep) shorten(n int) {
	l.Caption, l.Action = cut(l.Caption, n), cutJSON(l.Action, n)
}
