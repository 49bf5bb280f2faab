package phone_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/guard/phone"
	"github.com/taploop/taploop/internal/inquiry/consent"
	"github.com/taploop/taploop/internal/screen"
)

// journal keeps steps in memory.
type journal struct {
	steps    []agentloop.Step
	refusals []string
}

func (*journal) Intent(context.Context, agentloop.Step) error { return nil }

func (j *journal) Done(_ context.Context, s agentloop.Step, _ agentloop.Progress) error {
	j.steps, j.refusals = append(j.steps, s), append(j.refusals, s.Refusal)
	return nil
}

// inbox keeps questions.
type inbox struct{ parked []agentloop.Question }

func (i *inbox) Park(_ context.Context, q agentloop.Question) (agentloop.StopReason, error) {
	i.parked = append(i.parked, q)
	if q.Kind == agentloop.KindTakeover {
		return agentloop.TakeoverNeeded, nil
	}
	return agentloop.ActionNeedsApproval, nil
}

// always decides the same, until it has done so often enough.
type always struct {
	decision actions.Decision
	times    int
	notes    []agentloop.Note
}

func (p *always) Next(
	_ context.Context, s agentloop.Situation,
) (agentloop.Proposal, error) {
	p.notes = append(p.notes, s.Notes...)
	if p.times--; p.times < 0 {
		return agentloop.Proposal{Decision: actions.Decision{Action: actions.Complete{}}}, nil
	}
	return agentloop.Proposal{Decision: p.decision}, nil
}

// fixture is a run on a rig, in the midst of what a person is asked.
type fixture struct {
	*rig
	t      testing.TB
	gate   *phone.Gate
	policy *always
	inbox  inbox
	steps  journal
	now    time.Time
	p      agentloop.Progress
	end    agentloop.Ending
}

// newFixture shows the widgets in a shop, and has the model tap what.
func newFixture(t testing.TB, widgets, what string, o phone.Options) *fixture {
	t.Helper()
	return newRuledFixture(t, nil, widgets, what, o)
}

// newRuledFixture has a policy of its own; nil is that of the built-in rules.
func newRuledFixture(
	t testing.TB, policy *guard.Options, widgets, what string, o phone.Options,
) *fixture {
	t.Helper()
	r := newRig(t, "en", "com.shop", "com.other")
	r.show(t, "com.shop", widgets)
	_, err := r.Look(t.Context())
	require.NoError(t, err)
	list, err := r.Elements(t.Context())
	require.NoError(t, err)
	rules, err := guard.New(policy)
	require.NoError(t, err)
	d := &fixture{rig: r, t: t, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		p: agentloop.Progress{Task: "look around"},
		policy: &always{decision: actions.Decision{Explain: "open details",
			Action: actions.Click{At: find(t, list, what)}}, times: 1}}
	o.Now = func() time.Time { return d.now }
	d.gate = phone.New(rules, &o)
	d.run()
	return d
}

func (d *fixture) run() {
	d.t.Helper()
	r := agentloop.Runner{Phone: d.Phone, Policy: d.policy, Gate: d.gate, Parker: &d.inbox,
		Journal: &d.steps, Limits: agentloop.Limits{Steps: 9, Settle: -1}}
	var err error
	d.end, d.p, err = r.Run(d.t.Context(), d.p, 0)
	require.NoError(d.t, err)
}

// decides is a person's decision about the last question, upon which the run goes on.
func (d *fixture) decides(r agentloop.Ruling) {
	d.t.Helper()
	require.Equal(d.t, agentloop.ActionNeedsApproval, d.end.Reason)
	q := d.inbox.parked[len(d.inbox.parked)-1]
	r.Bound, r.Severity = q.Review.Bound, q.Review.Severity
	if r.At.IsZero() {
		r.At = d.now
	}
	d.p = d.p.Ruled(actions.Exchange{Question: q.Text, Answer: r.Type,
		Outcome: actions.Answered}, r)
	d.run()
}

var approve = agentloop.Ruling{Type: agentloop.Approve}

const payPage = "Total $30.00 · [Pay now] · [Back]"

