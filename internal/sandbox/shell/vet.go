package shell

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxSource bounds the bytes of a line, and with them the memory that its words take. Its time is
// bounded by its context, its files by the storage.
const maxSource = 64 << 10

const (
	maxOpen  = 10_000 // opening parentheses of a text: the parser takes long over very many of them
	maxDepth = 200    // of the syntax tree
)

var errNested = errors.New("nested too deeply")

// parse reads shell text and refuses all of it when it has anything that this shell does not carry
// out.
func parse(src string) (*syntax.File, error) {
	if len(src) > maxSource {
		return nil, fmt.Errorf("the text is longer than %d bytes", maxSource)
	}
	if strings.Count(src, "(") > maxOpen {
		return nil, errNested
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangMirBSDKorn)).
		Parse(strings.NewReader(src), shName)
	if err != nil {
		return nil, plain(err)
	}
	return file, vet(file)
}

// plain is a parser's message without the file and position, which a line on the phone does not
// have.
func plain(err error) error {
	if syntax.IsIncomplete(err) {
		return errors.New("unexpected EOF")
	}
	if p, ok := errors.AsType[syntax.ParseError](err); ok {
		return errors.New(p.Text)
	}
	if l, ok := errors.AsType[syntax.LangError](err); ok {
		return fmt.Errorf("unexpected %s", l.Feature)
	}
	return err
}

// vet lets through what [process] carries out and nothing else: a node that it does not know is an
// error.
func vet(file *syntax.File) (err error) {
	depth := 0
	syntax.Walk(file, func(n syntax.Node) bool {
		if n == nil {
			depth--
			return true
		}
		if err == nil {
			err = check(n)
		}
		if err == nil && depth >= maxDepth {
			err = errNested
		}
		if err != nil {
			return false // no nil follows
		}
		depth++
		return true
	})
	return err
}

func check(n syntax.Node) error {
	switch n := n.(type) {
	case *syntax.File, *syntax.Comment, *syntax.Block, *syntax.Subshell, *syntax.Lit:
	case *syntax.SglQuoted:
		return refuseIf(n.Dollar, "$'...'")
	case *syntax.DblQuoted:
		return refuseIf(n.Dollar, `$"..."`)
	case *syntax.Stmt:
		return refuseIf(n.Background || n.Coprocess || n.Disown, "a background job")
	case *syntax.CallExpr:
		return refuseIf(len(n.Assigns) > 0, "setting a variable")
	case *syntax.BinaryCmd:
		return refuseIf(n.Op == syntax.PipeAll, "|&")
	case *syntax.Redirect:
		return checkRedirect(n)
	case *syntax.CmdSubst:
		return refuseIf(true, "$(...)")
	case *syntax.ParamExp:
		return checkParameter(n)
	case *syntax.Word:
		probe := &syntax.Word{Parts: append([]syntax.WordPart(nil), n.Parts...)}
		return refuseIf(syntax.SplitBraces(probe), "{a,b}")
	default:
		part := strings.TrimPrefix(fmt.Sprintf("%T", n), "*syntax.")
		return refuseIf(true, strings.ToLower(strings.TrimSuffix(part, "Clause")))
	}
	return nil
}

func refuseIf(refused bool, what string) error {
	if refused {
		return fmt.Errorf("%s is not supported on the simulated phone", what)
	}
	return nil
}

// checkParameter allows $?.
func checkParameter(p *syntax.ParamExp) error {
	simple := syntax.ParamExp{Dollar: p.Dollar, Rbrace: p.Rbrace, Short: p.Short, Param: p.Param}
	refused := p.Param == nil || p.Param.Value != "?" || !reflect.DeepEqual(*p, simple)
	return refuseIf(refused, "a variable")
}

// checkRedirect allows output to files, and 2>&1 and its kin.
func checkRedirect(r *syntax.Redirect) error {
	from := ""
	if r.N != nil {
		from = r.N.Value
	}
	known := false
	switch r.Op {
	case syntax.RdrOut, syntax.AppOut:
		known = from == "" || from == "1" || from == "2"
	case syntax.DplOut:
		to := r.Word.Lit()
		known = (from == "" || from == "1" || from == "2") && (to == "1" || to == "2")
	}
	return refuseIf(!known, "the redirection "+from+r.Op.String())
}
