package guard

import (
	"slices"
	"strings"
)

var (
	// looks are words of names of tools that only look, when they come first
	looks = strings.Fields("get list read search find show describe view fetch query count check " +
		"preview estimate calculate is has lookup browse inspect validate track history status " +
		"获取 查询 查看 搜索 列出 读取")
	// joins are in names of tools that do one thing and another, whichever comes first
	joins = []string{"and", "or", "then"}
)

// byToolName is what the name of a tool says that it does. A name that begins with looking says
// nothing more, such as list_orders.
func byToolName(s *Subject) (list []finding) {
	words := idWords(s.Action)
	first := ""
	if len(words) > 0 {
		first = words[0]
	}
	whole := normalize(s.Action)
	several := slices.ContainsFunc(words, func(w string) bool { return slices.Contains(joins, w) })
	if slices.Contains(looks, first) && !several || slices.ContainsFunc(looks, func(l string) bool {
		return !ascii(l) && strings.HasPrefix(whole, l)
	}) {
		return nil
	}
	for _, m := range matchers() {
		has := func(w string) bool { return slices.Contains(m.Tools, w) }
		if slices.ContainsFunc(words, has) || m.ToolsHan != "" && m.toolsHan.MatchString(whole) {
			list = append(list, finding{m.class, ofName, s.Action})
		}
	}
	return list
}
