package export_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/export"
)

// shelf is a source in memory.
type shelf struct {
	session store.Session
	runs    []store.Run
	steps   []store.StepRecord
	frames  map[string][]byte
	waits   map[int]time.Duration
	begun   store.Usage // of each run, and of no step
	lost    bool        // all frames, by a power cut
}

var _ export.Source = (*store.Store)(nil)

func (s *shelf) Trajectory(_ context.Context, id string) (store.Trajectory, error) {
	t := store.Trajectory{Session: s.session, Runs: s.runs, Steps: s.steps,
		Usage: map[string]store.Usage{}, Asked: s.waits}
	if id != s.session.ID {
		return t, fmt.Errorf("session %q: %w", id, store.ErrNotFound)
	}
	for _, r := range s.runs {
		t.Usage[r.ID] = s.usage(r.ID)
	}
	return t, nil
}

func (s *shelf) Sessions(context.Context, store.Filter) ([]store.Overview, error) {
	return nil, nil
}

// Noted is for sessions without a phone, which a shelf has none of.
func (s *shelf) Noted(context.Context, string) ([]json.RawMessage, error) { return nil, nil }

func (s *shelf) usage(runID string) store.Usage {
	u := s.begun
	for _, st := range s.steps {
		if st.RunID != runID {
			continue
		}
		u.Steps++
		if st.Timing.Again > 0 {
			u.Again++
		}
		t := st.Timing
		u.Timing.Settle, u.Timing.Look = u.Timing.Settle+t.Settle, u.Timing.Look+t.Look
		u.Timing.Decide, u.Timing.Touch = u.Timing.Decide+t.Decide, u.Timing.Touch+t.Touch
		u.Asked += s.waits[st.Index]
		for _, try := range st.Proposal.Tries {
			u.PromptTokens += try.PromptTokens
			u.CompletionTokens += try.CompletionTokens
		}
	}
	return u
}

func (s *shelf) Frame(_ context.Context, id string) ([]byte, error) {
	if s.lost {
		return nil, fmt.Errorf("frame %q: %w", id, store.ErrFrameLost)
	}
	b, ok := s.frames[id]
	if !ok {
		return nil, fmt.Errorf("frame %q: %w", id, store.ErrNotFound)
	}
	return b, nil
}

var began = time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)

func newShelf() *shelf {
	return &shelf{frames: map[string][]byte{},
		session: store.Session{ID: "s1", Serial: "emu-1", CreatedAt: began,
			Device: store.Device{ID: "emu-1", Size: screen.Size{W: 1080, H: 2400},
				Model:   "Pixel 8",
				Android: "14"}}}
}

// run adds a run; the steps that follow are its own.
func (s *shelf) run(r store.Run) *shelf {
	r.Seq = len(s.runs) + 1
	r.ID, r.SessionID = fmt.Sprint("r", r.Seq), "s1"
	s.runs = append(s.runs, r)
	return s
}

// step adds a step with a picture of w x h, or none.
func (s *shelf) step(a actions.Action, w, h int, change ...func(*store.StepRecord)) *shelf {
	n := len(s.steps) + 1
	st := store.StepRecord{SessionID: "s1", RunID: s.runs[len(s.runs)-1].ID, State: store.Done,
		DoneAt: began.Add(time.Duration(n) * time.Second)}
	st.Index, st.Local, st.StartedAt = n, n, began.Add(time.Duration(n-1)*time.Second)
	st.Screen = screen.Observation{State: screen.State{On: true, App: "com.android.deskclock"},
		At: st.StartedAt}
	st.Timing = agentloop.Timing{Settle: 200 * time.Millisecond, Look: 100 * time.Millisecond,
		Decide: 1500 * time.Millisecond, Touch: 40 * time.Millisecond}
	st.Proposal = agentloop.Proposal{Decision: actions.Decision{Action: a, Thought: "a thought",
		Explain: "the step in words", Summary: "what was done"},
		Tries: []agentloop.Try{{Prompt: "the prompt", Reply: "the reply",
			Took: 1500 * time.Millisecond, PromptTokens: 1200, CompletionTokens: 34}}}
	if w > 0 {
		st.FrameID, st.FrameSize = fmt.Sprintf("s1.%d.1", n), screen.Size{W: w, H: h}
		s.frames[st.FrameID] = jpegOf(w, h)
	}
	for _, f := range change {
		f(&st)
	}
	s.steps = append(s.steps, st)
	return s
}

func jpegOf(w, h int) []byte {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.Set(x, y, color.RGBA{uint8(x * 255 / w), uint8(y * 255 / h), 120, 255})
		}
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func html(t *testing.T, s *shelf) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, export.HTML(t.Context(), &b, s, "s1"))
	return b.String()
}

