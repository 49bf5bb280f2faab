package replay_test

import (
	"context"
	"errors"
	"fmt"
	"image"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/lab/replay"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
)

var size = screen.Size{W: 1000, H: 2000}

func at(x, y float64) screen.Point { return screen.Point{X: x, Y: y} }

func TestActionsAreComparedByWhatTheyDo(t *testing.T) {
	click, up := actions.Click{At: at(0.5, 0.5)}, actions.Scroll{At: at(0.5, 0.5),
		Direction: actions.Down}
	for name, c := range map[string]struct {
		was, is actions.Action
		agrees  bool
		pixels  float64 // -1 for none
	}{
		"the same point":         {click, click, true, 0},
		"near":                   {click, actions.Click{At: at(0.53, 0.52)}, true, 50},
		"as far as may be":       {click, actions.Click{At: at(0.6, 0.5)}, true, 100},
		"too far down":           {click, actions.Click{At: at(0.5, 0.551)}, false, 102},
		"another kind":           {click, actions.LongPress{At: at(0.5, 0.5)}, false, -1},
		"other words at the end": {actions.Complete{Report: "a"}, actions.Complete{}, true, -1},
		"another text":           {actions.Type{Text: "a"}, actions.Type{Text: "b"}, false, -1},
		"the same text":          {actions.Type{Text: "a "}, actions.Type{Text: "a"}, true, -1},
		"a text without a point": {actions.Type{Text: "a", At: new(at(0, 0))},
			actions.Type{Text: "a"}, true, -1},
		"an app": {actions.OpenApp{App: "Clock"}, actions.OpenApp{App: "clock"}, true, -1},
		"a swipe elsewhere": {up, actions.Slide{From: at(0.1, 0.9), To: at(0.2, 0.1)}, true,
			-1},
		"a swipe back": {up, actions.Slide{From: at(0.1, 0.1), To: at(0.2, 0.9)}, false, -1},
		"another key": {actions.HotKey{Key: actions.KeyEnter}, actions.HotKey{
			Key: actions.KeyHome}, false, -1},
	} {
		t.Run(name, func(t *testing.T) {
			got := replay.Compare(c.was, c.is, size, 0.1)
			require.Equal(t, c.agrees, got.Agrees)
			if c.pixels < 0 {
				require.Nil(t, got.Pixels)
				require.Nil(t, got.Distance)
				return
			}
			require.InDelta(t, c.pixels, *got.Pixels, 1e-6)
			require.InDelta(t, c.pixels/1000, *got.Distance, 1e-6)
		})
	}
	for _, a := range actions.Vocabulary() {
		require.True(t, replay.Compare(a, a, size, 0).Agrees, a.Verb())
		replay.Compare(a, a, screen.Size{}, 0)
	}
}

// recording is a session in memory.
type recording struct {
	runs   []store.Run
	steps  []store.StepRecord
	frames map[string][]byte
}

func (s *recording) Trajectory(context.Context, string) (store.Trajectory, error) {
	return store.Trajectory{Runs: s.runs, Steps: s.steps}, nil
}

func (s *recording) Frame(_ context.Context, id string) ([]byte, error) {
	if b, ok := s.frames[id]; ok {
		return b, nil
	}
	return nil, fmt.Errorf("frame %q: %w", id, store.ErrNotFound)
}

// add records a step that was decided as d after a reply.
func (s *recording) add(t *testing.T, run string, local int, d actions.Decision, reply string) {
	f, err := screen.NewFrame(image.NewRGBA(image.Rect(0, 0, 500, 1000)))
	require.NoError(t, err)
	jpeg, err := f.JPEG(80)
	require.NoError(t, err)
	n := len(s.steps) + 1
	st := store.StepRecord{RunID: run, FrameID: fmt.Sprint("f", n), FrameSize: size,
		State: store.Done}
	st.Index, st.Local, st.Proposal.Decision = n, local, d
	st.Screen.State.App = "app"
	st.Proposal.Elements = []screen.Element{{Text: fmt.Sprint("element ", n)}}
	st.Proposal.Tries = []agentloop.Try{{Reply: reply, Model: "old"}}
	s.steps, s.frames[st.FrameID] = append(s.steps, st), jpeg
}

