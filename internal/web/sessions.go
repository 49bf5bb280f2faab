package web

import (
	"cmp"
	"net/http"
	"strings"
	"time"

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
	list := make([]export.Listed, 0, len(all))
	for _, o := range all {
		list = append(list, export.List(o))
	}
	return send(w, http.StatusOK, map[string]any{"sessions": list})
}

func (s *sessions) getSession(w http.ResponseWriter, r *http.Request, _ viewer,
	x store.Session) error {
	view, err := s.records.present(r.Context(), x)
	return sendUnless(w, err, view)
}

// listSteps lists the steps after one index, or the last few, oldest first.
func (s *sessions) listSteps(w http.ResponseWriter, r *http.Request, _ viewer,
	x store.Session) error {
	const most = 1 << 30
	after, err := number(r, "after", most)
	if err != nil {
		return err
	}
	last, err := number(r, "last", most)
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
func (s *sessions) getFrame(w http.ResponseWriter, r *http.Request, _ viewer,
	x store.Session) error {
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

// filterOf reads which sessions a request wants listed.
func filterOf(r *http.Request) (f store.Filter, err error) {
	q := r.URL.Query()
	f = store.Filter{State: store.State(q.Get("state")), Serial: q.Get("serial"),
		Text: q.Get("q"), App: q.Get("app"), Over: q.Get("over") == "true"}
	if f.State != "" && !f.State.Known() {
		return f, badRequest("unknown state %q (want RUNNING, WAITING_REPLY, PAUSED, ...)", f.State)
	}
	for name, to := range map[string]*time.Time{"since": &f.Since, "until": &f.Until} {
		if q.Get(name) == "" {
			continue
		}
		if *to, err = time.Parse(time.RFC3339, q.Get(name)); err != nil {
			return f, badRequest("%s is %.40q (want a time such as 2026-01-31T12:00:00Z)", name,
				q.Get(name))
		}
	}
	if f.Offset, err = number(r, "offset", 1<<30); err != nil {
		return f, err
	}
	f.Limit, err = number(r, "limit", maxLimit)
	f.Limit = cmp.Or(f.Limit, 50)
	return f, err
}
