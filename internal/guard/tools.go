package guard

import (
	"slices"
	"strings"
	"unicode"

	"github.com/taploop/taploop/internal/text"
)

var (
	// looks are words of names of tools that only look, when they come first
	looks = strings.Fields("get list read search find show describe view fetch query count check " +
		"preview estimate calculate is has lookup browse inspect validate track history status " +
		"retrieve leer ler lire lesen leggi lees läs les læs lue číst czytaj oku baca đọc")
	looksHan = strings.Fields("获取 查询 查看 搜索 查找 列出 读取")
	// joins are in names of tools that do one thing and another, whichever comes first
	joins = []string{"and", "or", "then"}
	// things are words of what a tool does that are also names of things, which can be looked at
	toolThings = strings.Fields("order orders payment payments transfer transfers refund charge " +
		"book bid bids post tweet reply email mail sms wire trash checkout payout purchase " +
		"purchases share invite grant grants permit install installs trade trades swap swaps " +
		"bridge stake mint request release retweet file add")
	// objects are what tools do something to, where a name has both in one word: DELETEFILE
	objects = strings.Fields("all account app apps branch card contact contacts data database db " +
		"device directory disk email emails event events file files folder history item items " +
		"key mail message messages money note notes now order package payment phone post record " +
		"records repo row rows table text transaction user users")

	// a thing that is known of an act, in Chinese, and no act
	recordsHan = text.Lazily(`^(?:记录|状态|方式|历史|列表|详情|信息|结果|明细|金额|进度|次数)`)
)

// toolVerbs are words that do harm to some things and not to others.
var toolVerbs = []struct {
	word, class string
	to, notTo   []string // beside one of these only, and beside none of these
}{
	{"reset", "factory reset", strings.Fields("factory device phone tablet system hard firmware " +
		"disk drive data database everything all"), nil},
	{"reset", "delete", nil, strings.Fields("view zoom filter filters form cursor scroll search " +
		"camera counter timer selection layout")},
	{"format", "factory reset", nil, strings.Fields("text code date time number string json xml " +
		"html yaml markdown document output source currency message sql csv table prompt")},
	{"sign", "transfer", nil, strings.Fields("in up out off on language")},
	{"clear", "delete", nil, strings.Fields("filter filters search query selection input text " +
		"field form screen console cursor")},
	{"close", "delete", strings.Fields("account accounts position positions"), nil},
	{"leave", "delete", groups, nil},
	{"exit", "delete", groups, nil},
	{"block", "delete", persons, nil},
	{"mute", "delete", persons, nil},
	{"rotate", "delete", strings.Fields("key keys secret secrets token tokens credentials"), nil},
	{"merge", "send", strings.Fields("pull request pr branch main master"), nil},
	{"force", "send", strings.Fields("push"), nil},
	{"add", "grant", rights, nil},
	{"give", "grant", rights, nil},
	{"assign", "grant", rights, nil},
	{"call", "call", telephones, nil},
	{"dial", "call", telephones, nil},
	{"make", "call", []string{"call"}, nil},
	{"place", "call", []string{"call"}, nil},
	{"add", "publish", opinions, nil},
	{"create", "publish", opinions, nil},
	{"push", "send", strings.Fields("file files commit commits branch image tag"), nil},
	{"finalize", "pay", strings.Fields("invoice order payment"), nil},
	{"void", "pay", strings.Fields("invoice payment order"), nil},
	{"create", "pay", strings.Fields("subscription charge"), nil},
	{"confirm", "order", bookings, nil},
	{"request", "order", strings.Fields("ride cab taxi driver delivery refill"), nil},
	{"trade", "order", nil, strings.Fields("watchlist")},
	{"swap", "transfer", nil, strings.Fields("rows columns values items lines tabs")},
	{"bridge", "transfer", strings.Fields("token tokens asset assets funds"), nil},
	{"stake", "transfer", nil, nil},
	{"mint", "transfer", nil, nil},
	{"approve", "grant", nil, nil},
	{"approve", "transfer", strings.Fields("transaction loan payment spend allowance"), nil},
	{"accept", "grant", strings.Fields("invite invitation offer request terms"), nil},
	{"attach", "grant", rights, nil},
	{"set", "grant", rights, nil},
	{"add", "grant", strings.Fields("member user group"), nil},
	{"create", "grant", strings.Fields("key keys token tokens credential credentials"), nil},
	{"unlock", "grant", nil, strings.Fields("achievement level pdf file")},
	{"open", "grant", strings.Fields("door garage gate lock"), nil},
	{"disarm", "grant", nil, nil},
	{"file", "sign", strings.Fields("tax return claim complaint"), nil},
	{"release", "publish", strings.Fields("version package build"), nil},
	{"retweet", "publish", nil, nil},
	{"bet", "order", nil, nil},
	{"redeem", "order", nil, nil},
	{"flush", "delete", strings.Fields("all db database queue"), nil},
}

