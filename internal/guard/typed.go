package guard

import (
	"regexp"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/text"
)

// byTyping is what text in the element may do.
func byTyping(s *Subject) (list []finding) {
	list = append(byCode(s, s.Typed), byNumber(s)...)
	if s.Element == nil || !s.Element.Password &&
		!(likePIN.MatchString(s.Typed) && slices.ContainsFunc(s.fieldNames(), namesPIN)) {
		return list
	}
	if s.aboutMoney() {
		list = append(list, finding{&moneyPassword, inField, s.App})
	}
	list = append(list, critical(byDialog(s))...)
	return append(list, finding{&password, inField, s.App})
}

// likePIN matches a PIN or a code, which a field that hides nothing may be for as well.
var likePIN = regexp.MustCompile(`^\s*\d{3,8}\s*$`)

// namesPIN reports whether a text is a field's name for a password or a PIN.
func namesPIN(name string) bool {
	name = normalize(name)
	return secrets().MatchString(name) && !sentence(name, 4) && !leads().MatchString(name)
}

// byEnterKey is what the enter key may do: what the screen's buttons say. It searches, in most
// fields, of which one may still do what cannot be undone: whose id says so, beside a sum.
func byEnterKey(s *Subject) (list []finding) {
	line, _, _ := strings.Cut(s.Typed, "\n")
	if list = byCommand(s, line); list != nil {
		return list
	}
	named, search := false, false
	if e := s.Element; e != nil && !e.field() { // it presses what has the focus
		list = byTouch(s)
	} else if e != nil {
		named = searches.MatchString(strings.Join(text.Words(e.ResourceID), " "))
		search = named || searches.MatchString(normalize(e.Text+" "+e.Description))
	}
	if !search && s.Element.field() {
		list = append(list, s.Element.byComposeField()...)
	}
	screen := s.Screen
	if s.Layout != nil && s.Layout.Enter != nil {
		screen = s.Layout.Enter
	}
	for _, t := range screen {
		if named && !Priced(t) { // such as a result's own button
			continue
		}
		buttons := slices.DeleteFunc(byLabel(lines(t), onScreen, false), func(f finding) bool {
			return f.class.Name == "delete" && s.Layout != nil // never what a form is for
		})
		if search {
			buttons = critical(buttons)
		}
		list = append(list, buttons...)
	}
	if named { // an app may call anything so
		list = append(list, byPrice(s, totals())...)
	}
	list = append(list, critical(byDialog(s))...)
	if s.Element == nil && s.aboutMoney() {
		list = append(list, finding{&unknownMoney, ofApp, s.App})
	}
	return list
}

// byComposeField is what the enter key sends, of a field for what others read.
func (e *Element) byComposeField() []finding {
	names := append(e.lines(), strings.Join(text.Words(e.ResourceID), " "))
	if strings.Contains(strings.TrimSpace(e.Text), "\n") { // where the key begins another line
		return nil
	}
	for _, n := range names {
		if !sentence(n, 4) && composed.MatchString(n) {
			return []finding{{classNamed("send"), underFinger, n}}
		}
	}
	return nil
}

var composed = regexp.MustCompile(`\b(?:i?message|comment|reply|tweet|sms|caption)\b|what['’]?s ` +
	`happening|消息|短信|评论|回复|留言|说点什么`)
