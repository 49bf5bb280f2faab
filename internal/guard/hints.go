package guard

import (
	"regexp/syntax"
	"slices"
	"strings"
)

// hintsOf are texts of which one is in everything that a pattern matches, when that is known:
// looking for them is quick, and most texts have none of them.
func hintsOf(pattern string) []string {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	return literals(re)
}

// hinted reports whether one of the hints is in a text. Without hints any text may match.
func hinted(text string, hints []string) bool {
	return len(hints) == 0 ||
		slices.ContainsFunc(hints, func(h string) bool { return strings.Contains(text, h) })
}

// literals returns texts of which every match of the expression has one, or nil if it cannot tell.
func literals(re *syntax.Regexp) (list []string) {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 {
			return nil
		}
		return []string{string(re.Rune)}
	case syntax.OpCapture, syntax.OpPlus:
		return literals(re.Sub[0])
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			hints := literals(sub)
			if hints == nil {
				return nil
			}
			list = append(list, hints...)
		}
	case syntax.OpConcat: // the part whose shortest one is longest
		most := 0
		for _, sub := range re.Sub {
			if hints := literals(sub); hints != nil {
				short := len(slices.MinFunc(hints, func(a, b string) int {
					return len(a) - len(b)
				}))
				if short > most {
					list, most = hints, short
				}
			}
		}
	}
	return list
}
