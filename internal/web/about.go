package web

import (
	"errors"
	"net/http"

	"github.com/taploop/taploop/internal/store"
)

// About is what people can read of the server: its state, how it is set, who may come in, and what
// was done last.
type About struct {
	Health   []Fact             `json:"health"`
	Settings []Fact             `json:"settings"`
	Tokens   []Fact             `json:"tokens"`
	Audit    []store.AuditEntry `json:"audit"` // the newest first
}

// Fact is a name with its value, which holds no secret.
type Fact struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Origin string `json:"origin,omitempty"` // where the value comes from
}

// about tells people of the server.
func (s *sessions) about(w http.ResponseWriter, r *http.Request, v viewer) error {
	if err := v.person("people see how the server is set"); err != nil {
		return err
	}
	if !v.all {
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
