package phone_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/screen"
)

// of are these elements in an element around all of them, which takes touches.
func of(class string, in ...screen.Element) []screen.Element {
	around := in[0]
	around.Text, around.ContentDesc, around.Clickable, around.Class = "", "", true, class
	for i := range in {
		b := in[i].Bounds
		around.Bounds.Min = screen.Point{X: min(around.Bounds.Min.X, b.Min.X), Y: min(around.Bounds.Min.Y, b.Min.Y)}
		around.Bounds.Max = screen.Point{X: max(around.Bounds.Max.X, b.Max.X), Y: max(around.Bounds.Max.Y, b.Max.Y)}
		in[i].Depth = around.Depth + 1
	}
	return append([]screen.Element{around}, in...)
}

// drawnAs is the element with this class.
func drawnAs(class string, e screen.Element) screen.Element {
	e.Class = class
	return e
}

// box is a box to tick.
func box(class string, left, top, right, bottom float64) screen.Element {
	e := drawnAs(class, at(left, top, right, bottom, "", 1, false))
	e.Checkable = true
	return e
}

// ticked is a row with a text and a box of the class.
func ticked(text, class string) []screen.Element {
	return of(rowClass, at(0, 3, 8, 3.6, text, 2, false), box(class, 8, 3, 10, 3.6))
}

// nested is a row with somebody's name and what takes touches for itself.
func nested(label string) []screen.Element {
	list := of(viewClass, at(0, 3, 4, 3.6, "Tomas Novak", 2, false), at(6, 3, 9, 3.6, label, 2, true))
	list[2].Class = viewClass
	return list
}

// pictures are some on a line, with these ids.
func pictures(ids ...string) (list []screen.Element) {
	for i, id := range ids {
		e := drawnAs("android.widget.ImageView", at(float64(i*2), 5, float64(i*2+1), 5.4, "", 1, true))
		e.ResourceID = "com.chess:id/" + id
		list = append(list, e)
	}
	return list
}

// The place of an element, and what lies in it, say what it is, in any language.
func TestPlacesSayWhatIsThere(t *testing.T) {
	const check, toggle = "android.widget.CheckBox", "android.widget.Switch"
	rows := func(class string) []screen.Element {
		return slices.Concat(line(class, 2, 2.6, "Tek çekim"), line(class, 2.7, 3.6, "Ödemeyi tamamla"),
			line(class, 3.7, 4.4, "3 taksit"))
	}
	broad := func(list []screen.Element) []screen.Element {
		for i := range list {
			list[i].Bounds.Min.X, list[i].Bounds.Max.X = 0, 1
		}
		return list
	}
	const granting = "com.android.permissioncontroller"
	corner := drawnAs("android.widget.ImageButton", at(0, 0.4, 1.2, 0.9, "", 1, true))
	corner.ContentDesc = "Zubyakni"
	wordless, lower := drawnAs(viewClass, at(0, 0.4, 1.2, 0.9, "", 1, true)), drawnAs(viewClass, at(0, 4.4, 1.2, 4.9, "", 1, true))
	wordless.ResourceID, lower.ResourceID = "a:id/back", "a:id/lower"
	elsewhere := drawnAs("android.widget.ImageButton", at(3, 4.4, 4.2, 4.9, "Zubyakni", 1, true))
	bar := drawnAs("android.widget.ImageButton", at(8, 0.4, 9.2, 0.9, "Zubyakni", 1, true))
	ending := []screen.Element{drawnAs(viewClass, at(0.4, 8.9, 9.6, 9.4, "Zubyakni", 1, true)),
		drawnAs(viewClass, at(0.4, 9.4, 9.6, 9.9, "Cancel", 1, true)), at(0, 2, 9, 2.4, "Vuoi cancellare?", 1, false)}
	for name, c := range map[string]struct {
		app  string
		list []screen.Element
		on   string
		ask  bool
	}{
		"a row with a box to tick": {list: ticked("Call grandma", check), on: "Call grandma"},
		"a row of the settings with a box to tick": {app: "com.android.settings",
			list: ticked("Install unknown apps", check), on: "Install unknown apps", ask: true},
		"a row without one":       {list: of(rowClass, at(0, 3, 8, 3.6, "Call grandma", 2, false)), on: "Call grandma", ask: true},
		"a row that is switched":  {list: ticked("Call grandma", toggle), on: "Call grandma", ask: true},
		"rows of several heights": {app: "com.x.bank", list: broad(rows(rowClass)), on: "Ödemeyi tamamla"},
		"what is drawn otherwise among rows": {app: "com.x.bank", list: broad(slices.Concat(rows(rowClass)[:1],
			line(viewClass, 2.7, 3.6, "Ödemeyi tamamla"), rows(rowClass)[2:])), on: "Ödemeyi tamamla", ask: true},
		"buttons of several heights":   {app: "com.x.bank", list: broad(rows(buttonClass)), on: "Ödemeyi tamamla", ask: true},
		"the way back":                 {app: granting, list: []screen.Element{corner, at(3, 2, 5, 2.4, "SMS", 1, false)}, on: "Zubyakni"},
		"the way back from what pays":  {list: []screen.Element{wordless, at(1.5, 0.4, 5, 0.9, "Thanh toán", 1, false)}, on: "back"},
		"a picture beside what pays":   {list: []screen.Element{lower, at(1.5, 4.4, 5, 4.9, "Thanh toán", 1, false)}, on: "lower", ask: true},
		"a picture in the bar":         {app: granting, list: []screen.Element{bar, at(3, 2, 5, 2.4, "SMS", 1, false)}, on: "Zubyakni"},
		"a picture elsewhere":          {app: granting, list: []screen.Element{elsewhere, at(3, 2, 5, 2.4, "SMS", 1, false)}, on: "Zubyakni", ask: true},
		"what a page asks, above a no": {list: ending, on: "Zubyakni", ask: true},
		"a yes in a row":               {list: nested("Confirm"), on: "Confirm", ask: true},
		"something else in a row":      {list: nested("Rename"), on: "Rename"},
		"the end of a page, beside its sum": {list: slices.Concat(column(rowClass, 2, 1, "Simit", "Ekmek", "Kaşar"),
			[]screen.Element{drawnAs(viewClass, at(0.3, 9.2, 6.5, 9.8, "Zubyakni", 1, true))}, []screen.Element{at(7, 9.2, 9.9, 9.8, "₺90,95", 1, false)}),
			on: "Zubyakni", ask: true},
		"an answer by ids": {list: pictures("drawDecline", "drawAccept"), on: "drawAccept", ask: true},
		"no answer by ids": {list: pictures("drawBoard", "drawAccept"), on: "drawAccept"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.app == "" {
				c.app = "com.example.notes"
			}
			look := screen.Observation{Elements: slices.Concat([]screen.Element{
				at(0, 0, 10, 10, "", 0, false)}, c.list), State: screen.State{App: c.app, Size: drawnSize}}
			click := actions.Click{At: find(t, look.Elements, c.on)}
			require.Equal(t, c.ask, !allowed(t, look, click))
		})
	}
}
