package guard

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/taploop/taploop/internal/text"
)

// Layout is what the arrangement of a screen says of an element, in any language.
type Layout struct {
	Dialog  bool `json:"dialog,omitempty"`  // it lies in a window over the page
	Button  bool `json:"button,omitempty"`  // it is one by its class
	Primary bool `json:"primary,omitempty"` // the button by which the page or dialog continues
	Alone   bool `json:"alone,omitempty"`   // nothing else in the dialog takes touches
	Ends    bool `json:"ends,omitempty"`    // the first line of buttons behind a form of fields
	// it is one of three or more of one size and line, or column, that say different things
	Peer   bool `json:"peer,omitempty"`
	Pad    bool `json:"pad,omitempty"`    // of keys that enter digits, and no calculator's
	Digit  bool `json:"digit,omitempty"`  // it is a key of such a pad that enters one
	Clears bool `json:"clears,omitempty"` // it lies in a text field, or right behind one
	Switch bool `json:"switch,omitempty"` // it can be switched, or has something that can
	Ticks  bool `json:"ticks,omitempty"`  // it is a box to tick, or has one: another button acts
	Tab    bool `json:"tab,omitempty"`    // it is one of the tabs at the bottom of a page
	Tabs   bool `json:"tabs,omitempty"`   // the page has such tabs, of which one is chosen
	// only tabs take touches below it, and buttons like it: it is none of those tabs
	Last bool `json:"last,omitempty"`
	Bar  bool `json:"bar,omitempty"` // it lies in the bar at the top of a page
	// it is a picture on the line of a composer with text in it, behind that
	Sends  bool `json:"sends,omitempty"`
	Nested bool `json:"nested,omitempty"` // it lies in something else that takes touches
	Back   bool `json:"back,omitempty"`   // it is a picture where pages have the way back
	Holds  bool `json:"holds,omitempty"`  // a finger that stays on it does not do what a tap does
	// it is one of several buttons with these words, each in a row or card of a list
	Repeated bool `json:"repeated,omitempty"`
	Panel    bool `json:"panel,omitempty"` // several others that say what they do lie in it
	// how many elements of the page or dialog take touches
	Touchable int `json:"touchable,omitempty"`
	// the labels of the other buttons by which the page or dialog continues, where it does not
	// continue by this one
	Beside []string `json:"beside,omitempty"`
	Pair   string   `json:"pair,omitempty"` // the label of the only other button on its line
	Title  string   `json:"title,omitempty"`
	Words  []string `json:"words,omitempty"`  // of the page or dialog, not of what takes touches
	Fields []string `json:"fields,omitempty"` // what its text fields are called
	Names  []string `json:"names,omitempty"`  // what the element is called, if it is such a field
	// of a text field: the labels of the button for which the enter key stands
	Enter []string `json:"enter,omitempty"`
}

