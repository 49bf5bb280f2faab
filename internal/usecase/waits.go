package usecase

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Waits bound how long calls wait for their run. A zero field takes its default.
type Waits struct {
	// of a call that does not say (25 s, or 45 s of a client that is known to be patient)
	Default time.Duration
	// of any call; 90 s. One without progress waits 50 s at most, or Default when that is longer
	Max       time.Duration
	Heartbeat time.Duration // between progress messages while nothing happens (10 s)
}

// quietly is how long a client waits that sees no progress.
const quietly = 50 * time.Second

// Over is w with its zero fields taken from base.
func (w Waits) Over(base Waits) Waits {
	return Waits{cmp.Or(w.Default, base.Default), cmp.Or(w.Max, base.Max),
		cmp.Or(w.Heartbeat, base.Heartbeat)}
}

// patient are the clients, by the name that they give themselves, whose calls have no time-out or
// one of more than a minute. A progress token says nothing about that.
var patient = []string{"claude-code", "Visual Studio Code", "codex-mcp-client", "Cherry Studio"}

// Patient reports whether a client is known to wait for minutes.
func Patient(client string) bool {
	return slices.ContainsFunc(patient, func(p string) bool { return strings.EqualFold(p, client) })
}

// Of are the waits of a call. Without a setting a patient caller waits longer.
func (w Waits) Of(patient bool) Waits {
	usual := 25 * time.Second
	if patient {
		usual = 45 * time.Second
	}
	w = w.Over(Waits{Default: usual, Max: 90 * time.Second, Heartbeat: 10 * time.Second})
	w.Default = min(w.Default, w.Max)
	return w
}

// Most is how long a call waits at most, with progress or without.
func (w Waits) Most(progress bool) time.Duration {
	if !progress {
		return min(max(quietly, w.Default), w.Max)
	}
	return w.Max
}
