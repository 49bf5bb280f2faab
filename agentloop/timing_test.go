package agentloop_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/screen"
)

func TestEachPartOfAStepIsTimed(t *testing.T) {
	r := newRig(tap(1, 1), actions.Complete{})
	r.script.took, r.runner.Limits.Settle = time.Second, -1
	r.runner.Phone = &teller{phone: r.phone, now: func(*screen.State) error {
		time.Sleep(3 * time.Millisecond)
		return nil
	}}
	r.phone.touch = func(context.Context) error { time.Sleep(5 * time.Millisecond); return nil }
	r.journal.on = func(entry string) {
		if strings.HasPrefix(entry, "intent") {
			time.Sleep(2 * time.Millisecond)
		} else {
			time.Sleep(7 * time.Millisecond)
		}
	}

	run(t, r, "x")

	first, second := r.journal.steps[0].Timing, r.journal.steps[1].Timing
	require.Equal(t, agentloop.Timing{Decide: first.Decide, Model: first.Model, Look: first.Look,
		Intent: 2 * time.Millisecond, Check: 3 * time.Millisecond, Touch: 5 * time.Millisecond},
		first)
	require.Equal(t, time.Second, first.Model, "of the policy's tries")
	require.Equal(t, 7*time.Millisecond, second.Done, "of the step before")
	require.Equal(t, first.Look+first.Decide+10*time.Millisecond, first.Total())
	var named time.Duration
	for _, p := range first.Parts() {
		if p.Name != "model" && p.Name != "again" { // parts of decide
			named += p.Time
		}
	}
	require.Equal(t, first.Total(), named, "the parts are all there is")
}
