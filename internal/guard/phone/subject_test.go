package phone_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/guard/phone"
	"github.com/taploop/taploop/internal/screen"
)

// at is an element of so many tenths of the screen.
func at(left, top, right, bottom float64, text string, depth int, clickable bool) screen.Element {
	return screen.Element{Text: text, Depth: depth, Clickable: clickable, Enabled: true,
		Bounds: screen.Rect{Min: screen.Point{X: left / 10, Y: top / 10},
			Max: screen.Point{X: right / 10, Y: bottom / 10}}}
}

func TestWhatIsUnderTheFinger(t *testing.T) {
	page := []screen.Element{
		at(0, 0, 10, 10, "", 0, true),        // the page
		at(0, 1, 10, 2, "", 1, true),         // a row
		at(1, 1, 4, 2, "Milk", 2, false),     // its title
		at(8, 1, 9, 2, "Delete", 2, true),    // a button in the row
		at(0, 5, 10, 6, "Details", 1, true),  // a button
		at(2, 5, 8, 6, "Pay now", 1, true),   // another over it
		at(0, 8, 2, 9, "", 1, true),          // an icon
		at(2, 8, 5, 9, "Settings", 1, false), // beside it
		at(6, 8, 10, 9, "plain text", 1, false),
		at(0, 6, 10, 7, "Open details", 1, true), // under words that take no touches
		at(1, 6, 5, 7, "Buy now", 1, false),
		at(6, 6, 9, 7, "Under a button", 1, false),
		at(6, 6, 9, 7, "Over words", 1, true),
		at(0, 2, 3, 3, "Pay all", 1, false), // under one that takes the touches and says nothing
		at(0, 2, 3, 3, "", 1, true),
		at(4, 2, 7, 3, "Delete it", 1, false), // around an icon
		at(5, 2, 6, 3, "", 2, true),
	}
	for _, c := range []struct {
		name  string
		x, y  float64
		texts []string
		near  string // the first
	}{
		{name: "the row, without its own button", x: 0.2, y: 0.15, texts: []string{"Milk"}},
		{name: "the smallest in a row", x: 0.85, y: 0.15, texts: []string{"Delete"}},
		{name: "all that lie over each other", x: 0.5, y: 0.55,
			texts: []string{"Pay now", "Details"}},
		{name: "one without words", x: 0.1, y: 0.85, texts: []string{""}, near: "Settings"},
		{name: "the page around text", x: 0.8, y: 0.85, texts: []string{"plain text"}},
		{name: "words over what is touched", x: 0.3, y: 0.65,
			texts: []string{"Open details", "Buy now"}},
		{name: "words that are covered", x: 0.7, y: 0.65,
			texts: []string{"Over words", "Open details"}},
		{name: "words under one without any", x: 0.1, y: 0.25, texts: []string{"", "Pay all"}},
		{name: "words around one without any", x: 0.55, y: 0.25,
			texts: []string{"", "Delete it"}},
		{name: "the page", x: 0.5, y: 0.35, texts: []string{""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			list := phone.Subjects(screen.Observation{Elements: page,
				State: screen.State{App: "com.x", Size: screen.Size{W: 100, H: 200}}}, "x",
				actions.Decision{Action: actions.Click{At: screen.Point{X: c.x, Y: c.y}}})
			var texts []string
			for _, s := range list {
				texts = append(texts, s.Element.Text)
			}
			require.Equal(t, c.texts, texts)
			require.Equal(t, len(texts) == 1 && texts[0] == "" && c.near == "",
				list[0].Element.WholeScreen)
			if c.near != "" {
				require.Equal(t, c.near, list[0].Near[0])
			}
		})
	}
}