// asked is a policy that keeps what it was asked.
type asked struct {
	situations []agentloop.Situation
	next       func(n int) (agentloop.Proposal, error)
}

func (a *asked) Next(_ context.Context, s agentloop.Situation) (agentloop.Proposal, error) {
	a.situations = append(a.situations, s)
	return a.next(len(a.situations))
}

// twoTasks is a session with a question, a refusal, a note and a second task.
func twoTasks(t *testing.T) *recording {
	s := &recording{frames: map[string][]byte{}, runs: []store.Run{
		{ID: "r1", Task: "first", Answer: "all done"}, {ID: "r2", Task: "second"}}}
	tap := actions.Click{At: at(0.5, 0.5)}
	s.add(t, "r1", 1, actions.Decision{Action: tap, Summary: "tapped", Explain: "tap it"}, "R1")
	s.steps[0].Refusal = "offline"
	s.add(t, "r1", 2, actions.Decision{Action: actions.Info{Question: "which?"}}, "R2")
	s.steps[1].Exchange = &actions.Exchange{Question: "which?", Answer: "42",
		Outcome: actions.Answered}
	s.add(t, "r1", 1, actions.Decision{Action: actions.Note{Text: "code 7"}}, "R3")
	s.add(t, "r1", 1, actions.Decision{Action: actions.Complete{}, Summary: "ready"}, "R4")
	s.add(t, "r2", 1, actions.Decision{Action: tap}, "R5")
	return s
}

func TestEachStepIsAskedWithWhatHadHappenedThen(t *testing.T) {
	tap := agentloop.Proposal{Decision: actions.Decision{Action: actions.Click{At: at(0.5, 0.5)}},
		Tries: []agentloop.Try{{Took: time.Second, PromptTokens: 10, CompletionTokens: 1}}}
	p := &asked{next: func(int) (agentloop.Proposal, error) { return tap, nil }}
	var asked []int
	r, err := replay.Run(t.Context(), twoTasks(t), "s", replay.Options{Policy: p, Within: 0.1,
		Lang: "en", Own: func(r actions.Reply, d actions.Decision, s screen.Size) actions.Reply {
			return actions.Reply{Text: fmt.Sprint(r.Text, " ", d.Action.Verb(), " ", s)}
		},
		Asking: func(n int) { asked = append(asked, n) }})
	require.NoError(t, err)
	require.Equal(t, []int{1, 2, 3, 4, 5}, asked)
	s := p.situations
	require.Equal(t, "element 2", s[1].Screen.Elements[0].Text, "as the model was shown them")
	require.Equal(t, []string{"first", "", "tapped", "tapped", "tapped", ""},
		[]string{s[0].Task, s[0].Summary, s[1].Summary, s[2].Summary, s[3].Summary, s[4].Summary})
	require.Equal(t, []agentloop.Note{{Kind: agentloop.NoteRefused, Action: "tap (0.500,0.500)",
		Detail: "offline"}}, s[1].Notes)
	require.Empty(t, s[2].Notes, "an answer is no pause")
	require.True(t, s[2].ReplyJustIn)
	require.Equal(t, "42", s[2].Exchanges[0].Answer)
	require.False(t, s[3].ReplyJustIn)
	require.Equal(t, agentloop.NoteResumed, s[3].Notes[0].Kind)
	require.Equal(t, []string{"code 7"}, s[3].Remembered)
	require.Equal(t, "second", s[4].Task)
	require.Equal(t, []agentloop.Note{{Kind: agentloop.NoteEarlierTask, Action: "first",
		Detail: "all done"}}, s[4].Notes)
	require.Len(t, s[4].Exchanges, 1)
	require.Empty(t, s[4].History)

	h := s[3].History
	require.Len(t, h, 3)
	require.Equal(t, actions.Turn{Step: 1, App: "app", Did: "tap it", Reply: actions.Reply{
		Text: "R1 CLICK 500x1000"}}, h[0])
	require.Equal(t, "R2 INFO 500x1000", h[1].Reply.Text)
	require.Contains(t, h[1].Notes[0], "was not carried out: offline")
	require.Equal(t, "42", h[2].Answer.Answer)
	past, err := s[3].Album.Frame(t.Context(), 2)
	require.NoError(t, err)
	require.Equal(t, screen.Size{W: 500, H: 1000}, past.Size())

	require.Equal(t, []int{5, 2, 2, 50, 5}, []int{r.Asked, r.Agreed, r.SameKind, r.PromptTokens,
		r.CompletionTokens})
	require.Equal(t, 1.0, r.Seconds)
	require.Zero(t, *r.Distance)
	require.True(t, r.Shrunk)
	require.Equal(t, []screen.Size{size, {W: 500, H: 1000}}, []screen.Size{r.Steps[0].Screen,
		r.Steps[0].Picture})
}

