package runs_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
)

// atOnce is how many runs one process is killed with.
const atOnce = 10

func serials() (all []string) {
	for i := range atOnce {
		all = append(all, fmt.Sprint("P", i))
	}
	return all
}

// TestFiftyKillsBetweenApprovalAndTouch kills processes that carry out what was approved, ten runs
// in each, somewhat later every time. Each action is begun at most once, counted over the process
// that was killed and the one that goes on after it.
func TestFiftyKillsBetweenApprovalAndTouch(t *testing.T) {
	begun := 0
	for i := range 5 {
		dir := t.TempDir()
		w := newFixture(t, dir)
		w.close()
		w.phones = newFakePhones(serials()...)
		w.policy.think = 0
		w.opts.Phones, w.opts.NewGate = w.phones, gateOf("consent")
		w.begin()
		var ids []string
		for _, serial := range serials() {
			st, err := w.manager.Start(w.ctx(), runs.StartRequest{Task: "tap consent",
				Serial: serial, KeepEnvironment: true})
			require.NoError(t, err)
			ids = append(ids, st.Session.ID)
		}
		for _, id := range ids {
			require.Equal(t, store.WaitingApproval, w.wait(id).Run.State)
		}
		w.close()
		approveInStore(t, dir)

		touched := killInApproved(t, dir, i*12)

		w.begin()
		require.NoError(t, w.manager.Recover(w.ctx()))
		for n, id := range ids {
			st := w.wait(id)
			if st.Run.State == store.Paused {
				_, err := w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: id})
				require.NoError(t, err)
				st = w.wait(id)
			}
			require.Equal(t, store.Completed, st.Run.State, "%s %s", st.Reason, st.Message)
			serial := serials()[n]
			all := touched[serial] + len(w.phones.phones[serial].done())
			require.LessOrEqual(t, all, 1, "%s was touched twice", serial)
			steps := w.steps(st)
			require.GreaterOrEqual(t, len(steps), 3, "the action, a note and the end")
			require.NotContains(t, steps[0].Refusal, "yet")
			begun += all
		}
		w.close()
	}
	t.Logf("of 50 approved actions %d were begun", begun)
	require.Greater(t, begun, 25, "most are carried out after all")
}

// killInApproved lets a process carry out what was approved, kills it line lines after it began,
// and returns how often it began to touch each phone.
func killInApproved(t *testing.T, dir string, line int) map[string]int {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "TAPLOOP_TEST_APPROVED="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	touched := map[string]int{}
	lines, n := bufio.NewScanner(out), 0
	for lines.Scan() { // also what was said before the kill was felt
		if serial, is := strings.CutPrefix(lines.Text(), "touch "); is {
			touched[serial]++
		}
		if n++; n == line+1 {
			require.NoError(t, cmd.Process.Kill())
		}
	}
	require.ErrorContains(t, cmd.Wait(), "killed", "it said %d lines", n)
	return touched
}

// approveInStore approves what every session waits for, as taploop reply does without a server.
func approveInStore(t *testing.T, dir string) {
	t.Helper()
	db, err := store.Open(t.Context(), dir, nil)
	require.NoError(t, err)
	b := inquiry.NewBroker(db.Questions, nil)
	open, err := b.List(t.Context(), inquiry.Filter{Status: inquiry.Pending})
	require.NoError(t, err)
	require.Len(t, open, atOnce)
	for _, q := range open {
		_, err := b.Resolve(t.Context(), q.ID, inquiry.Reply{Type: inquiry.TypeDecisions,
			Decisions: []inquiry.Decision{yes}, Authority: inquiry.AuthorityLocalOperator})
		require.NoError(t, err)
	}
	require.NoError(t, db.Close())
}

// carryOutApproved goes on with every session, and says each thing that happens.
func carryOutApproved(dir string) {
	ctx := context.Background()
	db, err := store.Open(ctx, dir, nil)
	check(err)
	phones := newFakePhones(serials()...)
	for serial, h := range phones.phones {
		h.onTouch = func(context.Context) error {
			fmt.Println("touch " + serial)
			return nil
		}
	}
	policy := &scriptedPolicy{}
	m := runs.New(&runs.Options{Store: db, Phones: phones,
		Limits: agentloop.Limits{Settle: -1}, NewGate: gateOf("consent"),
		NewPolicy: func(s runs.Settings) (agentloop.Policy, error) { return policy.make(s) },
		Observe:   func(e runs.Event) { fmt.Println(e.Kind, e.State) }})
	fmt.Println("ready")
	check(m.Recover(ctx))
	for { // whatever is left to say
		fmt.Println("done")
		time.Sleep(time.Millisecond)
	}
}
