package guard

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/expr-lang/expr/vm"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/hint"
)

// Rule decides about the actions that Action, App and When all match. An empty field matches
// everything.
type Rule struct {
	Name   string   `koanf:"name" json:"name,omitempty"`     // "" is its place in the list
	Action []string `koanf:"action" json:"action,omitempty"` // globs, in any case
	App    []string `koanf:"app" json:"app,omitempty"`       // globs
	When   string   `koanf:"when" json:"when,omitempty"`     // a condition, see docs/guard.md
	// allow, ask, takeover or deny
	Decision string `koanf:"decision" json:"decision"`
	// of Decisions, for a rule that asks. Empty means all
	Allowed     []string `koanf:"allowed" json:"allowed,omitempty"`
	Description string   `koanf:"description" json:"description,omitempty"`
	// Of a rule that asks or denies: the severity at least, sensitive when empty. Of one that
	// allows: up to which severity it does, sensitive when empty. Only with critical it lowers the
	// floor.
	Severity string `koanf:"severity" json:"severity,omitempty"`
}

// LowersFloor reports whether r lets critical actions pass.
func (r Rule) LowersFloor() bool {
	return r.Decision == string(Allow) && r.Severity == Critical.String()
}

// rule is a Rule that was read.
type rule struct {
	Rule
	verdict  Verdict
	severity Severity
	when     *vm.Program // nil holds always
}

// compile reads r, which is the i-th of the list of that name.
func compile(r Rule, list string, i int) (rule, error) {
	where := fmt.Sprintf("%s[%d]", list, i)
	if r.Name != "" {
		where += fmt.Sprintf(" (%q)", r.Name)
	}
	c := rule{Rule: r, verdict: Verdict(r.Decision), severity: Sensitive}
	c.Name = cmp.Or(r.Name, where)
	var bad []error
	fault := func(what, want string) {
		bad = append(bad, hint.Add(fmt.Errorf("%s: %s", where, what), want))
	}
	if !slices.Contains([]Verdict{Allow, Ask, HandOver, Deny}, c.verdict) {
		fault(fmt.Sprintf("the decision is %q", r.Decision), "want allow, ask, takeover or deny")
	}
	if r.Severity != "" && c.severity.UnmarshalText([]byte(r.Severity)) != nil {
		fault(fmt.Sprintf("the severity is %q", r.Severity),
			"want "+strings.Join(severities, ", "))
	}
	for _, g := range slices.Concat(r.Action, r.App) {
		if _, err := path.Match(g, ""); err != nil || g == "" {
			fault(fmt.Sprintf("the pattern %q cannot be read", g),
				"want a name in which * stands for any characters, such as com.android.*")
		}
	}
	for _, d := range r.Allowed {
		if !slices.Contains(Decisions, d) {
			fault(fmt.Sprintf("allowed has %q", d), "want "+strings.Join(Decisions, ", "))
		}
	}
	if len(r.Allowed) > 0 && c.verdict != Ask {
		fault("allowed is for a rule whose decision is ask", "remove allowed")
	}
	if r.When != "" {
		var err error
		if c.when, err = condition(r.When); err != nil {
			bad = append(bad, hint.Add(fmt.Errorf("%s: when: %w", where, err), language))
		}
	}
	return c, errors.Join(bad...)
}

// matches reports whether r applies to the subject. If its condition cannot be evaluated, err says
// why, and a rule that asks or denies applies while a rule that allows does not.
func (r *rule) matches(s *Subject, given scope) (ok bool, err error) {
	if !globs(r.Action, s.Action, true) || !globs(r.App, s.App, false) || r.ofPhones(s) {
		return false, nil
	}
	if r.when == nil {
		return true, nil
	}
	holds, err := given.holds(r.when)
	if err != nil {
		return r.verdict != Allow, err
	}
	return holds, nil
}

// ofPhones reports whether r lets an action of phones pass, and the subject is a tool that has its
// name. A rule that names the tool's server is for the tool.
func (r *rule) ofPhones(s *Subject) bool {
	_, names := actions.TraitsOf(s.Action)
	return s.Tool && r.verdict == Allow && names && len(r.Action) > 0 && len(r.App) == 0
}

// globs reports whether one of the patterns matches. Without patterns everything matches.
func globs(patterns []string, name string, fold bool) bool {
	for _, p := range patterns {
		if fold {
			p, name = strings.ToLower(p), strings.ToLower(name)
		}
		if ok, _ := path.Match(unparted.Replace(p), unparted.Replace(name)); ok {
			return true
		}
	}
	return len(patterns) == 0
}

// unparted has what parts a name, where a * would end, as any other character.
var unparted = strings.NewReplacer("/", "\x00")

// InterruptOn reads rules in the form of LangChain's human-in-the-loop middleware: an action's
// name, or a glob, with true (ask), false (allow) or {allowed_decisions, description}. A name goes
// before a glob, and a longer glob before a shorter one.
func InterruptOn(m map[string]any) ([]Rule, error) {
	names := slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		wild := func(s string) int {
			if strings.ContainsAny(s, `*?[\`) {
				return 1
			}
			return 0
		}
		return cmp.Or(wild(a)-wild(b), len(b)-len(a), strings.Compare(a, b))
	})
	var rules []Rule
	var bad []error
	for _, name := range names {
		r := Rule{Name: "interrupt_on." + name, Action: []string{name}, Decision: string(Ask)}
		err := r.interrupts(m[name])
		if err != nil {
			bad = append(bad, hint.Add(fmt.Errorf("interrupt_on.%s: %w", name, err),
				"want true, false, or {allowed_decisions: [approve, edit, reject, respond], "+
					"description: TEXT}"))
			continue
		}
		rules = append(rules, r)
	}
	return rules, errors.Join(bad...)
}

func (r *Rule) interrupts(v any) error {
	if v == "true" || v == "false" { // as flags have it
		v = v == "true"
	}
	switch v := v.(type) {
	case bool:
		if !v {
			r.Decision = string(Allow)
		}
		return nil
	case map[string]any:
		for key, value := range v {
			switch text, ok := value.(string); {
			case key == "description" && ok:
				r.Description = text
			case key == "allowed_decisions":
				list, ok := value.([]any)
				for _, d := range list {
					name, _ := d.(string)
					if ok = ok && slices.Contains(Decisions, name); ok {
						r.Allowed = append(r.Allowed, name)
					}
				}
				if !ok || len(list) == 0 {
					return fmt.Errorf("allowed_decisions is %v", value)
				}
			default:
				return fmt.Errorf("%s is %v", key, value)
			}
		}
		return nil
	}
	return fmt.Errorf("it is %v", v)
}
