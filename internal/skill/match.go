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
	own, end := strings.TrimRight(s.Task, " \n.。!！"), `[\s.。!！]*$`
	if strings.HasSuffix(own, "}}") { // a full stop may be the value's
		own, end = strings.TrimSpace(s.Task), `\s*$`
	}
	pattern := strings.Join(strings.Fields(regexp.QuoteMeta(own)), `\s+`)
	pattern = quotedPlace.ReplaceAllStringFunc(pattern, func(m string) string {
		names = append(names, strings.Trim(m, `\{}`))
		return value
	})
	re, err := regexp.Compile(`(?is)^\s*` + pattern + end)
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

// quotedPlace is a parameter's place in a pattern of the task.
var quotedPlace = regexp.MustCompile(`\\{\\{[a-z0-9_]+\\}\\}`)