// byLayout is what follows from the arrangement of the screen, whatever the language of the lines.
// named says that the words on the element were found to do something.
func byLayout(s *Subject, on []string, named bool) (list []finding) {
	l := s.Layout
	if l != nil && s.Element != nil && !named {
		list = byPage(s, on)
	}
	if f := l.sells(on, named); f != nil {
		return append(list, *f)
	}
	if l == nil || s.Element == nil || l.Peer || l.Pad {
		return list
	}
	if s.charges(on) {
		return append(list, finding{classNamed("pay"), underFinger, on[0]})
	}
	if knownHarmless(on) && !l.repeats(on) {
		return list
	}
	yes := affirms(on, affirmative()) || affirms(on, finalizes())
	// a judge that knows the label may say that it is harmless
	vague := yes || !named && s.Judged != Harmless && len(on) > 0 && short(on) &&
		!viewing().MatchString(on[0]) && (l.Dialog || !leadsOn(s, on[0]))
	button := l.Button || l.Primary || l.Dialog && !l.goesOn()
	unread, ends := !yes && unknownLanguage(s, on), l.Primary || l.decides()
	if own := sumIn(on); own != "" && short(on) && (l.Button || l.Primary || l.Dialog) &&
		!viewing().MatchString(on[0]) &&
		(own != on[0] || l.Primary || l.Dialog || !l.goesOn() || soldFor().MatchString(own)) {
		return append(list, finding{classNamed("pay"), underFinger, own})
	}
	if sum := s.sumBeside(yes); sum != "" && vague &&
		(yes || button && (ends || l.Dialog && l.Last)) {
		list = append(list, finding{classNamed("pay"), onScreen, sum})
	}
	if card := cardField(l.Fields); card != "" && vague && (yes || ends || l.Ends) {
		list = append(list, finding{classNamed("pay"), onScreen, card})
	}
	if l.Dialog && yes || l.repeats(on) {
		list = append(list, byLabel(lines(l.Title), onScreen, true)...)
	}
	switch {
	case named || len(list) > 0:
	case (slices.ContainsFunc(on, countsDown.MatchString) || yes && l.countsDown()) &&
		(l.Primary || l.Dialog && button),
		l.Dialog && vague && button && l.decides() && (!yes || affirms(on, confirms())),
		l.Dialog && l.Primary && !l.Alone && vague && unread &&
			slices.ContainsFunc(l.Words, func(t string) bool { return sentence(t, 3) }),
		l.Ends && vague && (yes || button && !l.goesOn()),
		s.submits(on), !l.Dialog && vague && len(on) == 1 &&
			(l.Primary && l.Last && (unread || !yes && l.form()) ||
				ends && makes().MatchString(on[0]) && s.Judged != Harmless):
		list = append(list, finding{&unknownEnd, underFinger, strings.Join(on, " ")})
	}
	return list
}

// submits reports whether a button hands in what is written in a field that is no search.
func (s *Subject) submits(on []string) bool {
	return s.Layout.Button && s.Layout.form() && s.Judged != Harmless && len(on) == 1 &&
		submitting().MatchString(on[0])
}

// form reports whether something is filled in on the page, and none of that is a search.
func (l *Layout) form() bool {
	return len(l.Fields) > 0 && !slices.ContainsFunc(l.Fields, func(f string) bool {
		return searches.MatchString(normalize(f))
	})
}

// byPage is what the page says that the element does: what it lets an app do, and what a yes does.
func byPage(s *Subject, on []string) []finding {
	list := bySpecialAccess(s, on)
	if l := s.Layout; !l.Dialog && affirms(on, confirms()) && !affirms(on, continues()) {
		list = append(list, byLabel(lines(l.Title), onScreen, true)...)
	}
	return list
}

// makes matches a verb that makes something what it is to be, before what that is.
var makes = listed(`^(?:{*make}) \pL`)

// onward reports whether a finding is of the button by which a page continues that has more to
// choose or to fill in, to where the order is placed: it says no more than that it goes on, and the
// page has a total, it says how many things were chosen, or these are in a cart that says nothing
// of how they are paid.
func (s *Subject) onward(on []string, f finding) bool {
	l := s.Layout
	if l == nil || !l.Primary || l.Dialog || l.Touchable < 4 || len(on) != 1 {
		return false
	}
	more := continues().MatchString(on[0])
	cart := (more || concludes().MatchString(bare(on[0]))) &&
		collects().MatchString(bare(normalize(l.Title))) && !slices.ContainsFunc(s.Screen, means)
	if f.where == underFinger {
		return (f.class.Name == "pay" || f.class.Name == "order") &&
			(cart || gathered().MatchString(on[0]))
	}
	return f.where == onScreen && f.class.Name == "pay" && (cart ||
		more && !s.aboutMoney() && cardField(l.Fields) == "" &&
			byPrice(s, totals()) != nil)
}

// charges reports whether there is one of three or more amounts on the button by which a page
// continues that the page offers.
func (s *Subject) charges(on []string) bool {
	var amounts []string
	for _, t := range s.Screen {
		if t = normalize(t); t == sumIn([]string{t}) && !soldFor().MatchString(t) {
			amounts = append(amounts, t)
		}
	}
	return s.Layout.Primary && len(amounts) > 2 && slices.Contains(amounts, sumIn(on))
}

// gathered matches a label with the number of things in a cart behind it.
var gathered = text.Lazily(`\pL ?[(（]\p{Nd}{1,3}[)）]$`)

// concludes matches what a cart calls it that buying goes on.
var concludes = listed(`^(?:{concludes})$`)

