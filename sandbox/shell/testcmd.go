package shell

import (
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// test is test(1) and [: exit code 0 true, 1 false, 2 wrong usage.
func test(c *call) int {
	args := c.args
	if c.name == "[" {
		if len(args) == 0 || args[len(args)-1] != "]" {
			return c.fail(2, "%s: [: missing ]", shName)
		}
		args = args[:len(args)-1]
	}
	t := &tester{c: c, rest: args}
	result := len(args) > 0 && t.or()
	if t.bad == "" && len(t.rest) > 0 {
		t.bad = t.rest[0] + ": unexpected operator/operand"
	}
	switch {
	case t.bad != "":
		return c.fail(2, "%s: %s: %s", shName, c.name, t.bad)
	case result:
		return exitOK
	}
	return exitFailure
}

type tester struct {
	c    *call
	rest []string
	bad  string
}

func (t *tester) take() string {
	if len(t.rest) == 0 {
		if t.bad == "" {
			t.bad = "expression expected"
		}
		return ""
	}
	s := t.rest[0]
	t.rest = t.rest[1:]
	return s
}

func (t *tester) next(s string) bool {
	if len(t.rest) > 0 && t.rest[0] == s {
		t.rest = t.rest[1:]
		return true
	}
	return false
}

func (t *tester) or() bool {
	v := t.and()
	for t.bad == "" && t.next("-o") {
		v = t.and() || v
	}
	return v
}

func (t *tester) and() bool {
	v := t.primary()
	for t.bad == "" && t.next("-a") {
		v = t.primary() && v
	}
	return v
}

func (t *tester) primary() bool {
	// A binary operator in second place decides, so that operands may look like operators.
	if len(t.rest) >= 3 && isBinary(t.rest[1]) {
		x, op, y := t.take(), t.take(), t.take()
		return t.binary(x, op, y)
	}
	if len(t.rest) >= 2 && t.next("!") {
		return !t.primary()
	}
	if len(t.rest) >= 3 && t.next("(") {
		v := t.or()
		if !t.next(")") && t.bad == "" {
			t.bad = "missing )"
		}
		return v
	}
	s := t.take()
	if len(s) == 2 && s[0] == '-' && strings.IndexByte("nzefdrwxshLtpScbugkOG", s[1]) >= 0 && len(t.rest) > 0 {
		return t.unary(s[1], t.take())
	}
	return s != ""
}

func isBinary(op string) bool {
	switch op {
	case "=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef":
		return true
	}
	return false
}

func (t *tester) binary(x, op, y string) bool {
	switch op {
	case "=", "==":
		return x == y
	case "!=":
		return x != y
	case "<":
		return x < y
	case ">":
		return x > y
	case "-nt", "-ot", "-ef":
		return t.files(x, op, y)
	}
	a, b := t.number(x), t.number(y)
	return map[string]bool{"-eq": a == b, "-ne": a != b, "-lt": a < b, "-le": a <= b, "-gt": a > b, "-ge": a >= b}[op]
}

func (t *tester) number(s string) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if err != nil && t.bad == "" {
		t.bad = s + ": bad number"
	}
	return n
}

func (t *tester) files(x, op, y string) bool {
	a, errA := t.c.stat(x)
	b, errB := t.c.stat(y)
	switch {
	case op == "-ef":
		return errA == nil && errB == nil && t.c.path(x) == t.c.path(y)
	case op == "-ot":
		a, b, errA, errB = b, a, errB, errA
	}
	return errA == nil && (errB != nil || a.ModTime().After(b.ModTime()))
}

func (t *tester) unary(op byte, x string) bool {
	switch op {
	case 'n':
		return x != ""
	case 'z':
		return x == ""
	}
	info, err := t.c.stat(x)
	if err != nil {
		return false
	}
	switch op {
	case 'e', 'r', 'O', 'G':
		return true
	case 'f':
		return info.Mode().IsRegular()
	case 'd':
		return info.IsDir()
	case 'w':
		return writable(path.Clean(t.c.path(x)))
	case 'x':
		return info.Mode()&0o111 != 0
	case 's':
		return info.Size() > 0
	case 'c':
		return info.Mode()&fs.ModeCharDevice != 0
	}
	return false // links, sockets, terminals and the like are not on this phone
}
