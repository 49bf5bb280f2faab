package skill

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // the frames of steps
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
)

// Source is what a skill is made from.
type Source struct {
	Run   store.Run
	Steps []store.StepRecord // of the run
	Usage store.Usage
	// Frame returns a step's picture as JPEG. Without it nothing is known by how it looks.
	Frame func(id string) ([]byte, error)
}

// MakeOptions say what becomes of a run.
type MakeOptions struct {
	Name   string
	Params map[string]string // values of the run that become parameters, by their names
}

// Make makes a skill from a run that was completed, with notes on what it could not generalise.
func Make(src Source, o MakeOptions) (*Skill, []string, error) {
	if err := checkName(o.Name); err != nil {
		return nil, nil, err
	}
	if src.Run.State != store.Completed {
		return nil, nil, fmt.Errorf("run %d of session %s is %s: only a completed one can be made "+
			"a skill", src.Run.Seq, src.Run.SessionID, src.Run.State)
	}
	m := &maker{src: src, params: o.Params, used: map[string]int{}, names: map[string]string{}}
	if len(slices.Compact(slices.Sorted(maps.Values(o.Params)))) < len(o.Params) {
		return nil, nil, errors.New("two parameters have the same value: which of them the run " +
			"used where is not known; make the skill from a run in which they differ")
	}
	for name, v := range o.Params {
		if err := checkParam(name); err != nil || v == "" {
			return nil, nil, cmp.Or(err, fmt.Errorf("--param %s=: want NAME=VALUE", name))
		}
		m.names[v] = name
	}
	steps := m.src.taken()
	if len(steps) == 0 || !slices.ContainsFunc(steps, func(s store.StepRecord) bool {
		return s.Proposal.Elements != nil
	}) {
		return nil, nil, hint.Add(fmt.Errorf("of the steps of session %s no elements were kept",
			src.Run.SessionID), "it is from before elements were kept, or the phone lists none: "+
			"do the task once more, and make the skill from that session")
	}
	s := m.skill(o.Name, steps)
	for name, v := range o.Params {
		if _, is := m.used[name]; !is {
			return nil, nil, hint.Add(fmt.Errorf("--param %s=%s: the run used no such text in its "+
				"steps", name, text.Quote(v, 40)), "a parameter is a text that the run typed or "+
				"touched as a whole; what it entered key by key cannot be one")
		}
	}
	if len(s.Steps) == 0 {
		return nil, nil, fmt.Errorf("run %d of session %s did nothing on the phone that could be "+
			"repeated", src.Run.Seq, src.Run.SessionID)
	}
	return s, m.notes, nil
}

// skill makes the skill of these steps, whose last one reports.
func (m *maker) skill(name string, steps []store.StepRecord) *Skill {
	last := steps[len(steps)-1]
	s := &Skill{Name: name, Task: m.prose(bare(m.src.Run.Task)), Recorded: Recorded{
		Session: m.src.Run.SessionID, Steps: len(m.src.Steps), Calls: m.src.Usage.Calls,
		Tokens: m.src.Usage.PromptTokens + m.src.Usage.CompletionTokens, Frame: last.FrameID}}
	s.Description = s.Task
	m.begins()
	apps := map[string]int{}
	for i := range steps {
		st := &steps[i]
		app := st.Screen.State.App // of two that are as often there, the later one
		if apps[app]++; apps[app] >= apps[s.App.Package] && !dialogs.MatchString(app) {
			s.App.Package = app
		}
		if i == len(steps)-1 {
			break
		}
		m.made = len(s.Steps) + 1
		if one, ok := m.step(st, &steps[i+1]); ok {
			s.Steps = append(s.Steps, one)
		}
	}
	m.made = len(s.Steps) + 1
	m.unheard(s.Steps)
	s.Ends = m.end(pageOf(&last))
	s.Answer = m.answer(&last)
	s.Params.Value = m.schema()
	return s
}

func (m *maker) schema() any {
	if len(m.params) == 0 {
		return nil
	}
	properties, required := map[string]any{}, []any{}
	for _, name := range slices.Sorted(maps.Keys(m.params)) {
		properties[name] = map[string]any{"type": "string", "minLength": 1,
			"examples": []any{m.params[name]}}
		required = append(required, name)
	}
	return map[string]any{"type": "object", "properties": properties, "required": required,
		"additionalProperties": false}
}

