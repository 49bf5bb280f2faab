package web

import (
	"net/http"
	"strings"

	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/export"
)

// sessions serves stored sessions.
type sessions struct{ *core }

func (s *sessions) listSessions(w http.ResponseWriter, r *http.Request, v viewer) error {
	f, err := filterOf(r)
	if err != nil {
		return err
	}
	f.Owners = v.owners()
	all, err := s.opts.Sessions.Sessions(r.Context(), f)
	if err != nil {
		return err
	}
	list := make([]sessionView, 0, len(all))
	for _, o := range all {
		list = append(list, sessionView{o.Session, export.NewRun(o.Latest)})
	}
	return send(w, http.StatusOK, map[string]any{"sessions": list})
}

func (s *sessions) getSession(w http.ResponseWriter, r *http.Request, v viewer) error {
	x, err := s.records.session(r, v)
	if err != nil {
		return err
	}
	view, err := s.records.present(r.Context(), x)
	if err != nil {
		return err
	}
	return send(w, http.StatusOK, view)
}

// listSteps lists the steps after one index, or the last few, oldest first.
func (s *sessions) listSteps(w http.ResponseWriter, r *http.Request, v viewer) error {
	const most = 1 << 30
	after, err := number(r, "after", most)
	if err != nil {
		return err
	}
	last, err := number(r, "last", most)
	if err != nil {
		return err
	}
	x, err := s.records.session(r, v)
	if err != nil {
		return err
	}
	if last > 0 {
		after = max(after, x.Steps-last)
	}
	steps, err := s.opts.Sessions.Steps(r.Context(), x.ID, after)
	if err != nil {
		return err
	}
	list := make([]export.SeenStep, 0, len(steps))
	for _, st := range steps {
		list = append(list, export.See(st))
	}
	return send(w, http.StatusOK, map[string]any{"steps": list})
}

// getFrame gives a picture. Frames begin with their session's id, so one session does not lead to
// another's.
func (s *sessions) getFrame(w http.ResponseWriter, r *http.Request, v viewer) error {
	x, err := s.records.session(r, v)
	if err != nil {
		return err
	}
	id := r.PathValue("frame")
	if !strings.HasPrefix(id, x.ID+".") {
		return store.ErrNotFound
	}
	b, err := s.opts.Sessions.Frame(r.Context(), id)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "image/jpeg")
	_, _ = w.Write(b)
	return nil
}
