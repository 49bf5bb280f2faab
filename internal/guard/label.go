package guard

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/taploop/taploop/internal/text"
)

// Words that only say yes, and words that say no.
var (
	affirmative = listed(`^(?:{yes}|{confirms}|{*yes}|{continues})(?: *[(（].*)?[!.。]?$`)
	confirms    = listed(`^(?:{confirms}|{*yes})(?:[^a-z]|$)`)
	// what may stand before such words, and behind them
	before = text.Lazily(`^(?:(?:i|yes|yeah|yep|okay|ok|sure|please|si|oui|ja)[,!.]? |` +
		`(?:(?:tap|touch|press)(?: and hold)?|click|hold|long press|swipe|slide)(?: here| again)?` +
		`(?: to|:)? |(?:是的?|好的?|我|请|点击|轻触|按住|长按|滑动)(?: ?,|以|来|即可)?)+`)
	behind = text.Lazily(`(?:[ !.。…>›»→✓✔✅]|\(?\d+ ?(?:s|秒)?\)|\d+s?|[$€£¥] ?\d[\d.,]*|` +
		`(?:&|and|并|,) ?(?:continue|finish|close|go on|继续))+$`)
	// the whole line, or what sensitive words stand behind: words that say no take back no others
	finalizes = listed(`^(?:(?:apple|google|samsung) pay$|微信支付$|支付宝|确认|确定|提交|完成|继续|同意|` +
		`(?:agree|confirm|submit|complete|finish|ok|okay|continue|proceed|yes|{*yes})(?:[^\pL]|$))`)
	renews = regexp.MustCompile(`\d.*(?:per|a|/) ?(?:month|year|week|mo|yr)\b|(?:每|/)(?:月|年|周)`)
	totals = listed(`^(?:(?:your|the) )?(?:order |grand |cart )?(?:total|amount due|` +
		`to pay|you pay)\b|^(?:合计|总计|总额|实付|应付|需付)|^(?:{sum_foreign})(?:[^\pL]|$)|\d.* total$`)
	negative = listed(`^(?:{no}|{*no}|(?:{not_do}).{0,30})$`)
	digit    = text.Lazily(`^\d(?: ?[a-z+]{1,5})?$`) // the key of a pad, such as 2 ABC
	searches = regexp.MustCompile(`search|query|url|address bar|搜索|查找|网址`)
	updates  = listed(`^(?:{updates})$`)
	subs     = regexp.MustCompile(`^(?:subscribe|start trial|start free trial|buy|订阅|购买)`)
)

// saysNo reports whether there are lines and all of them refuse.
func saysNo(lines []string) bool {
	return len(lines) > 0 && !slices.ContainsFunc(lines, func(l string) bool {
		return !negative().MatchString(l)
	})
}

// critical are those of the findings that are: it takes the others out of the list.
func critical(list []finding) []finding {
	return slices.DeleteFunc(list, func(f finding) bool { return f.class.Severity < Critical })
}

// saidBy reports whether a text of the screen says that what the class does is done.
func (c *class) saidBy(t string) bool {
	return slices.ContainsFunc(byLabel(lines(t), onScreen, false), func(f finding) bool {
		return f.class == c
	})
}

// affirms reports whether one of the lines is such a yes, without what stands around it.
func affirms(lines []string, yes *regexp.Regexp) bool {
	return slices.ContainsFunc(lines, func(l string) bool {
		return yes.MatchString(l) || yes.MatchString(bare(l)) ||
			yes.MatchString(before().ReplaceAllString(bare(l), ""))
	})
}

// bare is a line without what may stand behind its words.
func bare(l string) string { return strings.TrimSpace(behind().ReplaceAllString(l, "")) }

// byPrice finds a purchase: a confirmation on a screen that shows a price.
func byPrice(s *Subject, price *regexp.Regexp) []finding {
	for _, t := range s.Screen {
		if t = normalize(t); price.MatchString(t) {
			return []finding{{classNamed("pay"), onScreen, t}}
		}
	}
	return nil
}

// byDialog is what the screen asks about.
func byDialog(s *Subject) (list []finding) {
	for _, t := range s.Screen {
		t = normalize(t)
		for _, c := range matchers() {
			f := finding{c.class, onScreen, c.asksIn(t)}
			if f.words != "" && !slices.Contains(list, f) {
				list = append(list, f)
			}
		}
	}
	return list
}

// byLabel is what a button with these lines does. A line among several, or a long one, is likely
// to be content: then only words at its beginning count, unless it is a button's that may do what
// cannot be undone.
func byLabel(lines []string, where place, button bool) (list []finding) {
	for i, l := range lines {
		if informs().MatchString(l) {
			continue
		}
		refusal := negative().MatchString(l) && !unsaved().MatchString(l)
		content := len(lines) > 2 || sentence(l, 5)
		prose := refusal || (len(lines) > 2 || i > 0 && !button) &&
			sentence(before().ReplaceAllString(l, ""), 3)
		for _, c := range matchers() {
			if c.matches(l, content && !button) != "" && (!prose || c.Severity == Critical) {
				list = append(list, finding{c.class, where, l})
			}
		}
	}
	return list
}

// wrapped is the one line of what stands in two or three because a button is narrow.
func wrapped(lines []string) []string {
	if len(lines) < 2 || len(lines) > 3 {
		return nil
	}
	one := normalize(strings.Join(lines, " "))
	if sentence(one, 3) {
		return nil
	}
	return []string{one}
}

// sentence reports whether a line has more than so many words, or is as long.
func sentence(l string, n int) bool {
	return len(strings.Fields(l)) > n || utf8.RuneCountInString(l) > 8*n
}

var leadsLast = listed(`{leads_last}`)
var informs = listed(`^(?:{informs})$`)