// A model that lives by its summary learns what was done even where the recorded one wrote none.
func TestWhereNoSummaryWasWrittenTheStepsAreOne(t *testing.T) {
	s := twoTasks(t)
	for i := range s.steps {
		s.steps[i].Proposal.Decision.Summary = ""
	}
	p := &asked{next: func(int) (agentloop.Proposal, error) {
		return agentloop.Proposal{Decision: actions.Decision{Action: actions.Back{}}}, nil
	}}
	_, err := replay.Run(t.Context(), s, "s", replay.Options{Policy: p})
	require.NoError(t, err)
	var said []string
	for _, at := range p.situations {
		said = append(said, at.Summary)
	}
	require.Equal(t, []string{"", "tap it", `tap it; ask "which?"`,
		`tap it; ask "which?"; note "code 7"`, ""}, said)
}

func TestWhatCannotBeAskedIsSkippedAndWhatCannotBeReadDoesNotAgree(t *testing.T) {
	s := twoTasks(t)
	delete(s.frames, "f1")
	s.steps[1].Proposal.Tries = nil
	s.steps[2].Proposal.Action = nil
	down := errors.New("the endpoint is down")
	p := &asked{next: func(n int) (agentloop.Proposal, error) {
		if n == 2 {
			return agentloop.Proposal{}, down
		}
		return agentloop.Proposal{Tries: make([]agentloop.Try, 3)},
			fmt.Errorf("%w: prose", agentloop.ErrUnreadable)
	}}
	r, err := replay.Run(t.Context(), s, "s", replay.Options{Policy: p})
	require.ErrorIs(t, err, down)
	require.ErrorContains(t, err, "step 5: ")
	require.Len(t, r.Steps, 4, "what was asked before is kept")
	require.Equal(t, []string{"its picture is not there", "no model was asked then",
		"the recorded reply was no action", ""}, []string{r.Steps[0].Skipped, r.Steps[1].Skipped,
		r.Steps[2].Skipped, r.Steps[3].Skipped})
	require.Equal(t, []int{1, 0, 1, 3}, []int{r.Asked, r.Agreed, r.Unreadable, r.Steps[3].Calls})
	require.Contains(t, r.Steps[3].Unreadable, "prose")
}

func TestWhatBecameOfAnActionIsToldAsItWas(t *testing.T) {
	for refusal, want := range map[string]*agentloop.Note{
		"":                          nil,
		"not carried out: no field": {Kind: agentloop.NoteRefused, Detail: "no field"},
		"no field":                  {Kind: agentloop.NoteRefused, Detail: "no field"},
		"not carried out: the app changed in the meantime": {Kind: agentloop.NoteScreenChanged,
			Detail: "the app changed"},
		agentloop.PartialRefusal + "2 of 3": {Kind: agentloop.NotePartial, Detail: "2 of 3"},
		"outcome unknown: gone":             {Kind: agentloop.NoteOutcomeUnknown},
		"cut short: stopped":                nil,
	} {
		s := twoTasks(t)
		s.steps[0].Refusal = refusal
		p := &asked{next: func(int) (agentloop.Proposal, error) {
			return agentloop.Proposal{Decision: actions.Decision{Action: actions.Back{}}}, nil
		}}
		_, err := replay.Run(t.Context(), s, "s", replay.Options{Policy: p})
		require.NoError(t, err)
		if want == nil {
			require.Empty(t, p.situations[1].Notes, refusal)
			continue
		}
		want.Action = "tap (0.500,0.500)"
		require.Equal(t, []agentloop.Note{*want}, p.situations[1].Notes, refusal)
	}
}
