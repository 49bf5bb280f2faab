package skill

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

// unknown reports whether a step types a secret that nobody was asked for, or what would be taken
// for a parameter.
func (m *maker) unknown(s *store.StepRecord) bool {
	t := s.Proposal.Action.Traits()
	return t.Kind == actions.KindText && (foreign(strings.ReplaceAll(t.Text, secret, "")) ||
		m.asked == 0 && strings.Contains(t.Text, secret))
}

// spoken is what the task and people have said.
func (m *maker) spoken() string {
	known := m.src.Run.Task + " " + strings.Join(slices.Sorted(maps.Keys(m.names)), " ")
	for _, s := range m.src.taken() {
		if s.Exchange != nil {
			known += " " + s.Exchange.Answer
		}
	}
	return known
}

// copied is a text that a step types and that has words which neither the task nor a person says,
// or "". read says that an earlier screen has them, so that it is another text the next time.
func (m *maker) copied(s *store.StepRecord) (typed string, read bool) {
	t, known := s.Proposal.Action.Traits(), strings.ToLower(m.spoken())
	var shown []string
	for _, before := range m.src.taken() {
		for i := range before.Proposal.Elements {
			if e := &before.Proposal.Elements[i]; !e.Editable && before.Index < s.Index {
				shown = append(shown, e.Text+" "+e.ContentDesc)
			}
		}
	}
	own := slices.DeleteFunc(strings.Fields(t.Text), func(w string) bool {
		return strings.Contains(known, strings.ToLower(w)) ||
			len([]rune(w)) < 3 && !number.MatchString(w)
	})
	if t.Kind != actions.KindText || len(own) == 0 {
		return "", false
	}
	return plain(t.Text), slices.ContainsFunc(shown, func(in string) bool {
		lacks := func(w string) bool { return !strings.Contains(in, w) }
		return !slices.ContainsFunc(own, lacks) || slices.ContainsFunc(own,
			func(w string) bool { return number.MatchString(w) && !lacks(w) })
	})
}

// picked leaves to the model which row of a list is touched, where neither the task nor a person
// names any text of the row: the list shows others the next time. What the app itself lists has an
// id for each, or one of the framework's, or opens another app.
func (m *maker) picked(s *store.StepRecord, p, after *page, out *Step, touched []Target) []Target {
	points := pointsOf(s.Proposal.Action)
	if len(points) == 0 || len(out.Targets) == 0 || after.state.App != p.state.App ||
		m.src.keyed(s) {
		return touched
	}
	i := p.at(points[0])
	if i < 0 {
		return touched
	}
	row, known := cmp.Or(max(p.row(i), 0), i), m.spoken()
	if at := out.Targets[0].Locators; !p.ofMany(row) || len(at) > 0 && row != i &&
		at[0].Near == nil && strings.HasSuffix(p.list[i].Class, "Button") {
		return touched // a button that no other row has
	}
	picked := ""
	for j := row; j < p.end(row); j++ {
		words := strings.FieldsFunc(said(&p.list[j]), func(r rune) bool { return !isWord(r) })
		words = slices.DeleteFunc(words,
			func(w string) bool { return len(w) < 3 && !number.MatchString(w) })
		named := len(words) - len(slices.DeleteFunc(slices.Clone(words), func(w string) bool {
			return mentions(known, w)
		}))
		if named > 0 && 2*named >= len(words) || p.list[j].Editable ||
			strings.HasPrefix(p.list[j].ResourceID, "android:id/") {
			return touched
		}
		if len(words) > 0 {
			picked = cmp.Or(picked, said(&p.list[j]))
		}
	}
	if picked == "" { // it says nothing
		return touched
	}
	m.note("%s was chosen by the model, as the task names nothing there: it will be asked each "+
		"time", text.Quote(picked, 60))
	out.Targets, out.picked = nil, picked
	return []Target{{Label: "one of a list"}}
}

// mentions reports whether a text has a word, in whatever spelling, or one of which it is several.
func mentions(in, w string) bool {
	forms := map[string]string{w: "", strings.TrimSuffix(w, "s"): ""}
	return replaced(in, forms, spelled) != in
}

