package guard

import (
	"slices"
	"strings"
	"unicode"

	"github.com/taploop/taploop/internal/text"
)

var (
	// looks are words of names of tools that only look, when they come first
	looks    = apps("tools_look")
	looksHan = strings.Fields("获取 查询 查看 搜索 查找 列出 读取")
	// joins are in names of tools that do one thing and another, whichever comes first
	joins = []string{"and", "or", "then"}
	// things are words of what a tool does that are also names of things, which can be looked at
	toolThings = apps("tool_things")
	// objects are what tools do something to, where a name has both in one word: DELETEFILE
	objects = apps("tool_objects")

	// what a name in capitals altogether has in front of what it does: APIDELETE
	abbreviated = listed(`^(?:{abbreviations})$`)
	// a thing that is known of an act, in Chinese, and no act
	recordsHan = text.Lazily(`^(?:记录|状态|方式|历史|列表|详情|信息|结果|明细|金额|进度|次数)`)
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
			head, ends := strings.CutSuffix(w, verb)
			if begins && slices.Contains(objects, rest) || ends && abbreviated().MatchString(head) {
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
	for _, v := range c.ToolVerbs {
		if slices.Contains(words, v.Word) && !beside(v.NotTo) &&
			(v.To == nil || beside(v.To)) && !(looking && slices.Contains(toolThings, v.Word)) {
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
