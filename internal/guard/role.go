package guard

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/taploop/taploop/internal/text"
)

// takenBack reports whether the arrangement of the screen says that a finding is none: what clears
// a field or deletes a digit, and what only leads to where something is done.
func takenBack(s *Subject, lines []string, f finding) bool {
	l := s.Layout
	switch {
	case l != nil && l.Ticks && !strings.Contains(s.App, "settings") &&
		!globs(permissionApps, s.App, true) &&
		(f.where == onScreen || f.where == underFinger && !l.dialog()),
		f.where == underFinger && !l.dialog() && (counts(lines) || len(lines) > 1 &&
			slices.ContainsFunc(lines, booked.MatchString)),
		l != nil && l.Tab && f.class.Name == "call",
		l != nil && l.Repeated && sumIn(lines) == "" &&
			(f.class.Name == "order" || f.class.Name == "pay"),
		l != nil && f.class.Name == "order" && f.where == underFinger && s.besideAct(f),
		(f.class.Name == "send" || f.class.Name == "publish") && l != nil && !l.Dialog &&
			(len(l.Fields) == 0 || l.row(s.Element)) &&
			(toBeWritten().MatchString(f.words) || question(f.words)),
		f.where == onScreen && s.installed(lines), // says that it was
		f.class.Name == "grant" && f.where == underFinger && !slices.Contains(lines, f.words),
		s.ownSwitch() &&
			(f.class.Name == "grant" && f.where != identifier || f.class.Name == "send"),
		l != nil && l.Panel && !s.Element.WholeScreen &&
			(f.where == underFinger || f.where == nearby || f.where == onScreen),
		s.leadsOnRow(lines, f), s.onward(lines, f), s.unsure(lines, f),
		s.Element.refuses() && f.class.Name == "grant":
		return true
	case f.class.Name == "delete":
		return keypad(s) || iconOf(s.Element.id()) == "lock" ||
			l != nil && (l.Clears || l.Pad || filtered.MatchString(l.Title) ||
				!l.Dialog && (collects().MatchString(bare(normalize(l.Title))) ||
					len(l.Fields) == 0 && affirms(lines, unsaved()))) ||
			slices.ContainsFunc(lines, clears.MatchString) &&
				slices.ContainsFunc(text.Words(s.Element.ResourceID), narrows.MatchString)
	}
	item, hub := l.item(lines), l != nil && l.Tabs && !l.Primary && len(l.Fields) == 0
	if l == nil || !l.Peer && !hub || l.Dialog || f.where == modelWords || f.where == ofApp ||
		s.settles(f) {
		return false
	}
	switch {
	case item && f.class.Name == "call":
		return !slices.ContainsFunc(lines, phoneNumber().MatchString)
	case item, hub, f.class.Name != "publish" && f.class.Name != "send", s.besideAct(f):
	case len(l.Fields) > 0 && !l.Tab, // what was written
		(f.class.Name == "publish" || !s.aboutMoney()) &&
			strings.Contains(f.words, " ") && !strings.HasPrefix(f.words, "reply "):
		return false
	}
	tool := f.class.Name == "sign" && strings.Contains(s.Element.Class, "Image")
	return (tool || slices.Contains(leading, f.class.Name)) && !s.decided(lines)
}

// besideAct reports whether something else on the page sends, in fewer words, what this is a tool
// for, or orders, in more words, what this or its pair is a side of: Buy, Sell, and Buy XYZ.
func (s *Subject) besideAct(f finding) bool {
	other, orders := normalize(s.Layout.Pair), f.class.Name == "order"
	opposed := orders && !strings.HasPrefix(other, f.words) && f.class.saidBy(other)
	return slices.ContainsFunc(s.Screen, func(t string) bool {
		t = normalize(t)
		return opposed && (strings.HasPrefix(t, f.words+" ") || strings.HasPrefix(t, other+" ")) ||
			!orders && strings.HasPrefix(f.words, t+" ") && f.class.saidBy(t)
	})
}

