package tools

import (
	"context"
	"slices"
	"strings"

	"github.com/taploop/taploop/tools/result"

	"github.com/taploop/taploop/runs"
)

// maxResult is how large a result without pictures may be, in bytes; on the wire it has an envelope, and then it is still
// below 100 KB.
const maxResult = 97_000

// render makes the result of a call that was carried out.
func (t *Tools) render(ctx context.Context, c *call, st runs.Status, f *following) (*reply, error) {
	wanted := f.shows
	shown := wanted.private(t.opts.Privacy)
	body, err := result.New(st)
	if err != nil {
		return nil, err
	}
	if f.hindrance != nil && body.Error != nil {
		fl := result.NewFailure(f.hindrance)
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
		if err := body.AddLogs(st, shown.Captions); err != nil {
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

// tailOf is what the text ends with: the notes, then the call that comes next.
func tailOf(body result.Result, st runs.Status, in *tongue) string {
	lines := make([]string, 0, len(body.Notes)+1)
	for _, n := range body.Notes {
		lines = append(lines, say(in.note, n))
	}
	if l := nextLine(body.Next, st, in); l != "" {
		lines = append(lines, l)
	}
	return strings.Join(lines, "\n")
}
