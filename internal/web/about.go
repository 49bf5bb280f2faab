package web

import (
	"net/http"
	"slices"

	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/words"
)

// about tells people of the server.
func (s *sessions) about(w http.ResponseWriter, r *http.Request, v viewer) error {
	if err := v.operator("people see how the server is set"); err != nil {
		return err
	}
	var a About
	if s.opts.About != nil {
		var err error
		if a, err = s.opts.About(r.Context()); err != nil {
			return err
		}
	}
	if lang := r.URL.Query().Get("lang"); lang != "" {
		a.put(lang)
	}
	return send(w, http.StatusOK, a)
}

// worded are the events with a text of the program's own.
var worded = []store.AuditEvent{store.AuditByHand, store.AuditNotified, store.AuditNoticed}

// put puts what the program says of itself into a language.
func (a *About) put(lang string) {
	for i, f := range a.Health {
		a.Health[i].Name = words.Phrase(lang, f.Name)
		a.Health[i].Value = words.Phrase(lang, f.Value)
	}
	for i, f := range a.Settings {
		a.Settings[i].Origin = words.Phrase(lang, f.Origin)
	}
	for i, e := range a.Audit {
		a.Audit[i].Event = store.AuditEvent(words.Phrase(lang, string(e.Event)))
		if slices.Contains(worded, e.Event) {
			a.Audit[i].Text = words.Phrase(lang, e.Text)
		}
	}
}
