package skill

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/keys"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/shape"
	"github.com/taploop/taploop/internal/text"
)

// Skill is a run made repeatable. In its texts, {{name}} stands for a parameter, and {{answer 2}}
// for what was answered to the second question of the run that replays it.
type Skill struct {
	keys.Place  `yaml:"-" json:"-"`
	Name        string   `yaml:"name" json:"name" need:"yes"`
	Description string   `yaml:"description" json:"description" need:"yes"`
	Task        string   `yaml:"task" json:"task" need:"yes"`
	Params      keys.Any `yaml:"params" json:"params"` // a JSON Schema of an object
	App         App      `yaml:"app" json:"app"`
	Recorded    Recorded `yaml:"recorded" json:"recorded"`
	Steps       []Step   `yaml:"steps" json:"steps" need:"yes"`
	Ends        State    `yaml:"ends" json:"ends"`
	// Answer is what the run reports. Without one the model is asked at the end, for that may be
	// another thing each time.
	Answer string `yaml:"answer" json:"answer,omitempty"`

	Values map[string]any `yaml:"-" json:"values,omitempty"` // that its parameters were filled with
}

// App is the app in which the run did most.
type App struct {
	Package string `yaml:"package" json:"package,omitempty"`
	Version string `yaml:"version" json:"version,omitempty"` // when it was recorded
}

// Recorded says what the skill was made from and what that has cost.
type Recorded struct {
	Session string `yaml:"session" json:"session,omitempty"`
	Steps   int    `yaml:"steps" json:"steps,omitempty"`
	Calls   int    `yaml:"model_calls" json:"model_calls,omitempty"`
	Tokens  int    `yaml:"tokens" json:"tokens,omitempty"`
	Lang    string `yaml:"lang" json:"lang,omitempty"`
	Frame   string `yaml:"frame" json:"frame,omitempty"` // of the screen that it ended on
}

// Step is one action with what it is found by.
type Step struct {
	keys.Place `yaml:"-" json:"-"`

	Say    string   `yaml:"say" json:"say,omitempty"`        // what it is for, in words
	Action keys.Any `yaml:"action" json:"action" need:"yes"` // as actions.Marshal writes it
	// Targets are what the action touches, one for each of its points. Without them it touches
	// nothing, or what was there is not known: then a model is asked.
	Targets []Target `yaml:"targets" json:"targets,omitempty"`
	// Focus is the field that has the focus, for an action that types without touching.
	Focus *Target `yaml:"focus" json:"focus,omitempty"`
	// Heard is what was answered to its question, if no other step has it, or how its take-over
	// ended: what follows another one is for a model to act on.
	Heard  string `yaml:"heard" json:"heard,omitempty"`
	Before State  `yaml:"before" json:"before"`
	After  State  `yaml:"after" json:"after"`
	// Frame is the picture of the screen that it was recorded on, in the store of that run.
	Frame string `yaml:"frame" json:"frame,omitempty"`
	// Session is that of a step that was healed, if it is another than the skill's.
	Session string `yaml:"session" json:"session,omitempty"`

	index  int    // in the session that it is made from
	picked string // what the model alone has named of what it touches
}

// Target is something on the screen.
type Target struct {
	// Label is what it says. Nothing that says something else is the target.
	Label    string    `yaml:"label" json:"label,omitempty" empty:"ok"`
	Locators []locator `yaml:"locators" json:"locators,omitempty"` // the best first
	// Listed says that it was one of a list, which is looked through for it.
	Listed bool `yaml:"listed" json:"listed,omitempty"`
	// Empty says that it was a field without text.
	Empty bool `yaml:"empty" json:"empty,omitempty"`
	// Hint is what it showed as its text then, if anything.
	Hint string `yaml:"hint" json:"hint,omitempty"`
	// X and Y are where in it the finger was, from 0 to 1.
	X float64 `yaml:"x" json:"x,omitempty" min:"0" max:"1"`
	Y float64 `yaml:"y" json:"y,omitempty" min:"0" max:"1"`
}

// locator is one way to find a target: all that it has must fit.
type locator struct {
	ID    string `yaml:"id" json:"id,omitempty"`
	Text  string `yaml:"text" json:"text,omitempty"`
	Desc  string `yaml:"desc" json:"desc,omitempty"`
	Class string `yaml:"class" json:"class,omitempty"`
	// Place is its number among its kin: those of its class and id, from 1.
	Place int `yaml:"place" json:"place,omitempty" min:"1"`
	// Near are words in the same row or group.
	Near []string `yaml:"near" json:"near,omitempty"`
	// Picture is a small fingerprint of how it looks.
	Picture string `yaml:"picture" json:"picture,omitempty"`
}

