// Package secret tells by their words which questions ask for a password, a code or a PIN, which
// ask for an act on the phone instead, and which answers are such a secret.
package secret

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

// patterns are the expressions of asked.txt, which says what each is for.
var patterns = sync.OnceValue(func() map[string]string {
	return words.Lists("-- codes --\n" + named("code") + "\n-- names --\n" +
		named("password", "code") + "\n" + words.File("asked.txt"))
})

var (
	namesSecret  = rule("secret")
	noSecret     = rule("no_secret")
	tellsFirst   = rule("tells_first")
	asksWord     = rule("asks_word")
	tells        = rule("tells")
	asksEntry    = rule("asks_entry")
	asksAct      = rule("asks_act")
	asksOther    = rule("asks_other")
	onPhone      = rule("on_phone")
	inPerson     = rule("in_person")
	leavesChoice = rule("leaves_choice")
	consents     = rule("consents")
	harms        = rule("harms")
	harmsAbroad  = rule("harms_abroad")
	asksForOne   = rule("interrogative")

	clauses = regexp.MustCompile(`(?i)[.?!;:,]+(?:\s|$)|[。？！；：，]+|\b(?:and|then|but)\b`)

	sentences = regexp.MustCompile(`[.?!;]+\s|[。？！；]+`)
)

// named are the words for secrets of these kinds, in all languages.
func named(kinds ...string) string {
	var all []string
	for _, language := range words.Tables(words.File("secrets.txt")) {
		for _, kind := range kinds {
			all = append(all, language[kind]...)
		}
	}
	slices.Sort(all)
	return strings.NewReplacer("_", " ", "*", `\pL*`).Replace(
		strings.ReplaceAll(strings.Join(all, "|"), `\pL*`, `\pL{0,}`))
}

// rule is the expression of that name, compiled when it is first needed.
func rule(name string) func() *regexp.Regexp { return made(`(?i){` + name + `}`) }

// made is an expression with those of the names in braces in their places.
func made(expr string) func() *regexp.Regexp {
	return text.LazilyOf(func() string {
		return names.ReplaceAllStringFunc(expr, func(name string) string {
			e, is := patterns()[strings.Trim(name, "{}")]
			if !is {
				panic("no expression " + name)
			}
			return e
		})
	})
}

var names = regexp.MustCompile(`\{[a-z_]+\}`)

// about returns the words of a question without the ones that only look like a secret's.
func about(question string) string { return noSecret().ReplaceAllString(line(question), "") }

func line(words string) string { return strings.Join(strings.Fields(words), " ") }

// Mentioned reports whether the words contain a word for a secret, whatever stands around it.
func Mentioned(words string) bool { return namesSecret().MatchString(words) }

// Named reports whether the words name a password, a code or a PIN.
func Named(words string) bool { return namesSecret().MatchString(about(words)) }

// lastSentence returns the last sentence that has words.
func lastSentence(words string) string {
	all := sentences.Split(strings.TrimRight(words, ".?!;。？！； "), -1)
	return all[len(all)-1]
}

// anyClause reports whether a clause of the words fits one of the rules.
func anyClause(words string, rules ...*regexp.Regexp) bool {
	for _, clause := range clauses.Split(words, -1) {
		clause = strings.TrimSpace(clause)
		said := func(r *regexp.Regexp) bool { return r.MatchString(clause) }
		if slices.ContainsFunc(rules, said) {
			return true
		}
	}
	return false
}

// Wanted reports whether a question asks to be told a password, a code or a PIN: it names one, and
// nothing says that it wants something else. An act on the phone says so, and so does a question
// about something else at the end. Neither counts where the question asks to be told.
func Wanted(question string) bool {
	words := about(question)
	if !namesSecret().MatchString(words) {
		return false
	}
	rest := asksWord().ReplaceAllString(words, "")
	switch {
	case tellsFirst().MatchString(words), tells().MatchString(rest):
		return true
	case rest != words, anyClause(words, asksAct()):
		return false
	}
	return asksEntry().MatchString(words) || !anyClause(lastSentence(words), asksOther())
}

var (
	code = text.Lazily(`^(?:[0-9]{4,8}|[0-9]{3}[ -][0-9]{3}|[0-9](?: [0-9]){3,7})$`)
	// where a card's security code is asked for
	onCard    = regexp.MustCompile(`^[0-9]{3}$`)
	cvv       = regexp.MustCompile(`(?i)\b(?:cvv|cvc)\b|\bsecurity (?:code|number)\b|安全码`)
	phrase    = text.Lazily(`^[a-z]{3,8}(?:[ ,]+[a-z]{3,8}){11,23}$`)
	token     = text.Lazily(`^[!-~\x{a1}-\x{24f}]{4,64}$`)
	mixed     = regexp.MustCompile(`[0-9].*[^0-9.,:+-]|[^0-9.,:+-].*[0-9]`)
	addressed = regexp.MustCompile(`@\S+\.|://|^www\.`) // of mail, of a page
)

