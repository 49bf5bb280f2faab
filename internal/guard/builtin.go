package guard

import (
	_ "embed"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/lazyregexp"
	"github.com/taploop/taploop/internal/wordfile"
)

// words.txt has the words.
var (
	//go:embed words.txt
	wordsFile string
	wordLists = wordfile.Lists(wordsFile)
)

// The apps of which more is known than what they show.
var (
	moneyApps      = apps("money_apps")
	permissionApps = apps("permission_apps")
	installerApps  = apps("installer_apps")
	storeApps      = apps("store_apps")
	keypads        = apps("keypads")
	launchers      = apps("launchers")
)

func apps(name string) []string { return strings.Split(wordLists[name], "|") }

// Words that only say yes, and words that say no.
var (
	affirmative = lazyregexp.New(`^(?:` + wordLists["yes"] + `|` + yesForeign +
		`)(?: *[(（].*)?[!.。]?$`)
	confirms = lazyregexp.New(`^(?:` + wordLists["confirms"] + `|` + yesForeign + `)(?:[^a-z]|$)`)
	// what may stand before such words, and behind them
	before = lazyregexp.New(`^(?:(?:i|yes|yeah|yep|okay|ok|sure|please|si|oui|ja)[,!.]? |` +
		`(?:tap|click|touch|hold|press(?: and hold)?|long press|swipe|slide)(?: here| again)?` +
		`(?: to|:)? |(?:是的?|好的?|我|请|点击|轻触|按住|长按|滑动)(?: ?,|以|来|即可)?)+`)
	behind = lazyregexp.New(`(?:[ !.。…>›»→✓✔✅]|\(?\d+ ?(?:s|秒)?\)|\d+s?|[$€£¥] ?\d[\d.,]*|` +
		`(?:&|and|并|,) ?(?:continue|finish|close|go on|继续))+$`)
	// the whole line, or what sensitive words stand behind: words that say no take back no others
	finalizes = lazyregexp.New(`^(?:confirm|submit|complete|finish|ok|okay|continue|proceed|yes|` +
		`(?:apple|google|samsung) pay$|微信支付$|支付宝|确认|确定|提交|完成|继续|同意|` +
		`(?:` + yesForeign + `)(?:[^\pL]|$))`)
	renews = lazyregexp.New(`\d.*(?:per|a|/) ?(?:month|year|week|mo|yr)\b|(?:每|/)(?:月|年|周)`)
	totals = lazyregexp.New(`^(?:(?:your|the) )?(?:order |grand |cart )?(?:total|amount due|to ` +
		`pay|you pay)\b|^(?:合计|总计|总额|实付|应付|需付)|^(?:` + sumForeign + `)(?:[^\pL]|$)`)
	negative = lazyregexp.New(`^(?:` + wordLists["no"] + `|` + noForeign + `)$`)
	price    = lazyregexp.New(`^(?:[$€£¥]|us\$|cn¥|rmb)? ?\d[\d., ]*(?:[$€£¥]|元| ?usd| ?eur)?$`)
	currency = lazyregexp.New(`[$€£¥元]|usd|eur|rmb`)
	digit    = lazyregexp.New(`^\d(?: ?[a-z+]{1,5})?$`) // the key of a pad, such as 2 ABC
	searches = lazyregexp.New(`search|query|url|address bar|搜索|查找|网址`)
	updates  = lazyregexp.New(`^(?:update|更新)(?: now)?$`)
	subs     = lazyregexp.New(`^(?:subscribe|start trial|start free trial|buy|订阅|购买)`)
)

// finding is what a built-in rule says of an action.
type finding struct {
	class *class
	where place
	words string // that led to it
}

// place is where the words of a finding are.
type place int

const (
	underFinger place = iota
	identifier
	nearby
	onScreen
	modelWords
	ofApp
	inField
	ofTool
	ofName
)