// State is what a screen has to show. Of the elements half must be there, after a step one.
type State struct {
	App      string    `yaml:"app" json:"app,omitempty"`
	Activity string    `yaml:"activity" json:"activity,omitempty"`
	Elements []element `yaml:"elements" json:"elements,omitempty"`
	// On is whether the switch that a step touches is on after it, if the step changes that.
	On *bool `yaml:"on" json:"on,omitempty"`
	// Order is where among its kin what a step drags is after it: first or last.
	Order string `yaml:"order" json:"order,omitempty" enum:"first last"`
}

// element is something that a screen shows: by its id or by its text.
type element struct {
	ID   string `yaml:"id" json:"id,omitempty"`
	Text string `yaml:"text" json:"text,omitempty"`
	Must bool   `yaml:"must" json:"must,omitempty"` // the others alone do not make the state
	// Own says that it is with what the step touches: behind it, before the next of its kin.
	Own bool `yaml:"own" json:"own,omitempty"`
}

// names are those of files: nothing that a folder or a shell would take for something else.
var names = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// checkName returns an error for what cannot be the name of a skill.
func checkName(name string) error {
	if !names.MatchString(name) {
		return fmt.Errorf("%q is no name of a skill (want small letters, digits, - and _, at most "+
			"64, beginning with a letter or a digit)", name)
	}
	return nil
}

var paramNames = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// checkParam returns an error for what cannot be the name of a parameter.
func checkParam(name string) error {
	if !paramNames.MatchString(name) || name == "secret" {
		return fmt.Errorf("%s is no name of a parameter (want small letters, digits and _, "+
			"beginning with a letter, and not secret)", text.Quote(name, 64))
	}
	return nil
}

// NameOf is a name made of the first words of a task, or the other one for words in other letters.
func NameOf(task, other string) string {
	words := regexp.MustCompile(`[a-z0-9]+`).FindAllString(strings.ToLower(task), 6)
	return cmp.Or(strings.Trim(text.Cut(strings.Join(words, "-"), 40), "-…"), other)
}

// mostSteps is the most that a run may have. More are refused before they are read.
const mostSteps = 1000

var verbs = regexp.MustCompile(`\bverb["']?\s*:`)

// Parse reads a skill. Its error is keys.Problems, with all that is wrong and where.
func Parse(file string, b []byte) (*Skill, error) {
	if n := len(verbs.FindAllIndex(b, -1)); n > mostSteps {
		return nil, keys.Problems{{Position: keys.Position{File: file},
			Text: fmt.Sprintf("%d steps are too many (at most %d)", n, mostSteps)}}
	}
	n, err := keys.Parse(file, b)
	if err != nil {
		return nil, err
	}
	s := &Skill{}
	if err := keys.Read(file, n, s); err != nil {
		return nil, err
	}
	return s, s.problems(b).Err()
}

const mostProblems = 20 // that are told of a file's texts

// problems is what is wrong beyond the form, in a file.
func (s *Skill) problems(file []byte) (all keys.Problems) {
	note := func(at keys.Position, where string, err error) {
		if err != nil {
			all.Add(at, "%s: %v", where, err)
		}
	}
	note(s.Of("name"), "name", checkName(s.Name))
	params, err := s.shape()
	note(s.Of("params"), "params", err)
	if err != nil {
		return all
	}
	if file != nil && !s.Has("ends") {
		note(s.At(), "ends", errors.New("it is missing: write down what the last screen has to "+
			"show, or ends: {} where any will do"))
	}
	for name := range params.Schema.Properties {
		note(s.Of("params"), "params", checkParam(name))
	}
	for i := range s.Steps {
		step, where := &s.Steps[i], fmt.Sprintf("step %d", i+1)
		note(step.Of("action"), where, step.check())
		targets := step.Targets
		if f := step.Focus; f != nil {
			targets = append(slices.Clip(targets), *f)
		}
		for _, t := range targets {
			if len(t.Locators) == 0 {
				note(step.At(), where, errors.New("a target has no locators"))
			}
		}
	}
	for _, m := range placeholder.FindAllStringSubmatch(s.texts(), -1) {
		_, known := params.Schema.Properties[m[1]]
		if len(all) >= mostProblems {
			break
		}
		at := s.At()
		before, _, _ := bytes.Cut(file, []byte(m[0]))
		at.Line, at.Column = bytes.Count(before, []byte("\n"))+1, 1
		switch asked := len(s.questions()); {
		case !known && !own.MatchString(m[0]):
			note(at, m[0], errors.New("params have no such property"))
		case unanswered(m[0]) && withAnswers(m[0], make([]string, asked)) != "":
			note(at, m[0], fmt.Errorf("its steps ask %s: name one of them, or a parameter",
				text.Count(asked, "question")))
		}
	}
	return all
}

