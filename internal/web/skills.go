package web

import (
	"errors"
	"net/http"

	"github.com/taploop/taploop/internal/usecase"
)

// listSkills lists the skills of the server.
func (s *tasks) listSkills(w http.ResponseWriter, _ *http.Request, _ viewer) error {
	list, err := s.opts.Tasks.Skills()
	if err != nil {
		return err
	}
	return send(w, http.StatusOK, map[string]any{"skills": list})
}

// runSkill begins a session that repeats the skill of the path.
func (s *tasks) runSkill(w http.ResponseWriter, r *http.Request, v viewer) error {
	body, err := argumentsOf(r)
	if err != nil {
		return err
	}
	name := r.PathValue("name")
	if given, is := body["name"]; is && given != name {
		return badRequest("the skill's name is in the path, and the body has another one")
	}
	body["name"] = name
	q := request{line: "POST /v1/skills/" + name + "/run", body: body, client: v.owner(),
		begins: true}
	out, err := s.callWaiting(w, r, v, q, with(s, "RunSkill", body, s.opts.Tasks.RunSkill))
	switch {
	case errors.Is(err, usecase.ErrNoSkill):
		return refuse("NOT_FOUND", err)
	case err == nil:
		w.Header().Set("Location", "/v1/sessions/"+out.Status.Session.ID)
	}
	return s.outcome(w, http.StatusCreated, q, out, err)
}
