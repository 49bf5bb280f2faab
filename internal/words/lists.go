package words

import "strings"

// Lists reads a file of lists as regular expressions, by name: a line -- NAME -- and below it one
// line for each alternative, in which {NAME} stands for the alternatives of a list that comes
// before. Lines that begin with # and a space are comments.
func Lists(file string) map[string]string {
	all := map[string]string{}
	name := ""
	for line := range strings.SplitSeq(file, "\n") {
		begin, isName := strings.CutSuffix(line, " --")
		switch {
		case line == "", strings.HasPrefix(line, "# "):
			continue
		case isName && strings.HasPrefix(line, "-- "):
			name = strings.TrimPrefix(begin, "-- ")
			continue
		}
		if strings.Contains(line, "{") {
			for other, expr := range all {
				line = strings.ReplaceAll(line, "{"+other+"}", expr)
			}
		}
		if before, is := all[name]; is {
			line = before + "|" + line
		}
		all[name] = line
	}
	return all
}