// questions are those that the steps ask.
func (s *Skill) questions() (all []string) {
	for n := range s.Steps {
		a, _ := s.Steps[n].action()
		if info, is := a.(actions.Info); is {
			all = append(all, info.Question)
		}
	}
	return all
}

// check looks at the action: that it can be read, and touches the screen, no more places than there
// are targets for.
func (s *Step) check() error {
	a, err := s.action()
	if err == nil {
		err = a.Validate()
	}
	if err != nil {
		return err
	}
	if most := len(pointsOf(a)); len(s.Targets) > most {
		return fmt.Errorf("it has %d targets, and %s touches %d places", len(s.Targets), a.Verb(),
			most)
	}
	return nil
}

// open reports whether what a step touches or types is not the same each time, and so the model's.
func (s *Step) open() bool {
	a, err := s.action()
	return err == nil && (len(pointsOf(a)) > len(s.Targets) ||
		s.types() && len(a.Traits().Points) == 0 && s.Focus == nil)
}

func (s *Step) types() bool {
	a, err := s.action()
	return err == nil && a.Traits().Kind == actions.KindText
}

// texts is all of the skill, to be searched.
func (s *Skill) texts() string {
	b, _ := json.Marshal(s) // read from YAML: it can be written
	return string(b)
}

// YAML writes the skill.
func (s *Skill) YAML() ([]byte, error) {
	var b bytes.Buffer
	err := yaml.NewEncoder(&b, yaml.UseLiteralStyleIfMultiline(true),
		yaml.OmitEmpty()).Encode(s)
	return b.Bytes(), err
}

// shape is the JSON Schema of the parameters.
func (s *Skill) shape() (*shape.Shape, error) {
	b := []byte(`{"type":"object"}`)
	var err error
	if s.Params.Value != nil {
		b, err = json.Marshal(s.Params.Value)
	}
	if err != nil {
		return nil, err
	}
	out, err := shape.Parse(b)
	if err == nil && out.Schema.Type != "object" {
		err = errors.New("want a JSON Schema with type: object")
	}
	return out, err
}

// action is the step's action, with its parameters still in it.
func (s *Step) action() (actions.Action, error) {
	b, err := json.Marshal(s.Action.Value)
	if err != nil {
		return nil, err
	}
	return actions.Unmarshal(b)
}

var placeholder = regexp.MustCompile(`\{\{([a-z0-9_ ]+)\}\}`)

// secret stands in a run's texts for what a person answered as a secret. The phone types that.
const secret = "{{secret}}"

// foreign reports whether a text of a run has what would be taken for a parameter.
func foreign(s string) bool { return placeholder.MatchString(s) }

// bare is a text of a run without such braces, but for those of a secret.
func bare(s string) string {
	return placeholder.ReplaceAllStringFunc(s, func(m string) string {
		if m == secret {
			return m
		}
		return m[2 : len(m)-2]
	})
}

// Fill returns the skill for these values of its parameters, which it checks against their schema.
// Values are texts where they come from a command line: a schema's number or boolean is read from
// them. The answers of questions stay as they are.
func (s *Skill) Fill(values map[string]any) (*Skill, error) {
	of, err := s.shape()
	if err != nil {
		return nil, err
	}
	schema := of.Schema
	all, words := map[string]any{}, map[string]string{}
	for name, v := range values {
		p, known := schema.Properties[name]
		if !known {
			return nil, hint.Add(fmt.Errorf("the skill %s has no parameter %s (it has: %s)", s.Name,
				text.Quote(name, 64), cmp.Or(strings.Join(s.ParamNames(), ", "), "none")),
				wanted(schema))
		}
		if v != nil { // as some clients leave out what they do not use
			all[name] = typed(p, v)
		}
	}
	if err = of.ApplyDefaults(&all); err == nil {
		err = of.Validate(all)
	}
	for name, v := range all {
		if said, is := values[name].(string); is { // with all of its digits
			v = said
		}
		said, failed := inWords(v)
		words[name], err = said, cmp.Or(err, failed)
	}
	var out *Skill
	if err == nil {
		out, err = s.filled(words)
	}
	if err != nil {
		return nil, hint.Add(fmt.Errorf("the parameters of %s: %w", s.Name, err), wanted(schema))
	}
	out.Values = all
	return out, nil
}

