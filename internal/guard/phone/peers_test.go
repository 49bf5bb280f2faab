package phone_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/screen"
)

// Three of one size lead somewhere, unless they are buttons, what is written is published by one of
// them, or the others are what is chosen before.
func TestPeersLeadSomewhereOrAreNone(t *testing.T) {
	const view, box = "android.view.View", "android.widget.Button"
	low := func(class string, labels ...string) (list []screen.Element) {
		for i, l := range labels {
			e := at(float64(i*3), 9.3, float64(i*3+3), 9.9, l, 1, true)
			e.Class = class
			list = append(list, e)
		}
		return list
	}
	chosen := func(list []screen.Element) []screen.Element {
		list[0].Selected = true
		return list
	}
	field := at(0, 1, 10, 2, "It was a fine day", 1, false)
	field.Class, field.Editable = "android.widget.EditText", true
	written := func(list []screen.Element) []screen.Element {
		return append([]screen.Element{field}, list...)
	}
	form := func(checkable bool) (list []screen.Element) {
		for i, l := range []string{"Tek çekim", "3 taksit", "Kural ve koşullar",
			"Ödemeyi tamamla"} {
			e := at(0.5, float64(3+i), 9.5, float64(3+i)+0.6, l, 1, true)
			e.Class, e.Checkable = view, checkable && i < 2
			list = append(list, e)
		}
		return list
	}
	amounts := append(low(box, "1 €", "2 €", "Other"), at(0, 0.1, 10, 0.9, "Tip", 1, false))
	for i := range 3 {
		amounts[i].Bounds.Min.Y, amounts[i].Bounds.Max.Y = 0.4, 0.46
	}
	ended := append(slices.Clone(amounts), at(0.5, 9, 9.5, 9.6, "Zubyakni", 1, true))
	ended[len(ended)-1].Class = box
	hub := func(list []screen.Element) []screen.Element {
		unknown := at(1, 5, 4, 5.5, "Zubyakni", 1, true)
		unknown.Class = box
		return append(list, at(0, 1, 10, 1.5, "Zůstatek 42,10 €", 1, false), unknown)
	}
	listing := func(list []screen.Element) []screen.Element { // which goes on below
		return append(list, at(0, 6, 10, 6.5, "Vrtulka", 1, true))
	}
	for name, c := range map[string]struct {
		list []screen.Element
		on   string
		ask  bool
	}{
		"amounts above the end of a page": {ended, "1 €", false},
		"amounts that end a page":         {amounts, "1 €", true},
		"what is called so above tabs": {listing(hub(chosen(low(view, "Domů", "Karty", "Já")))),
			"Zubyakni", false},
		"what ends a page above tabs": {hub(chosen(low(view, "Domů", "Karty", "Já"))), "Zubyakni",
			true},
		"what is called so above none": {hub(low(view, "Domů", "Karty", "Já")), "Zubyakni",
			true},
		"what is called so above a choice": {hub(chosen(low(box, "Koupě", "Prodej", "Směna"))), "Zubyakni",
			true},
		"tabs":                {low(view, "Keypad", "Call", "Contacts"), "Call", false},
		"buttons below an ad": {low(box, "Call", "Message", "Ship"), "Call", true},
		"a field that is chosen, and no tab": {chosen(written(low(view, "Home", "Post", "Me"))), "Post",
			true},
		"a chosen tab beside":           {written(chosen(low(view, "Home", "Post", "Me"))), "Post", false},
		"what ends a text":              {written(low(view, "Photo", "Draft", "Post")), "Post", true},
		"the rows of a menu":            {form(false), "Ödemeyi tamamla", false},
		"the end of what can be chosen": {form(true), "Ödemeyi tamamla", true},
	} {
		t.Run(name, func(t *testing.T) {
			look := screen.Observation{Elements: append([]screen.Element{
				at(0, 0, 10, 10, "", 0, false)}, c.list...), State: screen.State{App: "com.x.bank",
				Size: drawnSize}}
			click := actions.Click{At: find(t, look.Elements, c.on)}
			require.Equal(t, c.ask, !allowed(t, look, click))
		})
	}
}
