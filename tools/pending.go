package tools

import (
	"context"

	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/tools/result"
)

type pendingArgs struct {
	SessionID string `json:"session_id,omitempty" max:"200"`
	Limit     int    `json:"limit" default:"20" min:"1" max:"100" listed:"no"`
}

// list lists the caller's open questions.
func (t *inquiries) list(ctx context.Context, c *call, a pendingArgs) (*reply, error) {
	if a.SessionID != "" {
		sess, err := t.Runs.Session(ctx, a.SessionID, c.principal)
		if err != nil {
			return nil, err
		}
		a.SessionID = sess.ID
	}
	open, err := t.Questions.List(ctx,
		inquiry.Filter{Status: inquiry.Pending, SessionID: a.SessionID})
	if err != nil {
		return nil, err
	}
	body := result.Pending{Questions: []result.OpenQuestion{}}
	owned := map[string]bool{} // sessions
	for _, q := range open {
		mine, known := owned[q.SessionID]
		if !known || q.SessionID == "" {
			if mine, err = t.questions.owns(ctx, c, q); err != nil {
				return nil, err
			}
			owned[q.SessionID] = mine
		}
		if !mine {
			continue
		}
		if body.Total++; body.Total <= a.Limit {
			listed := *t.questions.shown(q)
			listed.SessionID = q.SessionID
			body.Questions = append(body.Questions, listed)
		}
	}
	r := &reply{text: func() string { return questionsSaid(&body, c.messages) }}
	return r, c.fit(r, &body)
}
