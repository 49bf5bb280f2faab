package store_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/storetest"
	"github.com/taploop/taploop/internal/wait"
)

// TestMain lets the test binary be started again as a process that journals until it is killed, or
// that takes a lease.
func TestMain(m *testing.M) {
	var err error
	switch os.Getenv("TAPLOOP_TEST_CHILD") {
	case "":
		os.Exit(m.Run())
	case "journal":
		err = journalForever(os.Getenv("TAPLOOP_TEST_DIR"), os.Getenv("TAPLOOP_TEST_RUN"))
	case "leave":
		err = actUnderLeave(os.Getenv("TAPLOOP_TEST_DIR"), os.Getenv("TAPLOOP_TEST_RUN"))
	case "lease":
		err = takeLease(os.Getenv("TAPLOOP_TEST_DIR"), os.Getenv("TAPLOOP_TEST_RUN"))
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// child starts the test binary again; it ends with the test at the latest.
func child(t *testing.T, what, dir, run string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "TAPLOOP_TEST_CHILD="+what, "TAPLOOP_TEST_DIR="+dir,
		"TAPLOOP_TEST_RUN="+run)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	return cmd, bufio.NewScanner(out)
}

// journalForever resumes the run and takes steps, for ever or so many: each gesture appends one
// byte to the file "phone", which stands for the phone.
func journalForever(dir, runID string) error {
	ctx := context.Background()
	s, err := joined(ctx, dir)
	if err != nil {
		return err
	}
	r, err := s.Runs.Transition(ctx, runID, store.Change{To: store.Running})
	if err != nil {
		return err
	}
	x, err := s.Session(ctx, r.SessionID)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	phone, err := os.OpenFile(filepath.Join(dir, "phone"), os.O_APPEND|os.O_WRONLY|os.O_CREATE,
		0o600)
	if err != nil {
		return err
	}
	j, c := s.Journal(r), r.Progress
	last, err := strconv.Atoi(os.Getenv("TAPLOOP_TEST_STEPS"))
	if err != nil {
		last = math.MaxInt
	}
	for i := x.Steps + 1; i <= last; i++ {
		st := step(&testing.T{}, i, actions.Type{Text: fmt.Sprint(i)})
		if err := j.Intent(ctx, st); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(phone, i); err != nil {
			return err
		}
		c.Steps++
		c.Summary, c.Notes = fmt.Sprint("did ", i), nil
		if err := j.Done(ctx, st, c); err != nil {
			return err
		}
	}
	os.Exit(0)
	return nil
}

func TestAKillAtAnyMomentLosesAtMostTheStepInFlightAndRepeatsNothing(t *testing.T) {
	dir := t.TempDir()
	s := open2(t, dir)
	x, r, err := s.Begin(t.Context(), store.Session{Serial: "emu-1", Device: device},
		store.Run{Task: "t", State: store.Paused})
	require.NoError(t, err)
	unknown := 0
	for range 20 {
		require.NoError(t, s.Close())
		cmd, out := child(t, "journal", dir, r.ID)
		require.True(t, out.Scan(), "the child began")
		timer := time.NewTimer(time.Duration(rand.IntN(60_000)) * time.Microsecond)
		<-timer.C
		require.NoError(t, cmd.Process.Kill())
		require.ErrorContains(t, cmd.Wait(), "signal: killed")

		s = open2(t, dir)
		require.NoError(t, s.Check(t.Context()))
		buried(t, s, r.ID)
		if !storetest.OnPostgres() {
			owners, err := os.ReadDir(filepath.Join(dir, "owners"))
			require.NoError(t, err)
			require.Len(t, owners, 1, "what the killed process left is swept")
		}
		before, err := s.Runs.Get(t.Context(), r.ID)
		require.NoError(t, err)
		require.Equal(t, store.Running, before.State)
		steps, err := s.Steps(t.Context(), x.ID, 0)
		require.NoError(t, err)
		open := 0
		for i, st := range steps {
			require.Equal(t, i+1, st.Index)
			if st.State == store.Intent {
				open++
				require.Equal(t, len(steps), st.Index, "only the last step can be open")
			}
			_, err := s.Frame(t.Context(), st.FrameID)
			require.NoError(t, err)
		}
		require.LessOrEqual(t, open, 1)

		left, err := s.Runs.Recover(t.Context())
		require.NoError(t, err)
		require.Len(t, left, 1)
		require.Equal(t, store.Paused, left[0].State)
		require.Equal(t, len(steps), left[0].Progress.Steps)
		if open > 0 {
			unknown++
			want := agentloop.Note{Kind: agentloop.NoteOutcomeUnknown,
				Action: fmt.Sprintf("type \"%d\"", len(steps))}
			require.Equal(t, want, left[0].Progress.Notes[len(left[0].Progress.Notes)-1])
		}
	}
	defer s.Close()
	requireEachTouchOnce(t, dir, s, x.ID)
	t.Logf("%d of 20 kills left a step open", unknown)
}

// buried waits until the owner of the run counts as dead.
func buried(t *testing.T, s *store.Store, runID string) {
	t.Helper()
	r, err := s.Runs.Get(t.Context(), runID)
	require.NoError(t, err)
	for s.Owner.Alive(r.Owner) {
		require.NoError(t, wait.For(t.Context(), 5*time.Millisecond))
	}
}

// requireEachTouchOnce compares what the phone felt with what the journal says.
func requireEachTouchOnce(t *testing.T, dir string, s *store.Store, sessionID string) {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "phone"))
	require.NoError(t, err)
	defer f.Close()
	felt := map[string]int{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		felt[lines.Text()]++
	}
	steps, err := s.Steps(t.Context(), sessionID, 0)
	require.NoError(t, err)
	require.NotEmpty(t, steps)
	for _, st := range steps {
		n := felt[fmt.Sprint(st.Index)]
		if st.State == store.Done {
			require.Equal(t, 1, n, "step %d", st.Index)
		} else {
			require.LessOrEqual(t, n, 1, "step %d", st.Index)
		}
	}
}

