package runs_test

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/storetest"
)

// scriptedPolicy decides by the task's words, and from what it is shown only, so that it goes on
// rightly after a restart.
type scriptedPolicy struct {
	mu       sync.Mutex
	think    time.Duration // each decision
	seen     []agentloop.Situation
	settings []runs.Settings
	fails    error
	unready  error
	getting  time.Duration // ready
	says     string        // in every reply
	password string        // what it types for the word "log-in"
	reads    bool          // the elements of the screen
	unable   error         // to replay skills
}

func (m *scriptedPolicy) make(s runs.Settings) (agentloop.Policy, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.settings = append(m.settings, s)
	if s.Skill != nil {
		return m, m.unable
	}
	return m, nil
}

func (m *scriptedPolicy) Ready(context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	time.Sleep(m.getting)
	return m.unready
}

func (m *scriptedPolicy) Next(ctx context.Context,
	s agentloop.Situation) (agentloop.Proposal, error) {
	m.mu.Lock()
	m.seen = append(m.seen, s)
	think, fails, says := m.think, m.fails, m.says
	m.mu.Unlock()
	if think == time.Second && s.Step > 12 && strings.Contains(s.Task, "forever") {
		think = 15 * time.Second // minutes pass in few steps
	}
	select {
	case <-time.After(think):
	case <-ctx.Done():
		return agentloop.Proposal{}, ctx.Err()
	}
	p := agentloop.Proposal{
		Tries: []agentloop.Try{
			{Prompt: s.Task, PromptTokens: 10, CompletionTokens: 1, Took: think},
		},
	}
	if m.reads {
		list, err := s.Reader.Elements(ctx)
		if err != nil {
			return p, err
		}
		p.Elements = list
	}
	if fails != nil {
		return p, fails
	}
	p.Action, p.Summary = decide(s), fmt.Sprintf("step %d", s.Step)
	if n, is := p.Action.(actions.Note); is && n.Text == "log-in" {
		p.Action = actions.Type{Text: m.password + "\n"}
		says = "type " + m.password
	}
	if at, is := p.Action.(actions.Click); is && at.At != (screen.Point{X: 0.5, Y: 0.5}) {
		says = fmt.Sprintf("press %v of the PIN 4 8 2 1", at.At)
	}
	if says != "" {
		p.Thought, p.Explain, p.Summary, p.Caption, p.Tries[0].Reply = says, says, says, says, says
		p.Fields = []actions.Field{{Key: "explain", Value: says}}
		p.History = []actions.Turn{{Step: s.Step, Reply: actions.Reply{Text: says}}}
		switch a := p.Action.(type) {
		case actions.Note:
			p.Action = actions.Note{Text: says}
		case actions.Complete:
			p.Action = actions.Complete{Report: a.Report + says}
		}
	}
	return p, nil
}

func (m *scriptedPolicy) last() agentloop.Situation {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.seen[len(m.seen)-1]
}

// decide: a task is words; "tap" taps once per occurrence, "ask" asks, and so on; when all are done
// the run is complete.
func decide(s agentloop.Situation) actions.Action {
	words := strings.Fields(s.Task)
	if strings.Contains(s.Task, "forever") {
		return actions.Click{At: screen.Point{X: 0.5, Y: 0.5}}
	}
	if s.Steps >= len(words) {
		var said []string
		for _, x := range s.Exchanges {
			said = append(said, x.Answer)
		}
		return actions.Complete{Report: "done " + strings.Join(said, " ")}
	}
	if app, ok := strings.CutPrefix(words[s.Steps], "open:"); ok {
		return actions.OpenApp{App: app}
	}
	if key, is := strings.CutPrefix(words[s.Steps], "key:"); is {
		return actions.Click{At: keyAt(key)}
	}
	switch w := words[s.Steps]; w {
	case "tap":
		return actions.Click{At: screen.Point{X: 0.5, Y: 0.5}}
	case "ask":
		return actions.Info{
			Question: fmt.Sprintf("question %d?", s.Questions+1),
			Options:  []string{"red", "blue"},
		}
	case "asksecret":
		return actions.Info{Question: "the code?", Secret: new(true)}
	case "askrudely":
		return actions.Info{Question: "\x1b[2Jsure?\u202e\nreally?",
			Options: []string{"\ayes", "yes\u200b"}}
	case "asktwice":
		return actions.Info{Question: "which?", Options: []string{"red", "blue", " red ", "blue"}}
	case "askcode":
		return actions.Info{Question: "Which code did the shop send you?"}
	case "askopenly":
		return actions.Info{Question: "Which code did the shop send you?", Secret: new(false)}
	case "askperson":
		return actions.Info{Question: "which?", Personal: true}
	case "askhand":
		return actions.Info{Question: "Please enter the password on the phone, then say done."}
	case "typesecret":
		return actions.Type{Text: "{{secret}}"}
	case "wait":
		return actions.Wait{For: 10 * time.Second}
	case "giveup":
		return actions.Abort{Reason: "cannot"}
	default:
		return actions.Note{Text: w}
	}
}

