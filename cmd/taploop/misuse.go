package main

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/taploop/taploop/internal/clients"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/text"
)

// missing says, of an argument by its name and of a flag that has to be there, that it is not
// there, and what to write. COMMAND stands for the command.
var missing = map[string][2]string{
	"task": {"there is no task",
		`put the task in quotes: COMMAND "Set an alarm for 7:30 in the morning"`},
	"session": {"no session is named", "`taploop sessions list` shows the ids; then COMMAND ID"},
	"question": {"no question is named",
		"`taploop inquiries` shows the ids, with --all also of those that are settled; then " +
			"COMMAND ID, for reply with the answer behind it"},
	"name": {"no token is named", "`taploop token list` shows the names; then COMMAND NAME"},
	"server": {"gelab-zero's two files are not named",
		"COMMAND mcp_server_config.yaml model_config.yaml"},
	"models": {"gelab-zero's model_config.yaml is not named",
		"COMMAND mcp_server_config.yaml model_config.yaml"},
	"file": {"no template is named",
		"COMMAND FILE; `taploop prompt show` prints what a template has to show"},
	"--client": {"no client is named",
		"COMMAND --client NAME, with one of " + strings.Join(clients.Names(), ", ")},
	"--older-than": {"it is not said how old they have to be", "COMMAND --older-than 720h"},
}

// maxQuoted is how many characters of a wrong argument are said again.
const maxQuoted = 100

// How the parser says what is wrong.
var (
	misvalued = regexp.MustCompile(`(?s)^(?:--)?(--[\w-]+).* but got "(.*?)"(?: \(|;|:|$)`)
	noFile    = regexp.MustCompile(`(?s)^(--[\w-]+|<[\w-]+>): (stat .*: .*|".*" exists .*)$`)
	unheardOf = regexp.MustCompile(`(?s)^unexpected argument (.*)$`)
)

// misuse is why arguments could not be understood, with what to write instead.
func misuse(args []string, err error) error {
	var wrong *kong.ParseError
	if !errors.As(err, &wrong) || wrong.Context == nil {
		return usage(err, "taploop --help")
	}
	command, node := commandOf(wrong.Context)
	instead := command + " --help"
	said := err.Error()
	switch {
	case strings.HasPrefix(said, "expected one of "):
		var names []string
		for _, c := range node.Children {
			names = append(names, command+" "+c.Name)
		}
		return usage(fmt.Errorf("%s does nothing by itself", command),
			"one of "+strings.Join(names, ", "))
	case strings.HasPrefix(said, `expected "`), strings.HasPrefix(said, "expected <"):
		return lacking(strings.Trim(strings.Fields(said)[1], `<>"`), command, err)
	case strings.HasPrefix(said, "missing flags: "):
		name, _, _ := strings.Cut(strings.TrimPrefix(said, "missing flags: "), "=")
		return lacking(name, command, err)
	}
	if m := misvalued.FindStringSubmatch(said); m != nil {
		return misvalue(node, m[1], m[2], err)
	}
	if m := noFile.FindStringSubmatch(said); m != nil {
		what := strings.ToUpper(strings.Trim(m[1], "<>"))
		if strings.HasPrefix(m[1], "--") {
			what = m[1]
		}
		return usage(fmt.Errorf("%s is no file that can be read: %s", what,
			text.Cut(strings.TrimPrefix(m[2], "stat "), maxQuoted)),
			"name a file that is there; see "+instead)
	}
	if m := unheardOf.FindStringSubmatch(said); m != nil {
		extra := text.Cut(m[1], maxQuoted)
		return usage(fmt.Errorf("unexpected argument %s", extra),
			leftover(args, command, node, extra))
	}
	return usage(errors.New(text.Cut(said, 2*maxQuoted)),
		instead+" lists the flags and arguments")
}

// commandOf is the command that was meant, as far as it was understood.
func commandOf(c *kong.Context) (words string, node *kong.Node) {
	words, node = "taploop", c.Model.Node
	for _, p := range c.Path {
		if p.Command != nil {
			words, node = words+" "+p.Command.Name, p.Command
		}
	}
	return words, node
}

// lacking is about an argument, or a flag, that is missing or empty.
func lacking(name, command string, err error) error {
	says, known := missing[name]
	if !known {
		return usage(err, command+" --help")
	}
	return usage(errors.New(says[0]), strings.ReplaceAll(says[1], "COMMAND", command))
}

// misvalue is about the value of a flag, or that there is none. "EOL" is how the parser says that.
func misvalue(node *kong.Node, name, value string, err error) error {
	var flags []*kong.Flag
	for _, group := range node.AllFlags(false) {
		flags = append(flags, group...)
	}
	i := slices.IndexFunc(flags, func(f *kong.Flag) bool { return "--"+f.Name == name })
	if i < 0 {
		return usage(err, "taploop --help")
	}
	f := flags[i]
	if plain, err := strconv.Unquote(`"` + value + `"`); err == nil {
		value = text.Cut(plain, maxQuoted)
	}
	if value == "EOL" {
		return usage(fmt.Errorf("%s has no value", name), "want "+wanted(f))
	}
	want := wanted(f)
	if strings.HasPrefix(value, "-") && f.Target.Kind() == reflect.String && f.Enum == "" {
		want += fmt.Sprintf("; one that begins with - is written %s=%s", name, value)
	}
	return usage(fmt.Errorf("%s is %q", name, value), "want "+want)
}

