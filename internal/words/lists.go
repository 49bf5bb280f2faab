package words

import "strings"

// Lists reads a file of lists as regular expressions, by name: a line -- NAME -- and below it one
// line for each alternative, in which {NAME} stands for the alternatives of a list that comes
// before. Lines that begin with # and a space are comments.
func Lists(file string) map[string]string {
	all := map[string]string{}
	each(file, func(name, line string) {
		if strings.Contains(line, "{") {
			for other, expr := range all {
				line = strings.ReplaceAll(line, "{"+other+"}", expr)
			}
		}
		if before, is := all[name]; is {
			line = before + "|" + line
		}
		all[name] = line
	})
	return all
}

// Sections reads a file of such lists as lines, by name.
func Sections(file string) map[string][]string {
	all := map[string][]string{}
	each(file, func(name, line string) { all[name] = append(all[name], line) })
	return all
}

// Tables reads a file of such lists in which a line has a key and its words: by name and key.
func Tables(file string) map[string]map[string][]string {
	all := map[string]map[string][]string{}
	each(file, func(name, line string) {
		if all[name] == nil {
			all[name] = map[string][]string{}
		}
		key := strings.Fields(line)
		all[name][key[0]] = append(all[name][key[0]], key[1:]...)
	})
	return all
}

// each calls use with the name of the list and the line for each line of a list.
func each(file string, use func(name, line string)) {
	name := ""
	for line := range strings.SplitSeq(file, "\n") {
		begin, isName := strings.CutSuffix(line, " --")
		switch {
		case line == "", strings.HasPrefix(line, "# "):
		case isName && strings.HasPrefix(line, "-- "):
			name = strings.TrimPrefix(begin, "-- ")
		default:
			use(name, line)
		}
	}
}
