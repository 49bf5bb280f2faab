package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
)

// listAnswers lists the remembered answers that the viewer may see.
func (s *inbox) listAnswers(w http.ResponseWriter, r *http.Request, v viewer) error {
	list, err := s.opts.Answers.List(r.Context(), v.owners())
	list = append([]inquiry.Remembered{}, list...) // never null
	return sendUnless(w, err, map[string]any{"answers": list})
}

// forget takes a remembered answer back.
func (s *inbox) forget(w http.ResponseWriter, r *http.Request, v viewer) error {
	id := r.PathValue("id")
	gone, err := s.opts.Answers.Forget(r.Context(), id, v.owners(), v.actor().Entry(""))
	if errors.Is(err, store.ErrNotFound) {
		return refuse("NOT_FOUND", fmt.Errorf("there is no remembered answer %.100q", id))
	}
	return sendUnless(w, err, map[string]any{"answers": gone})
}

// listGrants lists the leave to act without asking that matters to what the viewer sees.
func (s *inbox) listGrants(w http.ResponseWriter, r *http.Request, v viewer) error {
	list, err := s.opts.Grants.List(r.Context(), v.owners())
	return sendUnless(w, err, map[string]any{"grants": append([]guard.Grant{}, list...)})
}

// giveGrant gives leave for the actions of those whose sessions the viewer sees.
func (s *inbox) giveGrant(w http.ResponseWriter, r *http.Request, v viewer) error {
	var body struct {
		guard.Leave
		Minutes float64 `json:"minutes"`
	}
	if err := receive(r, &body); err != nil {
		return err
	}
	if err := s.find(r.Context(), &body.Leave, v); err != nil {
		return err
	}
	body.For = v.owners()
	if body.Minutes < 0 || body.Minutes > guard.MaxGrantTime.Minutes() {
		return badRequest("minutes is %v (want more than 0 and up to %v)", body.Minutes,
			guard.MaxGrantTime.Minutes())
	}
	g, err := body.Grant(time.Now(), time.Duration(body.Minutes*float64(time.Minute)))
	if err != nil {
		return refuse("INVALID_ARGUMENT", err)
	}
	g.By = v.Name
	err = s.opts.Grants.Give(r.Context(), g, v.actor().Entry(""))
	return sendUnless(w, err, map[string]any{"grants": []guard.Grant{g}})
}

// find puts a session's id, or an app's package, in the place of what the leave calls it.
func (s *inbox) find(ctx context.Context, l *guard.Leave, v viewer) error {
	switch {
	case l.Scope == guard.ForSession:
		x, err := s.opts.Sessions.Find(ctx, l.Name, v.owners())
		l.Name = x.ID
		return err
	case l.Scope != guard.ForApp || s.opts.AppOf == nil:
		return nil
	}
	pkg, err := s.opts.AppOf(ctx, l.Name)
	if err != nil {
		return refuse("INVALID_ARGUMENT", err)
	}
	l.Name = pkg
	return nil
}

// endGrant takes leave back.
func (s *inbox) endGrant(w http.ResponseWriter, r *http.Request, v viewer) error {
	var body guard.Leave
	if err := receive(r, &body); err != nil {
		return err
	}
	if body.Scope == "" {
		return badRequest(`there is no "scope" (want those of one of the grants)`)
	}
	if body.Scope == guard.ForApp {
		if err := s.find(r.Context(), &body, v); err != nil {
			return err
		}
	}
	ended, err := s.opts.Grants.End(r.Context(), body, v.owners(), v.actor().Entry(""))
	return sendUnless(w, err, map[string]any{"grants": append([]guard.Grant{}, ended...)})
}
