package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"
)

// Every command line that a text for people or a document names in backquotes is one that there is,
// with flags that it has.
func TestEveryCommandThatATextNamesIsThere(t *testing.T) {
	parser, err := newParser(new(commands), streams{}, "", nil)
	require.NoError(t, err)
	quoted := regexp.MustCompile("`taploop ([^`\n]+)`")
	named := 0
	for _, dir := range []string{"../../internal/words", "../../docs", "../../README.md"} {
		require.NoError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || e.Name() == "commands.md" || // which has its own test
				!regexp.MustCompile(`\.(md|yaml)$`).MatchString(path) {
				return err
			}
			b, err := os.ReadFile(path)
			for _, m := range quoted.FindAllStringSubmatch(string(b), -1) {
				named++
				if wrong := unknownPart(parser, m[1]); wrong != "" {
					t.Errorf("%s: `taploop %s`: there is no %q", path, m[1], wrong)
				}
			}
			return err
		}))
	}
	require.Greater(t, named, 100)
}

// unknownPart is the first word of the command line that is no command, flag or argument there, or
// "COMMAND" if a command is missing at its end. Of commands with "|" between them it takes the last.
func unknownPart(parser *kong.Kong, line string) string {
	node, given, valued := parser.Model.Node, 0, ""
	line = regexp.MustCompile(`"[^"]*"`).ReplaceAllString(line, "ARGUMENT")
	words := strings.NewReplacer("[", " ", "]", " ").Replace(line)
	for word := range strings.FieldsSeq(words) {
		word = word[strings.LastIndex(word, "|")+1:]
		flag, isFlag := strings.CutPrefix(word, "-")
		flag = strings.TrimPrefix(flag, "-")
		isFlag = isFlag && flag != "" // "-" is what is typed
		flag, _, _ = strings.Cut(flag, "=")
		child := childOf(node, word)
		switch {
		case word == "--", word == "COMMAND":
			return "" // the rest is another program's, or any command's
		case isFlag && !hasFlag(node, flag):
			return word
		case isFlag:
			valued = flag
		case child != nil && given == 0:
			node = child
		case node.DefaultCmd == nil && len(node.Positional) == 0 && valued != "":
			valued = "" // of the flag before it
		case node.DefaultCmd == nil && len(node.Positional) == 0:
			return word
		default:
			given++
		}
	}
	if len(node.Children) > 0 && node.DefaultCmd == nil && node.Parent != nil && valued == "" {
		return "COMMAND"
	}
	return ""
}

func childOf(n *kong.Node, name string) *kong.Node {
	for _, c := range n.Children {
		if c.Name == name {
			return c
		}
	}
	return nil
}

func hasFlag(n *kong.Node, name string) bool {
	for ; n != nil; n = n.Parent {
		for _, f := range n.Flags {
			if f.Name == name || string(f.Short) == name || f.Negated && "no-"+f.Name == name {
				return true
			}
		}
		if n.DefaultCmd != nil {
			for _, f := range n.DefaultCmd.Flags {
				if f.Name == name {
					return true
				}
			}
		}
	}
	return name == "help" || name == "version"
}
