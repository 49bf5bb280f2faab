package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/families"
)

// A text that the README explains is one that the program really says.
func TestTroubleshootingIsKeyedByTextsOfTheProgram(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(readme), "## Troubleshooting")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	var texts []string
	for line := range strings.Lines(section) {
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
		// The phone's, the system's, and one that is put together.
		case "INJECT_EVENTS", "connection refused", "HTTP 401":
		default:
			require.True(t, strings.Contains(source, text),
				"README explains %q, which nothing says", text)
		}
	}
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
	var b strings.Builder
	add := func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != "..":
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		b.Write(text)
		return err
	}
	require.NoError(t, filepath.WalkDir("../..", add))
	return b.String()
}