func TestWhatIsApprovedIsDoneOnceAndNoMore(t *testing.T) {
	d := newFixture(t, payPage, "Pay now", phone.Options{})
	require.Empty(t, d.touched(), "nothing is touched before it is approved")
	q := d.inbox.parked[0]
	require.Equal(t, agentloop.KindApproval, q.Kind)
	require.Equal(t, "critical", q.Review.Severity)
	require.Equal(t, guard.Decisions, q.Review.Allowed)
	require.Equal(t, `"Pay now"`, q.Review.Element)
	require.Equal(t, "built-in: pay", q.Review.Rule)
	require.Contains(t, q.Text, "Pay now — “Total $30.00”?\nThe agent wants to tap “Pay now” in Shop")
	require.Contains(t, q.Text, `it may pay money: "pay now" is under the finger`)

	d.policy.times = 1 // and once more, unasked
	d.decides(approve)
	require.Equal(t, []string{"[Pay now]"}, d.touched())
	require.Equal(t, agentloop.ActionNeedsApproval, d.end.Reason, "the second tap is a new one")
	require.Len(t, d.inbox.parked, 2)
	d.decides(approve)
	require.Equal(t, agentloop.TaskCompleted, d.end.Reason)
	require.Len(t, d.touched(), 2)
}

func TestWhatChangedSinceTheApprovalIsAskedAgain(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(d *fixture)
		why    string // "" when it is carried out
	}{
		{"nothing", func(*fixture) {}, ""},
		{"the clock of the status bar",
			func(d *fixture) { d.skew.Add(int64(37 * time.Minute)) }, ""},
		{"the price", func(d *fixture) {
			d.show(d.t, "com.shop",
				"Total $3000.00 · [Pay now] · [Back]")
		}, "the screen has changed"},
		{"the button", func(d *fixture) {
			d.show(d.t, "com.shop",
				"Total $30.00 · [Pay all] · [Back]")
		}, "what is under the finger has changed"},
		{"its place", func(d *fixture) {
			d.show(d.t, "com.shop",
				"Total $30.00 · Thank you · [Pay now]")
		}, "what is under the finger has changed"},
		{"another app in front", func(d *fixture) { d.show(d.t, "com.other", payPage) },
			"the app in front has changed"},
		{"a pop-up", func(d *fixture) {
			d.show(d.t, "com.shop",
				"Pay for all of your friends? · [Pay now] · [Back]")
		}, "the screen has changed"},
		{"everything, and nothing speaks against it there", func(d *fixture) {
			d.show(d.t, "com.other", "Thank you · [Read on] · [Back]")
		}, "has changed"},
		{"the rotation", func(d *fixture) { d.sim.Display.SetRotation(1) }, "has changed"},
		{"time", func(d *fixture) { d.now = d.now.Add(10*time.Minute + time.Second) }, "expired"},
		{"a clock set back", func(d *fixture) { d.now = d.now.Add(-time.Hour) }, "expired"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := newFixture(t, payPage, "Pay now", phone.Options{})
			r := approve
			r.At = d.now
			c.change(d)
			d.decides(r)
			if c.why == "" {
				require.Equal(t, agentloop.TaskCompleted, d.end.Reason)
				require.Equal(t, []string{"[Pay now]"}, d.touched())
				return
			}
			require.Empty(t, d.touched())
			require.Equal(t, agentloop.ActionNeedsApproval, d.end.Reason)
			require.Contains(t, d.inbox.parked[1].Text, c.why)
			require.Contains(t, d.inbox.parked[1].Review.Reason, c.why)
			require.Equal(t, "critical", d.inbox.parked[1].Review.Severity)
			require.NotEmpty(t, d.inbox.parked[1].Review.Allowed)
		})
	}
}

func TestAnEditIsCheckedLikeAModelsAction(t *testing.T) {
	d := newFixture(t, "[Delete] · Total $30.00 · [Pay now] · [Back]", "Delete", phone.Options{})
	require.Equal(t, "sensitive", d.inbox.parked[0].Review.Severity)
	list, err := d.Elements(t.Context())
	require.NoError(t, err)
	edit := func(what string) agentloop.Ruling {
		return agentloop.Ruling{Type: agentloop.Edit,
			Edited: &actions.Decision{Action: actions.Click{At: find(t, list, what)}}}
	}
	d.decides(edit("Pay now"))
	require.Equal(t, agentloop.ActionNeedsApproval, d.end.Reason)
	require.Equal(t, "critical", d.inbox.parked[1].Review.Severity)
	require.Contains(t, d.inbox.parked[1].Text, "more harm than what was approved")
	d.decides(edit("Back"))
	require.Equal(t, []string{"[Back]"}, d.touched())
	require.Equal(t, agentloop.TaskCompleted, d.end.Reason)
}

func TestAnEditMayTouchNothing(t *testing.T) {
	for _, a := range []actions.Action{actions.Back{}, actions.Home{}, actions.Wait{}} {
		d := newFixture(t, payPage, "Pay now", phone.Options{})
		d.decides(agentloop.Ruling{Type: agentloop.Edit, Edited: &actions.Decision{Action: a}})
		require.Equal(t, agentloop.TaskCompleted, d.end.Reason, a)
		require.Equal(t, a, d.steps.steps[1].Proposal.Action)
	}
}

