package guard

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

// Options of a Policy.
type Options struct {
	Lists []List // rules, in their order, before the built-in ones

	// FloorOnly leaves the built-in rules about critical actions, and no others.
	FloorOnly bool
	// AskAnyway asks about a sensitive action although the task names it.
	AskAnyway bool
	Lang      string // of reasons, see words.Match

	// DescriptionPrefix begins the description of an action whose rule has none, as in LangChain.
	DescriptionPrefix string
}

// List is rules that come from one place.
type List struct {
	Name  string // for errors, such as guard.rules
	Rules []Rule
}

// Policy decides by rules. Any number of goroutines may use it.
type Policy struct {
	rules []rule
	opts  Options
}

// New reads the rules. Every fault is reported at once, with the rule and the column.
func New(opts *Options) (*Policy, error) {
	p := &Policy{opts: *cmp.Or(opts, &Options{})}
	if p.opts.FloorOnly {
		return p, nil
	}
	var bad []error
	for _, l := range p.opts.Lists {
		for i, r := range l.Rules {
			c, err := compile(r, l.Name, i)
			if err != nil {
				bad = append(bad, err)
			}
			p.rules = append(p.rules, c)
		}
	}
	if len(bad) > 0 {
		return nil, errors.Join(bad...)
	}
	return p, nil
}

// LowersFloor is the names of the rules that let critical actions pass.
func (p *Policy) LowersFloor() []string {
	var names []string
	for _, r := range p.rules {
		if r.LowersFloor() {
			names = append(names, r.Name)
		}
	}
	return names
}

// Rules are the rules in force, in their order: those of the configuration with their names, then
// the built-in ones. These have no patterns that a rule could have.
func (p *Policy) Rules() []Rule {
	list := text.Each(p.rules, func(r rule) Rule { return r.Rule })
	add := func(c *class) {
		if c.Severity == Critical || !p.opts.FloorOnly {
			list = append(list, Rule{Name: builtInName(c), Decision: string(Ask),
				Description: c.says(p.opts.Lang), Severity: c.Severity.String()})
		}
	}
	for _, c := range classes() {
		add(&c)
	}
	for _, c := range wordless {
		add(c)
	}
	return list
}

func builtInName(c *class) string { return "built-in: " + c.Name }

// Looks reports whether there are rules whose conditions may be about any action's screen.
func (p *Policy) Looks() bool {
	return slices.ContainsFunc(p.rules, func(r rule) bool { return r.when != nil })
}

// Decide returns the decision about an action. Its time is proportional to the subject's size, of
// which it reads 1,000 texts of 1,000 characters.
func (p *Policy) Decide(s Subject) Decision {
	s = s.cut()
	own := p.builtIn(&s)
	given := s.scope(own.Severity)
	for i := range p.rules {
		r := &p.rules[i]
		ok, err := r.matches(&s, given)
		if !ok {
			continue
		}
		d := r.decide(own)
		if err != nil {
			d.Reasons = nil
			d.Reason = fmt.Sprintf("the condition of %s could not be answered: %v", r.Name, err)
		}
		return p.withDescription(d, &s)
	}
	return p.withDescription(own, &s)
}

// builtIn is what the built-in rules say.
func (p *Policy) builtIn(s *Subject) Decision {
	d := Decision{Verdict: Allow}
	for _, f := range builtin(s) {
		consents := f.class.Severity < Critical &&
			(p.opts.FloorOnly || !p.opts.AskAnyway && f.class.consents(s.consent(), f.words))
		if d.Rule == "" || d.Verdict == Allow && !consents {
			d.Severity, d.Rule = f.class.Severity, builtInName(f.class)
			why := func(lang string) string { return f.reason(lang, consents && !p.opts.FloorOnly) }
			d.Reason, d.Reasons = why(p.opts.Lang), words.Each(why)
		}
		if !consents {
			d.Verdict = Ask
		}
	}
	return d
}

// decide is what r makes of an action that the built-in rules see as own. It never lowers the
// severity.
func (r *rule) decide(own Decision) Decision {
	if r.verdict == Allow && own.Severity > r.severity {
		return own
	}
	d := Decision{Verdict: r.verdict, Severity: own.Severity, Rule: r.Name,
		Reason: cmp.Or(r.Description, own.Reason), Description: r.Description}
	if r.Description == "" {
		d.Reasons = own.Reasons
	}
	if r.verdict != Allow {
		d.Severity = max(d.Severity, r.severity)
	}
	if r.verdict == Ask {
		d.Allowed = slices.Clone(r.Allowed)
	}
	return d
}

// withDescription returns d with a default description if it has none.
func (p *Policy) withDescription(d Decision, s *Subject) Decision {
	if d.Verdict != Ask {
		return d
	}
	if len(d.Allowed) == 0 {
		d.Allowed = slices.Clone(Decisions)
	}
	if d.Description == "" && p.opts.DescriptionPrefix != "" {
		d.Description, d.Made = p.opts.DescriptionPrefix+"\n\n"+s.Describe("Tool: "+s.Action), true
	}
	return d
}

// cut is s with no more than is looked at.
func (s Subject) cut() Subject {
	s.Near, s.Screen = cutAll(s.Near), cutAll(s.Screen)
	s.Typed, s.Task = cutText(s.Typed, 10*maxText), cutText(s.Task, 10*maxText)
	if s.Wish != nil {
		s.Wish = new(cutText(*s.Wish, 10*maxText))
	}
	s.Later = slices.Clone(s.Later[max(len(s.Later)-maxLater, 0):])
	for i := range s.Later {
		s.Later[i] = cutText(s.Later[i], 10*maxText)
	}
	s.Said = cutText(s.Said, 10*maxText)
	if s.Element != nil {
		e := *s.Element
		e.Text = cutText(withReversed(e.Text), maxText)
		e.Description = cutText(withReversed(e.Description), maxText)
		s.Element = &e
	}
	return s
}

func cutAll(list []string) []string {
	list = slices.Clone(list[:min(len(list), maxTexts)])
	for i := range list {
		list[i] = cutText(withReversed(list[i]), maxText)
	}
	return list
}

// cutText shortens a long text to its two ends, and removes invisible characters.
func cutText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	if !ascii(s) || strings.ContainsAny(s, "\n\t\r\v\f\x1b") || strings.Contains(s, "  ") {
		s = text.Line(s) // which takes its time
	}
	s, _ = text.Ends(s, n-len(text.Gap))
	return s
}

// withReversed adds to a text what it looks like where a character of it has it written from right
// to left, as U+202E does up to U+202C.
func withReversed(s string) string {
	looks, rest, is := strings.Cut(s, "\u202e")
	for more := is; more; {
		back, after, _ := strings.Cut(rest, "\u202c")
		letters := []rune(back)
		slices.Reverse(letters)
		looks += string(letters)
		back, rest, more = strings.Cut(after, "\u202e")
		looks += back
	}
	if !is {
		return s
	}
	return s + "\n" + looks
}
