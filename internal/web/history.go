package web

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"

	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/export"
)

// getTrajectory gives all of a session but its pictures and the model's words.
func (s *sessions) getTrajectory(w http.ResponseWriter, r *http.Request, _ viewer,
	x store.Session) error {
	t, err := s.opts.Sessions.Trajectory(r.Context(), x.ID)
	if err != nil {
		return err
	}
	told, err := export.TellAll(r.Context(), s.opts.Sessions, t)
	return sendUnless(w, err, told)
}

// getStep gives a step with the model's prompts and replies.
func (s *sessions) getStep(w http.ResponseWriter, r *http.Request, _ viewer,
	x store.Session) error {
	index, err := strconv.Atoi(r.PathValue("index"))
	if err != nil || index < 1 {
		return badRequest("the step is %.20q (want its number)", r.PathValue("index"))
	}
	list, err := s.opts.Sessions.Steps(r.Context(), x.ID, index-1)
	if err != nil {
		return err
	}
	if len(list) == 0 || list[0].Index != index {
		return refuse("NOT_FOUND", fmt.Errorf("session %s has no step %d", x.ID, index))
	}
	return send(w, http.StatusOK, export.TellStep(list[0]))
}

// getExport gives a session as one page that loads nothing.
func (s *sessions) getExport(w http.ResponseWriter, r *http.Request, _ viewer,
	x store.Session) error {
	var page bytes.Buffer
	if err := export.HTML(r.Context(), &page, s.opts.Sessions, x.ID); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="taploop-`+x.ID+`.html"`)
	_, _ = w.Write(page.Bytes())
	return nil
}

// deleteSession removes a session for good.
func (s *sessions) deleteSession(w http.ResponseWriter, r *http.Request, v viewer,
	x store.Session) error {
	if err := s.opts.Sessions.Delete(r.Context(), x.ID, v.actor().Entry("")); err != nil {
		return err
	}
	s.opts.Log.InfoContext(r.Context(), "session deleted", "session", x.ID, "by", v.Name)
	return send(w, http.StatusOK, map[string]any{"deleted": x.ID})
}
