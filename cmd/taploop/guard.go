package main

import (
	"strings"

	"github.com/taploop/taploop/agentloop"
	guardphone "github.com/taploop/taploop/guard/phone"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/runs"
	"github.com/taploop/taploop/session"
)

// guardRuns puts the guard's gate into the runs. It says what the configuration has taken away from
// it, when that is to be said.
func (a *app) guardRuns(o *runs.Options, say bool) error {
	p, err := a.conf.GuardPolicy(a.lang())
	if err != nil {
		return usageError{err}
	}
	if say {
		for _, line := range a.guardNotes() {
			a.notef("%s", line)
		}
	}
	if p == nil {
		return nil
	}
	o.NewGate = func(session.Session, session.Run) agentloop.Gate {
		return guardphone.New(p, &guardphone.Options{Expires: a.conf.Guard.Expires, Lang: a.lang()})
	}
	return nil
}

// guardNotes say what the guard does not do.
func (a *app) guardNotes() []string {
	w := wordsIn(a.lang())
	p, err := a.conf.GuardPolicy(a.lang())
	switch {
	case err != nil:
		return nil
	case p == nil:
		return []string{w.guardOff}
	case !a.conf.Guard.Enabled:
		return []string{w.guardFloor}
	}
	if names := p.LowersFloor(); len(names) > 0 {
		return []string{w.floorLowered + text.Line(strings.Join(names, ", "))}
	}
	return nil
}