var places = []struct{ en, zh string }{
	underFinger: {"%q is under the finger", "手指下是 %q"},
	identifier:  {"the app calls it %q", "应用内部名称是 %q"},
	nearby:      {"%q is next to it", "旁边是 %q"},
	onScreen:    {"the screen says %q", "屏幕上写着 %q"},
	modelWords:  {"the model says %q", "模型说 %q"},
	ofApp:       {"what is under the finger is not known, in %q", "不清楚手指下是什么,应用是 %q"},
	inField:     {"text for a password field in %q", "在 %q 的密码框中输入"},
	ofName:      {"the tool is named %q", "工具名称是 %q"},
	ofTool:      {"%q says of itself that it destroys something", "%q 自称会造成破坏"},
}

// Classes of harm that are no words.
var (
	unknownMoney = class{Name: "unknown", Severity: Critical,
		En: "it cannot be told what this does in an app about money",
		Zh: "无法判断这一步在金融应用中会做什么"}
	unknownSystem = class{Name: "system dialog", Severity: Sensitive,
		En: "it answers a dialog of the system", Zh: "会回应系统对话框",
		Task: `allow|grant|give|install|uninstall`, TaskHan: `允许|授权|权限|安装|卸载`}
	unseen = class{Name: "unseen", Severity: Sensitive,
		En: "the screen forbids that it is looked at", Zh: "屏幕禁止查看"}
	password = class{Name: "password", Severity: Sensitive, En: "it types a password",
		Zh: "会输入密码", Task: `(?:type|enter|use) .{0,40}(?:password|passcode|pin)|` +
			`log ?in|sign ?in|unlock`,
		TaskHan: `密码|登录|解锁`}
	moneyPassword = class{Name: "confirm with a password", Severity: Critical,
		En: "it types a password in an app about money", Zh: "会在金融应用中输入密码"}
	destructive = class{Name: "destructive", Severity: Sensitive, En: "it may destroy something",
		Zh: "可能会造成破坏"}
)

// wordless are those classes.
var wordless = []*class{&unknownMoney, &moneyPassword, &unknownSystem, &unseen, &password,
	&destructive}

