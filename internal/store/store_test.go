package store_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/storetest"
)

func open(t testing.TB, dir string, opts *store.Options) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), dir, storetest.On(t, dir, opts))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	if os.Getenv(falters) != "" {
		s.Falter()
	}
	return s
}

// usage is what each run of the session has cost.
func usage(t *testing.T, s *store.Store, sessionID string) map[string]store.Usage {
	all, err := s.Trajectory(t.Context(), sessionID)
	require.NoError(t, err)
	return all.Usage
}

// started is a new session with a run that is RUNNING.
func started(t testing.TB, s *store.Store) store.Run {
	t.Helper()
	_, r, err := s.Begin(t.Context(), store.Session{Serial: "emu-1", Device: device},
		store.Run{Task: "set an alarm", MaxSteps: 20, ReplyMode: "pass_to_client",
			Settings: json.RawMessage(`{"a":1}`)})
	require.NoError(t, err)
	r, err = s.Runs.Transition(t.Context(), r.ID,
		store.Change{From: []store.State{store.Queued}, To: store.Running})
	require.NoError(t, err)
	return r
}

var device = store.Device{ID: "emu-1", Size: screen.Size{W: 1080, H: 2400}, Model: "Pixel",
	Android: "14"}

func frame(t testing.TB, w, h int, c color.Color) *screen.Frame {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.Set(x, y, c)
		}
	}
	f, err := screen.NewFrame(img)
	require.NoError(t, err)
	return f
}

func step(t testing.TB, index int, a actions.Action) agentloop.Step {
	t.Helper()
	at := time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC)
	return agentloop.Step{
		Index: index, Local: index,
		Screen: screen.Observation{Frame: frame(t, 27, 60, color.White),
			State: screen.State{On: true, Size: screen.Size{W: 27, H: 60},
				App: "com.android.deskclock"}, At: at},
		Proposal: agentloop.Proposal{
			Decision: actions.Decision{
				Action: a, Thought: "so that <it> rings", Explain: "go on", Summary: "began",
				Fields: []actions.Field{{Key: "explain", Value: "go on"},
					{Key: "action", Value: a.Verb()}},
			},
			Elements: []screen.Element{{Text: "7:30 \x00 \u202E", Class: "android.widget.Button",
				Bounds: screen.Rect{Max: screen.Point{X: 1.0 / 3, Y: 1}}, Depth: 2,
				Clickable: true}},
			Caption: "a clock\x00 \u202E \U0001F642",
			Tries: []agentloop.Try{
				{Prompt: "p", Reply: "?", Error: "unreadable", Took: time.Second, PromptTokens: 10,
					CompletionTokens: 2},
				{Prompt: "p2", Reply: "r", Took: 2 * time.Second, PromptTokens: 12,
					CompletionTokens: 3},
			},
		},
		Refusal:   "the phone said no",
		Exchange:  &actions.Exchange{Question: "when?", Answer: "at 7", Outcome: actions.Answered},
		StartedAt: at,
		Timing: agentloop.Timing{Look: time.Millisecond, Decide: 3 * time.Second,
			Model: 2 * time.Second, Touch: 2 * time.Millisecond, Settle: 3 * time.Millisecond},
	}
}

func TestWhatIsJournaledIsReadBackWhole(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b?c#d%41")
	s := open(t, dir, nil)
	r := started(t, s)
	j := s.Journal(r)
	st := step(t, 1, actions.Click{At: screen.Point{X: 0.5, Y: 0.25}})
	st.Asks = "approval"
	progress := agentloop.Progress{Task: "set an alarm", Steps: 1, Summary: "began",
		Notes:   []agentloop.Note{{Kind: agentloop.NoteRefused, Action: "tap", Detail: "no"}},
		Pending: &agentloop.Pending{Decision: st.Proposal.Decision, Answer: st.Exchange}}
	before := st
	before.Refusal, before.Exchange = "", nil

	require.NoError(t, j.Intent(t.Context(), before))
	got, err := s.Steps(t.Context(), r.SessionID, 0)
	require.NoError(t, err)
	require.Equal(t, store.Intent, got[0].State)
	require.NoError(t, j.Done(t.Context(), st, progress))

	reopened := open(t, dir, nil)
	got, err = reopened.Steps(t.Context(), r.SessionID, 0)
	require.NoError(t, err)
	want := store.StepRecord{Step: st, SessionID: r.SessionID, RunID: r.ID, State: store.Done,
		FrameID:   got[0].FrameID,
		FrameSize: screen.Size{W: 27, H: 60}, DoneAt: got[0].DoneAt}
	want.Screen.Frame = nil
	require.Equal(t, []store.StepRecord{want}, got)
	require.WithinDuration(t, time.Now(), got[0].DoneAt, time.Minute)

	b, err := reopened.Frame(t.Context(), got[0].FrameID)
	require.NoError(t, err)
	require.Equal(t, "\xff\xd8\xff", string(b[:3]), "a JPEG")
	run, err := reopened.Runs.Get(t.Context(), r.ID)
	require.NoError(t, err)
	require.Equal(t, progress, run.Progress)
	x, err := reopened.Session(t.Context(), r.SessionID)
	require.NoError(t, err)
	require.Equal(t, 1, x.Steps)
	require.Equal(t, device, x.Device)
}

func TestTheDataFolderIsForThisUserOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "data")
	s := open(t, dir, nil)
	r := started(t, s)
	require.NoError(t, s.Journal(r).Done(t.Context(), step(t, 1, actions.Home{}),
		agentloop.Progress{}))
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := d.Info()
		require.NoError(t, err)
		require.Zero(t, info.Mode().Perm()&0o077, path)
		return nil
	}))
}

func TestEachStepHasItsOwnPicture(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	r := started(t, s)
	j := s.Journal(r)
	black := frame(t, 8, 8, color.Black)
	for i, f := range []*screen.Frame{frame(t, 8, 8, color.White), black, black} {
		st := step(t, i+1, actions.Home{})
		st.Screen.Frame = f
		require.NoError(t, j.Intent(t.Context(), st))
		require.NoError(t, j.Done(t.Context(), st, agentloop.Progress{}))
	}
	steps, err := s.Steps(t.Context(), r.SessionID, 0)
	require.NoError(t, err)
	ids := map[string]bool{}
	for i, dark := range []bool{false, true, true} {
		ids[steps[i].FrameID] = true
		b, err := s.Frame(t.Context(), steps[i].FrameID)
		require.NoError(t, err)
		img, err := jpeg.Decode(bytes.NewReader(b))
		require.NoError(t, err)
		red, _, _, _ := img.At(4, 4).RGBA()
		require.Equal(t, dark, red < 0x8000, "step %d", i+1)
	}
	require.Len(t, ids, 3)
}

func TestAJournalShowsWhatFormerStepsSaw(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	r := started(t, s)
	album := s.Journal(r).(agentloop.Album)
	st := step(t, 1, actions.Back{})
	require.NoError(t, s.Journal(r).Done(t.Context(), st, agentloop.Progress{}))
	f, err := album.Frame(t.Context(), 1)
	require.NoError(t, err)
	require.Equal(t, st.Screen.Frame.Size(), f.Size())
	require.Equal(t, st.Screen.Frame.Fingerprint(), f.Fingerprint())

	dark := step(t, 2, actions.Back{})
	dark.Screen.Frame = nil
	require.NoError(t, s.Journal(r).Done(t.Context(), dark, agentloop.Progress{}))
	for _, none := range []int{2, 3} {
		_, err = album.Frame(t.Context(), none)
		require.ErrorIs(t, err, store.ErrNotFound)
	}

	past, err := album.Steps(t.Context())
	require.NoError(t, err)
	require.Len(t, past, 2)
	require.Equal(t, []int{1, 2}, []int{past[0].Index, past[1].Index})
	require.Equal(t, actions.Back{}, past[0].Proposal.Action)
	require.NotEmpty(t, past[0].Proposal.Elements)
	_, err = s.Runs.Transition(t.Context(), r.ID, store.Change{To: store.Completed})
	require.NoError(t, err)
	next, err := s.Runs.Create(t.Context(), store.Run{SessionID: r.SessionID, Task: "and another"})
	require.NoError(t, err)
	past, err = s.Journal(next).(agentloop.Album).Steps(t.Context())
	require.NoError(t, err)
	require.Empty(t, past, "they are another run's")
}

func TestAFrameIsKeptBeforeTheDecision(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	r := started(t, s)
	j := s.Journal(r)
	st := step(t, 1, actions.Home{})
	j.(agentloop.Preparer).Prepare(t.Context(), st)
	require.NoError(t, j.Intent(t.Context(), st))
	require.NoError(t, j.Done(t.Context(), st, agentloop.Progress{Steps: 1}))

	another := step(t, 2, actions.Home{}) // what was kept early is not taken for another step's
	j.(agentloop.Preparer).Prepare(t.Context(), step(t, 3, actions.Home{}))
	require.NoError(t, j.Done(t.Context(), another, agentloop.Progress{Steps: 2}))
	steps, err := s.Steps(t.Context(), r.SessionID, 0)
	require.NoError(t, err)
	for i, kept := range steps {
		require.Equal(t, fmt.Sprintf("%s.%d.%d", r.SessionID, i+1, r.Fence), kept.FrameID)
		b, err := s.Frame(t.Context(), kept.FrameID)
		require.NoError(t, err)
		require.NotEmpty(t, b)
	}
}

func TestAFrameThatCouldNotBeKeptEarlyIsTriedAgain(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	r := started(t, s)
	j := s.Journal(r)
	frames := filepath.Join(dir, "frames", r.SessionID)
	require.NoError(t, os.WriteFile(frames, nil, 0o600)) // a file where the folder has to be
	st := step(t, 1, actions.Home{})
	j.(agentloop.Preparer).Prepare(t.Context(), st)
	require.ErrorContains(t, j.Intent(t.Context(), st), "keeping its frame")
	require.NoError(t, os.Remove(frames))
	require.NoError(t, j.Intent(t.Context(), st))
}
