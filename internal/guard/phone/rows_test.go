package phone_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/guard/phone"
	"github.com/taploop/taploop/internal/screen"
)

// typedIn is a field of several lines that has the focus.
func typedIn(text, name string) screen.Element {
	e := drawnAs("android.widget.EditText", at(0, 3, 10, 8, text, 1, false))
	e.Editable, e.Focused, e.ContentDesc = true, true, name
	return e
}

// cards are rows, each with a name and a button of its own.
func cards(label string, names ...string) (list []screen.Element) {
	for i, n := range names {
		top := float64(2 + i)
		list = append(list, of(viewClass, at(0, top, 6, top+0.8, n, 2, false),
			drawnAs(buttonClass, at(7, top, 9, top+0.8, label, 2, true)))...)
	}
	return list
}

// A finger that stays on what has a menu for it presses nothing, unless that says so.
func TestAFingerThatStaysOpensAMenu(t *testing.T) {
	for name, c := range map[string]struct {
		label string
		menu  bool
		tap   bool
		does  string
		ask   bool
	}{
		"what the model says of it":   {label: "Versturen", menu: true, does: "Delete the chat", ask: true},
		"a menu":                      {label: "Versturen", menu: true},
		"a tap":                       {label: "Versturen", menu: true, tap: true, ask: true},
		"what has none":               {label: "Versturen", ask: true},
		"what is done by holding":     {label: "Touch and hold to unlock", menu: true, ask: true},
		"the same, in another script": {label: "長押しで送信", menu: true, ask: true},
	} {
		t.Run(name, func(t *testing.T) {
			e := drawnAs("android.widget.ImageButton", at(8, 9, 9.6, 9.6, "", 1, true))
			e.ContentDesc, e.LongClickable = c.label, c.menu
			look := screen.Observation{Elements: []screen.Element{at(0, 0, 10, 10, "", 0, false), e},
				State: screen.State{App: "com.example.notes", Size: drawnSize}}
			var a actions.Action = actions.LongPress{At: e.Bounds.Center()}
			if c.tap {
				a = actions.Click{At: e.Bounds.Center()}
			}
			p, err := guard.New(nil)
			require.NoError(t, err)
			v, err := phone.New(p, nil).Check(t.Context(), agentloop.Situation{Screen: look},
				actions.Decision{Action: a, Explain: c.does})
			require.NoError(t, err)
			require.Equal(t, c.ask, !v.Allowed())
		})
	}
}

// A dialog or page of the system is answered by its buttons, and by a choice that none confirms.
func TestADialogOfTheSystemIsAnsweredByWhatEndsIt(t *testing.T) {
	const granting = "com.android.permissioncontroller"
	choice := func(id, label string, top float64) screen.Element {
		e := drawnAs("android.widget.RadioButton", at(1, top, 5, top+0.4, label, 1, true))
		e.ResourceID, e.Checkable = granting+":id/"+id, true
		return e
	}
	choices := []screen.Element{choice("allow_radio", "Povolo", 3), choice("ask_radio_button", "Dotaz", 4),
		choice("deny_radio_button", "Odmit", 5)}
	confirmed := append(slices.Clone(choices), drawnAs(buttonClass, at(1, 8, 9, 8.5, "Zubyakni", 1, true)))
	refused := append(slices.Clone(choices), drawnAs(buttonClass, at(1, 8, 9, 8.5, "Cancel", 1, true)))
	around := at(0, 0, 10, 10, "", 1, true)
	around.ResourceID = granting + ":id/grant_singleton"
	pages := column(rowClass, 1, 0.6, "Alfa", "Beta", "Gama", "Delta", "Eta", "Zeta", "Theta")
	pages = append(pages, at(1, 8, 4, 8.3, "Frobnik", 1, true))
	for name, c := range map[string]struct {
		list []screen.Element
		on   string
		ask  bool
	}{
		"a choice":                       {choices, "Povolo", true},
		"a choice to be asked":           {choices, "Dotaz", false},
		"a choice that is a no":          {choices, "Odmit", false},
		"a choice that a button is for":  {confirmed, "Povolo", false},
		"the button":                     {confirmed, "Zubyakni", true},
		"what is around all":             {append([]screen.Element{around}, refused...), "grant_singleton", false},
		"what stands on a page of rows":  {pages, "Frobnik", false},
		"what stands on one of few rows": {pages[5:], "Frobnik", true},
	} {
		t.Run(name, func(t *testing.T) {
			look := screen.Observation{Elements: append([]screen.Element{at(0, 0, 10, 10, "", 0, false)}, c.list...),
				State: screen.State{App: granting, Size: drawnSize}}
			click := actions.Click{At: find(t, look.Elements, c.on)}
			require.Equal(t, c.ask, !allowed(t, look, click))
		})
	}
}

