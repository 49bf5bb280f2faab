package verify

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/text"
)

// past is what a run did on which screens, up to the last touch that may have changed something.
type past struct {
	screens [][]screen.Element // the last one is that of the touch
	entered []string           // the words and numbers that were typed or touched
	apps    []string           // that were opened
	fields  map[string]string  // that a folded text was typed into last, as far as they have names
}

// opened reports whether an app of that folded name was.
func (p *past) opened(name string) bool { return slices.Contains(p.apps, name) }

// into reports whether the words were typed into a field of that kind, and not of the other.
func (p *past) into(words string, kind, other *regexp.Regexp) bool {
	field := p.fields[folded(words)]
	return kind.MatchString(field) && !other.MatchString(field)
}

// pastOf is what these steps come to.
func pastOf(steps []agentloop.Step) (p past) {
	for i := range steps {
		g, is := steps[i].Proposal.Action.(actions.Gesture)
		if !is || steps[i].Dropped() {
			continue
		}
		t := g.Traits()
		p.entered = append(p.entered, pieces(entered(&steps[i], t))...)
		if t.Kind == actions.KindText {
			if p.fields == nil {
				p.fields = map[string]string{}
			}
			p.fields[folded(t.Text)] = strings.Join(fields(steps[i].Proposal.Elements, t), " ")
		}
		if t.Kind == actions.KindLaunch {
			p.entered = append(p.entered, pieces(t.Text)...)
			p.apps = append(p.apps, folded(t.Text))
		}
		if t.Kind == actions.KindLaunch || t.Passive || t.Scrolls ||
			t.Kind == actions.KindKey && t.Key == "" {
			continue
		}
		for _, s := range steps[len(p.screens) : i+1] {
			p.screens = append(p.screens, s.Proposal.Elements)
		}
	}
	return p
}

// searches are words for fields that look for what is there.
var searches = regexp.MustCompile(`(?i)search|find|query|filter|搜|查找|筛选`)

// entered is what a step typed, unless to search for it, and what it touched, in words.
func entered(s *agentloop.Step, t actions.Traits) (words string) {
	list := s.Proposal.Elements
	for _, p := range t.Points {
		words += called(list, p) + " "
	}
	if t.Kind != actions.KindText {
		return words
	}
	if searches.MatchString(strings.Join(fields(list, t), " ")) {
		return ""
	}
	return t.Text
}

// fields is what the fields say of themselves that a text is typed into: at a place, or where the
// keyboard is.
func fields(list []screen.Element, t actions.Traits) (names []string) {
	for _, e := range list {
		at := e.Focused
		if t.Points != nil {
			at = e.Bounds.Contains(t.Points[0])
		}
		if e.Editable && at {
			names = append(names, e.Hint, e.ContentDesc, e.ResourceID, e.Text)
		}
	}
	return names
}

// called is what a touch at a place is answered by, in its own words, those in it, or its id's.
func called(list []screen.Element, at screen.Point) string {
	i := screen.At(list, at, screen.Large)
	if i < 0 {
		return ""
	}
	words := text.Each(list[i:screen.End(list, i)], func(e screen.Element) string {
		return cmp.Or(e.Text, e.ContentDesc, e.Hint)
	})
	return cmp.Or(text.Line(strings.Join(words, " ")), list[i].Name())
}

// carried are the steps that were carried out, in words: what was done to what, and what a person
// answered, without what the model said of it.
func carried(steps []agentloop.Step, lang string) string {
	var list []string
	for i := range steps {
		s, a := &steps[i], steps[i].Proposal.Action
		if _, notes := a.(actions.Note); a == nil || notes || s.Dropped() {
			continue
		}
		says, t := actions.Brief(a, lang), a.Traits()
		for _, p := range t.Points {
			if on := called(s.Proposal.Elements, p); on != "" && !s.Proposal.Secret && !t.Scrolls {
				says += " " + text.Quote(on, 80)
			}
		}
		if s.Exchange != nil {
			says += ": " + text.Quote(s.Exchange.Answer, 200)
		}
		list = append(list, says)
	}
	return strings.Join(list[max(len(list)-mostTold, 0):], "; ")
}

const mostTold = 40 // steps

// pieces are the words and the numbers of a text, without noughts in front.
func pieces(s string) (list []string) {
	for _, w := range strings.FieldsFunc(folded(s), func(r rune) bool {
		return strings.ContainsRune(" :.,", r)
	}) {
		if w = strings.TrimLeft(w, "0"); w != "" {
			list = append(list, w)
		}
	}
	return list
}

// What says in which half of the day a time is, and a time with it, before or behind.
var (
	halves = regexp.MustCompile(`(?i)^(?:[ap]\.?m\.?|[上下]午)$`)
	later  = regexp.MustCompile(`^(?:p|afternoon|evening|下午|傍晚)`)
	times  = regexp.MustCompile(`(?i)(?:([上下中]午|凌晨|清晨|早上|傍晚|晚上)\s*)?\b(\d{1,2})(?::(\d{2})` +
		`(?:\s?([ap](?:\.m\.?|m\b))|\s+(?:in the|at) (morning|afternoon|evening|night)\b|\b)|` +
		`\s?([ap](?:\.m\.?|m\b)))`)
)

// in24 is a text with its times in 24 hours, where they say in which half of the day they are. The
// first one is the 24th: noughts in front count for nothing.
func in24(s string) string {
	return times.ReplaceAllStringFunc(s, func(found string) string {
		m := times.FindStringSubmatch(found)
		half := strings.ToLower(m[1] + m[4] + m[5] + m[6])
		hour, _ := strconv.Atoi(m[2])
		if hour > 12 || half == "" && hour > 0 {
			return found
		}
		hour %= 12
		if later.MatchString(half) || strings.Contains("night晚上", half) && hour >= 5 ||
			half == "中午" && hour < 5 {
			hour += 12
		}
		return fmt.Sprintf(" %d:%s", cmp.Or(hour, 24), cmp.Or(m[3], "00"))
	})
}

// timed is an element's text, a time with the half of the day that stands beside it.
func timed(list []screen.Element, i int) string {
	says := list[i].Text
	for _, j := range []int{i - 1, i + 1} {
		if j >= 0 && j < len(list) && halves.MatchString(text.Line(list[j].Text)) &&
			times.FindString(says) == says {
			return list[j].Text + " " + says + " " + list[j].Text
		}
	}
	return says
}

// folded is a text for comparing: small letters and figures, single spaces, times in 24 hours, no
// noughts in front.
func folded(s string) string {
	s = strings.ToLower(in24(text.Line(s)))
	list := strings.FieldsFunc(strings.ReplaceAll(s, "-", ""), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(":.,", r)
	})
	for i := range list {
		list[i] = strings.TrimLeft(list[i], "0")
	}
	return strings.Join(list, " ")
}
