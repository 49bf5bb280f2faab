package tools

import (
	"context"
	"slices"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/runs"
	"github.com/taploop/taploop/tools/result"
)

// render makes the result of a call that was carried out.
func (t *tasks) render(ctx context.Context, c *call, st runs.Status, s *callState) (*reply, error) {
	shown := s.show.private(t.Privacy)
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
	body.Notes = slices.Concat(body.Notes, s.notes, settled)
	t.link(body.Question)
	if c.gelab && body.Reason == agentloop.TakeoverNeeded { // these clients know their own words
		body.Reason = agentloop.InfoNeedsReply
	}
	body.Next = Next(st)
	if body.Final != nil && !shown.FinalCaption {
		body.Final.Caption = ""
	}
	if shown.Logs {
		if err := body.AddLogs(st, shown.Captions); err != nil {
			return nil, err
		}
	}
	if s.show.pictures() && t.Privacy == PrivacyCaptions {
		body.Notes = append(body.Notes,
			"this server keeps pictures private: screens are described in words instead")
	}
	pictures, err := t.pictures(ctx, &body, st, shown)
	if err != nil {
		return nil, err
	}
	r := &reply{text: func() string { return said(&body, st, c.messages) }}
	err = c.fit(r, &body)
	r.pictures = pictures
	return r, err
}
