package guard

import (
	"slices"
	"strings"

	"github.com/taploop/taploop/actions"
)

// builtin is what the built-in rules find about an action, the gravest first. What one text says
// never takes back what another one does.
func builtin(s *Subject) []finding {
	var list []finding
	add := func(f ...finding) { list = append(list, f...) }
	if f, is := byJudge(s); is {
		add(f)
	}
	if s.Destructive {
		add(finding{&destructive, ofTool, s.Action})
	}
	does, _ := actions.TraitsOf(s.Action)
	if s.Tool {
		does = actions.Traits{}
	}
	switch does.Kind {
	case actions.KindTap, actions.KindHold:
		if s.Enters {
			add(byEnterKey(s)...)
			break
		}
		if s.opensMenu() {
			add(byAct(s, nil)...)
			break
		}
		add(byTouch(s)...)
	case actions.KindPath:
		if !does.Scrolls { // something may be dropped
			add(s.Element.byTrashCan(true)...)
		}
		add(bySlide(s)...)
		if s.Presses {
			add(byTouch(s)...)
		}
	case actions.KindText:
		add(byText(s)...)
	case actions.KindKey:
		if key, _ := s.Args["key"].(string); strings.EqualFold(key, "enter") {
			add(byEnterKey(s)...)
		}
	default:
		add(byToolName(s)...)
	}
	slices.SortStableFunc(list, func(a, b finding) int {
		return int(b.class.Severity - a.class.Severity)
	})
	return list
}

// byText is what typing does, with the touch that may come before it and the enter key behind it.
func byText(s *Subject) []finding {
	list := byTyping(s)
	field := s.Element.field() && s.Element.Class != ""
	if s.Args["at"] != nil && !field { // it is touched before
		list = append(list, byTouch(s)...)
	}
	switch submits, _ := s.Args["submit"].(bool); {
	case submits || strings.HasSuffix(s.Typed, "\n"):
		list = append(list, byEnterKey(s)...)
	case strings.ContainsAny(s.Typed, "\n\r"): // the enter key, or a new line of the text
		list = append(list, critical(byEnterKey(s))...)
	}
	return list
}
