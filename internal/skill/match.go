package skill

import (
	"maps"
	"regexp"
	"slices"
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

// Lacks are the parameters that the skill needs and that are not among these.
func (s *Skill) Lacks(values map[string]any) []string {
	of, err := s.shape()
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(of.Schema.Required), func(name string) bool {
		p := of.Schema.Properties[name]
		return values[name] != nil || p != nil && p.Default != nil
	})
}

// read reads the values of the parameters out of a task, nil if it is another task. once is false
// when a parameter stands in it with two values, or one that is not in quotes may say more.
func (s *Skill) read(task, value string) (values map[string]any, once bool) {
	own, end := strings.TrimRight(s.Task, " \n.。!！"), `[\s.。!！]*$`
	if strings.HasSuffix(own, "}}") { // a full stop may be the value's
		own, end = strings.TrimSpace(s.Task), `\s*$`
	}
	pattern := strings.Join(strings.Fields(regexp.QuoteMeta(own)), `\s+`)
	places := place.FindAllStringSubmatch(pattern, -1)
	pattern = place.ReplaceAllStringFunc(pattern, func(m string) string {
		if at := place.FindStringSubmatch(m); at[1] != "" && at[3] != "" {
			return at[1] + `([^` + marks + at[1] + at[3] + `]+)` + at[3]
		}
		return place.ReplaceAllString(m, "${1}"+value+"${3}")
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
	for i, at := range places {
		v := found[i+1]
		if before, twice := values[at[2]]; twice && before != v ||
			(at[1] == "" || at[3] == "") && more.MatchString(v) {
			once = false
		}
		values[at[2]] = v
	}
	return values, once
}

const marks = `"“”„«»「」『』《》` // of quotations

var (
	// place is a parameter's place in a pattern of the task, with the marks of a quotation.
	place = regexp.MustCompile(`([` + marks + `'‘’])?\\{\\{([a-z0-9_]+)\\}\\}([` + marks + `'‘’])?`)
	// more is what a sentence has that goes on to something else.
	more = regexp.MustCompile(`(?i)[\n,;，；、(（–—` + marks + `]|[.!?]\s+\S|[。！？]\s*\S|\s-\s|` +
		`\b(?:and|then|but|or|also|plus|after|before|while|as well|und|dann|et|puis|y|luego)\b|` +
		`然后|并|再|还|或|和|以及|之后|接着|同时`)
)