// What takes touches with several texts in it is a row or a card, whatever its class is, and what is
// on each card leads to a page about that.
func TestACardIsNoButton(t *testing.T) {
	card := func(texts ...string) []screen.Element {
		var in []screen.Element
		for i, s := range texts {
			in = append(in, at(0.5, 6+0.4*float64(i), 8, 6.4+0.4*float64(i), s, 2, false))
		}
		return of(buttonClass, in...)
	}
	sum := at(0, 1, 10, 1.4, "Total 42,10 €", 1, false)
	end := drawnAs(buttonClass, at(0.5, 9, 9.5, 9.6, "Zubyakni", 1, true))
	for name, c := range map[string]struct {
		list []screen.Element
		on   string
		ask  bool
	}{
		"a card with a price":            {append(card("Price details", "312,40 €"), sum), "Price details", false},
		"a button with a price":          {append(card("Zubyakni 312,40 €"), sum), "Zubyakni 312,40 €", true},
		"the end of a page":              {[]screen.Element{sum, end}, "Zubyakni", true},
		"what is on each card":           {cards("Koupit jízdenku", "14:30", "15:30"), "Koupit jízdenku", false},
		"what is on one card":            {cards("Koupit jízdenku", "14:30"), "Koupit jízdenku", true},
		"what is on each, and is no buy": {cards("Smazat", "14:30", "15:30"), "Smazat", true},
		"what somebody has written":      {nested("Ja, ligt bij mij op tafel"), "Ja, ligt bij mij op tafel", false},
		"what asks for something to be written": {[]screen.Element{drawnAs(buttonClass,
			at(1, 2, 9, 2.5, "Publica algo. ¿Qué estás pensando?", 1, true))}, "Publica algo. ¿Qué estás pensando?", false},
	} {
		t.Run(name, func(t *testing.T) {
			look := screen.Observation{Elements: append([]screen.Element{at(0, 0, 10, 10, "", 0, false)}, c.list...),
				State: screen.State{App: "com.example.notes", Size: drawnSize}}
			click := actions.Click{At: find(t, look.Elements, c.on)}
			require.Equal(t, c.ask, !allowed(t, look, click))
		})
	}
}

// The enter key begins another line in a text of several, and sends one of a single line.
func TestTheEnterKeyBeginsAnotherLine(t *testing.T) {
	for text, ask := range map[string]bool{"Hi Ann,\n\nsee you": false, "Hi Ann": true} {
		look := screen.Observation{Elements: []screen.Element{at(0, 0, 10, 10, "", 0, false),
			typedIn(text, "Message body")}, State: screen.State{App: "com.example.notes", Size: drawnSize}}
		require.Equal(t, ask, !allowed(t, look, actions.HotKey{Key: "enter"}), text)
	}
}

// In an app about money a choice that is not known, or a picture in the bar at the top, ends nothing.
func TestAChoiceInAnAppAboutMoneyEndsNothing(t *testing.T) {
	radio := drawnAs("android.widget.RadioButton", at(1, 3, 9, 3.5, "Zubyakni", 1, true))
	radio.Checkable = true
	picture := drawnAs("android.widget.ImageView", at(8, 0.4, 9.2, 0.9, "", 1, true))
	button := drawnAs(buttonClass, at(1, 3, 5, 3.5, "Zubyakni", 1, true))
	lower := picture
	lower.Bounds = at(8, 6, 9, 6.5, "", 1, true).Bounds
	for name, c := range map[string]struct {
		e   screen.Element
		ask bool
	}{"a choice": {e: radio}, "a button": {e: button, ask: true}, "a picture in the bar": {e: picture},
		"a picture elsewhere": {e: lower, ask: true}} {
		look := screen.Observation{Elements: []screen.Element{at(0, 0, 10, 10, "", 0, false),
			at(0, 2, 10, 2.4, "Zůstatek 42,10 €", 1, false), c.e},
			State: screen.State{App: "com.example.bank", Size: drawnSize}}
		assert.Equal(t, c.ask, !allowed(t, look, actions.Click{At: c.e.Bounds.Center()}), name)
	}
}