// What a dialog asks is known, however much an app lists before it.
func TestADialogBehindTenThousandElements(t *testing.T) {
	var page []screen.Element
	for i := range 10_000 {
		page = append(page, at(0, 0, 1, 1, fmt.Sprintf("offer %d of the day", i), 1, true))
	}
	page = append(page, at(1, 4, 9, 5, "Confirm payment of $30?", 1, false),
		at(5, 5, 9, 6, "OK", 1, true))
	p, err := guard.New(nil)
	require.NoError(t, err)
	began := time.Now()
	_, d := phone.Decide(p, phone.Subjects(screen.Observation{Elements: page}, "x",
		actions.Decision{Action: actions.Click{At: screen.Point{X: 0.7, Y: 0.55}}}))
	require.Equal(t, guard.Critical, d.Severity)
	require.Equal(t, guard.Ask, d.Verdict)
	t.Logf("judged in %v", time.Since(began))
}

// Whatever a screen lists, each action has a subject, and what can be touched at the place is in
// one of them.
func TestAnyScreenHasSubjects(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.Float64Range(-0.5, 1.5)
		list := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) screen.Element {
			e := screen.Element{Text: rapid.String().Draw(t, "text"),
				Depth:     rapid.IntRange(-1, 5).Draw(t, "depth"),
				Clickable: rapid.Bool().Draw(t, "clickable")}
			e.Bounds.Min = screen.Point{X: unit.Draw(t, "x"), Y: unit.Draw(t, "y")}
			e.Bounds.Max = screen.Point{X: unit.Draw(t, "right"), Y: unit.Draw(t, "bottom")}
			return e
		}), 0, 12).Draw(t, "elements")
		p := screen.Point{X: rapid.Float64Range(0, 0.99).Draw(t, "px"),
			Y: rapid.Float64Range(0, 0.99).Draw(t, "py")}
		look := screen.Observation{Elements: list}
		for _, a := range actions.Vocabulary() {
			require.NotEmpty(t, phone.Subjects(look, "x", actions.Decision{Action: a}), a.Verb())
		}
		got := phone.Subjects(look, "x", actions.Decision{Action: actions.Click{At: p}})
		hit := slices.ContainsFunc(list, func(e screen.Element) bool {
			return e.Clickable && e.Bounds.Contains(p)
		})
		require.Equal(t, hit, hit && got[0].Element != nil)
	})
}

func TestWhatAPersonSaysToARunLaterCounts(t *testing.T) {
	said := []string{"her number is 12"}
	o := phone.Options{Said: func(context.Context) ([]string, error) { return said, nil }}
	d := newFixture(t, "Chat · [Send]", "Send", o)
	require.Equal(t, agentloop.ActionNeedsApproval, d.end.Reason)
	said = append(said, "please send it now")
	d = newFixture(t, "Chat · [Send]", "Send", o)
	require.Equal(t, agentloop.TaskCompleted, d.end.Reason)
	require.Equal(t, []string{"[Send]"}, d.touched())
}

// An app is about money by the name under which the home screen has it, whatever its package is.
func TestAnAppsOwnNameSaysThatItIsAboutMoney(t *testing.T) {
	rules, err := guard.New(nil)
	require.NoError(t, err)
	for name, asks := range map[string]bool{"Harbour Bank": true, "小鹿银行": true,
		"Сити Банк": true, "QuickPay Wallet": true, "Weather": false, "Playground": false} {
		gate := phone.New(rules, nil)
		check := func(app, label string) agentloop.Verdict {
			look := screen.Observation{State: screen.State{On: true, App: app},
				Elements: []screen.Element{at(0, 0, 10, 10, "", 1, false),
					at(1, 1, 9, 2, "Overview", 2, false), at(4, 4, 6, 5, label, 2, true)}}
			click := actions.Click{At: screen.Point{X: 0.5, Y: 0.45}}
			v, err := gate.Check(t.Context(), agentloop.Situation{Screen: look},
				actions.Decision{Action: click})
			require.NoError(t, err)
			return v
		}
		require.True(t, check("io.deer.app", "").Allowed(), "opened by another way")
		require.True(t, check("com.android.launcher3", name).Allowed(), name)
		require.Equal(t, !asks, check("io.stag.app", "").Allowed(), name)
		require.True(t, check("io.deer.app", "").Allowed(), "another app")
	}
}
