package phone_test

import (
	"context"
	"errors"
	"image"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/guard/judge"
	"github.com/taploop/taploop/internal/guard/phone"
	"github.com/taploop/taploop/internal/model"
	"github.com/taploop/taploop/internal/screen"
)

// judging is a model that says one thing about all labels, and a memory for it.
type judging struct {
	reply string
	err   error

	mu    sync.Mutex
	asked int
	kept  map[string]string
}

func (j *judging) Complete(ctx context.Context, _ model.Request) (model.Response, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.asked++
	if j.reply == "never" {
		<-ctx.Done()
		return model.Response{}, context.Cause(ctx)
	}
	return model.Response{Text: j.reply,
		Usage: model.Usage{PromptTokens: 200, CompletionTokens: 9}}, j.err
}

func (j *judging) Judged(_ context.Context, app string, l []string) (map[string]string, error) {
	known := map[string]string{}
	for _, one := range l {
		if act, is := j.kept[app+one]; is {
			known[one] = act
		}
	}
	return known, nil
}

func (j *judging) Remember(_ context.Context, app string, acts map[string]string) error {
	for l, act := range acts {
		j.kept[app+l] = act
	}
	return nil
}

func (j *judging) options(all bool) phone.Options {
	j.kept = map[string]string{}
	return phone.Options{JudgeAll: all, Judge: judge.New(judge.Options{Model: j, Memory: j,
		Timeout: 50 * time.Millisecond})}
}

// listed is a phone that lists these.
type listed []screen.Element

func (l listed) Elements(context.Context) ([]screen.Element, error) { return l, nil }

var drawnSize = screen.Size{W: 1080, H: 2400}

const unheardOf = "Zubyakni teraz"

func TestAJudgeRaisesWhatTheGuardDoesNotKnow(t *testing.T) {
	m := &judging{reply: `{"1": "pay"}`}
	d := newFixture(t, "Welcome · ["+unheardOf+"] · [Back home]", unheardOf, m.options(false))
	require.Equal(t, agentloop.ActionNeedsApproval, d.end.Reason)
	require.Empty(t, d.touched())
	q := d.inbox.parked[0]
	require.Equal(t, "critical", q.Review.Severity)
	require.Contains(t, q.Text, `the judging model says so of "zubyakni teraz"`)
	require.Equal(t, 1, m.asked)

	d.decides(approve)
	require.Equal(t, []string{"[" + unheardOf + "]"}, d.touched(), "what a person approved is done")
	require.Equal(t, 1, m.asked, "a second time it is not asked")
	spent := agentloop.Spending{Calls: 1, PromptTokens: 200, CompletionTokens: 9}
	require.Equal(t, spent, d.steps.steps[0].Judging)
	require.Zero(t, d.steps.steps[1].Judging)
}

func TestAJudgeThatLiesStallsOrFailsLowersNothing(t *testing.T) {
	for name, m := range map[string]*judging{
		"lies": {reply: "{}"}, "stalls": {reply: "never"}, "fails": {err: errors.New("no")},
		"is talked to": {reply: "The page says that all is allowed, so: {}"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newFixture(t, payPage, "Pay now", m.options(true))
			require.Equal(t, agentloop.ActionNeedsApproval, d.end.Reason)
			require.Empty(t, d.touched())
			require.Equal(t, "built-in: pay", d.inbox.parked[0].Review.Rule)

			d = newFixture(t, "Hello · ["+unheardOf+"]", unheardOf, m.options(false))
			require.Equal(t, agentloop.TaskCompleted, d.end.Reason, "as without a judge")
			require.Equal(t, []string{"[" + unheardOf + "]"}, d.touched())
		})
	}
}

func TestAJudgeIsAskedOnlyAboutWhatIsUnknown(t *testing.T) {
	m := &judging{reply: "{}"}
	d := newFixture(t, payPage, "Back", m.options(false))
	require.Equal(t, agentloop.TaskCompleted, d.end.Reason)
	require.Zero(t, m.asked, "a button that says no is known")

	d = newFixture(t, "Name · (Your name) · [Cancel]", "Cancel", m.options(false))
	require.Equal(t, agentloop.TaskCompleted, d.end.Reason)
	require.Zero(t, m.asked)
}

// What may answer a touch is asked about ahead, also the words that are drawn over a picture.
func TestATouchAsksNothingThatWasNotAskedAhead(t *testing.T) {
	p, err := guard.New(nil)
	require.NoError(t, err)
	m := &judging{reply: "{}"}
	opts := m.options(false)
	g := phone.New(p, &opts)
	list := []screen.Element{
		{Class: "android.view.View", Clickable: true, Depth: 1,
			Bounds: screen.RectOf(image.Rect(100, 1000, 900, 1200), drawnSize)},
		{Class: "android.widget.TextView", Text: unheardOf, Depth: 1,
			Bounds: screen.RectOf(image.Rect(120, 1050, 880, 1150), drawnSize)},
	}
	now := agentloop.Situation{Reader: listed(list),
		Screen: screen.Observation{Elements: list, At: time.Now()}}
	now.Screen.State.App, now.Screen.State.Size = "com.x", drawnSize
	g.Preview(t.Context(), now)
	require.Equal(t, 1, m.asked)
	v, err := g.Check(t.Context(), now, actions.Decision{
		Action: actions.Click{At: list[0].Bounds.Center()}})
	require.NoError(t, err)
	require.True(t, v.Allowed())
	require.Equal(t, 1, m.asked)
}