// step makes one step. ok is false for a question whose answer is a parameter.
func (m *maker) step(s, next *store.StepRecord) (out Step, ok bool) {
	a := s.Proposal.Action
	m.now = s.Index
	if q, is := a.(actions.Info); is {
		if s.Exchange != nil && m.isParam(s.Exchange.Answer) {
			return out, false
		}
		defer func() { m.asked++ }() // its own screens do not show the answer
		m.note("%s stays a question", text.Quote(q.Question, 60))
	}
	if !m.sameApp(a) {
		a = actions.Texts(a, func(t string) string { return m.use(bare(t)) })
	}
	p := pageOf(s)
	img := m.src.picture(s)
	p.picture = func() image.Image { return img }
	out = Step{Before: m.state(p, nil), Frame: s.FrameID, index: s.Index}
	if b, err := actions.Marshal(a); err == nil { // it was read from the store
		_ = out.Action.UnmarshalJSON(b)
	}
	if app, is := a.(actions.OpenApp); is {
		m.any = foreign(app.App)
	}
	touched := m.targets(s, p, a, &out)
	m.partly(s)
	m.typing(s, p, a, &out)
	after := pageOf(next)
	touched = m.picked(s, p, after, &out, touched)
	m.vacant(p, after, s.Proposal.Action, &out)
	if after.list != nil {
		out.After = m.state(after, p)
	}
	if points := pointsOf(a); len(points) == 1 && len(out.Targets) == 1 {
		out.After.On = p.switched(p.at(points[0]), after)
		m.marked(a, after, &out)
	}
	m.slid(s, p, after, &out)
	m.turned(s, p, after, &out)
	m.dragged(s, p, after, &out)
	named := out
	named.Say = m.prose(bare(text.Cut(text.Line(s.Proposal.Explain), 200)))
	if named.Targets == nil {
		named.Targets = touched
	}
	if out.picked != "" && text.Contains(named.Say, out.picked) {
		named.Say = ""
	}
	out.Say = named.intent()
	return out, true
}

// targets finds what the step's action touches, or nothing if that is not known. A key of a secret
// is not found again. It returns what was touched, also if that is not known by itself.
func (m *maker) targets(s *store.StepRecord, p *page, a actions.Action, out *Step) (all []Target) {
	if s.Proposal.Secret {
		m.note("it enters a part of a secret: a model will be asked")
		return nil
	}
	for n, at := range pointsOf(a) {
		i := p.at(at)
		row, dragged := m.named(p, i), n == 0 && m.held(p, a)
		inRow := dragged && row != i
		switch {
		case dragged:
			i = p.under(at)
		case row != i:
			i, at = row, p.list[row].Bounds.Center()
		}
		t, err := m.target(p, at, i)
		if all = append(all, t); err != nil {
			all[n].Label = m.general(t.Label)
			m.note("what is touched there is not known (%v): a model will be asked", err)
			out.Targets = nil
			break
		}
		if !m.src.keyed(s) {
			was := t.Label
			t = m.generalTarget(p, t)
			if t.Label != was && wordy(t.Label) && said(&p.list[i]) == "" || inRow && fixed(&t) {
				m.note("%s is found for no other value than the recorded one",
					text.Quote(cmp.Or(was, t.words()), 60))
			}
			if t.Label != was && !wordy(t.Label) && strings.HasSuffix(p.list[i].Class, "Button") &&
				m.before(t.Label, &element{Text: was}, true) {
				m.note("%s was there before it was typed: for another value, that is touched here",
					text.Quote(was, 60))
			}
		}
		if all[n] = t; n == 0 || len(t.Locators) > 0 {
			out.Targets = append(out.Targets, t)
		}
	}
	return all
}

// switched is whether an element is on or chosen afterwards, nil if it is as it was.
func (p *page) switched(i int, after *page) *bool {
	if i < 0 {
		return nil
	}
	was, _ := p.lit(i)
	for j := range after.list {
		if after.list[j].Class != p.list[i].Class ||
			after.list[j].ResourceID != p.list[i].ResourceID ||
			after.says(j) != p.says(i) || !slices.Equal(after.near(j), p.near(i)) {
			continue
		}
		if is, known := after.lit(j); known && is != was {
			return &is
		}
	}
	return nil
}

func (src *Source) picture(s *store.StepRecord) image.Image {
	if src.Frame == nil || s.FrameID == "" {
		return nil
	}
	b, _ := src.Frame(s.FrameID) // what cannot be read is no picture
	img, _, _ := image.Decode(bytes.NewReader(b))
	return img
}

// focus finds the field that a step types into without touching it.
func (m *maker) focus(p *page, a actions.Action, out *Step) {
	if t := a.Traits(); t.Kind != actions.KindText || len(t.Points) > 0 {
		return
	}
	i := p.focused()
	if i < 0 {
		m.note("which field is typed into is not known: a model will be asked")
		return
	}
	t, err := m.target(p, p.list[i].Bounds.Center(), i)
	t = m.generalTarget(p, t)
	if err != nil {
		m.note("the field that is typed into is not known by itself (%v): a model will "+
			"be asked", err)
		return
	}
	out.Focus = &t
}

