package web

import (
	"net/http"

	"github.com/taploop/taploop/internal/inquiry/consent"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/usecase"
)

// deviceView is a phone as people see it.
type deviceView struct {
	ID      string      `json:"device_id"`
	State   string      `json:"state"`
	Usable  bool        `json:"usable"`
	Model   string      `json:"model,omitempty"`
	Android string      `json:"android_version,omitempty"`
	Holder  *store.Hold `json:"holder,omitempty"`
	App     string      `json:"app,omitempty"` // in front, "" when it is not known
	// what people call that app, by language
	AppNames map[string]string `json:"app_names,omitempty"`

	Display string `json:"display,omitempty"` // on, locked or off
	Worker  string `json:"worker,omitempty"`  // the other machine that has it
	Battery int    `json:"battery,omitempty"` // in percent, 0 when it is not known
	// it gets no new runs; for those who see everything
	Cordoned bool `json:"cordoned,omitempty"`
}

// listDevices lists the phones. With states=true each is asked what it shows.
func (s *screens) listDevices(w http.ResponseWriter, r *http.Request, v viewer) error {
	c := &usecase.Call{Client: v.owner(), By: v.actor()}
	list, err := s.opts.Tasks.ListPhones(r.Context(), c, r.URL.Query().Get("states") == "true")
	if err != nil {
		return err
	}
	out := make([]deviceView, 0, len(list))
	for _, p := range list {
		d := deviceView{ID: p.Serial, State: p.State, Usable: p.Usable, Model: p.Model,
			Android: p.Android, Holder: p.Held, Worker: p.Worker, Battery: p.Battery,
			Cordoned: p.Closed && v.All}
		if p.Screen != nil {
			d.App, d.Display = p.Screen.App, displayOf(*p.Screen)
		}
		d.AppNames = consent.AppNames(d.App)
		out = append(out, d)
	}
	return send(w, http.StatusOK, map[string]any{"devices": out})
}

func displayOf(s screen.State) string {
	switch {
	case !s.On:
		return "off"
	case s.Locked:
		return "locked"
	}
	return "on"
}