func TestWhatWasRejectedIsNotProposedToPeopleAgain(t *testing.T) {
	d := newFixture(t, payPage, "Pay now", phone.Options{})
	d.policy.times = 1
	d.skew.Add(int64(time.Hour)) // which is no other screen
	d.decides(agentloop.Ruling{Type: agentloop.Reject, Message: "too dear"})
	require.Equal(t, agentloop.TaskCompleted, d.end.Reason)
	require.Len(t, d.inbox.parked, 1)
	require.Empty(t, d.touched())
	require.Equal(t, "not allowed: it was rejected before, on the same screen",
		d.steps.refusals[2])
	require.Equal(t, agentloop.NoteNotAllowed, d.policy.notes[1].Kind)

	at := d.policy.decision.Action.(actions.Click).At
	for _, a := range []actions.Action{actions.Click{At: screen.Point{X: at.X + 0.002, Y: at.Y}},
		actions.DoubleClick{At: at}, actions.LongPress{At: at}} {
		d.policy.decision.Action, d.policy.times = a, 1
		d.run()
		require.Len(t, d.inbox.parked, 1, "%v is the same", a)
	}
	d.policy.decision.Action = actions.Click{At: at}

	d.policy.times = 1
	d.show(t, "com.shop", "Total $3.00 · [Pay now] · [Back]")
	d.run()
	require.Len(t, d.inbox.parked, 2, "on another screen it is another question")
}

func TestARuleMayDeny(t *testing.T) {
	for description, want := range map[string]string{"not here": "not here",
		"": "a rule of this place forbids it"} {
		d := newFixture(t, payPage, "Back", phone.Options{})
		require.Equal(t, []string{"[Back]"}, d.touched())
		p, err := guard.New(&guard.Options{Lists: []guard.List{{Rules: []guard.Rule{
			{When: `"Back" in screen`, Decision: "deny", Description: description}}}}})
		require.NoError(t, err)
		d.gate, d.policy.times, d.policy.decision.Action = phone.New(p, nil), 1, actions.Home{}
		d.run()
		require.NotEqual(t, agentloop.InternalError, d.end.Reason)
		require.Equal(t, "not allowed: "+want, d.steps.refusals[len(d.steps.refusals)-2])
	}
}

func TestAGrantAnswersAllButCriticalActions(t *testing.T) {
	asked := 0
	o := phone.Options{Leave: func(_ context.Context, s guard.Subject,
		d guard.Decision) (*agentloop.Leave, error) {
		asked++
		g, err := guard.NewGrant(guard.ForApp, "com.shop", time.Unix(0, 0), time.Hour)
		if !g.Covers(time.Unix(1, 0), "s", s, d) {
			return nil, err
		}
		return &agentloop.Leave{ID: 7}, err
	}}
	d := newFixture(t, "[Delete] · [Pay now]", "Delete", o)
	require.Equal(t, []string{"[Delete]"}, d.touched())
	require.Equal(t, 1, asked)
	require.Equal(t, &agentloop.Leave{ID: 7}, d.steps.steps[0].Leave, "it is used with the touch")
	d = newFixture(t, "[Delete] · [Pay now]", "Pay now", o)
	require.Equal(t, agentloop.ActionNeedsApproval, d.end.Reason)
	require.Equal(t, 1, asked, "no grant is looked for")
}

// asks is what a person is asked about the action on that screen.
func (d *fixture) asks(look screen.Observation, a actions.Decision) agentloop.Question {
	d.t.Helper()
	g := gateFunc(func(agentloop.Situation) agentloop.Verdict { return d.check(look, a, nil) })
	r := agentloop.Runner{Phone: d.Phone, Policy: &always{decision: a, times: 1}, Gate: g,
		Parker: &d.inbox, Journal: &d.steps, Limits: agentloop.Limits{Steps: 9, Settle: -1}}
	end, _, err := r.Run(d.t.Context(), agentloop.Progress{}, 0)
	require.NoError(d.t, err)
	require.NotNil(d.t, end.Question)
	return *end.Question
}