// item reports whether the lines are on a row of a list or on a card, which leads to more about it:
// several, on no button.
func (l *Layout) item(on []string) bool {
	return l != nil && len(on) > 1 && !l.Button && !l.Primary && !l.Switch
}

// settles reports whether what stands apart or ends a page with a sum pays, orders or sends money.
func (s *Subject) settles(f finding) bool {
	l := s.Layout
	if f.class.Severity < Critical && !(f.class.Name == "send" && s.aboutMoney()) ||
		l.Peer && !l.Last || sumIn(s.Screen) == "" {
		return false
	}
	return strings.ContainsFunc(f.words, isOther) || f.matched(true) != ""
}

// decided reports whether something on the element says that it acts, and leads nowhere.
func (s *Subject) decided(on []string) bool {
	strong := strings.Join(append(slices.Clone(on), text.Words(s.Element.id())...), " ")
	return decided().MatchString(strong) || draws().MatchString(strong) ||
		affirms(on[:min(1, len(on))], finalizes()) ||
		slices.ContainsFunc(on, func(l string) bool { // not how much there is, below a name
			sum := sumIn([]string{l})
			return sum != "" && (l == on[0] || sum == l || !strings.Contains(on[0], " ") ||
				byLabel([]string{l}, underFinger, true) != nil)
		})
}

// leadsOnRow reports whether a finding is of words in a row that opens something: one of several
// that reset, in the settings of the system (no other app is called so on phones that have them),
// or a name above its value.
func (s *Subject) leadsOnRow(on []string, f finding) bool {
	l := s.Layout
	if l == nil || l.Button || l.Primary || l.Dialog || l.Switch ||
		f.where != underFinger && f.where != onScreen {
		return false
	}
	if contents().MatchString(f.words) || choice().MatchString(f.words) &&
		(l.goesOn() || sumIn([]string{f.words}) == "") ||
		l.Peer && len(on) > 1 && knownHarmless(on[len(on)-1:]) {
		return true
	}
	return !s.decided(on) && (l.Peer && s.App == "com.android.settings" &&
		(f.class.Name == "factory reset" ||
			f.class.Name == "delete" && resets.MatchString(f.words)) ||
		l.Peer && len(l.Fields) == 0 && f.class.Name == "account" &&
			secrets().MatchString(f.words) &&
			!sentence(secrets().ReplaceAllString(f.words, " "), 3) ||
		l.valued(on) && slices.Contains(leading, f.class.Name) && (f.matched(false) != on[0] ||
			means(on[1])))
}

var (
	// no labels of an act: a text to be written, a question of some words, the name of a
	// file, of a work, and of what it is about
	contents = text.Lazily(`\.{3}$|^\S+ \S+ .*\?$|\.(?:docx?|pdf|xlsx?|pptx?|txt|jpe?g|png|zip|` +
		`apk|mp[34])$|\pL · \pL|^\[?\pL+\] \S`)
	// a choice, and how much it is
	choice = text.Lazily(`^\pL[^:]{1,40}: \S`)
)

// counts reports whether the lines are a word and how many there are of it, in either order, such
// as the posts of a profile.
func counts(lines []string) bool {
	return len(lines) == 2 && (len(lines[1]) < 8 && numeric.MatchString(lines[1]) ||
		counted.MatchString(lines[0]) && counted.MatchString(lines[1]))
}

// ownSwitch reports whether the element switches something of the app's own on or off.
func (s *Subject) ownSwitch() bool {
	return s.Layout != nil && s.Layout.Switch && !s.Layout.Dialog &&
		!strings.Contains(s.App, "settings") && !globs(permissionApps, s.App, true)
}

// refuses reports whether the element is, by its id, the button by which a dialog of the system is
// refused.
func (e *Element) refuses() bool {
	_, name, _ := strings.Cut(e.id(), ":id/")
	return refusing.MatchString(name) ||
		e.id() == "android:id/button2" || e.id() == "com.android.settings:id/cancel_button"
}

