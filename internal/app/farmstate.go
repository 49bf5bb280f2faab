package app

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
)

// FarmState is what the machines of a farm are at.
type FarmState struct {
	Workers []FarmWorker `json:"workers"`
	Waiting int          `json:"waiting"` // runs that no machine has claimed yet
}

// FarmWorker is a machine, "" for a store that is this machine's own.
type FarmWorker struct {
	ID      string      `json:"id"`
	Name    string      `json:"name"`
	Role    string      `json:"role"`
	Drained bool        `json:"drained"`
	Gone    bool        `json:"gone,omitempty"` // it died, and was there within a day
	At      time.Time   `json:"at,omitzero"`    // of its last word, by its own clock
	Phones  []FarmPhone `json:"phones"`
}

// FarmPhone is a phone of a machine.
type FarmPhone struct {
	ID       string            `json:"device_id"`
	State    string            `json:"state"`
	Labels   map[string]string `json:"labels"`
	Cordoned bool              `json:"cordoned"`
	Holder   *store.Hold       `json:"holder,omitempty"`
}

// State returns what the machines are at, as the caller may know it who sees everything.
func (f *Farm) State(ctx context.Context) (s FarmState, err error) {
	closed, err := f.db.Farm.Closed(ctx)
	if err != nil {
		return s, err
	}
	waiting, err := f.db.Farm.Waiting(ctx, true)
	if err != nil {
		return s, err
	}
	s.Waiting = len(waiting)
	workers, err := f.workers(ctx)
	touches := func(h store.Hold, w store.Worker) bool {
		return h.Worker == w.ID || !slices.ContainsFunc(workers,
			func(o store.Worker) bool { return o.ID == h.Worker })
	}
	for _, w := range workers {
		one := FarmWorker{ID: w.ID, Name: w.Name, Role: w.Role, At: w.At,
			Phones: []FarmPhone{}, Drained: closed[store.ClosedWorker+w.ID], Gone: w.Gone}
		for _, p := range f.announced(ctx, w) {
			h, held, err := f.db.Leases.Holder(ctx, p.Serial)
			if err != nil {
				return s, err
			}
			shown := FarmPhone{ID: p.Serial, State: p.State, Labels: p.AllLabels(),
				Cordoned: closed[store.ClosedPhone+p.Serial]}
			if w.Gone {
				shown.State = "gone"
			} else if held && touches(h, w) {
				shown.Holder = &h
			}
			one.Phones = append(one.Phones, shown)
		}
		s.Workers = append(s.Workers, one)
	}
	return s, err
}

// workers are the announced workers, or this machine.
func (f *Farm) workers(ctx context.Context) ([]store.Worker, error) {
	if f.db.Farm.Shared() {
		return f.db.Farm.Workers(ctx)
	}
	list, err := f.here(ctx)
	if err != nil {
		return nil, err
	}
	phones, err := json.Marshal(list)
	return []store.Worker{{Name: f.conf.Name, Role: f.conf.Role, Phones: phones}}, err
}

// Drain has the worker of that name or id hand its runs over and end. The entry says who wants
// that, and why.
func (f *Farm) Drain(ctx context.Context, name string, by store.AuditEntry) error {
	workers, err := f.db.Farm.Workers(ctx)
	if err != nil {
		return err
	}
	var names []string
	workers = slices.DeleteFunc(workers, func(w store.Worker) bool {
		if !w.Gone {
			names = append(names, w.Name)
		}
		return w.Gone || w.Name != name && w.ID != name
	})
	switch len(workers) {
	case 0:
		return runs.Refuse(runs.InvalidArgument, "name one of those that are up: "+
			strings.Join(names, ", "), "there is no worker %q", name)
	case 1:
		by.Event, by.Text = store.AuditDrained, about(workers[0].Name, by.Text)
		_, err = f.db.Farm.SetClosed(ctx, store.ClosedWorker+workers[0].ID, true, by)
		return err
	}
	return runs.Refuse(runs.InvalidArgument, "give the id of one: taploop farm status --json",
		"%d workers have the name %q", len(workers), name)
}

// about is the text of an audit entry about something that was done for a reason, or for none.
func about(what, why string) string {
	if why != "" {
		what += ": " + why
	}
	return what
}

// Cordon has the phone get no new runs, or opens it again. The entry is as for Drain. The error has
// the code DeviceNotFound if no machine has announced the phone, or it was not cordoned.
func (f *Farm) Cordon(ctx context.Context, phone string, off bool, by store.AuditEntry) error {
	s, err := f.State(ctx)
	if err != nil {
		return err
	}
	var serials []string
	for _, w := range s.Workers {
		for _, p := range w.Phones {
			serials = append(serials, p.ID)
		}
	}
	known := slices.Contains(serials, phone)
	if !known && !off {
		return runs.Refuse(runs.DeviceNotFound, "name one that is listed: "+
			strings.Join(serials, ", "), "no machine has a phone %q", phone)
	}
	by.Event, by.Text = store.AuditCordoned, about(phone, by.Text)
	if off {
		by.Event = store.AuditUncordoned
	}
	changed, err := f.db.Farm.SetClosed(ctx, store.ClosedPhone+phone, !off, by)
	if err == nil && !changed && !known {
		err = runs.Refuse(runs.DeviceNotFound, "name one that is cordoned: taploop farm status",
			"phone %q is not cordoned", phone)
	}
	return err
}