// inWords is a value as it stands in a text.
func inWords(v any) (string, error) {
	const exact = 1 << 53 // others have lost digits
	switch v := v.(type) {
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case float64:
		if math.Abs(v) < exact {
			return strconv.FormatFloat(v, 'f', -1, 64), nil
		}
	}
	return "", fmt.Errorf("%s cannot stand in a text: want a text, a number of at most 15 digits, "+
		"true or false", text.Quote(fmt.Sprint(v), 40))
}

// own are the placeholders that a replay fills in. No value may bring one.
var own = regexp.MustCompile(`\{\{(secret|answer [0-9]+)\}\}`)

// filled is the skill with these values, which all of its steps can be carried out with.
func (s *Skill) filled(words map[string]string) (*Skill, error) {
	var wrong error
	out, err := s.mapped(func(text string) string {
		filled := placeholder.ReplaceAllStringFunc(text, func(m string) string {
			value, given := words[m[2:len(m)-2]]
			if !given && !own.MatchString(m) {
				wrong = fmt.Errorf("%s has no value", m[2:len(m)-2])
			}
			return cmp.Or(value, map[bool]string{false: m}[given])
		})
		if len(own.FindAllString(filled, -1)) > len(own.FindAllString(text, -1)) {
			wrong = errors.New("{{secret}} and {{answer 1}} cannot be in a value")
		}
		return filled
	})
	if err = cmp.Or(err, wrong); err != nil {
		return nil, err
	}
	for i := range out.Steps {
		a, err := out.Steps[i].action()
		if err == nil {
			err = a.Validate()
		}
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	return out, nil
}

// wanted says which parameters there are, with what they were recorded with.
func wanted(schema *jsonschema.Schema) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		if x := schema.Properties[name].Examples; len(x) > 0 {
			name += fmt.Sprintf(" (such as %s)", text.Quote(fmt.Sprint(x[0]), 40))
		}
		list = append(list, name)
	}
	if len(list) == 0 {
		return "pass no parameters"
	}
	return "the parameters are: " + strings.Join(list, ", ")
}

// typed is a value of a command line as the schema wants it.
func typed(p *jsonschema.Schema, v any) any {
	text, is := v.(string)
	if !is || p.Type == "string" || p.Type == "" {
		return v
	}
	var read any
	if json.Unmarshal([]byte(text), &read) == nil {
		return read
	}
	return v
}

// ParamNames are the names of the parameters, sorted.
func (s *Skill) ParamNames() []string {
	of, err := s.shape()
	if err != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(of.Schema.Properties))
}

// mapped is the skill with f applied to every text of its steps, task, ends and answer.
func (s *Skill) mapped(f func(string) string) (*Skill, error) {
	b, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	var tree any
	if err := json.Unmarshal(b, &tree); err != nil {
		return nil, err
	}
	object := tree.(map[string]any)
	params := object["params"]
	delete(object, "params")
	text.InJSON(object, f)
	object["params"] = params
	if b, err = json.Marshal(object); err != nil {
		return nil, err
	}
	out := &Skill{}
	return out, json.Unmarshal(b, out)
}

// withAnswers is a text with answers in the place of their numbers.
func withAnswers(s string, answers []string) string {
	return placeholder.ReplaceAllStringFunc(s, func(m string) string {
		number, is := strings.CutPrefix(m[2:len(m)-2], "answer ")
		n, err := strconv.Atoi(number)
		if !is || err != nil || n < 1 || n > len(answers) {
			return m
		}
		return answers[n-1]
	})
}

// unanswered reports whether a text has the place of an answer in it.
func unanswered(s string) bool { return strings.Contains(s, "{{answer ") }

// pointsOf are the places that an action touches and that a replay has to find. Those of a scroll
// are not.
func pointsOf(a actions.Action) []screen.Point {
	t := a.Traits()
	if t.Scrolls {
		return nil
	}
	return t.Points
}