var (
	// what leads to a page of its own in the settings
	resets = regexp.MustCompile(`\breset\b|^erase (?:all|everything)\b`)
	// a refusal that calls something off, and the title of a page about what was ordered
	callsOff = listed(`^(?:{calls_off})$`)
	ordered  = listed(`(?:^|[^\pL])(?:{*order})`)
	// leads to where something is written that is sent there, and opens an app that was installed
	toBeWritten = listed(`^(?:{to_be_written})$`)
	opens       = listed(`^(?:{opens})$`)
	// so many of something, how many, and the number that a row calls
	counted     = regexp.MustCompile(`^\p{Nd}[\p{Nd}., ]*[km]? \pL+$`)
	numeric     = regexp.MustCompile(`^\p{Nd}[\p{Nd}., ]*[km]?$`)
	phoneNumber = text.Lazily(`\p{Nd}(?:[ ()-]*\p{Nd}){5}`)
	// the button of a call with pictures, beside the one that calls
	seeing = listed(`{video}`)
	// what is asked for on that page before it is changed
	secrets = listed(`(?:^|[^\pL])(?:{*password}|{*pin})(?:[^\pL]|$)`)
	clears  = regexp.MustCompile(`^(?:clear|reset|x)\b|^(?:清除|清空|重置)$`)
	narrows = regexp.MustCompile(`^(?:filters?|search|query|input|edit)$`)
	// the classes whose words name a part of an app as well
	leading = strings.Fields("pay order transfer publish send unknown install")
	// what is on a button that acts, and on no tab
	decided = listed(`\b(?:{decided})\b|立即|马上|确认|确定|提交|一键|极速|快速|现在`)
)

// unsure reports whether words of the lists stand where they may as well name what is led to: below
// a name, in a sentence, on a link, a tile or a picture. A judge is asked about these.
func (s *Subject) unsure(on []string, f finding) bool {
	l, e := s.Layout, s.Element
	if l == nil || l.Dialog || l.Primary || l.Switch || f.where != underFinger ||
		f.class.ends(text.Words(e.ResourceID)) {
		return false
	}
	name, row := slices.IndexFunc(on, hasLetters), l.row(e)
	below := name >= 0 && slices.Index(on, f.words) > name && sumIn(on[:1]) == "" &&
		!numeric.MatchString(on[0]) && !s.decided(on)
	sends := f.class.Name == "send" || f.class.Name == "publish"
	leads := slices.Contains(leading, f.class.Name) || f.class.Name == "call"
	switch {
	case f.class.Name == "account" && strings.HasPrefix(f.words, "set "):
		return len(l.Fields) == 0
	case row && (below && f.class.Name != "grant" ||
		leads && (l.Peer || len(on) > 1) && sentence(f.words, 4)):
		return true
	case leads && strings.HasSuffix(e.Class, "TextView"):
		return strings.Contains(f.words, " ")
	case leads && !row && !l.Button && !sends:
		return sumIn(s.Screen) == "" && f.class.Severity == Critical
	}
	return sends && l.Peer && !l.Bar && !l.Button &&
		(len(l.Fields) == 0 || row && strings.Contains(f.words, " "))
}

// row reports whether the element is neither a button nor a picture by its class.
func (l *Layout) row(e *Element) bool { return !l.Button && !strings.Contains(e.Class, "Image") }

func hasLetters(t string) bool { return strings.ContainsFunc(t, unicode.IsLetter) }

// ends reports whether the words of a resource id end with what the class does.
func (c *class) ends(words []string) bool {
	return slices.ContainsFunc(matchers(), func(m matcher) bool {
		return m.class == c && m.endsID(words)
	})
}

// installed reports whether a button is one that Android's installer has when it is done, or opens
// an app, there.
func (s *Subject) installed(on []string) bool {
	_, name, _ := strings.Cut(s.Element.id(), ":id/")
	return globs(installerApps, s.App, true) && (name == "done_button" || name == "launch_button" ||
		affirms(on, opens()))
}