// means reports whether a text is of what is paid with: a card, or a wallet.
func means(t string) bool {
	t = normalize(t)
	return endsInDigits.MatchString(t) || moneyNames().MatchString(t)
}

// sumBeside is the sum of money that the page or dialog is about, "" for none. Beside a label that
// does not say yes, what was booked, which has its sign, is none.
func (s *Subject) sumBeside(yes bool) string {
	l := s.Layout
	sums := l.Words
	if filtered.MatchString(l.Title) {
		return "" // the prices of what is looked for
	}
	if l.Primary && !l.Dialog && (l.Button || yes) {
		sums = s.Screen
	}
	sums = slices.DeleteFunc(slices.Clone(sums), func(t string) bool {
		return sumIn([]string{t}) == "" || !yes && booked.MatchString(normalize(t))
	})
	return sumIn(sums)
}

// booked matches a sum with the sign of what came in or went out.
var booked = regexp.MustCompile(`^[-−–+] ?[^\pL\p{Nd}]?\p{Nd}|^[^\pL\p{Nd}]?[-−+] ?\p{Nd}`)

// sells is what a button does that is a price to the last cent, a card that sells points, or
// something for points, and the button by which a page is published.
func (l *Layout) sells(on []string, named bool) *finding {
	switch {
	case l == nil:
	case l.Button && (!l.Peer || !l.goesOn()) && len(on) == 1 &&
		soldFor().MatchString(on[0]) && sumIn(on) != "",
		len(on) > 1 && inPoints().MatchString(on[0]) && !inPoints().MatchString(on[1]) &&
			sumIn(on[1:]) != "",
		len(on) == 1 && (draws().MatchString(on[0]) || l.Button && inPoints().MatchString(on[0]) &&
			strings.ContainsFunc(on[0], unicode.IsDigit) && !clock.MatchString(on[0]) &&
			!pricedInPoints().MatchString(on[0])):
		return &finding{classNamed("pay"), underFinger, on[0]}
	case len(on) > 2 && !named && pricedInPoints().MatchString(strings.Join(on, " ")) &&
		!strings.ContainsAny(on[len(on)-1], "0123456789") && short(on[len(on)-1:]):
		return &finding{classNamed("order"), underFinger, on[len(on)-1]}
	case l.publishes(on):
		return &finding{classNamed("publish"), underFinger, on[0]}
	}
	return nil
}

// publishes reports whether a label says no more than that something is shared, on the button by
// which a page with a field for words about it ends.
func (l *Layout) publishes(on []string) bool {
	return l.Primary && !l.Dialog && len(l.Fields) > 0 && len(on) == 1 &&
		shares().MatchString(on[0])
}

// pricedInPoints matches a card that begins with its price in points.
var pricedInPoints = listed(`^\p{Nd}[\p{Nd}., ]* ?(?:{points})(?:[^\pL]|$)`)

// inPoints matches what names points.
var inPoints = listed(`(?:^|[^\pL])(?:{points})(?:[^\pL]|$)`)

// clock matches a time of the day, before which a weekday may be short for one.
var clock = regexp.MustCompile(`\p{Nd}[:.h]\p{Nd}\p{Nd}`)

// draws matches a label that draws lots for what a game has in store, so many at a time.
var draws = listed(`{draws}`)

// repeats reports whether the button by which a dialog continues is the beginning of its title, as
// in "Quit the group? [Cancel] [Quit]": then it does what the title says.
func (l *Layout) repeats(on []string) bool {
	return l != nil && l.Dialog && l.Primary && len(on) == 1 &&
		strings.HasPrefix(normalize(l.Title), on[0]+" ")
}

// decides reports whether the only other button on the line of one refuses: then it says yes to
// what the page asks.
func (l *Layout) decides() bool { return l != nil && !l.Bar && saysNo(lines(l.Pair)) }