// shelves are the sessions of the golden files, by name.
var shelves = map[string]func() *shelf{
	"completed": completed,
	"waiting":   waiting,
	"troubles":  troubles,
	"two_tasks": twoTasks,
	"not_a_step": func() *shelf {
		return newShelf().run(store.Run{Task: "nothing yet",
			State: store.Queued})
	},
	"no_task": newShelf,
}

func completed() *shelf {
	s := newShelf().run(store.Run{Task: "Set an alarm for 7:30", State: store.Completed,
		StopReason: agentloop.TaskCompleted,
		Answer:     "It rings at 7:30.", EndedAt: began.Add(time.Minute)})
	s.step(actions.OpenApp{App: "Clock"}, 54, 120, func(st *store.StepRecord) {
		st.Proposal.Fields = []actions.Field{{Key: "cot", Value: "a thought"},
			{Key: "explain", Value: "open it"}, {Key: "action", Value: "AWAKE"},
			{Key: "value", Value: "Clock"}, {Key: "summary", Value: "s"}}
		st.Proposal.Caption = "the launcher"
	})
	s.step(actions.Click{At: screen.Point{X: 0.5, Y: 0.85}}, 54, 120, func(st *store.StepRecord) {
		st.Proposal.Fields = []actions.Field{{Key: "action", Value: "CLICK"},
			{Key: "point", Value: "500,850"}}
		st.Proposal.Explain = ""
	})
	s.step(actions.Slide{From: screen.Point{X: 0.1, Y: 0.2}, To: screen.Point{X: 0.9, Y: 0.2}},
		120, 54)
	s.step(actions.Info{Question: "On weekends, too?", Options: []string{"Yes", "No"}}, 54, 120,
		func(st *store.StepRecord) {
			st.Exchange = &actions.Exchange{Question: "On weekends, too?", Answer: "No",
				Outcome: actions.Answered}
		})
	s.waits = map[int]time.Duration{4: 90 * time.Second}
	return s.step(actions.Complete{Report: "It rings at 7:30."}, 54, 120)
}

func waiting() *shelf {
	s := newShelf().run(store.Run{Task: "Pay the bill", State: store.WaitingReply,
		StopReason: agentloop.InfoNeedsReply})
	return s.step(actions.Info{Question: "Which bill?"}, 54, 120)
}

func troubles() *shelf {
	s := newShelf().run(store.Run{Task: "Try", State: store.Failed,
		StopReason: agentloop.ModelOutputInvalid, Error: "the model made no sense"})
	s.step(actions.Type{Text: "hello", At: &screen.Point{X: .5, Y: .5}}, 54, 120,
		func(st *store.StepRecord) {
			st.Refusal = agentloop.PartialRefusal + "the point was tapped, but then: taploop " +
				"typed nothing: no text field has the focus"
		})
	s.step(actions.LongPress{At: screen.Point{X: 0, Y: 1}}, 54, 120,
		func(st *store.StepRecord) { st.State, st.DoneAt = store.Unknown, time.Time{} })
	s.step(actions.Scroll{At: screen.Point{X: 0.5, Y: 0.1}, Direction: actions.Down}, 54, 120,
		func(st *store.StepRecord) { delete(s.frames, st.FrameID) })
	s.step(actions.Wait{For: 2 * time.Second}, 0, 0)
	s.step(actions.Drag{From: screen.Point{X: 0.1, Y: 0.1}, To: screen.Point{X: 0.2, Y: 0.9}},
		54, 120,
		func(st *store.StepRecord) { st.State = store.Intent })
	s.step(actions.DoubleClick{At: screen.Point{X: 0.25, Y: 0.75}}, 54, 120,
		func(st *store.StepRecord) {
			st.Refusal = "not carried out: double-tapping emu-1: the phone refused: no"
		})
	return s.step(nil, 54, 120, func(st *store.StepRecord) {
		st.Proposal.Decision = actions.Decision{}
		st.Proposal.Tries = []agentloop.Try{{Prompt: "p1", Reply: "?", Error: "no action"},
			{Prompt: "p2", Reply: "", Error: "the reply is empty"}}
	})
}

func twoTasks() *shelf {
	s := newShelf().run(store.Run{Task: "First", State: store.Completed,
		StopReason: agentloop.TaskCompleted, Answer: "done"})
	s.step(actions.Home{}, 54, 120)
	s.run(store.Run{Task: "Second", State: store.Cancelled, StopReason: agentloop.Cancelled})
	return s.step(actions.Back{}, 54, 120).step(actions.HotKey{Key: actions.KeyEnter}, 54, 120)
}