// wanted says which values a flag takes.
func wanted(f *kong.Flag) string {
	switch {
	case f.Tag.Get("want") != "":
		return f.Tag.Get("want")
	case f.Tag.Get("to") != "":
		return fmt.Sprintf("a whole number from %s to %s", f.Tag.Get("from"), f.Tag.Get("to"))
	case f.Enum != "":
		return "one of " + strings.Join(f.EnumSlice(), ", ")
	case f.IsBool():
		return fmt.Sprintf("no value, or %s=false", "--"+f.Name)
	}
	return fmt.Sprintf("--%s %s: %s", f.Name, f.FormatPlaceHolder(),
		strings.TrimSuffix(f.Help, "."))
}

// leftover is what to write in place of one argument too many: the words of a task, which the shell
// took apart, in quotes, else the command without it.
func leftover(args []string, command string, node *kong.Node, extra string) string {
	words, several := map[string]string{"taploop run": "task", "taploop continue": "task",
		"taploop reply": "answer"}[command]
	switch {
	case node.Parent == nil || !node.Leaf():
		return command + " --help lists the commands"
	case !several && len(node.Positional) == 0:
		return fmt.Sprintf("leave %q out: %s takes flags only; see %s --help", extra, command,
			command)
	case !several:
		return fmt.Sprintf("leave %q out: %s takes %s; see %s --help", extra, command,
			node.Positional[0].Summary(), command)
	case command != "taploop run":
		return fmt.Sprintf("put the %s in quotes: %s ID \"...\"", words, command)
	}
	task := strings.Join(args[slices.Index(args, "run")+1:], " ")
	if strings.ContainsAny(task, "-\"\\$`!\n") { // not all of it is the task, or it needs more
		task = "..."
	}
	return fmt.Sprintf("put the task in quotes: %s \"%s\"", command, task)
}

// whole is a flag's whole number, within the bounds that its tags from and to name.
type whole int

// Decode implements kong.MapperValue.
func (n *whole) Decode(c *kong.DecodeContext) error {
	var given string
	if err := c.Scan.PopValueInto("number", &given); err != nil {
		return err
	}
	bounds := [2]int{}
	for i, tag := range []string{"from", "to"} {
		var err error
		if bounds[i], err = strconv.Atoi(c.Value.Tag.Get(tag)); err != nil {
			return err
		}
	}
	number, err := strconv.Atoi(given)
	if err != nil || number < bounds[0] || number > bounds[1] {
		return fmt.Errorf("expected another number but got %q", given)
	}
	*n = whole(number)
	return nil
}

// emptied is about what was given as an empty text, as a shell does with a variable that is not
// set; nil when nothing was. It would be taken for something that was not given.
func emptied(c *kong.Context) error {
	command, _ := commandOf(c)
	for _, p := range c.Path {
		switch {
		case p.Positional != nil && missing[p.Positional.Name][0] != "" &&
			p.Positional.Name != "task" && p.Positional.Target.String() == "":
			return usage(fmt.Errorf("the argument %s is empty", strings.ToUpper(p.Positional.Name)),
				strings.ReplaceAll(missing[p.Positional.Name][1], "COMMAND", command))
		case p.Flag != nil && reflect.Indirect(p.Flag.Target).Kind() == reflect.String &&
			reflect.Indirect(p.Flag.Target).String() == "" && p.Flag.Tag.Get("empty") == "":
			return usage(fmt.Errorf("--%s is empty", p.Flag.Name),
				fmt.Sprintf("leave it out, or give %s", wanted(p.Flag)))
		}
	}
	return nil
}

// inJSON reports whether the arguments are those of a command that promises one JSON object,
// whatever happens.
func inJSON(c *kong.Context) bool {
	if c == nil {
		return false
	}
	command, _ := commandOf(c)
	return (command == "taploop run" || command == "taploop continue") &&
		slices.ContainsFunc(c.Args[:endOfFlags(c.Args)],
			func(s string) bool { return s == "--json" || s == "--json=true" })
}

// endOfFlags is where arguments begin that are none, whatever they look like.
func endOfFlags(args []string) int {
	if i := slices.Index(args, "--"); i >= 0 {
		return i
	}
	return len(args)
}

// coded is err with the code that programs read: what could not be understood is an invalid
// argument.
func coded(err error) error {
	if wrong, ok := errors.AsType[usageError](err); ok {
		return runs.Coded(runs.InvalidArgument, wrong.error)
	}
	return err
}
