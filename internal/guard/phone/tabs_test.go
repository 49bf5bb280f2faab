package phone_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/screen"
)

const (
	viewClass   = "android.view.View"
	buttonClass = "android.widget.Button"
	rowClass    = "android.widget.LinearLayout"
)

// line is a row of elements that take touches and are alike, from top to bottom in tenths of the
// screen's height.
func line(class string, top, bottom float64, labels ...string) (list []screen.Element) {
	wide := 9.6 / float64(len(labels))
	for i, l := range labels {
		left := 0.2 + wide*float64(i)
		e := at(left, top, left+wide-0.1, bottom, l, 1, true)
		e.Class = class
		list = append(list, e)
	}
	return list
}

// column is the same from top to bottom, each so high.
func column(class string, top, high float64, labels ...string) (list []screen.Element) {
	for i, l := range labels {
		list = append(list, line(class, top+high*float64(i), top+high*float64(i+1)-0.05, l)...)
	}
	return list
}

// chosen is the line with one of it chosen.
func chosen(list []screen.Element, i int) []screen.Element {
	list[i].Selected = true
	return list
}

// basket is a page with two things, what they come to, and these below.
func basket(below ...[]screen.Element) []screen.Element {
	list := []screen.Element{at(0, 0, 10, 10, "", 0, false), at(0.4, 0.5, 5, 0.9, "Nr. 4711", 1, false)}
	list = append(list, column(rowClass, 1.5, 0.6, "Espresso", "Brioche", "Table 7")...)
	list = append(list, at(6, 4, 9.6, 4.4, "12,50 €", 1, false))
	return append(list, slices.Concat(below...)...)
}

// endings are the ways in which pages end with an act, some of them with what looks like tabs.
var endings = map[string]func(act string) []screen.Element{
	"a button above tabs": func(act string) []screen.Element {
		return basket(line(buttonClass, 6, 6.6, act)[:1], tabBar())
	},
	"a view above tabs": func(act string) []screen.Element {
		return basket(line(viewClass, 6, 6.6, act), tabBar())
	},
	"one of three buttons above tabs": func(act string) []screen.Element {
		return basket(line(buttonClass, 6, 6.6, "A4", "B5", act), tabBar())
	},
	"one of three views above tabs": func(act string) []screen.Element {
		return basket(line(viewClass, 6, 6.6, act, "B5", "C6"), tabBar())
	},
	"one of three buttons at the end": func(act string) []screen.Element {
		return basket(line(buttonClass, 8, 8.6, "A4", act, "C6"))
	},
	"one of three buttons above a link": func(act string) []screen.Element {
		return basket(line(buttonClass, 8, 8.6, "A4", act, "C6"), line("android.widget.TextView", 9, 9.3, "Terms"))
	},
	"one of three views at the edge, none of which is chosen": func(act string) []screen.Element {
		return basket(line(viewClass, 9.2, 9.9, "A4", "B5", act))
	},
	"the first of three buttons in a column": func(act string) []screen.Element {
		return basket(column(buttonClass, 6, 0.7, act, "B5", "C6"))
	},
	"below modes of which one is chosen": func(act string) []screen.Element {
		return basket(chosen(line(viewClass, 5, 5.5, "A4", "B5", "C6"), 1), line(viewClass, 7, 7.6, act))
	},
	"among three, below modes of which one is chosen": func(act string) []screen.Element {
		return basket(chosen(line(viewClass, 5, 5.5, "A4", "B5", "C6"), 1),
			line(buttonClass, 7, 7.6, "D7", "E8", act))
	},
	"a broad view on modes at the edge": func(act string) []screen.Element {
		return basket(line(viewClass, 7.5, 8.2, act), chosen(line(viewClass, 9, 9.6, "A4", "B5"), 0))
	},
}

func tabBar() []screen.Element {
	return chosen(line(viewClass, 9.3, 9.9, "Home", "Scan", "Me"), 0)
}

// critical are acts in some languages, bare and with what they are about.
var critical = []string{"Pay", "Order", "Place order", "Send money", "Buy", "Transfer",
	"Bezahlen", "Bestellen", "Geld senden", "Pagar", "Comprar", "Enviar dinero", "付款", "支付",
	"提交订单", "转账", "Оплатить", "Заказать", "支払う", "注文する", "결제하기", "Payer", "Commander"}

// What pays, orders or sends money is asked about on a page with a sum, whatever else that has.
// What is one of the tabs of a page, or of the tiles of one that goes on below, leads there.
func TestTabsExemptNothingButThemselves(t *testing.T) {
	asks := func(app string, list []screen.Element, on string) bool {
		look := screen.Observation{Elements: list, State: screen.State{App: app, Size: drawnSize}}
		return !allowed(t, look, actions.Click{At: find(t, list, on)})
	}
	for _, act := range critical {
		for name, page := range endings {
			if !asks("com.example.cafe", page(act), act) {
				t.Errorf("%s: %q passes", name, act)
			}
		}
		if act == "提交订单" { // submits, and is the name of no place
			continue
		}
		rest := column(rowClass, 6.5, 0.6, "Anna 3,00 €", "Bob 2,00 €", "Carl 1,00 €")
		for name, page := range map[string][]screen.Element{
			"a tab": basket(chosen(line(viewClass, 9.3, 9.9, "Home", act, "Me"), 0)),
			"a tab of four, of which none is chosen": basket(line(viewClass, 9.3, 9.9, "Home", act, "Scan",
				"Me")),
			"a tab at the top": append(chosen(line(viewClass, 1, 1.4, "Home", act, "Me"), 0), basket(rest)...),
			"a tile":           basket(line(viewClass, 5, 6, "Scan", act, "Cards"), rest, tabBar()),
			"a tile of none":   basket(line(viewClass, 5, 6, "Scan", act, "Cards"), rest),
		} {
			require.False(t, asks("com.example.bank", page, act), "%s: %s", name, act)
		}
	}
}
