package notify

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/text"
)

// The events other than those of questions.
const (
	RunCompleted   = "run.completed"
	RunFailed      = "run.failed"
	RunPaused      = "run.paused"
	PhoneLost      = "phone.lost"
	ScheduleMissed = "schedule.missed"
)

// Events are all that there are.
func Events() []string {
	all := []string{RunCompleted, RunFailed, RunPaused, PhoneLost, ScheduleMissed}
	for _, t := range []inquiry.EventType{inquiry.Created, inquiry.Overdue, inquiry.Resolved,
		inquiry.Withdrew, inquiry.RanOut} {
		all = append(all, prefix+string(t))
	}
	return all
}

// Chosen reports whether one of the patterns is for the event, such as run.failed or run.*.
func Chosen(patterns []string, event string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := path.Match(p, event)
		return err == nil && ok
	})
}

// Notice is something that happened, other than to a question. Zero fields are left out. A message
// says the event and the time outside of it.
type Notice struct {
	Event     string    `json:"event,omitempty"`
	At        time.Time `json:"at,omitzero"`
	SessionID string    `json:"session_id,omitempty"`
	RunID     string    `json:"run_id,omitempty"`
	Serial    string    `json:"device_id,omitempty"`
	State     string    `json:"state,omitempty"`
	Reason    string    `json:"stop_reason,omitempty"`
	Why       string    `json:"reason,omitempty"` // in the words of the agent that gave up
	Answer    string    `json:"answer,omitempty"`
	Schedule  string    `json:"schedule,omitempty"`
	Ticks     int       `json:"ticks,omitempty"`
	From      time.Time `json:"from,omitzero"`
	To        time.Time `json:"to,omitzero"`
	URL       string    `json:"url,omitempty"`
}

// line is the notice in a line for people.
func (n *Notice) line() string {
	var words []string
	for _, w := range []string{n.Schedule, n.Serial, n.Reason, n.Why, n.Answer} {
		if w != "" {
			words = append(words, text.Line(w))
		}
	}
	return strings.Join(words, " · ")
}
