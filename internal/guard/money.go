package guard

import (
	"regexp"
	"strings"
	"sync"
	"unicode"

	money "golang.org/x/text/currency"
)

// sums matches a sum of money in any currency and script: a sign of Unicode's class Sc, a code of
// ISO 4217 or what a currency is called for short beside digits, or points.
var sums = sync.OnceValue(func() *regexp.Regexp {
	var codes []string
	for all := money.Query(money.NonTender); all.Next(); {
		codes = append(codes, strings.ToLower(all.Unit().String()))
	}
	for all := money.Query(); all.Next(); {
		codes = append(codes, strings.ToLower(all.Unit().String()))
	}
	mark := `(?:\p{Sc}|\b(?:` + strings.Join(codes, "|") + `)\b|(?:^|[^\pL])(?:` +
		folded(list("money_marks")) + `)\.?)`
	marks := `(?:[万萬億亿千]{1,2})?(?:` + folded(list("money_marks")) + "|" +
		folded(list("points")) + `)(?:[^\pL]|$)`
	number := `(?:^|[^\pL\p{Nd}])\p{Nd}[\p{Nd}., '’\x{a0}٫٬]*`
	return regexp.MustCompile(mark + `\s?\p{Nd}[\p{Nd}., '’\x{a0}٫٬]*|\b(?:` +
		strings.Join(codes, "|") + `)\p{Nd}{3}[\p{Nd}.,]*|` + number +
		`\s?(?:\p{Sc}|(?:` + strings.Join(codes, "|") + `)\b|` + marks + `)|(?:^|[^\pL])` +
		`[一二三四五六七八九十百千万两〇零]+` + marks + `|` +
		`^(?:` + folded(list("sum_foreign")) + `|(?:grand |sub)?total|amount(?: due)?|金额|总额|金額)` +
		`[^\pL\p{Nd}]{0,3}\p{Nd}[\p{Nd}., ]*[.,]\p{Nd}\p{Nd}$|` +
		`^\p{Nd}{1,3}(?:[., '’]\p{Nd}{3})+[.,]\p{Nd}\p{Nd}$|` +
		`\p{Nd}{1,3}(?:[.,]\p{Nd}{3})+\s?[dk](?:[^\pL]|$)`)
})

// aboutMoney reports whether the app in front is a bank's, a wallet's, a broker's or a lender's: by
// its package, by a word in that or in its name, or because a judge says so.
func (s *Subject) aboutMoney() bool {
	return s.Money || globs(moneyApps, s.App, true) ||
		moneyWords().MatchString(strings.ToLower(s.App)) ||
		s.Name != "" && moneyNames().MatchString(normalize(s.Name))
}

var moneyNames = listed(`{money_names}`)

var moneyWords = listed(`(?:^|[._])(?:{money_words})(?:$|[._\d])`)

// Priced reports whether a sum of money stands in the text.
func Priced(text string) bool { return sumIn([]string{text}) != "" }

// sumIn is the first sum of money in the texts, "" for none.
func sumIn(texts []string) string {
	for _, t := range texts {
		plain := normalize(t)
		if !strings.ContainsFunc(plain, unicode.IsDigit) && !strings.ContainsAny(plain, "元円") {
			continue
		}
		if sum := sums().FindString(plain); sum != "" {
			return strings.TrimSpace(sum)
		}
	}
	return ""
}
