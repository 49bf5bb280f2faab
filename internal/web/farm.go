package web

import (
	"context"
	"errors"
	"net/http"

	"github.com/taploop/taploop/internal/runs"
)

// farm serves the machines to people who see everything.
type farm struct{ *core }

func (s *farm) may(v viewer) error {
	err := v.operator("people see the machines, and change what they do")
	if err == nil && s.opts.Farm == nil {
		err = refuse("NOT_FOUND", errors.New("this server has no machines"))
	}
	return err
}

func (s *farm) state(w http.ResponseWriter, r *http.Request, _ viewer) error {
	now, err := s.opts.Farm.State(r.Context())
	return sendUnless(w, err, now)
}

// changing reads a request, carries it out for the viewer, and answers with what the machines are
// at then.
func changing[T any](s *farm, do func(context.Context, T, runs.Actor) error) handler {
	return allowed(s.may, func(w http.ResponseWriter, r *http.Request, v viewer) error {
		var body T
		if err := receive(r, &body); err != nil {
			return err
		}
		if err := do(r.Context(), body, v.actor()); err != nil {
			return err
		}
		return s.state(w, r, v)
	})
}

func (s *farm) drain(ctx context.Context, body struct {
	Worker string `json:"worker"`
	Why    string `json:"why"`
}, by runs.Actor) error {
	return s.opts.Farm.Drain(ctx, body.Worker, by.Entry(body.Why))
}

func (s *farm) cordon(ctx context.Context, body struct {
	Phone string `json:"device_id"`
	Off   bool   `json:"off"`
	Why   string `json:"why"`
}, by runs.Actor) error {
	return s.opts.Farm.Cordon(ctx, body.Phone, body.Off, by.Entry(body.Why))
}

func (s *farm) requeue(ctx context.Context, body struct {
	Session string `json:"session_id"`
	Why     string `json:"why"`
}, by runs.Actor) error {
	return s.opts.Farm.Requeue(ctx, body.Session, by.Entry(body.Why))
}
