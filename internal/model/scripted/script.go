package scripted

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/parser"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/keys"
)

// What a script may have.
const (
	maxScript = 256 << 10
	maxDepth  = 100
)

// Script is a checked script. It does not change, so any number of handlers may share it.
type Script struct{ rules []rule }

// rule is one entry of a script, ready to be matched.
type rule struct {
	source
	when  *regexp.Regexp // nil matches everything
	delay time.Duration
	calls []toolCall
}

// source is a rule as the file has it.
type source struct {
	When         string       `yaml:"when"`
	Times        int          `yaml:"times"` // 0 means any number
	Reply        *string      `yaml:"reply"`
	Reasoning    string       `yaml:"reasoning"`
	Status       int          `yaml:"status"`
	Delay        string       `yaml:"delay"`
	FinishReason string       `yaml:"finish_reason"`
	ToolCalls    []sourceCall `yaml:"tool_calls"`
}

type sourceCall struct {
	Name      string         `yaml:"name"`
	Arguments map[string]any `yaml:"arguments"`
}

// toolCall is a tool call with its arguments as JSON.
type toolCall struct{ name, arguments string }

// Parse reads a script from YAML. Errors name the line or the rule.
func Parse(b []byte) (*Script, error) {
	s, err := read(b)
	if err != nil {
		return nil, hint.Add(fmt.Errorf("script: %w", err),
			"a script is a YAML mapping with rules:, a list of when: and reply:")
	}
	return s, nil
}

func read(b []byte) (s *Script, err error) {
	defer func() { // the YAML library panics on some texts that are not YAML
		if p := recover(); p != nil {
			s, err = nil, fmt.Errorf("this cannot be read as YAML (%v)", p)
		}
	}()
	if len(b) > maxScript {
		return nil, fmt.Errorf("%d bytes are too much for a script (at most %d)", len(b), maxScript)
	}
	if keys.TooDeep(b, maxDepth) {
		return nil, errors.New("it is nested too deeply for a script")
	}
	file, err := parser.ParseBytes(b, 0)
	if err != nil {
		return nil, located(err)
	}
	if len(file.Docs) != 1 || file.Docs[0].Body == nil {
		return nil, errors.New("want exactly one YAML document that is not empty")
	}
	var top struct {
		Rules []*source `yaml:"rules"`
	}
	if err := yaml.NodeToValue(file.Docs[0].Body, &top, yaml.Strict()); err != nil {
		return nil, located(err)
	}
	if len(top.Rules) == 0 {
		return nil, errors.New("no rules")
	}
	s = &Script{}
	for i, src := range top.Rules {
		var r rule
		if err := r.compile(src); err != nil {
			return nil, fmt.Errorf("rule %d: %w", i+1, err)
		}
		s.rules = append(s.rules, r)
	}
	return s, nil
}

// located puts the line in front of what the YAML reader complains of.
func located(err error) error {
	var y yaml.Error
	if !errors.As(err, &y) || y.GetToken() == nil {
		return err
	}
	return fmt.Errorf("line %d: %s", y.GetToken().Position.Line, y.GetMessage())
}

// compile checks a rule and readies it.
func (r *rule) compile(src *source) error {
	if src == nil {
		return errors.New("it is empty")
	}
	r.source = *src
	return cmp.Or(r.readWhen(), r.readDelay(), r.readCalls(), r.checkNumbers(), r.checkWhole(),
		r.checkGroups())
}

func (r *rule) readWhen() (err error) {
	if r.When == "" {
		return nil
	}
	if r.when, err = regexp.Compile(r.When); err != nil {
		return fmt.Errorf("when: %w", err)
	}
	return nil
}

func (r *rule) readDelay() (err error) {
	if r.Delay == "" {
		return nil
	}
	if r.delay, err = time.ParseDuration(r.Delay); err != nil {
		return fmt.Errorf("delay: %q is no duration (want something like 300ms or 2s)", r.Delay)
	}
	return nil
}

func (r *rule) readCalls() error {
	for _, c := range r.ToolCalls {
		if c.Name == "" {
			return errors.New("tool_calls: a call without a name")
		}
		args, err := json.Marshal(maps.Collect(maps.All(c.Arguments))) // {} for none
		if err != nil {
			return fmt.Errorf("tool_calls: arguments of %s: %w", c.Name, err)
		}
		r.calls = append(r.calls, toolCall{c.Name, string(args)})
	}
	return nil
}

func (r *rule) checkNumbers() error {
	switch {
	case r.Times < 0:
		return fmt.Errorf("times: %d (want 1 or more, or none for any number)", r.Times)
	case r.delay < 0:
		return fmt.Errorf("delay: %s is in the past", r.delay)
	case r.Status != 0 && (r.Status < 400 || r.Status > 599):
		return fmt.Errorf("status: %d (want 400 to 599; without a status the reply is a 200)",
			r.Status)
	}
	return nil
}

// checkWhole asks that the rule says something, and one thing.
func (r *rule) checkWhole() error {
	says := r.Reply != nil || r.Reasoning != "" || len(r.calls) > 0
	switch {
	case r.Status == 0 && !says:
		return errors.New("a rule needs one of reply, reasoning, tool_calls, status")
	case r.Status != 0 && (r.Reasoning != "" || len(r.calls) > 0 || r.FinishReason != ""):
		return errors.New("status: an error has no reasoning, tool_calls or finish_reason")
	}
	return nil
}

var placeholder = regexp.MustCompile(`\$?\$\{([^}]*)\}`)

// checkGroups asks that every ${name} is a group of when.
func (r *rule) checkGroups() error {
	var known []string
	if r.when != nil {
		known = slices.DeleteFunc(slices.Clone(r.when.SubexpNames()),
			func(n string) bool { return n == "" })
	}
	texts := []string{r.text(), r.Reasoning}
	for _, c := range r.calls {
		texts = append(texts, c.arguments)
	}
	for _, m := range placeholder.FindAllStringSubmatch(strings.Join(texts, "\n"), -1) {
		if !strings.HasPrefix(m[0], "$$") && !slices.Contains(known, m[1]) {
			return fmt.Errorf("${%s} is no named group of when (it has: %s)", m[1],
				strings.Join(known, ", "))
		}
	}
	return nil
}

func (r *rule) text() string {
	if r.Reply == nil {
		return ""
	}
	return *r.Reply
}

// expand fills in what the groups caught.
func expand(s string, groups map[string]string, quote func(string) string) string {
	return placeholder.ReplaceAllStringFunc(s, func(m string) string {
		if strings.HasPrefix(m, "$$") {
			return m[1:]
		}
		return quote(groups[m[2:len(m)-1]])
	})
}

// match reports whether the rule is for the text, and what its groups caught.
func (r *rule) match(text string) (map[string]string, bool) {
	if r.when == nil {
		return nil, true
	}
	m := r.when.FindStringSubmatch(text)
	if m == nil {
		return nil, false
	}
	groups := map[string]string{}
	for i, name := range r.when.SubexpNames() {
		if name != "" {
			groups[name] = m[i]
		}
	}
	return groups, true
}
