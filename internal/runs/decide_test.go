package runs_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/terminal"
)

// guarded starts a run that asks before it taps, and waits until it does.
func guarded(w *fixture) runs.Status {
	w.t.Helper()
	w.again(func(o *runs.Options) { o.NewGate = gateOf("consent") })
	st := withMode(w, channel.PassToClient, "tap consent")
	require.Equal(w.t, store.WaitingApproval, st.Run.State)
	return st
}

func TestWhatIsShownOfAnActionThatWaits(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		st := guarded(w)

		require.Equal(t, agentloop.ActionNeedsApproval, st.Reason)
		q := st.Question
		require.Equal(t, []inquiry.ActionRequest{{Name: "CLICK",
			Args:        map[string]any{"at": map[string]any{"x": 0.5, "y": 0.5}},
			Description: "tap (0.500,0.500)"}}, inquiry.As[inquiry.Approval](*q).ActionRequests)
		require.Equal(t, []inquiry.ReviewConfig{{ActionName: "CLICK",
			AllowedDecisions: inquiry.DecisionTypes}},
			inquiry.As[inquiry.Approval](*q).ReviewConfigs)
		require.Equal(t, []inquiry.Place{{X: 0.5, Y: 0.5}}, inquiry.As[inquiry.Approval](*q).Places)
		require.Equal(t, []string{"critical", "a button", "it pays", "pay"},
			[]string{string(inquiry.As[inquiry.Approval](*q).Severity),
				inquiry.As[inquiry.Approval](*q).Element, inquiry.As[inquiry.Approval](*q).Reason,
				inquiry.As[inquiry.Approval](*q).Rule})
		require.NotEmpty(t, q.Frame)
		require.Equal(t, inquiry.OnTimeout(""), q.OnTimeout)
	})
}

func edited(name string, args map[string]any) inquiry.Decision {
	return inquiry.Decision{Type: inquiry.Edit,
		EditedAction: &inquiry.EditedAction{Name: name, Args: args}}
}

func TestWhatADecisionLeadsTo(t *testing.T) {
	for name, c := range map[string]struct {
		decision inquiry.Decision
		touches  []string
		note     string
	}{
		"approve": {yes, []string{"tap"}, ""},
		"edit": {edited("TYPE", map[string]any{"text": "7.30"}), []string{"type 7.30"},
			"changed the action CLICK (tap (0.500,0.500)) to: TYPE"},
		"reject": {no, nil, `They say: "too dear"`},
		"respond": {inquiry.Decision{Type: inquiry.Respond, Message: "paid already"}, nil,
			`the other side says: "paid already"`},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				st := w.decide(guarded(w).Session.ID, c.decision)

				require.Equal(t, store.Completed, st.Run.State, st.Message)
				require.Equal(t, c.touches, w.phones.phones["A"].done())
				var notes []string
				for _, n := range w.policy.seen[1].Notes {
					notes = append(notes, n.Text("en"))
				}
				require.Contains(t, strings.Join(notes, "\n"), c.note)
				require.Equal(t, c.note == "", notes == nil)
				all, err := w.store.Audit.List(w.ctx(),
					store.AuditFilter{Event: store.AuditAnswered})
				require.NoError(t, err)
				require.Len(t, all, 1)
				require.Equal(t, []string{"command_line", "local_operator", "kim"},
					[]string{all[0].Channel, all[0].Authority, all[0].By})
				require.Equal(t, w.questions(st.Session.ID)[0].Frame, all[0].Frame)
			})
		})
	}
}

func TestDecisionsThatCannotBeTakenChangeNothing(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		id := guarded(w).Session.ID
		before := w.facts()
		model := &inquiry.Reply{Type: inquiry.TypeDecisions,
			Decisions: []inquiry.Decision{yes}, Channel: inquiry.ChannelMCP}
		for name, c := range map[string]struct {
			reply *inquiry.Reply
			code  runs.Code
			want  string
		}{
			"words": {&inquiry.Reply{Response: "yes, later", Authority: "local_operator"},
				"INVALID_ARGUMENT", "takes decisions"},
			"a word about what was perhaps not seen": {&inquiry.Reply{Response: "是",
				Authority: "local_operator"}, "INVALID_ARGUMENT", "which question it is for"},
			"a model's bare word": {&inquiry.Reply{Response: "yes"}, "DECISION_FORBIDDEN",
				"only a person may decide"},
			"none": {by(), "INVALID_ARGUMENT", "0 decisions for 1 action"},
			"two":  {by(yes, yes), "INVALID_ARGUMENT", "2 decisions for 1 action"},
			"off the screen": {by(edited("CLICK", map[string]any{"at": map[string]any{"x": 1.2,
				"y": 0.5}})), "INVALID_ARGUMENT", "is off the screen"},
			"no such action": {by(edited("DANCE", nil)), "INVALID_ARGUMENT",
				`unknown action "DANCE"`},
			"no phone action": {by(edited("NOTE", map[string]any{"text": "x"})),
				"INVALID_ARGUMENT", "NOTE is no action on the phone"},
			"a model's word": {model, "DECISION_FORBIDDEN", "only a person may decide"},
		} {
			_, err := w.manager.Continue(w.ctx(),
				runs.ContinueRequest{SessionID: id, Reply: c.reply})
			require.ErrorContains(t, err, c.want, name)
			require.Equal(t, c.code, runs.CodeOf(err), name)
			require.Equal(t, before, w.facts(), name)
		}
		require.Equal(t, store.Completed, w.decide(id, yes).Run.State)
	})
}

