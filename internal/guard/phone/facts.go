package phone

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/inquiry/consent"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/text"
)

// facts are what the screen says plainly of an action of the class. What its structure does not say
// is left out. typed are the texts that the run has entered.
func facts(
	look screen.Observation, a actions.Action, class, label string, typed []string,
) (f consent.Facts) {
	p, i := newPage(look.Elements), focused(look.Elements)
	if points := places(look, a); len(points) > 0 {
		if hits := candidates(look.Elements, points[0]); len(hits) > 0 {
			i = hits[0]
		}
	}
	title := ""
	if !p.dialog && !strings.HasSuffix(look.State.App, ".systemui") {
		title = p.head(look.Bar)
	}
	switch {
	case i < 0:
	case slices.Contains([]string{"pay", "order", "transfer"}, class):
		f = p.costs(i, label)
	case class == "send" || class == "publish":
		f = p.message(i, class == "send", title, typed)
	case slices.Contains([]string{"delete", "call", "install", "uninstall", "grant"}, class):
		f.To = cmp.Or(p.left(i), title)
		if p.dialog && strings.HasSuffix(class, "install") && !consent.Asks(p.title) {
			f.To = p.title
		}
	}
	if strings.Contains(strings.ToLower(label), strings.ToLower(f.To)) {
		f.To = ""
	}
	return f
}

// costs are the sum that the page is about, and who is paid. A label with a sum needs no other, and
// a sum in a field is another than those beside it.
func (p *page) costs(i int, label string) (f consent.Facts) {
	var lines, payees []string
	typed := false
	for j := range p.list[:min(len(p.list), maxElements)] {
		e := &p.list[j]
		t := text.Line(said(e))
		typed = typed || e.Editable && e.Hint != "" && len(e.Text) < 10 &&
			strings.ContainsFunc(e.Text, unicode.IsDigit)
		if t == "" || e.Editable || j == i || within(p.list, j, i) {
			continue
		}
		lines = append(lines, p.labelled(j, t))
		n := strings.IndexAny(t, " :：")
		if n > 0 && consent.Is("payees", t[:n]) && !guard.Priced(t) {
			payees = append(payees, t)
		}
	}
	if len(payees) == 1 {
		f.To = payees[0]
	}
	if !typed && !guard.Priced(label) {
		f.Sum = guard.Sum(lines)
	}
	return f
}

// labelled is what the element j says, with the words to its left or right above it if it is a sum
// and has none.
func (p *page) labelled(j int, t string) string {
	worded := slices.ContainsFunc(text.Words(t), func(w string) bool { return len(w) > 5 })
	if worded || !guard.Priced(t) {
		return t
	}
	r, before := p.list[j].Bounds, p.left(j)
	for k := range p.list {
		o, says := p.list[k].Bounds, said(&p.list[k])
		if above := r.Min.Y - o.Max.Y; before == "" && above > -0.01 && above < 0.02 &&
			p.names(k) && overlaps(o.Min.X, o.Max.X, r.Min.X, r.Max.X) &&
			!(p.dialog && says == p.title) {
			before = text.Line(says)
		}
	}
	return strings.TrimPrefix(before+" · "+t, " · ")
}

// names reports whether the element k has words and no sum, and takes no touch.
func (p *page) names(k int) bool {
	t := said(&p.list[k])
	return !p.list[k].Touchable() && strings.ContainsFunc(t, unicode.IsLetter) && !guard.Priced(t)
}

// left is what stands first to the left of the element i on its line, in nothing else that takes
// touches.
func (p *page) left(i int) string {
	r := p.list[i].Bounds
	for k := range p.list {
		if b := p.list[k].Bounds; b.Max.X <= r.Min.X+0.01 && p.names(k) &&
			overlaps(b.Min.Y, b.Max.Y, r.Min.Y, r.Max.Y) &&
			(p.inside[k] < 0 || within(p.list, i, p.inside[k])) {
			return text.Line(said(&p.list[k]))
		}
	}
	return ""
}

// head is the title in the bar at the top of a page, below the status bar.
func (p *page) head(bar float64) string {
	for k := range p.list {
		e, in := &p.list[k], p.inside[k]
		if b := e.Bounds; said(e) != "" && !e.Touchable() && b.Min.Y >= bar && b.Max.Y < 0.13 &&
			(in < 0 || p.list[in].Bounds.Max.X-p.list[in].Bounds.Min.X > 0.4) {
			return text.Line(said(e))
		}
	}
	return ""
}

// message is what the page sends or publishes by the element i: what is written in its only field,
// or in a letter's; and whom the letter is to, or the title of the conversation. A text without a
// hint beside it may be one, unless the run has typed it.
func (p *page) message(i int, sends bool, title string, typed []string) (f consent.Facts) {
	var to, body []screen.Element
	for _, k := range p.fields {
		switch e := p.list[k]; {
		case e.Password || e.Hint == "" && !slices.ContainsFunc(typed, func(t string) bool {
			return strings.Contains(e.Text, t)
		}):
			return f
		case consent.Is("recipients", cmp.Or(e.Hint, e.ContentDesc)):
			to = append(to, e)
		case !consent.Is("subjects", cmp.Or(e.Hint, e.ContentDesc)):
			body = append(body, e)
		}
	}
	if len(body) != 1 || body[0].Text == body[0].Hint || text.Line(body[0].Text) == "" {
		return f
	}
	f.Text = text.Line(body[0].Text)
	e := &p.list[i]
	switch {
	case !sends:
	case len(to) == 1:
		f.To, f.Sends = text.Line(to[0].Text), true
	case len(p.fields) == 1 && (e.Text == "" || follows(body[0].Bounds, e.Bounds)):
		f.To, f.Sends = title, true
	}
	return f
}
