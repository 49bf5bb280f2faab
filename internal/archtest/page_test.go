package archtest

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The table of ARCHITECTURE.md is the map: what each package is for, and which of ours it imports.
// A package with no row fails the test, and so does a row with no package: adding a row is a design
// decision.
func TestEveryPackageImportsWhatTheMapAllows(t *testing.T) {
	files, err := load(root)
	require.NoError(t, err)
	require.NotEmpty(t, files)
	page, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	require.NoError(t, err)
	rows := tour(string(page))
	unknown := maps.Clone(besides)
	for _, r := range rows {
		require.NotEmpty(t, r.why, r.pkg)
		delete(unknown, r.pkg)
	}
	require.NotEmpty(t, rows)
	for _, v := range violations(files, rows, roads) {
		t.Error(v)
	}
	require.Empty(t, unknown, "packages that have no row in ARCHITECTURE.md")
}

var code = regexp.MustCompile("`([^`]+)`")

// tour reads the rows of the page's table of packages, with what their tests may import besides.
func tour(page string) []row {
	var rows []row
	for line := range strings.Lines(page) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 || !strings.HasPrefix(cells[1], " `") {
			continue
		}
		imports := strings.TrimSpace(strings.ReplaceAll(cells[3], ",", ""))
		switch imports {
		case "-":
			imports = ""
		case "everything":
			imports = "*"
		}
		for _, name := range code.FindAllStringSubmatch(cells[1], -1) {
			rows = append(rows, row{pkg: name[1], imports: imports, tests: besides[name[1]],
				why: strings.TrimSpace(cells[2])})
		}
	}
	return rows
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
	require.Equal(t, []string{"dialect", "action", "channel", "kind of question", "gate rule",
		"tool", "setting"}, news)
}