// Is reports whether an answer looks like the code or the password that the question names. A code
// has 4 to 8 digits, or 3 on the back of a card. A password has 4 to 64 characters with digits
// among them and no spaces, and a recovery phrase 12 to 24 short words. A card's number is known by
// its check digit. Telephone numbers, mail addresses and addresses of pages are not secrets.
func Is(question, answer string) bool {
	if !Named(question) {
		return false
	}
	answer = strings.Map(asciiDigit, strings.TrimSpace(answer))
	password := token().MatchString(answer) && mixed.MatchString(answer) &&
		!addressed.MatchString(answer)
	return password || code().MatchString(answer) || isCard(answer) ||
		phrase().MatchString(answer) ||
		onCard.MatchString(answer) && cvv.MatchString(question)
}

// within is a code among other words.
var within = regexp.MustCompile(`\b(?:[0-9]{4,8}|[0-9]{3}[ -][0-9]{3})\b`)

// Hide puts the mask in the place of the code in what was said to a question that names one.
func Hide(question, said, mask string) string {
	switch {
	case !Named(question):
		return said
	case Is(question, said):
		return mask
	}
	return within.ReplaceAllString(said, mask)
}

// asciiDigit returns the digit that a full-width one stands for.
func asciiDigit(r rune) rune {
	if r >= '０' && r <= '９' {
		return r - '０' + '0'
	}
	return r
}

// isCard reports whether the answer is the number of a card (ISO/IEC 7812): 13 to 19 digits, in
// groups or not, of which the last one is Luhn's check digit.
func isCard(answer string) bool {
	digits := strings.NewReplacer(" ", "", "-", "").Replace(answer)
	sum := 0
	for i, r := range digits {
		if r < '0' || r > '9' {
			return false
		}
		d := int(r - '0')
		if (len(digits)-i)%2 == 0 {
			d = 2*d/10 + 2*d%10
		}
		sum += d
	}
	return len(digits) >= 13 && len(digits) <= 19 && sum%10 == 0
}

var (
	thumbs      = regexp.MustCompile(`[✅✔☑👍👌🆗]\x{fe0f}?[\x{1f3fb}-\x{1f3ff}]?`)
	punctuation = regexp.MustCompile(`(?:[\s,，.。!！;；:、~～…"'“”‘’–—]|\B-+\B)+`)

	// acknowledgement is made of words that say nothing, and one at least that says it is done.
	acknowledgement = made(`(?i)^(?:(?:{acknowledges})(?: |$)|(?:{acknowledges_zh}) ?)+$`)
	acknowledged    = made(`(?i)\b(?:(?:{done})|not yet)\b|(?:{done_zh})`)
)

// plain returns an answer without punctuation, and with a thumb as a word.
func plain(answer string) string {
	return strings.TrimSpace(punctuation.ReplaceAllString(
		thumbs.ReplaceAllString(answer, " ok "), " "))
}

// Acknowledges reports whether an answer says only that something is done or agreed to. Such an
// answer is not a secret, whatever the question.
func Acknowledges(answer string) bool {
	words := plain(answer)
	return acknowledgement().MatchString(words) && acknowledged().MatchString(words)
}

// itIsDone matches an answer that says only that an act is done.
var itIsDone = text.Lazily(`(?i)^(?:(?:it|that|is|s|i|am|m|have|ve|all|now|yes|已经|已|都|我|` +
	`现在) ?)*(?:(?:done|finished|completed?|ready|logged in|signed in|unlocked|solved|ok|` +
	`okay|完成|` +
	`搞定|弄好|做好|登[录陆]好?|解锁|好)(?:了|啦)? ?)+$`)

// Done reports whether an answer says only that an act is done.
func Done(answer string) bool { return itIsDone().MatchString(plain(answer)) }

// Act reports whether a question wants an act on the phone, such as logging in, unlocking it or
// solving a captcha, and then no more than word of it. Such a question does not ask for a secret,
// even if it names one.
func Act(question string) bool {
	if Wanted(question) {
		return false
	}
	words := line(question)
	if anyClause(asksWord().ReplaceAllString(words, ""), asksOther()) {
		return false
	}
	return anyClause(words, onPhone()) ||
		inPerson().MatchString(words) && asksWord().MatchString(words) &&
			!leavesChoice().MatchString(words) ||
		Named(question) && (asksWord().MatchString(words) || anyClause(words, asksAct()))
}

// yes matches an option that gives leave.
var yes = text.Lazily(`(?i)^(?:yes|y|ok|okay|sure|confirm|approve|agree|allow|proceed|` +
	`go ahead|do it|是|好|可以|确[认定]|同意|允许)`)

// Consent reports whether a question with these options asks for leave to do harm.
func Consent(question string, options []string) bool {
	return harms().MatchString(about(question)) && (consents().MatchString(question) ||
		slices.ContainsFunc(options, yes().MatchString))
}

var yesOrNo = made(`(?i)^(?:{yes_no})(?:[\s,.!，。！].*)?$`)

// Open reports whether a question with these options wants to know one thing of several, in any of
// the languages that are known. Every other question may be one for yes or no, whose answer is a
// consent to what is meant, and so may be one that names an act.
func Open(question string, options []string) bool {
	words := about(question)
	if harmsAbroad().MatchString(words) || slices.ContainsFunc(options, func(o string) bool {
		return yesOrNo().MatchString(strings.TrimSpace(o)) || harms().MatchString(o) ||
			harmsAbroad().MatchString(o)
	}) {
		return false
	}
	return len(options) > 1 || asksForOne().MatchString(words)
}
