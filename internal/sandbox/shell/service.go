package shell

import (
	"fmt"
	"iter"
)

// service runs a system service's command, whose subcommand is name, or "".
type service func(c *invocation, name string, args *args) int

// commandOf is the program that is nothing but a service's commands.
func commandOf(f service) command {
	return func(c *invocation) int { return callService(c, f, c.args) }
}

// callService runs a service as cmd(1) does: a mistake in the arguments is an exception with a
// trace and exit code 255.
func callService(c *invocation, f service, words []string) (code int) {
	name := ""
	if len(words) > 0 {
		name, words = words[0], words[1:]
	}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case exception:
			c.errf("\nException occurred while executing '%s':\n%s\n", name, e)
			c.errf("\tat android.os.ShellCommand.exec(ShellCommand.java:38)\n")
			code = exitMinus
		default:
			panic(e)
		}
	}()
	return f(c, name, &args{last: name, rest: words})
}

// exception ends a service's command. Only callService catches it.
type exception string

func illegalArgument(format string, a ...any) exception {
	return exception("java.lang.IllegalArgumentException: " + fmt.Sprintf(format, a...))
}

// args are the words of a service's command that were not read yet.
type args struct {
	last string
	rest []string
}

func (a *args) next() (string, bool) {
	if len(a.rest) == 0 {
		return "", false
	}
	a.last, a.rest = a.rest[0], a.rest[1:]
	return a.last, true
}

// need is the next word. Without one the command ends in an exception.
func (a *args) need() string {
	s, ok := a.next()
	if !ok {
		panic(illegalArgument("Argument expected after %q", a.last))
	}
	return s
}

// options takes the next words as long as they are options.
func (a *args) options() iter.Seq[string] {
	return func(yield func(string) bool) {
		for len(a.rest) > 0 && len(a.rest[0]) > 1 && a.rest[0][0] == '-' {
			if option, _ := a.next(); !yield(option) {
				return
			}
		}
	}
}

// unknownCommand is what a service says to a subcommand that it does not have.
func unknownCommand(c *invocation, name string) int {
	c.outf("Unknown command: %s\n", name)
	return exitMinus
}

func skipUser(a *args) {
	for option := range a.options() {
		if option == "--user" {
			a.need()
		}
	}
}