// named is the text in a group that has the value of a parameter, if there is one: the rest of what
// the group says is of the moment. Else it is the element itself.
func (m *maker) named(p *page, i int) int {
	if i < 0 || said(&p.list[i]) != "" {
		return i
	}
	var whole, all []int
	for j := i + 1; j < p.end(i); j++ {
		words := said(&p.list[j])
		if general := m.general(words); general != words {
			if all = append(all, j); !wordy(general) {
				whole = append(whole, j)
			}
		}
	}
	switch {
	case len(whole) == 1:
		return whole[0]
	case len(all) == 1:
		return all[0]
	}
	return i
}

// held reports whether an action drags what the finger is on, such as a handle, and no row.
func (m *maker) held(p *page, a actions.Action) bool {
	t := a.Traits()
	if t.Kind != actions.KindPath || p.under(t.Points[0]) < 0 {
		return false
	}
	words := said(&p.list[p.under(t.Points[0])])
	return t.Carries || m.general(words) != words
}

// under is the smallest element at a place.
func (p *page) under(at screen.Point) int {
	best := -1
	for i := range p.list {
		if b := p.list[i].Bounds; b.Contains(at) && b.Area() < screen.Large &&
			(best < 0 || b.Area() <= p.list[best].Bounds.Area()) {
			best = i
		}
	}
	return best
}

// wordy reports whether a text has more than the places of parameters.
func wordy(general string) bool {
	return strings.ContainsFunc(placeholder.ReplaceAllString(general, ""), isWord)
}

// twin reports whether one of the kin of element i says the same.
func (p *page) twin(i int) bool {
	for j := range p.list {
		if j != i && p.akin(i, j) && p.says(j) == p.says(i) {
			return true
		}
	}
	return false
}

// target is what is found again of element i, which was touched at a place.
func (m *maker) target(p *page, at screen.Point, i int) (t Target, err error) {
	if i < 0 {
		if i = screen.At(p.list, at, math.Inf(1)); i >= 0 && p.list[i].Touchable() {
			return Target{Label: "a place of the page"}, errors.New("it fills most of the screen")
		}
		return Target{Label: "an empty place"}, errors.New("nothing there takes touches")
	}
	e := &p.list[i]
	b := e.Bounds
	t = Target{Label: p.says(i), Empty: blank(e),
		Listed: p.inList(i), X: round((at.X - b.Min.X) / (b.Max.X - b.Min.X)),
		Y: round((at.Y - b.Min.Y) / (b.Max.Y - b.Min.Y))}
	kin := p.facts().kin[[2]string{e.Class, e.ResourceID}]
	near, row := slices.DeleteFunc(p.near(i), m.theirs), p.row(i)
	control := e.Clickable && said(e) != "" && !t.Listed // as a person does not make any
	if !control && !e.Editable && slices.ContainsFunc(p.facts().words[i:p.end(i)], m.theirs) {
		return Target{}, errors.New("what it says came while a person had the phone")
	}
	if foreign(t.Label + e.ResourceID) {
		return Target{}, errors.New("what it says looks like a parameter")
	}
	add := func(l locator, known bool) {
		if known {
			t.Locators = append(t.Locators, l)
		}
	}
	add(locator{ID: e.ResourceID}, e.ResourceID != "")
	add(locator{Text: plain(e.Text), Class: e.Class}, e.Text != "" && !e.Editable)
	add(locator{Desc: plain(e.ContentDesc), Class: e.Class}, e.ContentDesc != "")
	add(locator{Class: e.Class}, t.Label != "")
	add(locator{Class: e.Class, ID: e.ResourceID, Near: near}, len(near) > 0)
	look := ""
	if img := p.picture(); img != nil {
		look = patch(img, b)
	}
	add(locator{Class: e.Class, ID: e.ResourceID, Picture: look}, look != "")
	add(locator{Class: e.Class, ID: e.ResourceID, Place: p.place(i)},
		kin > 1 && (len(near) == 0 && !t.Listed || row >= 0))
	if p.twin(i) && len(near) > 0 { // only its row tells it from its kin
		for n := range t.Locators {
			t.Locators[n].Near = slices.Clone(near)
		}
	}
	if _, found, err := p.find(&t); err != nil || found != i {
		return t, cmp.Or(err, errAmbiguous)
	}
	return t, nil
}