// asksSystem reports whether a touch may answer a dialog or page of the system: by a button of it,
// or by a choice that no button confirms.
func (s *Subject) asksSystem(on []string) bool {
	l := s.Layout
	switch {
	case l == nil:
		return true
	case s.Element.WholeScreen || l.Bar && !l.Button || l.Ticks && len(l.Beside) > 0:
		return false // beside all that is there, or before it is confirmed
	case l.Switch:
		return !l.Dialog
	case l.Button:
		return l.Dialog || l.Touchable < 7 || l.acts() || globs(installerApps, s.App, true)
	}
	return !l.goesOn() && len(on) < 2 && (len(on) == 0 || !sentence(on[0], 5)) &&
		(l.acts() || l.Touchable < 7 && !l.Peer)
}

// acts reports whether the page or dialog ends by the element, or by it and its pair.
func (l *Layout) acts() bool {
	return l.Primary || l.Ends || l.Last && !l.Peer && (l.Button || l.Pair != "")
}

// refusing matches the ids of what refuses in Android's dialogs and pages of permissions.
var refusing = regexp.MustCompile(`^(?:permission_(?:deny|no_upgrade)|(?:deny|ask)_(?:.*_)?radio_)`)

func (l *Layout) dialog() bool { return l != nil && l.Dialog }

// goesOn reports whether the page or dialog continues by another button, which does not refuse.
func (l *Layout) goesOn() bool {
	return len(l.Beside) > 0 && !knownHarmless(lines(strings.Join(l.Beside, "\n")))
}

// valued reports whether the lines are a name above its value, on a page that another button ends:
// one that acts, or says yes to several such rows.
func (l *Layout) valued(on []string) bool {
	ends := lines(strings.Join(l.Beside, "\n"))
	return !l.Button && !l.Primary && len(on) == 2 && l.goesOn() &&
		(byLabel(ends, onScreen, true) != nil || l.Peer && affirms(ends, affirmative()))
}

// soldFor matches a label that is a price to the last cent, and nothing else.
var soldFor = text.Lazily(`^[^\pL\p{Nd}]{0,3}(?:[a-z]{1,3}[$ ]? ?)?\p{Nd}+(?:[., ]\p{Nd}{3})*` +
	`[.,]\p{Nd}\p{Nd}[ \x{a0}]?[^\p{Nd}]{0,4}$`)

// bySpecialAccess is what a touch on a page of the system's settings grants whose title says so: a
// row with a switch, or a button.
func bySpecialAccess(s *Subject, on []string) []finding {
	title := normalize(s.Layout.Title)
	if !strings.Contains(s.App, "settings") || knownHarmless(on) {
		return nil
	}
	if s.Layout.Switch && (s.service(title) || slices.ContainsFunc(on, opensPhone().MatchString)) {
		return []finding{{classNamed("grant"), underFinger, on[0]}}
	}
	if !special().MatchString(title) || slices.Contains(on, title) ||
		!s.Layout.Switch && !s.Layout.Primary {
		return nil
	}
	return []finding{{classNamed("grant"), onScreen, s.Layout.Title}}
}

// service reports whether a page of the settings is one about a service with access to all that is
// on the screen: the touched switch and the one for its shortcut bear the name that is the title.
func (s *Subject) service(title string) bool {
	name := regexp.MustCompile(regexp.QuoteMeta(title))
	bear := 0
	for _, t := range s.Screen {
		if t = normalize(t); t != title && len(title) > 2 && whole(t, name) != "" {
			bear++
		}
	}
	return bear > 1 && whole(strings.Join(s.Element.lines(), " "), name) != ""
}

// opensPhone matches switches of the settings that let others into the phone.
var opensPhone = listed(`{opens_phone}`)

// short reports whether the lines are a label and no content.
func short(l []string) bool {
	return len(l) <= 2 && !sentence(strings.Join(l, " "), 6)
}

// countsDown matches a label behind which seconds are counted.
var countsDown = regexp.MustCompile(`[(（\[]\s*\p{Nd}{1,2}\s*(?:s|sec|秒|с)?\s*[)）\]]$`)

// countsDown reports whether the page or dialog says how much time is left, or a form counts it.
func (l *Layout) countsDown() bool {
	return slices.ContainsFunc(l.Words, func(t string) bool {
		t = normalize(t)
		return timeLeft().MatchString(t) && !onceMore().MatchString(t) ||
			(l.Dialog || l.Ends) && underMinute.MatchString(t)
	})
}

