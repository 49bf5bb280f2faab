package main

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/families"
)

// The keys of the page of troubleshooting are texts that the program prints.
func TestTroubleshootingIsKeyedByTextsOfTheProgram(t *testing.T) {
	page, err := os.ReadFile("../../docs/troubleshooting.md")
	require.NoError(t, err)
	var texts []string
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, "|")
		if len(cells) < 3 {
			continue
		}
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[1], -1) {
			texts = append(texts, m[1])
		}
	}
	require.Greater(t, len(texts), 15)
	source := allSource(t)
	for _, text := range texts {
		switch text {
		// The phone's, the system's, and one that is put together from parts.
		case "INJECT_EVENTS", "connection refused", "HTTP 401":
		default:
			require.True(t, strings.Contains(source, text),
				"the page explains %q, which nothing says", text)
		}
	}
}

// The page of commands has a row for every command and subcommand, and the flags in it exist.
func TestThePageOfCommandsHasEveryCommand(t *testing.T) {
	page, err := os.ReadFile("../../docs/commands.md")
	require.NoError(t, err)
	parser, err := newParser(new(commands), streams{}, "", nil)
	require.NoError(t, err)
	there := map[string]*kong.Node{}
	for _, leaf := range parser.Model.Leaves(true) {
		there[leaf.Path()] = leaf
	}
	var rows []string
	row := regexp.MustCompile("(?m)^\\| `taploop ([a-z]+)( [a-z|\\\\]+)?[ `].*$")
	for _, m := range row.FindAllStringSubmatch(string(page), -1) {
		var flags []string
		for name := range strings.SplitSeq(m[2], `\|`) {
			command := strings.TrimSpace(m[1] + " " + strings.TrimSpace(name))
			rows = append(rows, command)
			require.Contains(t, slices.Collect(maps.Keys(there)), command)
			for _, f := range there[command].Flags {
				flags = append(flags, "--"+f.Name)
			}
		}
		for _, flag := range regexp.MustCompile(`--[a-z][a-z-]+`).FindAllString(m[0], -1) {
			require.Contains(t, flags, flag, m[1])
		}
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(there)), rows)
}

// The page of the prompts names all that a template may show.
func TestThePageOfThePromptsNamesEveryVariable(t *testing.T) {
	page, err := os.ReadFile("../../docs/prompts.md")
	require.NoError(t, err)
	for _, v := range []reflect.Type{reflect.TypeFor[dialect.Variables](),
		reflect.TypeFor[dialect.Past]()} {
		for i := range v.NumField() {
			require.Contains(t, string(page), "`."+v.Field(i).Name+"`", v.Name())
		}
	}
}

// The example on the page of the prompts shows every dialect's models all that they need.
func TestTheExampleOfATemplateFitsEveryDialect(t *testing.T) {
	page, err := os.ReadFile("../../docs/prompts.md")
	require.NoError(t, err)
	example := strings.Split(string(page), "```\n")[1]
	own, err := dialect.ParseTemplate("example", example, "en")
	require.NoError(t, err)
	for _, name := range families.Known.Names() {
		if name == "auto" {
			continue
		}
		d, err := families.Known.New(name, &dialect.Options{Lang: "en"})
		require.NoError(t, err)
		lacks, err := dialect.CheckTemplate(own, d)
		require.NoError(t, err)
		require.Empty(t, lacks, name)
	}
}

// allSource is the program's own code as one text.
func allSource(t *testing.T) string {
	return strings.Join(slices.Collect(maps.Values(sources(t))), "")
}

// sources are all files of the program's code and its templates, by their paths.
func sources(t *testing.T) map[string]string {
	all := make(map[string]string)
	add := func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != "..":
			return fs.SkipDir
		case d.IsDir() || strings.HasSuffix(path, "_test.go") ||
			!slices.Contains([]string{".go", ".html"}, filepath.Ext(path)):
			return nil
		}
		text, err := os.ReadFile(path)
		all[filepath.ToSlash(path)] = string(text)
		return err
	}
	require.NoError(t, filepath.WalkDir("../..", add))
	return all
}
