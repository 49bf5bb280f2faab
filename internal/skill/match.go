package skill

import (
	"maps"
	"regexp"
	"strings"
)

// Match reports whether a task is the skill's, with other values of its parameters at most, and
// which these are. sure is false unless there is one way to read the task, and all parameters that
// the skill needs stand in it.
func (s *Skill) Match(task string) (values map[string]any, sure, fits bool) {
	lazy, once := s.read(task, "(.+?)")
	greedy, again := s.read(task, "(.+)")
	if lazy == nil {
		return nil, false, false
	}
	_, err := s.Fill(lazy)
	return lazy, err == nil && once && again && maps.Equal(lazy, greedy), true
}

// read reads the values of the parameters out of a task, nil if it is another task. once is false
// when a parameter stands in it with two values.
func (s *Skill) read(task, value string) (values map[string]any, once bool) {
	var names []string
	pattern := `(?is)^\s*`
	at := 0
	own, end := strings.TrimRight(s.Task, " \n.。!！"), `[\s.。!！]*$`
	if strings.HasSuffix(own, "}}") { // a full stop may be the value's
		own, end = strings.TrimSpace(s.Task), `\s*$`
	}
	for _, m := range placeholder.FindAllStringSubmatchIndex(own, -1) {
		pattern += literal(own[at:m[0]]) + value
		names, at = append(names, own[m[2]:m[3]]), m[1]
	}
	re, err := regexp.Compile(pattern + literal(own[at:]) + end)
	if err != nil {
		return nil, false
	}
	found := re.FindStringSubmatch(task)
	if found == nil {
		return nil, false
	}
	values, once = map[string]any{}, true
	for i, name := range names {
		v := found[i+1]
		if before, twice := values[name]; twice && before != v {
			once = false
		}
		values[name] = v
	}
	return values, once
}

// literal is the pattern of a text whose spaces may be others.
func literal(s string) string {
	parts := regexp.MustCompile(`\s+`).Split(s, -1)
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return strings.Join(parts, `\s+`)
}
