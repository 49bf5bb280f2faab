package archtest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheTourNamesEveryPackageWithItsImports(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	require.NoError(t, err)
	want := map[string]string{}
	for _, r := range packages {
		want[r.pkg] = inPage(r.imports)
	}
	require.Equal(t, want, tour(string(page)),
		"the table of ARCHITECTURE.md says what map_test.go does")
}

// inPage is how the page writes a row's imports.
func inPage(imports string) string {
	list := strings.Fields(imports)
	switch {
	case len(list) == 0:
		return "-"
	case list[0] == "*":
		return "everything"
	}
	return strings.Join(list, ", ")
}

var code = regexp.MustCompile("`([^`]+)`")

// tour is the packages of the page's table, each with its imports as they are written.
func tour(page string) map[string]string {
	found := map[string]string{}
	for line := range strings.Lines(page) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 || !strings.HasPrefix(cells[1], " `") {
			continue
		}
		for _, name := range code.FindAllStringSubmatch(cells[1], -1) {
			found[name[1]] = strings.TrimSpace(cells[3])
		}
	}
	return found
}

func TestEveryDecisionIsListed(t *testing.T) {
	index, err := os.ReadFile(filepath.Join(root, "docs/design/README.md"))
	require.NoError(t, err)
	pages, err := filepath.Glob(filepath.Join(root, "docs/design/*.md"))
	require.NoError(t, err)
	require.NotEmpty(t, pages)
	for _, page := range pages {
		if name := filepath.Base(page); name != "README.md" {
			require.Contains(t, string(index), "("+name+")")
		}
	}
}

func TestThePlacesToAddSomethingAreThere(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	require.NoError(t, err)
	_, section, found := strings.Cut(string(page), "\n## How to add\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	var news []string
	for line := range strings.Lines(section) {
		cells := strings.Split(line, " | ")
		if len(cells) != 4 || cells[0] == "| new" || cells[0] == "| ---" {
			continue
		}
		news = append(news, strings.TrimPrefix(cells[0], "| "))
		for _, name := range code.FindAllStringSubmatch(line, -1) {
			if !strings.Contains(name[1], "/") || strings.Contains(name[1], " ") {
				continue
			}
			pattern := strings.ReplaceAll(name[1], "NAME", "*")
			there, err := filepath.Glob(filepath.Join(root, pattern))
			require.NoError(t, err)
			require.NotEmpty(t, there, "%s, for a new %s", name[1], cells[0])
		}
	}
	require.Equal(t, []string{"dialect", "action", "channel", "gate rule", "tool", "setting"}, news)
}