// fixture is a Manager with its doubles.
type fixture struct {
	t       *testing.T
	store   *store.Store
	phones  *fakePhones
	policy  *scriptedPolicy
	opts    runs.Options
	manager *runs.Manager
	dir     string
	files   store.Options // of the store

	mu     sync.Mutex
	events []runs.Event
}

// forever is longer than any test of ours goes on. A bubble in which somebody looks at a clock from
// time to time, as the Manager does, never is at a standstill: without an end a test that waits in
// vain would let its time race on.
const forever = 30 * 24 * time.Hour

// bubble runs a test in a bubble of its own: waiting costs nothing, and a goroutine left behind is
// an error.
func bubble(t *testing.T, test func(t *testing.T, w *fixture)) {
	t.Helper()
	dir := storetest.Dir(t)
	synctest.Test(t, func(t *testing.T) {
		defer time.AfterFunc(forever, func() {
			debug.SetTraceback("all")
			panic("the test waits for something that never comes")
		}).Stop()
		w := newFixture(t, dir)
		defer func() {
			w.close()
			for _, h := range w.phones.phones {
				h.idle(t)
			}
		}()
		test(t, w)
	})
}

func newFixture(t *testing.T, dir string) *fixture {
	w := &fixture{
		t:      t,
		dir:    dir,
		phones: newFakePhones("A"),
		policy: &scriptedPolicy{think: time.Second},
	}
	w.opts = runs.Options{
		Phones:    w.phones,
		NewPolicy: w.policy.make,
		Limits:    agentloop.Limits{Settle: -1, Repeats: 1000},
		Observe: func(e runs.Event) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.events = append(w.events, e)
		},
	}
	w.begin()
	return w
}

// begin opens the store and a manager over it.
func (w *fixture) begin() {
	var err error
	w.store, err = store.Open(context.Background(), w.dir, &w.files)
	require.NoError(w.t, err)
	w.opts.Store = w.store
	w.opts.Broker = inquiry.NewBroker(w.store.Questions,
		// a day passes in few sweeps
		&inquiry.Options{Every: time.Hour / 2, CheckEdit: runs.CheckEdit})
	w.manager = runs.New(&w.opts)
}

func (w *fixture) close() {
	require.NoError(w.t, w.manager.Close())
	require.NoError(w.t, w.store.Close())
}

func (w *fixture) ctx() context.Context { return w.t.Context() }

func (w *fixture) start(task string) runs.Status {
	w.t.Helper()
	st, err := w.manager.Start(w.ctx(), runs.StartRequest{Task: task, KeepEnvironment: true})
	require.NoError(w.t, err)
	return st
}

func (w *fixture) wait(id string) runs.Status {
	w.t.Helper()
	st, err := w.manager.Wait(w.ctx(), runs.WaitRequest{SessionID: id, Budget: time.Hour})
	require.NoError(w.t, err)
	return st
}

func (w *fixture) reply(id, text string) runs.Status {
	w.t.Helper()
	st, err := w.manager.Continue(w.ctx(),
		runs.ContinueRequest{SessionID: id, Reply: &inquiry.Reply{Response: text}})
	require.NoError(w.t, err)
	return st
}

// facts is all that the store knows of runs and questions, to see that nothing has changed.
func (w *fixture) facts() string {
	var lines []string // the store lists by what changed last
	all, err := w.store.Sessions(w.ctx(), store.Filter{})
	require.NoError(w.t, err)
	for _, o := range all {
		list, err := w.store.Runs.Of(w.ctx(), o.ID)
		require.NoError(w.t, err)
		for _, r := range list {
			lines = append(lines,
				fmt.Sprintf("%s %s %d %s %s", r.ID, r.State, r.Fence, r.QuestionID, r.StopReason))
		}
	}
	qs, err := w.store.Questions.List(w.ctx(), inquiry.Filter{})
	require.NoError(w.t, err)
	for _, q := range qs {
		lines = append(lines, fmt.Sprintf("%v %v", q, q.AppliedAt))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