// ofMany reports whether an element is one of those that a list has by its data: others of its id
// are above or below it, or it has none and lies in a list.
func (p *page) ofMany(i int) bool {
	if p.list[i].ResourceID == "" {
		return p.inList(i)
	}
	for j := range p.list {
		if p.akin(i, j) && (p.list[j].Bounds.Min.Y >= p.list[i].Bounds.Max.Y ||
			p.list[j].Bounds.Max.Y <= p.list[i].Bounds.Min.Y) {
			return true
		}
	}
	return false
}

// sameApp reports whether an action opens an app whose name is also a text that the run typed: as a
// parameter it is that text, and no app.
func (m *maker) sameApp(a actions.Action) bool {
	app, opens := a.(actions.OpenApp)
	typed := func(s store.StepRecord) bool {
		t := s.Proposal.Action.Traits()
		return t.Kind == actions.KindText && text.Contains(bare(t.Text), app.App)
	}
	if !opens || m.names[app.App] == "" || !slices.ContainsFunc(m.src.taken(), typed) {
		return false
	}
	m.note("%s was typed as well: the app is the same for every value", text.Quote(app.App, 60))
	return true
}

// typing finds what a step types into, unless what it types is the model's.
func (m *maker) typing(s *store.StepRecord, p *page, a actions.Action, out *Step) {
	switch typed, read := m.copied(s); {
	case m.unknown(s):
		m.note("what is typed is not known: a model will be asked")
		out.Targets = nil
	case read:
		m.note("%s was read from a screen: a model will be asked what to type",
			text.Quote(typed, 60))
		out.Targets = nil
	case typed != "":
		m.note("%s is in no task and no answer: it is typed as it is", text.Quote(typed, 60))
		fallthrough
	default:
		m.focus(p, a, out)
	}
}

// vacant says whether the field that a step types into had to be empty. If what was typed is all
// that it holds then, what it showed before was its hint. A number is one that was chosen.
func (m *maker) vacant(p, after *page, a actions.Action, out *Step) {
	typed, is := a.(actions.Type)
	t, i, now := out.Focus, p.focused(), after.focused()
	if is && len(out.Targets) > 0 {
		t, i = &out.Targets[0], p.at(*typed.At)
	}
	if !is || t == nil || i < 0 {
		return
	}
	was := plain(p.list[i].Text)
	if typed.Clear {
		t.Empty = false
	} else if now >= 0 && p.list[i].Class == after.list[now].Class &&
		p.list[i].ResourceID == after.list[now].ResourceID && !foreign(was) &&
		plain(after.list[now].Text) == plain(typed.Text) &&
		strings.ContainsFunc(was, unicode.IsLetter) {
		t.Empty, t.Hint = true, m.general(was)
	}
}