// actUnderLeave resumes the run and takes steps under the leave that there is, until it is used up.
// Every third step is not carried out after all.
func actUnderLeave(dir, runID string) error {
	ctx := context.Background()
	s, err := joined(ctx, dir)
	if err != nil {
		return err
	}
	r, err := s.Runs.Transition(ctx, runID, store.Change{To: store.Running})
	if err != nil {
		return err
	}
	phone, err := os.OpenFile(filepath.Join(dir, "phone"), os.O_APPEND|os.O_WRONLY|os.O_CREATE,
		0o600)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	j, c := s.Journal(r), r.Progress
	for {
		l, err := s.Grants.Covering(ctx, func(guard.Grant) bool { return true })
		if err != nil || l == nil {
			fmt.Println("used up")
			return errors.Join(err, s.Close())
		}
		c.Steps++
		st := step(&testing.T{}, c.Steps, actions.Type{Text: fmt.Sprint(c.Steps)})
		st.Leave, st.Refusal = l, ""
		if c.Steps%3 == 0 {
			st.Refusal = "not carried out: the page changed"
		}
		if err := j.Intent(ctx, st); err != nil {
			return err
		}
		if st.Refusal == "" {
			if _, err := fmt.Fprintln(phone, c.Steps); err != nil {
				return err
			}
		}
		if err := j.Done(ctx, st, c); err != nil {
			return err
		}
		fmt.Println("step")
	}
}

func TestAKillUnderLeaveNeverTouchesMoreOftenThanGranted(t *testing.T) {
	dir := t.TempDir()
	s := open2(t, dir)
	_, r, err := s.Begin(t.Context(), store.Session{Serial: "emu-1", Device: device},
		store.Run{Task: "t", State: store.Paused})
	require.NoError(t, err)
	const most = 40 // by both grants
	for _, l := range []guard.Leave{{Scope: guard.ForAll, Times: most - 1},
		{Scope: guard.ForApp, Name: "com.shop", Target: `com.shop CLICK "Send"`, Times: 1}} {
		g, err := l.Grant(time.Now(), time.Hour)
		require.NoError(t, err)
		require.NoError(t, s.Grants.Give(t.Context(), g, store.AuditEntry{By: "anna"}))
	}
	kills, touched := 0, 0
	for spent := false; !spent; kills++ {
		require.NoError(t, s.Close())
		cmd, out := child(t, "leave", dir, r.ID)
		require.True(t, out.Scan(), "the child began")
		for range 1 + rand.IntN(6) { // so that each life gets on, however slow the machine is
			spent = spent || out.Scan() && out.Text() == "used up"
		}
		timer := time.NewTimer(time.Duration(rand.IntN(8_000)) * time.Microsecond)
		<-timer.C
		_ = cmd.Process.Kill()
		require.Error(t, cmd.Wait())
		s = open2(t, dir)
		buried(t, s, r.ID)
		_, err := s.Runs.Recover(t.Context())
		require.NoError(t, err)
		felt, err := os.ReadFile(filepath.Join(dir, "phone"))
		require.NoError(t, err)
		touched = bytes.Count(felt, []byte("\n"))
		list, err := s.Grants.List(t.Context(), nil)
		require.NoError(t, err)
		used := most
		for _, g := range list { // what is used up is not listed any more
			used -= g.Times - g.Used
		}
		require.LessOrEqual(t, touched, used, "each touch was counted before it")
	}
	require.NoError(t, s.Close())
	require.Greater(t, kills, 2)
	require.GreaterOrEqual(t, touched, most-kills, "a kill wastes one use at most")
}

// joined is a store on the database of the folder.
func joined(ctx context.Context, dir string) (*store.Store, error) {
	opts, _, err := storetest.Join(ctx, dir, nil)
	if err != nil {
		return nil, err
	}
	return store.Open(ctx, dir, opts)
}

func takeLease(dir, runID string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	s, err := joined(ctx, dir)
	if err != nil {
		return err
	}
	if _, err := s.Runs.Transition(ctx, runID, store.Change{To: store.Running}); err != nil {
		return err
	}
	if err := s.Leases.Take(ctx, "emu-1", runID); err != nil {
		fmt.Println(err)
	} else {
		fmt.Println("taken")
	}
	<-ctx.Done() // never: the test kills this process
	return nil
}

func TestTwoProcessesDoNotHaveOnePhone(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	a, b := started(t, s), started(t, s)
	kill := func(cmd *exec.Cmd) {
		require.NoError(t, cmd.Process.Kill())
		require.ErrorContains(t, cmd.Wait(), "signal: killed")
	}
	first, out := child(t, "lease", dir, a.ID)
	require.True(t, out.Scan())
	require.Equal(t, "taken", out.Text())
	err := s.Leases.Take(t.Context(), "emu-1", b.ID)
	var busy *store.BusyError
	require.ErrorAs(t, err, &busy)
	require.Equal(t, a.ID, busy.RunID)

	kill(first)
	buried(t, s, a.ID)
	require.NoError(t, s.Leases.Take(t.Context(), "emu-1", b.ID), "the holder's process is dead")
	second, out := child(t, "lease", dir, a.ID)
	require.True(t, out.Scan())
	require.Contains(t, out.Text(), "is held by session "+b.SessionID)
	kill(second)
}
