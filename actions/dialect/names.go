package dialect

import (
	"fmt"
	"reflect"
	"strings"
	"text/template"
	"text/template/parse"
)

// names finds unknown variables in all branches of a template, also in ones that are taken only in
// the middle of a run. It accepts fields of values whose type it cannot tell.
type names struct {
	tmpl    *template.Template
	tree    *parse.Tree
	vars    map[string]reflect.Type // nil for a name that stands for several types
	seen    map[string]bool         // templates, with what they were given
	unknown []string                // such as own:2:2: unknown variable .Tusk
}

// unknownNames lists them for a template over [Variables], without an end when there are many.
func unknownNames(t *template.Template) string {
	n := &names{tmpl: t, seen: map[string]bool{}}
	n.use(t.Name(), reflect.TypeFor[*Variables]())
	if more := len(n.unknown) - 5; more > 0 {
		n.unknown = append(n.unknown[:5], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(n.unknown, "; ")
}

// use looks at a template that is given a dot of that type, nil for any.
func (n *names) use(name string, dot reflect.Type) {
	t, key := n.tmpl.Lookup(name), fmt.Sprint(name, " ", dot)
	if t == nil || t.Tree == nil || n.seen[key] {
		return
	}
	n.seen[key] = true
	tree, vars := n.tree, n.vars
	n.tree, n.vars = t.Tree, map[string]reflect.Type{"$": dot}
	n.list(t.Root, dot)
	n.tree, n.vars = tree, vars
}

func (n *names) list(l *parse.ListNode, dot reflect.Type) {
	if l == nil {
		return
	}
	for _, node := range l.Nodes {
		switch node := node.(type) {
		case *parse.ActionNode:
			n.declare(node.Pipe, n.of(node.Pipe, dot))
		case *parse.TemplateNode:
			n.use(node.Name, n.of(node.Pipe, dot))
		case *parse.IfNode:
			n.declare(node.Pipe, n.of(node.Pipe, dot))
			n.branch(&node.BranchNode, dot, dot)
		case *parse.WithNode:
			t := n.of(node.Pipe, dot)
			n.declare(node.Pipe, t)
			n.branch(&node.BranchNode, t, dot)
		case *parse.RangeNode:
			t := element(n.of(node.Pipe, dot))
			n.declare(node.Pipe, t)
			n.branch(&node.BranchNode, t, dot)
		}
	}
}

func (n *names) branch(b *parse.BranchNode, inside, otherwise reflect.Type) {
	n.list(b.List, inside)
	n.list(b.ElseList, otherwise)
}

// element is what a range has as its dot.
func element(t reflect.Type) reflect.Type {
	if t == nil || t.Kind() != reflect.Slice {
		return nil
	}
	return t.Elem()
}

// declare records the types of a pipe's variables. The first of a range's two is a number.
func (n *names) declare(p *parse.PipeNode, t reflect.Type) {
	for i, v := range p.Decl {
		name, of := v.Ident[0], t
		if was, known := n.vars[name]; i < len(p.Decl)-1 || known && was != t {
			of = nil
		}
		n.vars[name] = of
	}
}

// of is the type of a node's value, nil when that is known at run time only.
func (n *names) of(node parse.Node, dot reflect.Type) reflect.Type {
	switch node := node.(type) {
	case *parse.DotNode:
		return dot
	case *parse.FieldNode:
		return n.field(node, dot, node.Ident)
	case *parse.VariableNode:
		return n.field(node, n.vars[node.Ident[0]], node.Ident[1:])
	case *parse.ChainNode:
		return n.field(node, n.of(node.Node, dot), node.Field)
	case *parse.PipeNode:
		return n.last(node, dot)
	case *parse.CommandNode:
		var t reflect.Type
		for _, arg := range node.Args {
			t = n.of(arg, dot)
		}
		if len(node.Args) == 1 {
			return t
		}
	}
	return nil
}

// last is the type of what a pipe ends with.
func (n *names) last(p *parse.PipeNode, dot reflect.Type) (t reflect.Type) {
	if p == nil {
		return nil
	}
	for _, c := range p.Cmds {
		t = n.of(c, dot)
	}
	if len(p.Cmds) > 1 {
		return nil // a function's
	}
	return t
}

// field returns the type of a path of fields. It is unknown behind a method.
func (n *names) field(node parse.Node, t reflect.Type, path []string) reflect.Type {
	for _, name := range path {
		if t != nil && t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t == nil || t.Kind() == reflect.Interface {
			return nil
		}
		if _, is := reflect.PointerTo(t).MethodByName(name); is {
			return nil
		}
		f, is := reflect.StructField{}, false
		if t.Kind() == reflect.Struct {
			f, is = t.FieldByName(name)
		}
		if !is {
			at, _ := n.tree.ErrorContext(node)
			n.unknown = append(n.unknown, at+": unknown variable ."+name)
			return nil
		}
		t = f.Type
	}
	return t
}