var (
	groups   = strings.Fields("group groups channel team chat room organization workspace")
	persons  = strings.Fields("user users sender contact number caller account member person")
	opinions = strings.Fields("comment comments reply review")
	bookings = strings.Fields("reservation booking order purchase payment ride")
	rights   = strings.Fields("permission permissions role roles access admin collaborator " +
		"policy policies acl iam")
	telephones = strings.Fields("phone number contact emergency customer")
)

// byToolName is what the name of a tool says that it does, by all its words. Behind a word that
// looks, such as in list_orders, what can be a thing is one.
func byToolName(s *Subject) (list []finding) {
	words := toolWords(s.Action)
	several := slices.ContainsFunc(words, func(w string) bool { return slices.Contains(joins, w) })
	looking := len(words) > 0 && slices.Contains(looks, words[0]) && !several
	whole := normalize(s.Action)
	for _, m := range matchers() {
		has := func(w string) bool {
			return slices.Contains(m.Tools, w) && !(looking && slices.Contains(toolThings, w))
		}
		if slices.ContainsFunc(words, has) || m.joins(words) || m.hasVerb(words, looking) ||
			m.inHan(whole) || !looking && m.foreign.isTool(words) {
			list = append(list, finding{m.class, ofName, s.Action})
		}
	}
	return list
}

// joins reports whether two words that follow each other, or two that stand as one, say what the
// class does: check_out, DELETEFILE.
func (c *class) joins(words []string) bool {
	for i, w := range words {
		if i > 0 && slices.Contains(c.Tools, words[i-1]+w) {
			return true
		}
		for _, verb := range c.Tools {
			rest, begins := strings.CutPrefix(w, verb)
			if begins && slices.Contains(objects, rest) {
				return true
			}
		}
	}
	return false
}

// hasVerb reports whether the words have a verb that does to the others what the class does.
func (c *class) hasVerb(words []string, looking bool) bool {
	beside := func(list []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(list, w) })
	}
	for _, v := range toolVerbs {
		if v.class == c.Name && slices.Contains(words, v.word) && !beside(v.notTo) &&
			(v.to == nil || beside(v.to)) && !(looking && slices.Contains(toolThings, v.word)) {
			return true
		}
	}
	return false
}

// isTool reports whether the words of a tool's name say in another language what the class does:
// all of them, the first or the last one.
func (f *foreignMatcher) isTool(words []string) bool {
	return f != nil && len(words) > 0 && (f.ends.in(strings.Join(words, " ")) ||
		f.ends.in(words[0]) || f.ends.in(words[len(words)-1]))
}

// inHan reports whether a name in Chinese says what the class does. Behind a word that looks, what
// is known of an act is a thing.
func (m *matcher) inHan(name string) bool {
	if m.ToolsHan == "" {
		return false
	}
	looking := slices.ContainsFunc(looksHan, func(p string) bool {
		return strings.HasPrefix(name, p)
	})
	return slices.ContainsFunc(m.toolsHan.re().FindAllStringIndex(name, -1), func(at []int) bool {
		return !looking || !recordsHan().MatchString(name[at[1]:])
	})
}

// toolWords takes the name of a tool apart, at what is no letter and where the case changes: what
// is in capitals altogether is one word.
func toolWords(name string) []string {
	letters := []rune(name)
	var b strings.Builder
	for i, r := range letters {
		former, next := rune(0), rune(0)
		if i > 0 {
			former = letters[i-1]
		}
		if i+1 < len(letters) {
			next = letters[i+1]
		}
		begins := unicode.IsUpper(r) && (unicode.IsLower(former) ||
			unicode.IsUpper(former) && unicode.IsLower(next))
		if begins || !unicode.IsLetter(r) {
			b.WriteByte(' ')
		}
		if unicode.IsLetter(r) {
			b.WriteRune(r)
		}
	}
	return strings.Fields(normalize(b.String()))
}
