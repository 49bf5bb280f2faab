package phone_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/guard/phone"
	"github.com/taploop/taploop/internal/screen"
)

const linkClass = "android.widget.TextView"

// drawnCase is a touch on a page in an app for notes, and whether a person is asked.
type drawnCase struct {
	list []screen.Element
	on   string
	ask  bool
}

func (c drawnCase) look() screen.Observation {
	return screen.Observation{Elements: append([]screen.Element{at(0, 0, 10, 10, "", 0, false)}, c.list...),
		State: screen.State{App: "com.example.notes", Size: drawnSize}}
}

func (c drawnCase) check(t *testing.T) {
	t.Helper()
	look := c.look()
	require.Equal(t, c.ask, !allowed(t, look, actions.Click{At: find(t, look.Elements, c.on)}))
}

// Words of the lists that may as well name what is led to are put to a judge, and not to a person.
func TestWordsThatMayNameWhatIsLedToAreUnsure(t *testing.T) {
	named := func(id string, list []screen.Element) []screen.Element {
		list[0].ResourceID = id
		return list
	}
	picture := drawnAs("android.widget.ImageView", at(4, 9, 6, 9.5, "", 1, true))
	picture.ContentDesc = "Réserver"
	file := []screen.Element{at(0, 3, 8, 3.4, "Report.pdf", 2, false), at(0, 3.4, 8, 3.8, "Remove file", 2, false)}
	back := []screen.Element{at(0, 3, 8, 3.4, "Remove file", 2, false), at(0, 3.4, 8, 3.8, "Report.pdf", 2, false)}
	lock := drawnAs(buttonClass, at(1, 4, 9, 4.5, "Set screen lock", 1, true))
	for name, c := range map[string]drawnCase{
		"below a name":            {list: of(rowClass, file...), on: "Remove file"},
		"above one":               {list: of(rowClass, back...), on: "Remove file", ask: true},
		"a row of several":        {list: column(rowClass, 2, 0.6, "Send a message", "New", "Block"), on: "Send a message"},
		"a row that is called so": {list: named("a:id/btn_send", column(rowClass, 2, 0.6, "Send a message", "New", "Blue")), on: "Send a message", ask: true},
		"buttons":                 {list: column(buttonClass, 2, 0.6, "Send a message", "New", "Blue"), on: "Send a message", ask: true},
		"a sentence in a row":     {list: column(rowClass, 2, 0.6, "Gunakan nomor telepon atau email", "Google", "Line"), on: "Gunakan nomor telepon atau email"},
		"a link":                  {list: []screen.Element{drawnAs(linkClass, at(1, 4, 5, 4.4, "Make a call", 1, true))}, on: "Make a call"},
		"a link of one word":      {list: []screen.Element{drawnAs(linkClass, at(1, 4, 5, 4.4, "语音通话", 1, true))}, on: "语音通话", ask: true},
		"a button":                {list: []screen.Element{drawnAs(buttonClass, at(1, 4, 5, 4.4, "Make a call", 1, true))}, on: "Make a call", ask: true},
		"a picture":               {list: []screen.Element{picture}, on: "Réserver"},
		"a picture beside a sum":  {list: []screen.Element{picture, at(1, 8, 5, 8.4, "Total 42,10 €", 1, false)}, on: "Réserver", ask: true},
		"what asks for a secret":  {list: []screen.Element{lock}, on: "Set screen lock"},
		"what takes one":          {list: []screen.Element{typedIn("", "New PIN"), lock}, on: "Set screen lock", ask: true},
	} {
		t.Run(name, func(t *testing.T) {
			c.check(t)
			p, err := guard.New(nil)
			require.NoError(t, err)
			look := c.look()
			click := actions.Click{At: find(t, look.Elements, c.on)}
			require.Equal(t, !c.ask, slices.ContainsFunc(
				phone.Subjects(look, "", actions.Decision{Action: click}), p.Unknown))
		})
	}
}

