package guard

import (
	"cmp"
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

// Launcher reports whether the app shows the names of apps, a touch of which opens one.
func Launcher(app string) bool { return globs(launchers, app, true) }

// saysYes matches a model's words about a touch that ends a page.
var saysYes = listed(`(?:^|[^\pL])(?:confirm|submit|complete|finish|continue|proceed|accept|` +
	`agree|approve|authori[sz]e|ok|okay|yes|{*yes})(?:[^\pL]|$)|确认|确定|提交|完成|继续|同意`)

// byTouch is what a finger on the element may do.
func byTouch(s *Subject) []finding {
	e := s.Element
	lines := e.lines()
	if s.Layout != nil && e.field() && e.Class != "" { // which only gets the focus
		return nil
	}
	refusal := (e.refuses() || saysNo(lines)) && !s.Layout.repeats(lines)
	list := slices.Concat(byPad(s, lines), byDialKey(s, lines))
	switch {
	case len(lines) > 0 && globs(launchers, s.App, true): // names of apps may say anything
		for _, f := range byLabel(lines, underFinger, false) {
			if strings.HasSuffix(f.class.Name, "install") {
				list = append(list, f)
			}
		}
	case len(lines) > 0 && !e.WholeScreen:
		list = append(list, byLabel(lines, underFinger, strings.Contains(e.Class, "Button"))...)
		list = append(list, byLabel(s.wrapped(lines), underFinger, false)...)
		if affirms(lines, affirmative()) || s.Layout.decides() {
			list = append(list, byDialog(s)...)
		}
		if affirms(lines, finalizes()) && !knownHarmless(lines) {
			list = append(list, byPrice(s, totals())...)
		}
		if slices.ContainsFunc(lines, subs.MatchString) {
			list = append(list, byPrice(s, renews)...)
		}
		if !e.hasText() {
			list = append(list, byContext(s)...)
		}
	default:
		list = append(list, byContext(s)...)
		if said := cmp.Or(s.Act, s.Said); s.Unlisted && saysYes().MatchString(normalize(said)) {
			list = append(list, finding{&unlistedEnd, modelWords, text.Cut(text.Line(said), 100)})
		}
		if e != nil && slices.ContainsFunc(text.Words(e.ResourceID), affirmative().MatchString) {
			list = append(list, byDialog(s)...)
			list = append(list, byPrice(s, totals())...)
		}
	}
	list = append(list, e.byResourceID()...)
	list = append(list, e.byTrashCan(false)...)
	list = append(list, byNeighbours(s, lines)...)
	list = append(list, byApp(s, lines, refusal, len(list) > 0)...)
	list = append(list, byAct(s, lines)...)
	if !refusal {
		list = append(list, byLayout(s, lines, len(list) > 0)...)
	}
	return slices.DeleteFunc(list, func(f finding) bool { return takenBack(s, lines, f) })
}

// wrapped is the label that a narrow button has broken into several lines. A row that leads to a
// choice has none: "Pay with" above the name of a card, or what a page says that goes on elsewhere.
func (s *Subject) wrapped(lines []string) []string {
	if l := s.Layout; l != nil && !l.Button && !l.Primary && len(lines) == 2 &&
		(l.Peer && l.goesOn() || informs().MatchString(lines[0]) ||
			notLabels().ReplaceAllString(lines[0], "") == "") {
		return nil
	}
	return wrapped(lines)
}

// byNeighbours is what a button does beside a composer, beside one that calls, or one that pays.
func byNeighbours(s *Subject, on []string) (list []finding) {
	if s.Layout != nil && s.Layout.Sends && !named(s.Element) {
		list = append(list, finding{classNamed("send"), onScreen, "➤"})
	}
	if l := s.Layout; l != nil && !l.Dialog && !l.Last &&
		slices.ContainsFunc(on, declines().MatchString) &&
		len(critical(byLabel(lines(l.Pair), underFinger, true))) > 0 {
		list = append(list, finding{classNamed("send"), underFinger, on[0]})
	}
	id := text.Words(s.Element.id())
	if s.answers(on) {
		list = append(list, finding{&unknownEnd, underFinger, on[0]})
	} else if named(s.Element) && len(on) == 0 && s.answers(id[len(id)-1:]) {
		list = append(list, finding{&unknownEnd, identifier, s.Element.ResourceID})
	}
	if l := s.Layout; l != nil && !l.Dialog && !l.Bar && !l.Last && !l.Primary &&
		affirms(on, callsOff()) && ordered().MatchString(normalize(l.Title)) {
		list = append(list, finding{classNamed("delete"), underFinger, on[0]})
	}
	call := classNamed("call")
	if s.callsBy(on) ||
		slices.ContainsFunc(on, seeing().MatchString) && slices.ContainsFunc(s.Screen, call.saidBy) {
		list = append(list, finding{call, underFinger, on[0]})
	}
	return list
}

// callsBy reports whether a picture's description is a call's behind the name of an app, by which
// it is made, or beside a word that begins it.
func (s *Subject) callsBy(on []string) bool {
	if len(on) != 1 || s.Element.Text != "" {
		return false
	}
	call, bare := classNamed("call"), begun().ReplaceAllString(on[0], "")
	at := strings.IndexAny(bare, " -")
	return bare != on[0] && call.saidBy(bare) ||
		at > 0 && len(words.AppPackages(bare[:at])) > 0 && call.saidBy(bare[at+1:])
}

var begun = listed(`^(?:{*start}) | (?:{*start})$`)

// byAct is what the model says that the touch does, in the clauses that say so. It counts whatever
// is written under the finger.
func byAct(s *Subject, lines []string) (list []finding) {
	act := normalize(s.Act)
	if act == "" || s.Element == nil {
		return nil
	}
	written := strings.Join(lines, " ")
	for i, clause := range acts.Split(act, -1) {
		clause = strings.TrimSpace(clause)
		if i > 0 && goes.MatchString(act) || clause == "" || negated(act, clause) {
			continue
		}
		forms := spoken(clause)
		for _, c := range matchers() {
			for _, said := range forms {
				if words := c.matches(said, true); words != "" && !strings.Contains(written, words) {
					list = append(list, finding{c.class, modelWords, clause})
					break
				}
			}
		}
	}
	return list
}

var (
	acts = regexp.MustCompile(`[.,;:!?。，；、]+|\b(?:to|and|then|which|that|will)\b|来|以|并|然后`)
	goes = regexp.MustCompile(`^(?:i (?:will )?)?(?:open|go|navigate|scroll|look|search|find|` +
		`check|` +
		`switch|view|see|read|return|打开|进入|查看|返回|搜索)`)
)

// byContext is what can be told when nothing is written under the finger: the words around it, and
// the model's.
func byContext(s *Subject) (list []finding) {
	near := s.Near[:min(len(s.Near), 3)]
	if s.Layout != nil && s.Layout.Back { // beside it there is the title of the page
		near = nil
	}
	for _, n := range near {
		list = append(list, byLabel(lines(n), nearby, false)...)
	}
	said := normalize(s.Said)
	for _, c := range matchers() {
		words := c.anywhere.find(c.not.without(said))
		if words != "" && !negated(said, words) {
			list = append(list, finding{c.class, modelWords, words})
		}
	}
	if s.Element == nil || s.Element.WholeScreen { // any of the screen's buttons may be there
		for _, t := range s.Screen {
			if len(t) > 200 { // no button's
				continue
			}
			list = append(list, critical(byLabel(lines(t), onScreen, false))...)
		}
	}
	if s.Secure && len(list) == 0 {
		list = append(list, finding{&unseen, ofApp, s.App})
	}
	return list
}

// byApp is what follows from the app in front. known says that something was found already.
func byApp(s *Subject, lines []string, refusal, known bool) (list []finding) {
	vague := !s.Element.hasText() || s.Element.WholeScreen
	l := s.Layout
	yes := slices.DeleteFunc(slices.Clone(lines), func(t string) bool {
		first, _, _ := strings.Cut(t, " ") // short ones begin what is said, too, and name what is
		return utf8.RuneCountInString(first) < 5 && !strings.Contains(s.Element.Class, "Button") &&
			(t != lines[0] && sentence(t, 4) || t == lines[0] && l != nil && l.valued(lines))
	})
	says := affirms(yes, confirms()) || sumIn(s.Screen) != "" &&
		(affirms(yes, finalizes()) || affirms(yes, continues()))
	if l != nil && (l.Peer || l.Pad || l.Bar && !l.Button) && vague || !known && named(s.Element) {
		vague = false
	}
	switch {
	case l != nil && l.Back, s.aboutMoney() && knownHarmless(lines):
	case s.aboutMoney():
		aside := l != nil && (l.Peer || l.Ticks || !l.Primary && !l.Dialog &&
			(l.Tabs && !(l.Last && l.Button) || s.sumBeside(false) == "" ||
				!l.Button && (l.Bar || len(l.Beside) > 0)))
		if aside && !vague && !says {
			break
		}
		if vague || !refusal && (says ||
			s.Judged != Harmless && unknownLanguage(s, lines) && !leadsOn(s, lines[0]) &&
				(strings.Contains(s.Element.Class, "Button") || len(lines) == 1 &&
					!sentence(lines[0], 5) && !strings.HasSuffix(lines[0], ".") &&
					!strings.Contains(s.Element.Class, "EditText"))) {
			list = append(list, finding{&unknownMoney, ofApp, s.App})
		}
	case globs(permissionApps, s.App, true), globs(installerApps, s.App, true),
		s.systemAsks(lines):
		if !refusal && !known && !knownHarmless(lines) && !s.installed(lines) &&
			s.asksSystem(lines) {
			list = append(list, finding{&unknownSystem, ofApp, s.App})
		}
	case globs(storeApps, s.App, true):
		for _, l := range lines {
			if l == sumIn([]string{l}) || subs.MatchString(l) {
				list = append(list, finding{classNamed("pay"), underFinger, l})
			}
			if updates().MatchString(l) && !(s.Layout != nil && s.Layout.Tab) {
				list = append(list, finding{classNamed("install"), underFinger, l})
			}
		}
	}
	return list
}

// systemAsks reports whether a page of the settings explains something in an unknown language, and
// ends with two buttons, of which this is one: so an app comes to run the phone.
func (s *Subject) systemAsks(lines []string) bool {
	l := s.Layout
	return l != nil && l.Button && l.Pair != "" && strings.Contains(s.App, "settings") &&
		unknownLanguage(s, lines) && slices.ContainsFunc(l.Words, func(t string) bool {
		return sentence(t, 6)
	})
}

// named reports whether the resource id of an element without words says what it is.
func named(e *Element) bool {
	words := slices.DeleteFunc(text.Words(e.id()), func(w string) bool {
		return slices.Contains(widgets, w) || len(w) < 4 || !strings.ContainsAny(w, "aeiou")
	})
	return len(words) > 0 && !e.hasText()
}