// check asks the gate about the action on that screen, which a person has approved in the answer to
// the question, if there is one.
func (d *fixture) check(
	look screen.Observation, a actions.Decision, approved *agentloop.Question,
) agentloop.Verdict {
	d.t.Helper()
	s := agentloop.Situation{Screen: look}
	if approved != nil {
		s.Pending = &agentloop.Pending{Decision: a, Ruling: &agentloop.Ruling{
			Type: agentloop.Approve, Bound: approved.Review.Bound, Severity: "critical",
			At: d.now}}
	}
	v, err := d.gate.Check(d.t.Context(), s, a)
	require.NoError(d.t, err)
	return v
}

func TestTheStatusBarIsNoPartOfTheScreen(t *testing.T) {
	d := newFixture(t, payPage, "Pay now", phone.Options{})
	look, err := d.Look(t.Context())
	require.NoError(t, err)
	page, err := d.Elements(t.Context())
	require.NoError(t, err)
	high := look.Bar / 2
	with := func(clock string) screen.Observation {
		e := screen.Element{Text: clock}
		e.Bounds.Max = screen.Point{X: 0.2, Y: high}
		now := look
		now.Elements = append(slices.Clone(page), e)
		return now
	}
	a := d.policy.decision
	q := d.asks(with("9:00"), a)
	require.True(t, d.check(with("9:01"), a, &q).Allowed())
	look.Bar = 0
	require.False(t, d.check(with("9:01"), a, &q).Allowed(), "were it content, it would count")
}

type gateFunc func(agentloop.Situation) agentloop.Verdict

func (f gateFunc) Check(
	_ context.Context, s agentloop.Situation, _ actions.Decision,
) (agentloop.Verdict, error) {
	return f(s), nil
}

func TestWhatTheGateKnewIsRecalled(t *testing.T) {
	d := newFixture(t, payPage, "Pay now", phone.Options{})
	s := d.steps.steps[0]
	list, known := phone.Recall(s.Seen, "com.shop", "look around", d.policy.decision)
	require.True(t, known)
	require.Equal(t, "Pay now", list[0].Element.Text)
	require.Contains(t, list[0].Screen, "Total $30.00")
	p, err := guard.New(nil)
	require.NoError(t, err)
	_, said := phone.Decide(p, list)
	require.Equal(t, "built-in: pay", said.Rule)

	list, known = phone.Recall("", "com.mybank", "look around", d.policy.decision)
	require.False(t, known)
	_, said = phone.Decide(p, list)
	require.Equal(t, guard.Critical, said.Severity, "an app about money is asked about")
	_, known = phone.Recall("{", "", "", d.policy.decision)
	require.False(t, known)

	at := d.policy.decision.Action.(actions.Click).At
	d.policy.decision.Action = actions.Slide{From: at, To: screen.Point{X: at.X + 0.01, Y: at.Y}}
	d.p, d.policy.times = agentloop.Progress{}, 1
	d.run()
	list, _ = phone.Recall(d.steps.steps[1].Seen, "com.shop", "look around", d.policy.decision)
	_, said = phone.Decide(p, list)
	require.Equal(t, "built-in: pay", said.Rule, "a short way presses")
}

// A page asks things that have nothing to do with what is touched.
func TestTheHeadlineIsTheQuestionThatTheTouchAnswers(t *testing.T) {
	for _, c := range []struct{ widgets, touch, want string }{
		{"Have a promo code? · Total $30.00 · [Pay]", "Pay", "Pay — “Total $30.00”?\n"},
		{"Transfer · Send $30.00 to Bob now? · [Confirm]", "Confirm", "Send $30.00 to Bob now?\n"},
	} {
		d := newFixture(t, c.widgets, c.touch, phone.Options{})
		require.Len(t, d.inbox.parked, 1, c.widgets)
		require.True(t, strings.HasPrefix(d.inbox.parked[0].Text, c.want), d.inbox.parked[0].Text)
	}
}

func TestPeopleAreAskedInTheirLanguage(t *testing.T) {
	d := newRuledFixture(t, &guard.Options{Lang: "zh"}, "合计 ¥30 · [立即支付]", "立即支付",
		phone.Options{Lang: "zh"})
	require.Equal(t, "立即支付：“合计 ¥30”？\n助手想要点按“立即支付”（应用：Shop）\n"+
		"可能会付款：手指下是 \"立即支付\"", d.inbox.parked[0].Text)
	d.now = d.now.Add(time.Hour)
	r := approve
	r.At = d.now.Add(-time.Hour)
	d.decides(r)
	require.Contains(t, d.inbox.parked[1].Text, "之前的同意已经过期")
	require.Equal(t, map[string]string{
		"en": "The approval has expired.\nit may pay money: \"立即支付\" is under the finger",
		"zh": "之前的同意已经过期。\n可能会付款：手指下是 \"立即支付\""}, d.inbox.parked[1].Review.Act.(*consent.Act).Because)
}