func TestNobodyButPeopleAnswersAnApproval(t *testing.T) {
	for _, mode := range []channel.Mode{channel.AutoReply, channel.NoReply,
		"auto_reply (5s) -> no_reply", "auto_reply -> pass_to_client"} {
		bubble(t, func(t *testing.T, w *fixture) {
			model := &oracle{}
			w.again(func(o *runs.Options) {
				o.Asking.Answerer, o.NewGate, o.OnTimeout = model, gateOf("consent"), inquiry.AskModel
			})

			st := withMode(w, mode, "tap consent")
			time.Sleep(time.Hour)
			st = w.wait(st.Session.ID)

			require.Equal(t, store.WaitingApproval, st.Run.State, "%s %s", mode, st.Message)
			require.Equal(t, agentloop.ActionNeedsApproval, st.Reason, mode)
			require.True(t, w.questions(st.Session.ID)[0].Open())
			require.Empty(t, w.phones.phones["A"].done())
			require.Zero(t, model.frames, "no model was asked")
		})
	}
}

func TestSilenceRejectsWhenThatIsWanted(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.again(func(o *runs.Options) {
			o.NewGate, o.OnUndecided = gateOf("consent"), inquiry.RejectAll
		})
		st := withMode(w, channel.PassToClient, "tap consent")
		time.Sleep(time.Hour)
		st = w.wait(st.Session.ID)

		require.Equal(t, store.Completed, st.Run.State)
		require.Empty(t, w.phones.phones["A"].done())
		require.Equal(t, agentloop.NoteUndecided, w.policy.seen[1].Notes[0].Kind)
	})
}

// TestAHundredApprovalsOfOneAction are carried out once.
func TestAHundredApprovalsOfOneAction(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		st := guarded(w)
		var wg sync.WaitGroup
		for i := range 100 {
			wg.Go(func() {
				r := by(yes)
				r.ID = fmt.Sprint(i)
				_, _ = w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: st.Session.ID,
					Reply: r, QuestionID: st.Question.ID})
			})
		}
		wg.Wait()
		require.Equal(t, store.Completed, w.wait(st.Session.ID).Run.State)
		require.Equal(t, []string{"tap"}, w.phones.phones["A"].done())
	})
}

func TestAnActionIsDecidedOnAtTheConsole(t *testing.T) {
	for name, c := range map[string]struct {
		lines   []string
		touches []string
		shown   string // before the second line
	}{
		"approve": {[]string{"maybe", "/approve"}, []string{"tap"}, "maybe\" is no decision"},
		"a condition": {[]string{"/approve if free", "/reject then not"}, nil,
			"has a message, which would be lost"},
		"edit": {[]string{"/edit CLICK", `/edit {"name":"TYPE","args":{"text":"7.30"}}`},
			[]string{"type 7.30"}, "the action cannot be read"},
		"respond": {[]string{"/respond", "/respond it is paid"}, nil, "respond has no message"},
		"leave":   {[]string{"/delegate", "/timeout"}, nil, "cannot be left to the agent"},
		"refuse":  {[]string{"", "/refuse"}, nil, "Decide (y: do it"},
		"details": {[]string{"/details", "/refuse"}, nil,
			`1. tap (0.500,0.500) ({"name":"CLICK","args":{"at":{"x":0.5,"y":0.5}}})`},
		"a hand-over's word": {[]string{"/done", "/refuse"}, nil,
			"/done is for another kind of question"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				console := &typist{lines: c.lines}
				w.again(func(o *runs.Options) {
					o.NewGate, o.Asking.Console = gateOf("consent"), terminal.New(console, "en")
					o.OnUndecided = inquiry.RejectAll
				})
				st := withMode(w, channel.ManualReply, "tap consent")

				require.Equal(t, store.Completed, st.Run.State, "%s", st.Message)
				require.Equal(t, c.touches, w.phones.phones["A"].done())
				require.Contains(t, console.prompts[0], "Under the finger: a button")
				require.Contains(t, console.prompts[0], "Asked because: it pays")
				require.Regexp(t, `taploop inquiries [0-9a-f]{8} --picture`, console.prompts[0])
				require.NotContains(t, console.prompts[0], `"args"`, "they are in /details")
				require.Contains(t, console.prompts[1], c.shown)
				q := w.questions(st.Session.ID)[0]
				require.Equal(t, "console", q.Resolution.Channel)
			})
		})
	}
}

// typist types one line after the other at the console.
type typist struct{ lines, prompts []string }

func (c *typist) Ask(_ context.Context, prompt string, _ bool) (string, error) {
	c.prompts = append(c.prompts, prompt)
	return c.lines[len(c.prompts)-1], nil
}

// noting is consent that notes what was ruled.
type noting struct {
	consent
	ruled chan<- agentloop.Ruling
}

func (n noting) Check(
	ctx context.Context, s agentloop.Situation, d actions.Decision,
) (agentloop.Verdict, error) {
	if s.Pending != nil {
		n.ruled <- *s.Pending.Ruling
	}
	return n.consent.Check(ctx, s, d)
}

// Whoever takes an approval may have a clock that is ahead. It holds from when it is applied, by the
// clock of the machine that carries the action out.
func TestAnApprovalIsNoLaterThanNow(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		ruled := make(chan agentloop.Ruling, 1)
		w.again(func(o *runs.Options) {
			o.NewGate = func(store.Session, store.Run) agentloop.Gate {
				return noting{ruled: ruled}
			}
		})
		st := withMode(w, channel.PassToClient, "tap consent")
		ahead := inquiry.NewBroker(w.store.Questions, &inquiry.Options{CheckEdit: runs.CheckEdit,
			Now: func() time.Time { return time.Now().Add(5 * time.Minute) }})
		_, err := ahead.Resolve(w.ctx(), st.Question.ID, *by(yes))
		require.NoError(t, err)
		require.Equal(t, store.Completed, w.wait(st.Session.ID).Run.State)
		require.False(t, (<-ruled).At.After(time.Now()))
	})
}