// partly notes a parameter's value of which a step types the beginning only.
func (m *maker) partly(s *store.StepRecord) {
	t := s.Proposal.Action.Traits()
	typed := strings.ToLower(strings.TrimSpace(t.Text))
	values := slices.Sorted(maps.Keys(m.names))
	i := slices.IndexFunc(values, func(v string) bool {
		return strings.HasPrefix(strings.ToLower(v), typed)
	})
	if t.Kind == actions.KindText && len(typed) >= 2 && i >= 0 && m.general(t.Text) == t.Text {
		m.note("what is typed is a part of %s: it is typed for every other value, too",
			text.Quote(values[i], 60))
	}
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

var number = regexp.MustCompile(`\d+`)

// slid has what a slider was set to read back after the step. The same place in it is another value
// on another screen, so that a model is asked where the app does not list the value.
func (m *maker) slid(s *store.StepRecord, p, after *page, out *Step) {
	for _, at := range s.Proposal.Action.Traits().Points {
		i := p.at(at)
		if i < 0 || !strings.HasSuffix(p.list[i].Class, "SeekBar") {
			continue
		}
		value := after.reads(p, i)
		if value == "" {
			m.note("what it is set to is not on the screen: a model will be asked")
			out.Targets = nil
			return
		}
		out.After.Elements = append(out.After.Elements, element{Text: value, Must: true})
	}
}

// sums are prices, which are others for other values of parameters.
var sums = regexp.MustCompile(`\p{Sc}|\d[.,]\d\d\b`)

// turned has a tap make the same again of what else says something on its page, such as a month,
// or how many there are, if the page after the next step still says so. What has a parameter in
// it, and what a parameter was chosen by, is another thing each time.
func (m *maker) turned(s *store.StepRecord, p, after *page, out *Step) {
	list := m.src.taken()
	i := slices.IndexFunc(list, func(o store.StepRecord) bool { return o.Index == s.Index }) + 2
	if t := s.Proposal.Action.Traits(); !t.Pointed() || len(out.Targets) != 1 || i >= len(list) ||
		foreign(fmt.Sprint(out.Targets[0])) || after.state.Activity != p.state.Activity {
		return
	}
	for _, is := range turnedTo(p, after, pageOf(&list[i]), &out.Targets[0]) {
		if x := (element{Text: is, Must: true}); !sums.MatchString(is) && m.general(is) == is &&
			!m.theirs(is) && !p.shows(&x) {
			out.After.Elements = append(out.After.Elements, x)
		}
	}
}

// turnedTo is what things on a page say that said something else before a tap, and still say so
// later. Of those without an id, more than two make another page, as does one without what was
// tapped.
func turnedTo(was, p, later *page, tapped *Target) (all []string) {
	var placed []string
	for j := range p.list {
		e, is := &p.list[j], said(&p.list[j])
		before := was.instead(p, j)
		if is == "" || e.Editable || p.inList(j) || before == "" || before == is ||
			p.instead(p, j) != is || later.instead(p, j) != is {
			continue
		}
		if e.ResourceID != "" {
			all = append(all, is)
		} else if strings.ContainsFunc(is, unicode.IsLetter) {
			placed = append(placed, is)
		}
	}
	if _, err := p.locate(tapped); err == nil && len(placed) <= 2 {
		all = append(all, placed...)
	}
	return all
}

// instead is what this page says in the place of an element of another one: by its id, or by its
// place among its kin and its height on the screen. It is "" unless there is one.
func (p *page) instead(of *page, j int) (says string) {
	e, n := &of.list[j], 0
	for i := range p.list {
		x := &p.list[i]
		if x.ResourceID == e.ResourceID && (e.ResourceID != "" || x.Class == e.Class &&
			x.Bounds.Center().Y == e.Bounds.Center().Y && p.place(i) == of.place(j)) {
			says = said(x)
			n++
		}
	}
	if n != 1 {
		return ""
	}
	return says
}

// reads is the number that an element, or its row, has on this page and had not before, or "".
func (p *page) reads(before *page, was int) string {
	b := before.list[was].Bounds
	i := slices.IndexFunc(p.list, func(e screen.Element) bool {
		return e.Class == before.list[was].Class && e.Bounds == b
	})
	if i < 0 {
		return ""
	}
	had := before.near(was)
	for _, words := range append([]string{said(&p.list[i])}, p.near(i)...) {
		if number.MatchString(words) && words != said(&before.list[was]) &&
			!slices.Contains(had, words) {
			return words
		}
	}
	return ""
}

// marked has what a double tap brings about be its target's, where it came with it: the same of
// another one tells nothing.
func (m *maker) marked(a actions.Action, after *page, out *Step) {
	i, err := after.locate(&out.Targets[0])
	if _, twice := a.(actions.DoubleClick); !twice || err != nil {
		return
	}
	marked := after.with(i)
	for n := range out.After.Elements {
		e := &out.After.Elements[n]
		e.Own = marked.shows(e)
	}
}

// dragged has what is moved within a list, by whatever gesture, end at the top or the bottom of it,
// for what is there is another thing the next time. Where else it is dropped, and what that has
// changed, is for a model to see.
func (m *maker) dragged(s *store.StepRecord, p, after *page, out *Step) {
	way := pointsOf(s.Proposal.Action)
	if len(way) < 2 || len(out.Targets) < 2 {
		return
	}
	from, to := p.at(way[0]), p.at(way[1])
	if from == to || !s.Proposal.Action.Traits().Carries && !p.reordered(from, after) {
		return
	}
	was, _ := p.order(from)
	at, kin := was, []int(nil)
	if i := p.again(from, after); i >= 0 {
		at, kin = after.order(i)
	}
	row := cmp.Or(max(p.row(from), 0), from)
	kindred := at != was && len(kin) > 1 && (p.inList(row) || p.list[row].ResourceID != "")
	aside := slices.ContainsFunc(p.facts().words[to:p.end(to)], func(w string) bool {
		return w != "" && strings.Contains(m.src.Run.Task, w)
	})
	end := &out.Targets[1]
	switch {
	case at == was && !p.inList(row) && len(out.After.Elements) > 0:
		return // onto another thing
	case kindred && !aside && at == 0:
		out.After.Order = "first"
	case kindred && !aside && at == len(kin)-1:
		out.After.Order = "last"
	default:
		m.note("where it is dropped is not known by itself: a model will be asked")
		out.Targets = nil
		return
	}
	e := &p.list[row]
	*end = Target{Locators: []locator{{ID: e.ResourceID, Class: e.Class}}, Listed: true,
		X: end.X, Y: end.Y}
}

// again is the element of a later page that is element i, or -1.
func (p *page) again(i int, after *page) int {
	for j := range after.list {
		if e := &after.list[j]; e.Class == p.list[i].Class && after.says(j) == p.says(i) &&
			e.ResourceID == p.list[i].ResourceID &&
			(p.says(i) != "" || slices.Equal(after.near(j), p.near(i))) {
			return j
		}
	}
	return -1
}

// reordered reports whether the kin of element i are in another order on a later page.
func (p *page) reordered(i int, after *page) bool {
	last := -1
	for j := range p.list {
		if !p.akin(i, j) {
			continue
		}
		k := p.again(j, after)
		if k >= 0 && k < last {
			return true
		}
		last = max(k, last)
	}
	return false
}

// unheard keeps with each question whose answer no step has what it was answered, and with each
// take-over how it ended: what was done then may be another thing for another answer.
func (m *maker) unheard(steps []Step) {
	all := (&Skill{Steps: steps}).texts()
	n := 0
	for _, st := range m.src.taken() {
		info, is := st.Proposal.Action.(actions.Info)
		if !is || st.Exchange == nil || m.isParam(st.Exchange.Answer) {
			continue
		}
		how := ended(*st.Exchange)
		if n++; how == "" && strings.Contains(all, fmt.Sprintf("{{answer %d}}", n)) {
			continue
		}
		for i := range steps {
			if a, _ := steps[i].action(); a != nil && a.Verb() == info.Verb() &&
				steps[i].Frame == st.FrameID && steps[i].Heard == "" {
				steps[i].Heard = cmp.Or(how, m.valued(st.Exchange.Answer))
				break
			}
		}
	}
}

// answer is what the run reports, or "" where that may be another thing the next time: what was
// asked for, and what neither the task nor a parameter says.
func (m *maker) answer(last *store.StepRecord) string {
	c, is := last.Proposal.Action.(actions.Complete)
	if !is {
		return ""
	}
	if foreign(c.Report) || strings.ContainsAny(m.src.Run.Task, "?？") || m.read(c.Report) {
		m.note("what it reported may be another thing the next time: a model will be asked " +
			"for it at the end")
		return ""
	}
	return m.prose(c.Report)
}

// nouns are words with a capital letter within a sentence.
var nouns = regexp.MustCompile(`[^\s.!?:"“„]\s+(\p{Lu}[\pL\d]+(?:\s+\p{Lu}[\pL\d]+)*)`)

// read reports whether a report has a number or a name that neither the task nor a parameter says,
// or a word from a screen, or of a value: short ones count where little more stands there. What any
// replay reports is no such word.
func (m *maker) read(report string) bool {
	without := func(s string) string { return placeholder.ReplaceAllString(m.prose(s), "_") }
	known := without(m.src.Run.Task) + " " + phrasesIn(words.Spoken(report)).Reported
	report = without(report)
	found := number.FindAllString(report, -1)
	for _, noun := range nouns.FindAllStringSubmatch(report, -1) {
		found = append(found, strings.Fields(noun[1])...)
	}
	report = strings.ToLower(report)
	for _, shown := range slices.AppendSeq(slices.Collect(maps.Keys(m.said())), m.src.shown()) {
		list := strings.FieldsFunc(strings.ToLower(shown), func(r rune) bool { return !isWord(r) })
		for _, w := range list {
			if (len(w) > 3 || len(w) > 1 && len(list) < 3) && text.Contains(report, w) {
				found = append(found, w)
			}
		}
	}
	return slices.ContainsFunc(found, func(w string) bool { return !mentions(known, w) })
}

// shown are the texts of all screens, but for those of controls.
func (src *Source) shown() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, s := range src.taken() {
			p := pageOf(&s)
			for i := range p.list {
				e := &p.list[i]
				control := e.Clickable && !e.Checkable && !p.ofMany(i)
				if says := said(e); !control && says != "" && !yield(says) {
					return
				}
			}
		}
	}
}