// BenchmarkCheck is what the gate adds to a step when the elements were read while the model
// thought: to one that is carried out, and to one that a person is asked about.
func BenchmarkCheck(b *testing.B) {
	d := newFixture(b, payPage, "Pay now", phone.Options{})
	look, err := d.Look(b.Context())
	require.NoError(b, err)
	one, err := d.Elements(b.Context())
	require.NoError(b, err)
	look.Elements = slices.Clone(one)
	for i := range 400 { // a long list below
		e := screen.Element{Text: fmt.Sprintf("an offer of the day, number %d", i), Depth: 3}
		e.Bounds.Min = screen.Point{X: 0.1, Y: 0.6 + float64(i)/1100}
		e.Bounds.Max = screen.Point{X: 0.9, Y: 0.6 + float64(i+1)/1100}
		look.Elements = append(look.Elements, e)
	}
	for _, what := range []string{"Back", "Pay now", "Scroll"} {
		a := actions.Decision{Action: actions.Scroll{At: screen.Point{X: 0.5, Y: 0.9},
			Direction: actions.Down}}
		if what != "Scroll" {
			a.Action = actions.Click{At: find(b, one, what)}
		}
		b.Run(what, func(b *testing.B) {
			for b.Loop() {
				v, err := d.gate.Check(b.Context(), agentloop.Situation{Screen: look}, a)
				if err != nil || v.Allowed() == (what == "Pay now") {
					b.Fatal(v, err)
				}
			}
		})
	}
}

// A rule may leave an action to a person: the agent does not do it, whatever the person did.
func TestARuleHandsThePhoneOver(t *testing.T) {
	d := newRuledFixture(t, &guard.Options{Lists: []guard.List{{Name: "guard.rules",
		Rules: []guard.Rule{{App: []string{"com.shop"}, Decision: "takeover",
			Description: "Please pay, if you want to."}}}}}, payPage, "Pay now",
		phone.Options{Leave: func(context.Context, guard.Subject, guard.Decision) (*agentloop.Leave,
			error) {
			return &agentloop.Leave{}, nil // which is about what is asked, and not about this
		}})
	require.Equal(t, agentloop.TakeoverNeeded, d.end.Reason)
	require.Equal(t, agentloop.KindTakeover, d.inbox.parked[0].Kind)
	require.Equal(t, "Please pay, if you want to.", d.inbox.parked[0].Text)
	require.Equal(t, d.inbox.parked[0].Text, d.inbox.parked[0].Says["zh"])

	d.p = d.p.Answered(actions.Exchange{Question: "Please pay, if you want to.", Answer: "done",
		Outcome: actions.HandedBack})
	d.run()

	require.Equal(t, agentloop.TaskCompleted, d.end.Reason)
	require.Empty(t, d.touched())
	require.Len(t, d.inbox.parked, 1)
}

// The simulated phone's apps say whom, what and how much.
func TestTheHeadlineOfAnAppOfTheSandbox(t *testing.T) {
	r := newRig(t, "en")
	rules, err := guard.New(nil)
	require.NoError(t, err)
	for _, c := range []struct {
		app, touch, typed, en, zh string
		taps                      []string
	}{
		{"com.taploop.sandbox.shop", "Buy now", "", "Buy now — $39.00?", "Buy now：$39.00？",
			[]string{"Merino T-shirt"}},
		{"com.android.messaging", "Send message", "hello there", "Send “hello there” to “Anna Berg”?",
			"向“Anna Berg”发送“hello there”？", []string{"Anna Berg", "compose_message_text"}},
	} {
		d := &fixture{rig: r, t: t, now: time.Now(), gate: phone.New(rules, nil),
			p: agentloop.Progress{Task: "look around"}}
		r.open(t, c.app, c.taps...)
		if c.typed != "" {
			d.policy = &always{decision: actions.Decision{Action: actions.Type{Text: c.typed}}, times: 1}
			d.run()
		}
		_, err := r.Look(t.Context())
		require.NoError(t, err)
		list, err := r.Elements(t.Context())
		require.NoError(t, err)
		d.policy = &always{decision: actions.Decision{Action: actions.Click{At: find(t, list, c.touch)}},
			times: 1}
		d.p = agentloop.Progress{Task: "look around"}
		d.run()
		require.Len(t, d.inbox.parked, 1, c.touch)
		act := d.inbox.parked[0].Review.Act.(*consent.Act)
		require.Equal(t, c.en, act.Describe("en").Headline)
		require.Equal(t, c.zh, act.Describe("zh").Headline)
	}
}
