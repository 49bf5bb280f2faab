package guard

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"
)

// language is what a condition may have, for who wrote one that cannot be read.
const language = "a condition is made of action, app, args, element.text, element.description, " +
	"element.id, element.class, element.password, element.whole_screen, element.known, near, " +
	"screen, secure, typed, task, said, destructive and severity; of ==, !=, <, >, in, contains, " +
	"startsWith, endsWith, matches, not, and, or; and of lower, upper, trim, len, any, all, " +
	`none, such as: any(screen, # contains "Total") (docs/guard.md)`

// Bounds of a condition, which is evaluated for every action.
const (
	maxCondition = 2000 // characters
	maxNodes     = 200
)

// functions are the functions of the language.
var functions = []string{"any", "all", "none", "len", "lower", "upper", "trim"}

// scope is what a condition sees. The names are the language's.
type scope struct {
	Action      string         `expr:"action"`
	App         string         `expr:"app"`
	Args        map[string]any `expr:"args"`
	Element     scopeElement   `expr:"element"`
	Near        []string       `expr:"near"`
	Screen      []string       `expr:"screen"`
	Secure      bool           `expr:"secure"`
	Typed       string         `expr:"typed"`
	Task        string         `expr:"task"`
	Said        string         `expr:"said"`
	Destructive bool           `expr:"destructive"`
	Severity    string         `expr:"severity"` // as the built-in rules see it
}

type scopeElement struct {
	Text        string `expr:"text"`
	Description string `expr:"description"`
	ID          string `expr:"id"`
	Class       string `expr:"class"`
	Password    bool   `expr:"password"`
	WholeScreen bool   `expr:"whole_screen"`
	Known       bool   `expr:"known"`
}

func (s *Subject) scope(severity Severity) scope {
	given := scope{Action: s.Action, App: s.App, Args: s.Args, Near: s.Near, Screen: s.Screen,
		Secure: s.Secure, Typed: s.Typed, Task: s.Task, Said: s.Said, Destructive: s.Destructive,
		Severity: severity.String()}
	if e := s.Element; e != nil {
		given.Element = scopeElement{Text: e.Text, Description: e.Description, ID: e.ResourceID,
			Class: e.Class, Password: e.Password, WholeScreen: e.WholeScreen, Known: true}
	}
	return given
}

// condition reads a condition. An error names the column where it goes wrong. One that is read ends
// by itself and writes nothing: it has no loops but those over a list, none within another, builds
// no lists, and its patterns take time in proportion to the text.
func condition(text string) (*vm.Program, error) {
	if len(text) > maxCondition {
		return nil, fmt.Errorf("it has %d characters (want at most %d)", len(text), maxCondition)
	}
	bounds := &bounded{}
	options := []expr.Option{expr.Env(scope{}), expr.AsBool(), expr.MaxNodes(maxNodes),
		expr.DisableAllBuiltins(), expr.Patch(bounds)}
	for _, name := range functions {
		options = append(options, expr.EnableBuiltin(name))
	}
	program, err := expr.Compile(text, options...)
	if err == nil && bounds.fault != nil {
		err = bounds.fault.Bind(file.NewSource(text))
	}
	if err != nil {
		return nil, worded(err)
	}
	return program, nil
}

// worded is a library's error in one line with its place.
func worded(err error) error {
	e, ok := errors.AsType[*file.Error](err)
	if !ok {
		return errors.New(strings.Join(strings.Fields(err.Error()), " "))
	}
	place := fmt.Sprintf("column %d", e.Column+1)
	if e.Line > 1 {
		place = fmt.Sprintf("line %d, %s", e.Line, place)
	}
	return fmt.Errorf("%s: %s", place, strings.Join(strings.Fields(e.Message), " "))
}

// bounded finds what a condition must not have.
type bounded struct{ fault *file.Error }

// Visit implements ast.Visitor.
func (b *bounded) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.PredicateNode:
		inner := new(predicates)
		ast.Walk(&n.Node, inner)
		if inner.found {
			b.refuse(n, "a loop within a loop")
		}
	case *ast.VariableDeclaratorNode:
		b.refuse(n, "let is not a part of the language")
	case *ast.BuiltinNode: // some are more than functions, and cannot be disabled
		if !slices.Contains(functions, n.Name) {
			b.refuse(n, n.Name+" is not a part of the language")
		}
	case *ast.BinaryNode:
		_, fixed := n.Right.(*ast.StringNode)
		switch {
		case n.Operator == "..":
			b.refuse(n, "a range is not a part of the language")
		case n.Operator == "matches" && !fixed:
			b.refuse(n, "the pattern behind matches has to be a text in quotes")
		}
	}
}

func (b *bounded) refuse(n ast.Node, why string) {
	if b.fault == nil {
		b.fault = &file.Error{Location: n.Location(), Message: why}
	}
}

type predicates struct{ found bool }

// Visit implements ast.Visitor.
func (p *predicates) Visit(node *ast.Node) {
	if _, is := (*node).(*ast.PredicateNode); is {
		p.found = true
	}
}

// holds reports whether the condition holds.
func (s scope) holds(when *vm.Program) (bool, error) {
	v, err := expr.Run(when, s)
	if err != nil {
		return false, worded(err)
	}
	holds, ok := v.(bool)
	if !ok {
		return false, fmt.Errorf("it is %T (want true or false)", v)
	}
	return holds, nil
}
