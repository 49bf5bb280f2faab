package web

import (
	"errors"
	"net/http"
)

// about tells people of the server.
func (s *sessions) about(w http.ResponseWriter, r *http.Request, v viewer) error {
	if err := v.person("people see how the server is set"); err != nil {
		return err
	}
	if !v.All {
		return refuse("NOT_A_PERSON", errors.New("the server is shown to those who see everything"))
	}
	var a About
	if s.opts.About != nil {
		var err error
		if a, err = s.opts.About(r.Context()); err != nil {
			return err
		}
	}
	return send(w, http.StatusOK, a)
}
