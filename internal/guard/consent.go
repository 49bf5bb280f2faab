package guard

import (
	"cmp"
	"regexp"
	"strings"
	"sync"

	"github.com/taploop/taploop/internal/text"
)

// negation is what takes a consent back when it stands before the words.
var negation = text.Lazily(`\b(?:not|never|no|without|don['’]?t|do not|doesn['’]?t|nothing|` +
	`avoid|instead of|unless|before you|except)\b|不|别|勿|莫|没有|无需|禁止|除非|避免`)

// negationAfter matches words behind a consent that take it back. bySelf says that a person does
// the act.
var (
	negationAfter = regexp.MustCompile(
		`\b(?:nothing|none|never|not|no|nobody|myself|ourselves)\b|` +
			`(?:都|也)(?:不|别)|自己`)
	bySelf = regexp.MustCompile(`\b(?:i|we)(?:['’]ll| will| shall)(?: [a-z]+){0,2} ` +
		`$|由我|我(?:自己|会|来)|本人`)
	refusal = regexp.MustCompile(`^ ?(?:no|nope|never|none|不|不要|不用|不行|别|否)$`)
)

// clauses are where the reach of a negation ends.
var clauses = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[.,;:!?。,;:!?、\n]+|\b(?:but|then|and then|however)\b|但|然后|而是|` +
		folded(`\b(?:pero|aber|mais|mas|ma|maar|ale|men|ama|tapi|nhưng)\b| но `))
})

// wants matches the words before a verb that is to be done: "delete it", "open it and delete it",
// "I want you to delete it". It does not match "An empty note" or "what Tom will send".
const wants = `(?:^ ?(?:(?:please|also|now|just|first|next|finally|and|so|ok|okay|can you|could ` +
	`you|would you|go ahead and) )*|\b(?:and|also|please|now|or|you (?:may|can|should|must)|` +
	`(?:want|need|like|have|allowed|free|okay|ok|sure|remember)(?: you| me)? to) )`

// asksOnly is what makes of a Chinese clause one that only wants to know something.
var asksOnly = regexp.MustCompile(`什么|哪|谁|吗|多少|是否|怎么|如何|有没有|查|看|找`)

// furthers are the words with which a Chinese clause continues with another act.
var furthers = regexp.MustCompile(`.*[并再后]`)

// widens is what makes more of an act than a task wants that does not say it as well.
var widens = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`\b(?:all|everything|every|account|history|data|storage)\b|全部|所有|一切|` +
			`账[号户]|数据|记录|` + folded(`\b(?:todos?|todas?|alles?|tout(?:es)?|tous|tutt[ioae]|`+
			`wszystk\w*|allt?|hepsi|tüm|semua)\b|вс[её]|すべて|全て|모든|모두|전체|الكل|सभी`))
})

// consents reports whether the first of a person's words that speak of what the class does want it,
// in the phone's words, without forbidding it. Text in quotes is to be written, and wants nothing.
func (c *class) consents(said []string, words string) bool {
	if c.Severity != Sensitive || c.Task == "" {
		return false
	}
	for _, s := range said {
		s = quoted().ReplaceAllString(normalize(strings.ReplaceAll(s, "\n", ". ")), " ")
		switch {
		case c.names(s):
			return c.wantedBy(s, words)
		case doubtful(s, c.names):
			return false
		}
	}
	return false
}

// names reports whether a text names what the class does, in any language.
func (c *class) names(s string) bool {
	return c.named().MatchString(s) || foreignMatchers()[c.Name].names(s)
}

func (c *class) named() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^a-z])(?:` + string(c.Task) + `)(?:$|[^a-z])|` +
		string(cmp.Or(c.TaskHan, "^$")))
}

// wantedBy reports whether the task wants what the class does.
func (c *class) wantedBy(task, words string) bool {
	if doubtful(task, c.names) {
		return false
	}
	named := c.named()
	wanted := regexp.MustCompile(wants + `(?:` + string(c.Task) + `)(?:$|[^a-z])`)
	task = things().ReplaceAllString(task, " ")
	for _, w := range widens().FindAllString(normalize(words), -1) {
		if !strings.Contains(task, w) {
			return false
		}
	}
	agrees, before := false, false
	for _, clause := range clauses().Split(task, -1) {
		words := named.FindString(clause)
		if words != "" && withheld(clause, words) || before && refusal.MatchString(clause) {
			return false
		}
		before = words != ""
		abroad, forbids := foreignMatchers()[c.Name].wants(clause)
		if forbids {
			return false
		}
		abroad = abroad || polite().MatchString(clause) && foreignMatchers()[c.Name].names(clause)
		agrees = agrees || abroad || wanted.MatchString(clause) || c.wantedHan(clause)
	}
	return agrees
}

// wantedHan reports whether a Chinese clause wants what the class does.
func (c *class) wantedHan(clause string) bool {
	words := regexp.MustCompile(string(c.TaskHan)).FindString(clause)
	before, _, _ := strings.Cut(clause, words)
	return words != "" && !asksOnly.MatchString(furthers.ReplaceAllString(before, ""))
}

var quoted = text.Lazily(`"[^"]*"|“[^”]*”|「[^」]*」|‘[^’]*’|„[^“”]*[“”]|«[^»]*»|『[^』]*』`)

// things are what a task may speak of with the words of an act.
var things = text.Lazily(`\b(?:text|message|mail|e-?mail|post|share|comment|forward|publish|` +
	`reply) (?:apps?|box|fields?|list|folder|threads?|inbox|office|prices?|section|tab|page|` +
	`screen|settings?|history|colou?r|size|icons?|buttons?|sheet|date|from|is|are|was|` +
	`of|\d+)\b`)

// negated reports whether a text takes back the words that are in it.
func negated(text, words string) bool {
	before, _, _ := strings.Cut(text, words)
	return negation().MatchString(before)
}

// withheld reports whether a clause of a task takes back the act that it names, or leaves it to a
// person.
func withheld(clause, words string) bool {
	before, after, _ := strings.Cut(clause, words)
	return negated(clause, words) || bySelf.MatchString(before+" ") ||
		negationAfter.MatchString(after)
}