var (
	timeLeft = listed(`(?:^|[^\pL])(?:{time_left}).{0,12}?` + seconds + `|` + seconds +
		`.{0,9}(?:{time_left})`)
	onceMore    = listed(`{once_more}`)
	underMinute = regexp.MustCompile(`^00?:\p{Nd}\p{Nd}$`)
)

const seconds = `(?:\p{Nd}{1,2}[:：]\p{Nd}\p{Nd}|` +
	`\p{Nd}{1,2} ?(?:s|secs?|sek\pL*|sec\pL*|seg\pL*|сек\pL*|秒|초|วินาที|saniye|giây|detik)(?:[^\pL]|$))`

// knownHarmless reports whether each of the lines only leads somewhere, or says no.
func knownHarmless(lines []string) bool {
	return len(lines) > 0 && !slices.ContainsFunc(lines, func(l string) bool {
		return !negative().MatchString(bare(l)) && !leads().MatchString(bare(l))
	})
}

// leads matches labels that lead somewhere, or change nothing that matters.
var leads = listed(`^(?:{leads}|{*leads}|{informs}|{shops_on}|(?:{viewing}) (?:{collects}))$`)

// leadsOn reports whether the first word of a label says that it leads somewhere, or it is on a
// home screen, where everything does.
func leadsOn(s *Subject, label string) bool {
	word, _, _ := strings.Cut(label, " ")
	return leads().MatchString(word) || leadsFirst().MatchString(label) ||
		leadsLast().MatchString(label) ||
		globs(launchers, s.App, true)
}

// viewing matches labels that show something, such as the cart with what it costs.
var viewing = listed(`^(?:{viewing})(?:[^\pL]|$)|^(?:查看|去)|{leads_last}`)

// cardField is the first of the names of fields that is one of a card, an account or its code.
func cardField(names []string) string {
	for _, n := range names {
		if cards().MatchString(normalize(n)) {
			return text.Cut(n, 100)
		}
	}
	return ""
}

var cards = listed(`^(?:{card_fields})|^[0-9x•*]{4}(?:[ -][0-9x•*]{4}){2,3}$|` +
	`(?:^|[ (])(?:mm|мм) ?/ ?(?:yy|гг|jj|aa)`)

// answers reports whether the lines answer somebody: they accept beside what declines, say yes to
// what a row shows, or are one of a yes, a no and a perhaps.
func (s *Subject) answers(on []string) bool {
	l := s.Layout
	if l == nil || l.Dialog || len(on) != 1 {
		return false
	}
	pair := normalize(l.Pair)
	last := pair[strings.LastIndexByte(pair, ' ')+1:]
	return l.Nested && !sentence(on[0], 3) && affirms(on, confirms()) ||
		accepts().MatchString(on[0]) &&
			(declines().MatchString(pair) || declines().MatchString(last)) ||
		l.Button && l.Peer && threefold().MatchString(on[0]) &&
			slices.ContainsFunc(s.Screen, func(t string) bool {
				return perhaps().MatchString(normalize(t))
			})
}

var (
	// the words that answer somebody that something is not done, that it is, and one of three
	declines  = listed(`^(?:{declines})$`)
	accepts   = listed(`^(?:{accepts})$`)
	perhaps   = listed(`^(?:{perhaps})$`)
	threefold = listed(`^(?:yes|no|{*yes}|{*no}|{perhaps})$`)
	// labels that hand in, share, go on and lead somewhere, what a card ends with, and titles
	submitting   = text.Lazily(`^(?:submit|einreichen|soumettre|提交|제출|제출하기)$`)
	shares       = listed(`^(?:{*share})$`)
	endsInDigits = regexp.MustCompile(`\p{Nd}{4}$`)
	continues    = listed(`^(?:{continues})$`)
	special      = listed(`^(?:{special_access})`)
	leadsFirst   = listed(`^(?:(?:{leads_first}|{*leads}|{*no})(?:[^\pL]|$)|{leads_han})`)
	// the title of a page on which things are gathered that somebody likes, or may buy
	collects = listed(`^(?:{collects})$`)
	// the title of a page on which a list is made shorter
	filtered = regexp.MustCompile(`(?i)^(?:filte?r|筛选|絞り込み|필터|фильтр|фільтр|ตัวกรอง|bộ lọc)`)
)