// builtin is what the built-in rules find about an action, the gravest first. What one text says
// never takes back what another one does.
func builtin(s *Subject) []finding {
	var list []finding
	add := func(f ...finding) { list = append(list, f...) }
	if s.Destructive {
		add(finding{&destructive, ofTool, s.Action})
	}
	switch does, _ := actions.TraitsOf(s.Action); does.Kind {
	case actions.KindTap, actions.KindHold:
		if s.Enters {
			add(byEnterKey(s)...)
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
		add(byTyping(s)...)
		field := s.Element.field() && s.Element.Class != ""
		if s.Args["at"] != nil && !field { // it is touched before
			add(byTouch(s)...)
		}
		switch submits, _ := s.Args["submit"].(bool); {
		case submits || strings.HasSuffix(s.Typed, "\n"):
			add(byEnterKey(s)...)
		case strings.ContainsAny(s.Typed, "\n\r"): // the enter key, or a new line of the text
			add(critical(byEnterKey(s))...)
		}
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

// critical are those of the findings that are: it takes the others out of the list.
func critical(list []finding) []finding {
	return slices.DeleteFunc(list, func(f finding) bool { return f.class.Severity < Critical })
}

// byTouch is what a finger on the element may do.
func byTouch(s *Subject) []finding {
	e := s.Element
	var list []finding
	lines := e.lines()
	refusal := len(lines) > 0 && !slices.ContainsFunc(lines, func(l string) bool {
		return !negative.MatchString(l)
	})
	if payPad(s, lines) {
		list = append(list, finding{classNamed("pay"), onScreen, "PIN"})
	}
	switch {
	case len(lines) > 0 && globs(launchers, s.App, true): // names of apps may say anything
		for _, f := range byLabel(lines, underFinger, false) {
			if strings.HasSuffix(f.class.Name, "install") {
				list = append(list, f)
			}
		}
	case len(lines) > 0 && !e.WholeScreen:
		list = append(list, byLabel(lines, underFinger, strings.Contains(e.Class, "Button"))...)
		list = append(list, byLabel(wrapped(lines), underFinger, false)...)
		if affirms(lines, affirmative) {
			list = append(list, byDialog(s)...)
		}
		if affirms(lines, finalizes) {
			list = append(list, byPrice(s, totals)...)
		}
		if slices.ContainsFunc(lines, subs.MatchString) {
			list = append(list, byPrice(s, renews)...)
		}
		if !e.hasText() {
			list = append(list, byContext(s)...)
		}
	default:
		list = append(list, byContext(s)...)
		if e != nil && slices.ContainsFunc(idWords(e.ResourceID), affirmative.MatchString) {
			list = append(list, byDialog(s)...)
			list = append(list, byPrice(s, totals)...)
		}
	}
	list = append(list, e.byResourceID()...)
	list = append(list, e.byTrashCan(false)...)
	list = append(list, byApp(s, lines, refusal, len(list) > 0)...)
	return slices.DeleteFunc(list, func(f finding) bool {
		return f.class.Name == "delete" && keypad(s)
	})
}

// affirms reports whether one of the lines is such a yes, without what stands around it.
func affirms(lines []string, yes *lazyregexp.Regexp) bool {
	return slices.ContainsFunc(lines, func(l string) bool {
		bare := behind.ReplaceAllString(l, "")
		return yes.MatchString(l) || yes.MatchString(bare) ||
			yes.MatchString(before.ReplaceAllString(bare, ""))
	})
}

// keypad reports whether the screen is one of keys with digits, one of which deletes a digit.
func keypad(s *Subject) bool {
	if !globs(keypads, s.App, true) {
		return false
	}
	for n := 1; n <= 9; n++ {
		key := func(t string) bool { return strings.HasPrefix(normalize(t), strconv.Itoa(n)) }
		if !slices.ContainsFunc(s.Screen, key) {
			return false
		}
	}
	return true
}

// byContext is what can be told when nothing is written under the finger: the words around it, and
// the model's.
func byContext(s *Subject) (list []finding) {
	for _, n := range s.Near[:min(len(s.Near), 3)] {
		list = append(list, byLabel(lines(n), nearby, false)...)
	}
	said := normalize(s.Said)
	for _, c := range matchers() {
		words := c.anywhere.FindString(c.not.ReplaceAllString(said, " "))
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
	switch {
	case globs(moneyApps, s.App, true):
		if vague || !refusal && (affirms(lines, confirms) ||
			button(s.Element, lines) && unknownLanguage(s, lines)) {
			list = append(list, finding{&unknownMoney, ofApp, s.App})
		}
	case globs(permissionApps, s.App, true), globs(installerApps, s.App, true):
		if !refusal && !known {
			list = append(list, finding{&unknownSystem, ofApp, s.App})
		}
	case globs(storeApps, s.App, true):
		for _, l := range lines {
			if price.MatchString(l) && currency.MatchString(l) || subs.MatchString(l) {
				list = append(list, finding{classNamed("pay"), underFinger, l})
			}
			if updates.MatchString(l) {
				list = append(list, finding{classNamed("install"), underFinger, l})
			}
		}
	}
	return list
}

// button reports whether what is touched looks like a button: a row of content has more lines, and
// a field is typed into.
func button(e *Element, lines []string) bool {
	return strings.Contains(e.Class, "Button") ||
		len(lines) == 1 && !sentence(lines[0], 5) && !strings.Contains(e.Class, "EditText")
}

// What asks for the password of payments: on any screen, and in an app about money.
var (
	payPin = lazyregexp.New(`(?:payment|transaction|transfer|wallet|upi) ` +
		`(?:password|pin|passcode)|\bmpin\b|\b(?:password|pin|passcode|code) to (?:` + paying +
		`)|\b(?:` + paying + `)\b.{0,40} (?:with|by|using) (?:your |the |a )?` +
		`(?:password|pin|passcode)|(?:支付|付款|交易|取款|资金)密码`)
	anyPin = lazyregexp.New(`\b(?:enter|type|input|confirm)\b.{0,30}` +
		`\b(?:pin|password|passcode)\b|输入.{0,12}密码`)
)

const paying = `pay|buy|purchase|send|transfer|withdraw|(?:authori[sz]e|confirm|complete|` +
	`approve) (?:the |this |your )?(?:payment|purchase|transaction|order|transfer)`

// payPad reports whether a finger here is a digit, or nothing that is known, on a screen that asks
// for the password of payments.
func payPad(s *Subject, lines []string) bool {
	if len(lines) > 0 && !digit.MatchString(lines[0]) && !s.Element.WholeScreen {
		return false
	}
	money := globs(moneyApps, s.App, true)
	return slices.ContainsFunc(s.Screen, func(t string) bool {
		t = normalize(t)
		return payPin.MatchString(t) || money && anyPin.MatchString(t)
	})
}

// byPrice is a price that the screen shows: what is confirmed there is a purchase.
func byPrice(s *Subject, price *lazyregexp.Regexp) []finding {
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
		refusal := negative.MatchString(l)
		content := len(lines) > 2 || sentence(l, 5)
		prose := refusal || (len(lines) > 2 || i > 0 && !button) && sentence(l, 3)
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

// byResourceID is what the element's resource id says.
func (e *Element) byResourceID() (list []finding) {
	if e == nil {
		return nil
	}
	all := idWords(e.ResourceID)
	words := strings.TrimSpace(slider.ReplaceAllString(strings.Join(all, " "), ""))
	core := slices.DeleteFunc(slices.Clone(all), func(w string) bool {
		return slices.Contains(widgets, w)
	})
	wordless := !e.hasText()
	for _, c := range matchers() {
		whole := c.id.MatchString(words) ||
			len(core) > 0 && c.id.MatchString(strings.Join(core, " "))
		joined := c.joinedID != nil && c.joinedID.MatchString(strings.Join(core, ""))
		if whole || joined || wordless && c.endsID(core) {
			list = append(list, finding{c.class, identifier, e.ResourceID})
		}
	}
	return list
}

// widgets are words of a resource id that say what it looks like, and not what it does.
var widgets = strings.Fields("btn button bt iv tv ll rl fl cl ic img image icon view layout " +
	"container cta fab")

// field reports whether the element takes text: a touch of it, or the enter key, presses nothing.
func (e *Element) field() bool {
	return e != nil && (e.Password || e.Class == "" || strings.Contains(e.Class, "EditText") ||
		strings.Contains(e.Class, "AutoComplete"))
}

// idWords takes the name of a resource apart: com.app:id/btnPay_now is btn, pay, now.
func idWords(id string) []string {
	id = path.Base(strings.ReplaceAll(id, ":", "/"))
	var b strings.Builder
	var former rune
	for _, r := range id {
		if unicode.IsUpper(r) && unicode.IsLower(former) || !unicode.IsLetter(r) {
			b.WriteByte(' ')
		}
		if unicode.IsLetter(r) {
			b.WriteRune(unicode.ToLower(r))
		}
		former = r
	}
	return strings.Fields(b.String())
}

func chinese(lang string) bool { return strings.HasPrefix(strings.ToLower(lang), "zh") }

// reason is the finding in words.
func (f *finding) reason(lang string) string {
	if chinese(lang) {
		return f.class.Zh + ":" + fmt.Sprintf(places[f.where].zh, f.words)
	}
	return f.class.En + ": " + fmt.Sprintf(places[f.where].en, f.words)
}

// says is what the class does, in words.
func (c *class) says(lang string) string {
	if chinese(lang) {
		return c.Zh
	}
	return c.En
}
