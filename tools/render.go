package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/taploop/taploop/runs"
	"github.com/taploop/taploop/tools/result"
)

// render makes the result of a call that was carried out.
func (t *tasks) render(ctx context.Context, c *call, st runs.Status, s *callState) (*reply, error) {
	wanted := s.show
	shown := wanted.private(t.Privacy)
	body, err := result.New(st)
	if err != nil {
		return nil, err
	}
	if s.resumeErr != nil && body.Error != nil {
		body.Error = new(result.NewFailure(s.resumeErr))
	}
	if s.reply != "" {
		body.Task, body.Reply = "", s.reply
	}
	settled, err := t.answered(ctx, st, s, c.messages)
	if err != nil {
		return nil, err
	}
	body.Notes = slices.Concat(s.notes, settled)
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
	if wanted.pictures() && t.Privacy == PrivacyCaptions {
		body.Notes = append(body.Notes,
			"this server keeps pictures private: screens are described in words instead")
	}
	r := &reply{tail: tailOf(body, st, c.messages)}
	if err := r.fit(&body); err != nil {
		return nil, err
	}
	if shown.pictures() {
		if err := t.addPictures(ctx, &body, st, shown); err != nil {
			return nil, err
		}
	}
	r.body, r.tail = body, tailOf(body, st, c.messages)
	return r, nil
}

// tailOf is what the text ends with: the notes, then the call that comes next.
func tailOf(body result.Result, st runs.Status, in *messages) string {
	lines := make([]string, 0, len(body.Notes)+1)
	for _, n := range body.Notes {
		lines = append(lines, fmt.Sprintf(in.Note, n))
	}
	if l := nextLine(body.Next, st, in); l != "" {
		lines = append(lines, l)
	}
	return strings.Join(lines, "\n")
}
