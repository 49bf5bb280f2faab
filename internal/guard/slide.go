package guard

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/taploop/taploop/internal/text"
)

var (
	slides = listed(`\b(?:slide|swipe|drag|flick)\b|^(?:pull|push|hold|press)\b|` +
		`滑|按住|拖[动至到]|{slide_foreign}`)
	// what a line that says so begins with, before it says what for
	sliding = listed(`^.*?(?:\b(?:slide|swipe|drag|flick|pull|push|hold|press)\b` +
		`(?:.{0,40}?\b(?:to|and|for)\b)?|(?:滑动?|按住|拖动?)(?:.{0,8}?(?:[以来]|即可|` +
		`[至到](?:最?[上下左右]?[边侧端]|底|顶)))?|(?:{slide_foreign})` +
		`(?:.{0,40}?\b(?:para|pour|per|um zu|zum|om te|aby|att|untuk|de)\b)?)[ :,]*`)
	// the words of sliders that only change the display, and the words on sliders that do more
	shows = text.Lazily(`^(?:see|view|show|more|refresh|reload|close|dismiss|go back|browse|` +
		`explore|read|learn|switch|查看|看|更多|刷新|关闭|返回|浏览|切换)`)
	grips = regexp.MustCompile(`^(?:confirm|submit|unlock|btn|button|thumb|handle|knob|to)$`)
)

var slideHints = sync.OnceValue(func() []string { return hintsOf(slides().String()) })

// isSlide reports whether a plain line says that a finger is to be drawn.
func isSlide(line string) bool {
	return hinted(line, slideHints()) && slides().MatchString(line)
}

// Slides reports whether the element seems to be one along which a finger is drawn to do something,
// and not only to scroll.
func (e *Element) Slides() bool {
	words := append(text.Words(e.ResourceID), text.Words(e.Class)...)
	return len(words) > 0 && slider.MatchString(strings.Join(words, " ")) ||
		slices.ContainsFunc(e.lines(), isSlide)
}

// bySlide is what a finger drawn from the element may do, or over it. Most ways only scroll.
func bySlide(s *Subject) (list []finding) {
	e, lines := s.Element, s.Element.lines()
	for _, l := range lines {
		list = append(list, bySlideLine(s, l, underFinger)...)
	}
	if n := len(lines); n == 2 || n == 3 { // of one sentence
		list = append(list, bySlideLine(s, strings.Join(lines, " "), underFinger)...)
	}
	for _, n := range s.Near {
		list = append(list, bySlideLine(s, normalize(n), nearby)...)
	}
	money := s.aboutMoney()
	switch {
	case e == nil || e.WholeScreen:
		for _, t := range s.Screen {
			list = append(list, bySlideLine(s, normalize(t), onScreen)...)
		}
		list = append(list, bySlideLine(s, normalize(s.Said), modelWords)...)
		if money && len(s.Screen) == 0 {
			list = append(list, finding{&unknownMoney, ofApp, s.App})
		}
	case e.Slides():
		list = append(list, e.byResourceID()...)
		words := text.Words(e.ResourceID)
		if money && (strings.Contains(e.Class, "SeekBar") ||
			slices.ContainsFunc(words, grips.MatchString)) {
			list = append(list, finding{&unknownMoney, ofApp, s.App})
		}
		if len(lines) == 0 && slices.ContainsFunc(words, affirmative().MatchString) {
			list = append(list, byDialog(s)...)
			list = append(list, byPrice(s, totals())...)
		}
	}
	return list
}

// bySlideLine is what a finger does that is drawn where the line says that it is to be.
func bySlideLine(s *Subject, line string, where place) (list []finding) {
	if !isSlide(line) {
		return nil
	}
	what := sliding().ReplaceAllString(line, "")
	if where == modelWords { // which may tell of more
		for _, c := range matchers() {
			if words := c.matches(what, true); words != "" {
				list = append(list, finding{c.class, where, words})
			}
		}
		return list
	}
	list = byLabel([]string{line}, where, false)
	list = append(list, byLabel([]string{what}, where, false)...)
	if what == "" || affirmative().MatchString(what) || finalizes().MatchString(what) {
		list = append(list, byDialog(s)...)
		list = append(list, byPrice(s, totals())...)
	}
	if where == underFinger && s.aboutMoney() && !shows().MatchString(what) {
		list = append(list, finding{&unknownMoney, ofApp, s.App})
	}
	return list
}