// A decision that comes before the screen was asked about asks about all of it: one question.
func TestATouchThatComesFirstAsksAboutTheWholeScreen(t *testing.T) {
	p, err := guard.New(nil)
	require.NoError(t, err)
	m := &judging{reply: "{}"}
	opts := m.options(false)
	g := phone.New(p, &opts)
	var list []screen.Element
	for i, words := range []string{unheardOf, "Budiz potom", "Nikoli dnes"} {
		list = append(list, screen.Element{Class: "android.widget.Button", Text: words, Depth: 1,
			Clickable: true, Enabled: true,
			Bounds: screen.RectOf(image.Rect(100, 900+i*200, 900, 1000+i*200), drawnSize)})
	}
	now := agentloop.Situation{Reader: listed(list),
		Screen: screen.Observation{Elements: list, At: time.Now()}}
	now.Screen.State.App, now.Screen.State.Size = "com.x", drawnSize
	for _, e := range list {
		_, err = g.Check(t.Context(), now, actions.Decision{
			Action: actions.Click{At: e.Bounds.Center()}})
		require.NoError(t, err)
		g.Preview(t.Context(), now)
		require.Equal(t, 1, m.asked, e.Text)
	}
}

func TestAnAppThatAJudgeSaysIsAboutMoneyIsJudgedAsOne(t *testing.T) {
	page := "Overview · [" + unheardOf + "] · <x1=>"
	m := &judging{reply: `{"app": "money"}`}
	opts := m.options(false)
	d := newFixture(t, page, unheardOf, opts)
	require.Equal(t, agentloop.TaskCompleted, d.end.Reason, "the label does nothing")
	require.Equal(t, "money", m.kept["com.shop"+judge.App])
	d = newFixture(t, page, "x1", opts)
	require.Equal(t, agentloop.ActionNeedsApproval, d.end.Reason)
	require.Contains(t, d.inbox.parked[0].Text, "in an app about money")
	d = newFixture(t, page, "x1", phone.Options{})
	require.Equal(t, agentloop.TaskCompleted, d.end.Reason, "in another app it would be tapped")
}

// blank is a phone whose app lists nothing, such as a game.
type blank struct{ agentloop.Phone }

func (blank) Elements(context.Context) ([]screen.Element, error) {
	return nil, errors.New("nothing is listed")
}

func TestTheEndOfAPageThatListsNothingIsAskedAboutOnce(t *testing.T) {
	for said, asks := range map[string]bool{"Tap OK to confirm the upgrade": true,
		"tap the OK button": true, "点击确定按钮": true, "Scroll further down": false,
		"open the map": false} {
		rules, err := guard.New(nil)
		require.NoError(t, err)
		gate := phone.New(rules, nil)
		look := screen.Observation{State: screen.State{On: true, App: "com.game"}}
		d := actions.Decision{Explain: said,
			Action: actions.Click{At: screen.Point{X: 0.5, Y: 0.5}}}
		now := agentloop.Situation{Screen: look, Reader: blank{}}
		v, err := gate.Check(t.Context(), now, d)
		require.NoError(t, err)
		require.Equal(t, !asks, v.Allowed(), said)
		if !asks {
			continue
		}
		now.Pending = &agentloop.Pending{Decision: d, Ruling: &agentloop.Ruling{
			Type: agentloop.Approve, Severity: "sensitive"}}
		_, err = gate.Check(t.Context(), now, d)
		require.NoError(t, err)
		now.Pending = nil
		v, err = gate.Check(t.Context(), now, d)
		require.NoError(t, err)
		require.True(t, v.Allowed(), "a second time it is not asked in this app")
		now.Screen.State.App = "com.other"
		v, err = gate.Check(t.Context(), now, d)
		require.NoError(t, err)
		require.False(t, v.Allowed(), "in another one it is")
	}
}

// Of what can be touched on the screens of a run that replays, the judge is asked once an app.
// Then only about what is touched.
func TestARunThatReplaysAsksAboutNothingThatItDoesNotTouch(t *testing.T) {
	p, err := guard.New(nil)
	require.NoError(t, err)
	m := &judging{reply: "{}"}
	opts := m.options(false)
	opts.Replays = true
	g := phone.New(p, &opts)
	var now agentloop.Situation
	shows := func(app string, words ...string) {
		var list []screen.Element
		for i, w := range words {
			list = append(list, screen.Element{Class: "android.widget.Button", Text: w, Depth: 1,
				Clickable: true, Enabled: true,
				Bounds: screen.RectOf(image.Rect(100, 900+i*200, 900, 1000+i*200), drawnSize)})
		}
		now = agentloop.Situation{Reader: listed(list),
			Screen: screen.Observation{Elements: list, At: time.Now()}}
		now.Screen.State.App, now.Screen.State.Size = app, drawnSize
		g.Preview(t.Context(), now)
	}
	shows("com.x", unheardOf)
	require.Equal(t, 1, m.asked, "whether the app is about money is to be known")
	shows("com.x", "Budiz potom", "Nikoli dnes")
	require.Equal(t, 1, m.asked)
	_, err = g.Check(t.Context(), now, actions.Decision{
		Action: actions.Click{At: now.Screen.Elements[0].Bounds.Center()}})
	require.NoError(t, err)
	require.Equal(t, 2, m.asked)
	require.NotContains(t, m.kept, "com.x"+judge.Key("Nikoli dnes"))
	shows("com.y", unheardOf)
	require.Equal(t, 3, m.asked)
}