// fixed reports whether a target is the same one for all values of the parameters.
func fixed(t *Target) bool {
	return !foreign(fmt.Sprint(*t)) || t.Label != "" && !foreign(t.Label+fmt.Sprint(t.Locators[0]))
}

// generalTarget is a target with the values of parameters as their names.
func (m *maker) generalTarget(p *page, t Target) Target {
	was := t.Label
	t.Label = m.use(t.Label)
	for n := range t.Locators {
		l := &t.Locators[n]
		l.Text, l.Desc = m.use(l.Text), m.use(l.Desc)
		for k := range l.Near {
			l.Near[k] = m.use(l.Near[k])
		}
		if pure := slices.DeleteFunc(slices.Clone(l.Near), wordy); len(pure) > 0 {
			l.Near = pure // what else is in the row is another thing for another value
		}
	}
	if t.Label != was {
		t.Locators = m.kin(p, t.Locators)
	}
	return t
}

// kin are the locators that also find what another value of a parameter names, and nothing of
// another kind that says the same: by the id that they share or that has the value in it, or by a
// neighbour, or by their place in a row.
func (m *maker) kin(p *page, all []locator) (list []locator) {
	ids := map[string]int{}
	for i := range p.list {
		ids[p.list[i].ResourceID]++
	}
	var near []string
	for _, l := range all {
		if near = append(near, l.Near...); l.ID == "" && (l.Place == 0 || l.Near != nil) {
			continue
		}
		if name := strings.LastIndex(l.ID, "/") + 1; ids[l.ID] == 1 {
			l.ID = l.ID[:name] + replaced(l.ID[name:], m.said(), spelled)
		}
		list = append(list, l)
	}
	for _, word := range near {
		if all[0].ID == "" {
			list = append(list, locator{Class: all[0].Class, Near: []string{word}})
		}
	}
	if list == nil {
		return all
	}
	return list
}

func round(f float64) float64 { return float64(int(f*100+0.5)) / 100 }

// mostShown is how many elements a state has at most.
const mostShown = 4

// state is what a screen has to show: what names the page, and is neither of its content nor of the
// moment. Of unlike only what is not on that page counts. An app that a parameter names shows
// nothing that the next one would.
func (m *maker) state(p, unlike *page) State {
	if m.any && !dialogs.MatchString(p.state.App) {
		return State{}
	}
	s := State{App: p.state.App, Activity: p.state.Activity}
	for i := range p.list {
		e := &p.list[i]
		words := m.general(said(e))
		if m.theirs(said(e)) {
			words = ""
		}
		x := element{ID: e.ResourceID, Text: words}
		switch {
		case words == "" && x.ID == "", foreign(said(e) + x.ID), e.Bounds.Area() >= screen.Large,
			!m.known(words), unlike == nil && p.inList(i),
			words != said(e) && wordy(words) && m.before(words, &element{Text: said(e)}, false),
			unlike != nil && unlike.shows(&element{ID: x.ID, Text: said(e)}),
			strings.ContainsFunc(words, unicode.IsDigit) && !strings.Contains(words, "{{"),
			words == "" && (e.Class == "android.view.View" || e.Class == "android.view.ViewGroup"),
			slices.Contains(s.Elements, x):
			continue
		}
		if s.Elements = append(s.Elements, x); len(s.Elements) == mostShown {
			break
		}
	}
	return s
}

// end is the state of the last page. Where parameters came to be shown, with no other words, they
// have to be there.
func (m *maker) end(p *page) State {
	s := m.state(p, nil)
	for i := range p.list {
		raw := said(&p.list[i])
		x := element{ID: p.list[i].ResourceID, Text: m.general(raw)}
		if x.Text != raw && m.known(x.Text) && !p.inList(i) &&
			!m.before(x.Text, &element{Text: raw}, false) &&
			!wordy(x.Text) {
			s.Elements = slices.DeleteFunc(s.Elements, func(e element) bool { return e == x })
			x.Must = true
			s.Elements = append(s.Elements, x)
		}
	}
	return s
}

// before reports whether a text was shown before a step had one of the parameters in it: typed it,
// if that is what is asked.
func (m *maker) before(general string, x *element, typed bool) bool {
	return slices.ContainsFunc(placeholder.FindAllString(general, -1), func(found string) bool {
		first, list := m.used[found[2:len(found)-2]], m.src.taken()
		return slices.ContainsFunc(list, func(s store.StepRecord) bool {
			return s.Index <= first && pageOf(&s).shows(x)
		}) && (!typed || slices.ContainsFunc(list, func(s store.StepRecord) bool {
			return s.Index == first && s.Proposal.Action.Traits().Kind == actions.KindText
		}))
	})
}
