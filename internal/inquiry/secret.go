package inquiry

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"

	"github.com/taploop/taploop/internal/wordfile"
)

// patterns.txt says what each of these expressions is for.
var (
	//go:embed patterns.txt
	patternsFile string
	patterns     = wordfile.Lists(patternsFile)

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

	clauses = regexp.MustCompile(`(?i)[.?!;:,]+(?:\s|$)|[。？！；：，]+|\b(?:and|then|but)\b`)

	sentences = regexp.MustCompile(`[.?!;]+\s|[。？！；]+`)
)

// rule is the expression of that name, compiled when it is first needed.
func rule(name string) func() *regexp.Regexp {
	expr, is := patterns[name]
	if !is {
		panic("no expression " + name)
	}
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)` + expr) })
}

// about is the question's words without those that only look like a secret's.
func (q Question) about() string {
	return noSecret().ReplaceAllString(q.words(), "")
}

func (q Question) words() string { return strings.Join(strings.Fields(q.Text), " ") }

// lastSentence is the words behind the last full stop, question mark or the like that has some.
func lastSentence(words string) string {
	all := sentences.Split(strings.TrimRight(words, ".?!;。？！； "), -1)
	return all[len(all)-1]
}

// anyClause reports whether a clause of the words fits one of the rules.
func anyClause(words string, rules ...*regexp.Regexp) bool {
	for _, clause := range clauses.Split(words, -1) {
		clause = strings.TrimSpace(clause)
		for _, r := range rules {
			if r.MatchString(clause) {
				return true
			}
		}
	}
	return false
}

// AsksForSecret reports whether the question asks to be told a password, a code or a PIN, by its
// words in English or Chinese: it names one, wherever, and nothing says that it wants something
// else. What says so is a choice of answers, an act on the phone or word of one, or a question
// about something else at the end; all of these count for nothing where it asks to be told.
func (q Question) AsksForSecret() bool {
	words := q.about()
	if !q.openEnded() || !namesSecret().MatchString(words) {
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

// openEnded reports whether any words may answer the question: what is chosen, or known, is no
// secret.
func (q Question) openEnded() bool {
	ask := As[Ask](q)
	return len(ask.Options) == 0 && len(As[Form](q).Fields) == 0 && ask.Draft == "" &&
		q.DefaultAnswer == ""
}

var (
	code = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:[0-9]{4,8}|[0-9]{3}[ -][0-9]{3}|[0-9](?: [0-9]){3,7})$`)
	})
	onCard = regexp.MustCompile(`^[0-9]{3}$`) // where its security code is asked for
	cvv    = regexp.MustCompile(`(?i)` + `\b(?:cvv|cvc)\b|\bsecurity (?:code|number)\b|安全码|CVV|CVC`)
	phrase = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[a-z]{3,8}(?:[ ,]+[a-z]{3,8}){11,23}$`)
	})
	token = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[!-~\x{a1}-\x{24f}]{4,64}$`)
	})
	mixed     = regexp.MustCompile(`[0-9].*[^0-9.,:+-]|[^0-9.,:+-].*[0-9]`)
	addressed = regexp.MustCompile(`@\S+\.|://|^www\.`) // of mail, of a page
)

// IsCode reports whether the answer looks like the code or the password that the question speaks
// of, though it may have asked only for an act: then the answer is a secret, unless the question is
// Public. A code has 4 to 8 digits, or 3 on the back of a card, a password 4 to 64 characters with
// digits among them and no spaces, a recovery phrase 12 to 24 short words; a card's number is known
// by its check digit. A telephone number, an address of mail or of a page is none of these.
func (q Question) IsCode(answer string) bool {
	if q.Public || !q.openEnded() || !namesSecret().MatchString(q.about()) {
		return false
	}
	answer = strings.Map(asciiDigit, strings.TrimSpace(answer))
	password := token().MatchString(answer) && mixed.MatchString(answer) &&
		!addressed.MatchString(answer)
	return password || code().MatchString(answer) || isCard(answer) ||
		phrase().MatchString(answer) ||
		onCard.MatchString(answer) && cvv.MatchString(q.Text)
}

// within is a code among other words.
var within = regexp.MustCompile(`\b(?:[0-9]{4,8}|[0-9]{3}[ -][0-9]{3})\b`)

// withoutCode is what is said beside an act on the phone, without the code or the password that was
// for the phone alone.
func (q Question) withoutCode(words string) string {
	switch {
	case q.Public || !namesSecret().MatchString(q.about()):
		return words
	case q.IsCode(words):
		return Masked
	}
	return within.ReplaceAllString(words, Masked)
}

// asciiDigit is the digit that a full-width one stands for.
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
	acknowledgement = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:(?:` + patterns["acknowledges"] + `)(?: |$)|(?:` +
			patterns["acknowledges_zh"] + `) ?)+$`)
	})
	acknowledged = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:(?:` + patterns["done"] + `)|not yet)\b|(?:` +
			patterns["done_zh"] + `)`)
	})
)

// Acknowledges reports whether an answer says no more than that something is done, or agreed to: it
// is no secret, whatever the question.
func Acknowledges(answer string) bool {
	words := punctuation.ReplaceAllString(thumbs.ReplaceAllString(answer, " ok "), " ")
	words = strings.TrimSpace(words)
	return acknowledgement().MatchString(words) && acknowledged().MatchString(words)
}

// AsksForAct reports whether the answer to the question is an act: it asks, in English or Chinese,
// for something to be done on the phone, as to log in, to unlock it or to solve a captcha, and for
// no more than word that it is done. Such a question asks for no secret, even when it names one.
func (q Question) AsksForAct() bool {
	if !q.openEnded() || q.AsksForSecret() {
		return false
	}
	words := q.words()
	secret := namesSecret().MatchString(q.about())
	if anyClause(asksWord().ReplaceAllString(words, ""), asksOther()) {
		return false
	}
	return anyClause(words, onPhone()) ||
		inPerson().MatchString(words) && asksWord().MatchString(words) &&
			!leavesChoice().MatchString(words) ||
		secret && (asksWord().MatchString(words) || anyClause(words, asksAct()))
}
