package shell

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

const (
	maxOpen  = 10_000 // opening parentheses of a text: the parser takes long over very many of them
	maxDepth = 200    // of the syntax tree
	maxBrace = 1024   // words that one word with braces may become
)

// parse reads shell text and refuses what the phone's shell would not know or the interpreter would do on the host. jobs
// is vet's.
func parse(src string, maxBytes int, jobs bool) (*syntax.File, error) {
	if len(src) > maxBytes {
		return nil, fmt.Errorf("the text is longer than %d bytes", maxBytes)
	}
	if strings.Count(src, "(") > maxOpen {
		return nil, errors.New("nested too deeply")
	}
	file, err := syntax.NewParser().Parse(strings.NewReader(src), shName)
	if err != nil {
		return nil, plain(err)
	}
	return file, vet(file, jobs)
}

// errIncomplete is a text that more lines could complete.
var errIncomplete = errors.New("unexpected EOF")

// plain is a parser's message without the file and position, which a line on the phone does not have.
func plain(err error) error {
	if syntax.IsIncomplete(err) {
		return errIncomplete
	}
	if p, ok := errors.AsType[syntax.ParseError](err); ok {
		return errors.New(p.Text)
	}
	if l, ok := errors.AsType[syntax.LangError](err); ok {
		return fmt.Errorf("unexpected %s", l.Feature)
	}
	return err
}

// vet checks a syntax tree and rewrites the few nodes that the interpreter would answer with the host's facts. jobs says
// whether background jobs may be started where the interpreter can wait for them.
func vet(file *syntax.File, jobs bool) error {
	v := &vetter{jobs: jobs}
	syntax.Walk(file, v.node)
	return v.err
}

type vetter struct {
	err   error
	stack []syntax.Node
	inner int // how many nodes of the stack run in a shell of their own, or later
	jobs  bool
}

// node is called for each node, and with nil when its children are done.
func (v *vetter) node(n syntax.Node) bool {
	if n == nil {
		if last := v.stack[len(v.stack)-1]; apart(last) {
			v.inner--
		}
		v.stack = v.stack[:len(v.stack)-1]
		return true
	}
	if v.err == nil {
		v.err = v.check(n)
	}
	if v.err == nil && len(v.stack) >= maxDepth {
		v.err = errors.New("nested too deeply")
	}
	if v.err != nil {
		return false // no nil follows
	}
	v.stack = append(v.stack, n)
	if apart(n) {
		v.inner++
	}
	return true
}

// apart reports whether jobs started below n are out of the main shell's sight, which could then not wait for them.
func apart(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.Subshell, *syntax.CmdSubst, *syntax.FuncDecl:
		return true
	case *syntax.BinaryCmd:
		return n.Op == syntax.Pipe
	case *syntax.Stmt:
		return n.Background
	}
	return false
}

func (v *vetter) check(n syntax.Node) error {
	switch n := n.(type) {
	case *syntax.Stmt:
		return v.stmt(n)
	case *syntax.ProcSubst:
		return errors.New("unexpected '('")
	case *syntax.CoprocClause, *syntax.TestDecl:
		return errors.New("coprocesses are not supported")
	case *syntax.BinaryCmd:
		if n.Op == syntax.PipeAll {
			return errors.New("unexpected '|&'")
		}
	case *syntax.ForClause:
		if n.Select {
			return errors.New("unexpected 'select'")
		}
	case *syntax.FuncDecl:
		return v.function(n)
	case *syntax.CmdSubst:
		if n.TempFile || n.ReplyVar {
			return errors.New("unexpected '{'")
		}
	case *syntax.DeclClause:
		return v.declaration(n)
	case *syntax.ParamExp:
		return v.param(n)
	case *syntax.UnaryTest:
		return v.test(n)
	case *syntax.Word:
		return v.braces(n)
	}
	return nil
}

func (v *vetter) stmt(s *syntax.Stmt) error {
	if s.Coprocess || s.Disown {
		return errors.New("coprocesses are not supported")
	}
	if s.Background && (v.inner > 0 || !v.jobs) {
		return errors.New("background jobs are supported in the main shell only")
	}
	return nil
}

func (v *vetter) function(f *syntax.FuncDecl) error {
	if f.Name == nil {
		return errors.New("unexpected '('")
	}
	if interp.IsBuiltin(f.Name.Value) {
		return fmt.Errorf("%s cannot be redefined", f.Name.Value)
	}
	return nil
}

func (v *vetter) declaration(d *syntax.DeclClause) error {
	if d.Variant.Value == "nameref" {
		return errors.New("unexpected 'nameref'")
	}
	for _, a := range d.Args {
		if a.Naked && a.Name == nil && a.Value != nil && strings.HasPrefix(a.Value.Lit(), "-n") {
			return errors.New("name references are not supported")
		}
	}
	return nil
}

// pidVariable holds the shell's process id on the phone; the interpreter's own answer is the host's.
const pidVariable = "BASHPID"

func (v *vetter) param(p *syntax.ParamExp) error {
	if p.Excl || p.Names != 0 || p.Param == nil {
		return errors.New("bad substitution")
	}
	if p.Exp != nil && p.Exp.Op == syntax.OtherParamOps {
		return errors.New("bad substitution")
	}
	if p.Param.Value == "$" || p.Param.Value == "PPID" {
		p.Param = &syntax.Lit{ValuePos: p.Param.ValuePos, ValueEnd: p.Param.ValueEnd, Value: pidVariable}
		p.Short = false
	}
	return nil
}

// test mends the operators of [[ ]] that the interpreter answers with the host's users and terminals.
func (v *vetter) test(t *syntax.UnaryTest) error {
	switch t.Op {
	case syntax.TsUsrOwn, syntax.TsGrpOwn:
		t.Op = syntax.TsExists
	case syntax.TsFdTerm: // never a terminal
		t.Op = syntax.TsEmpStr
		t.X = &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: "no"}}}
	case syntax.TsModif, syntax.TsRefVar:
		return fmt.Errorf("unexpected '%s'", t.Op)
	}
	return nil
}

// sequence is what bash would expand and the phone's shell leaves alone: {1..9}.
var sequence = regexp.MustCompile(`(^|[^\\])\{([^{},]*\.\.[^{},]*)\}`)

// braces keeps sequences literal and bounds what a list of braces multiplies to.
func (v *vetter) braces(w *syntax.Word) error {
	for _, p := range w.Parts {
		if lit, ok := p.(*syntax.Lit); ok && strings.Contains(lit.Value, "..") {
			for sequence.MatchString(lit.Value) {
				lit.Value = sequence.ReplaceAllString(lit.Value, `$1\{$2}`)
			}
		}
	}
	probe := &syntax.Word{Parts: append([]syntax.WordPart(nil), w.Parts...)}
	if syntax.SplitBraces(probe) && words(probe) > maxBrace {
		return errors.New("the braces make too many words")
	}
	return nil
}

// words is how many words a word with split braces becomes, or a number over maxBrace.
func words(w *syntax.Word) int {
	n := 1
	for _, p := range w.Parts {
		b, ok := p.(*syntax.BraceExp)
		if !ok {
			continue
		}
		if b.Sequence {
			return maxBrace + 1
		}
		sum := 0
		for _, e := range b.Elems {
			sum = min(sum+words(e), maxBrace+1)
		}
		n = min(n*sum, maxBrace+1)
	}
	return n
}