// What has buttons in it does nothing that its words say: it is what they stand on.
func TestWhatHoldsButtonsDoesNotWhatItSays(t *testing.T) {
	asks := at(1, 3, 9, 3.6, "Delete all notes", 2, false)
	yes := drawnAs(buttonClass, at(5, 4, 9, 4.5, "Delete", 2, true))
	no := drawnAs(buttonClass, at(1, 4, 5, 4.5, "Keep", 2, true))
	for name, c := range map[string]drawnCase{
		"two buttons": {list: of(viewClass, asks, no, yes), on: "Delete all notes"},
		"one of them": {list: of(viewClass, asks, no, yes), on: "Delete", ask: true},
		"one button":  {list: of(viewClass, asks, yes), on: "Delete all notes", ask: true},
	} {
		t.Run(name, c.check)
	}
}

// A dialog is one, too, where its window is the page's and a touch beside it closes it; what is not
// known beside a no is asked about there, and nothing that more is filled in below.
func TestADialogInThePagesWindow(t *testing.T) {
	beside := at(0, 0, 10, 10, "", 1, true)
	beside.ContentDesc = "Dismiss"
	title := at(1, 4, 9, 4.5, "Zubyakni teraz", 1, false)
	text := at(1, 4.5, 9, 5, "Frobnik zubyakni ok", 1, false)
	no := drawnAs(buttonClass, at(5, 6, 7, 6.5, "Cancel", 1, true))
	yes := drawnAs(buttonClass, at(7, 6, 9, 6.5, "Frobnik", 1, true))
	field := typedIn("", "Zubyaknik")
	field.Bounds = at(1, 7, 9, 7.6, "", 1, false).Bounds
	sum, kept := at(1, 5, 9, 5.4, "Total 42,10 €", 1, false), drawnAs(buttonClass, at(5, 6, 7, 6.5, "Karto", 1, true))
	for name, c := range map[string]drawnCase{
		"a dialog":           {list: []screen.Element{title, text, no, yes, beside}, on: "Frobnik", ask: true},
		"its no":             {list: []screen.Element{title, text, no, yes, beside}, on: "Cancel"},
		"a page":             {list: []screen.Element{title, text, no, yes}, on: "Frobnik"},
		"the end of one":     {list: []screen.Element{title, sum, kept, yes, beside}, on: "Frobnik", ask: true},
		"a choice before it": {list: []screen.Element{title, sum, kept, yes, field, beside}, on: "Frobnik"},
	} {
		t.Run(name, c.check)
	}
}

// The last button of a page that nobody knows hands in a form, and leads on where there is none.
func TestTheLastButtonOfAPageHandsInAForm(t *testing.T) {
	button := func(label string) screen.Element {
		return drawnAs(buttonClass, at(1, 8, 9, 8.6, label, 1, true))
	}
	for name, c := range map[string]drawnCase{
		"no form":            {list: []screen.Element{at(1, 2, 9, 2.4, "See what you can do with it", 1, false), button("Reset states")}, on: "Reset states"},
		"a form":             {list: []screen.Element{typedIn("", "State"), button("Reset states")}, on: "Reset states", ask: true},
		"a search":           {list: []screen.Element{typedIn("", "Search in mail"), button("Compose")}, on: "Compose"},
		"an unknown tongue":  {list: []screen.Element{button("Afspraak zubyakni")}, on: "Afspraak zubyakni", ask: true},
		"words for feedback": {list: []screen.Element{typedIn("", "Search"), drawnAs(viewClass, at(1, 6, 5, 6.5, "Enviar comentarios", 1, true))}, on: "Enviar comentarios"},
		"a cart":             {list: []screen.Element{drawnAs(viewClass, at(1, 6, 5, 6.5, "Clear cart", 1, true))}, on: "Clear cart", ask: true},
	} {
		t.Run(name, c.check)
	}
}
