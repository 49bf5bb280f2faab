package archtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// Every link from one document to another file leads to a file that exists, and to a heading that
// the file has.
func TestLinksBetweenDocumentsResolve(t *testing.T) {
	pages := documents(t)
	require.Greater(t, len(pages), 20)
	checked := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			checked++
			name, heading, _ := strings.Cut(m[1], "#")
			target := page
			if name != "" {
				target = filepath.Join(filepath.Dir(page), name)
			}
			_, err := os.Stat(target)
			require.NoError(t, err, "%s links to it", page)
			if heading != "" {
				require.Contains(t, headings(t, target), heading, "%s links to %s", page, m[1])
			}
		}
	}
	require.Greater(t, checked, 50)
}

var mentioned = regexp.MustCompile(
	"`((?:actions|agentloop|caption|cmd|device|docs|internal|scripts|testdata|tools)/[\\w./-]*\\w)`")

// Every file or folder of the tree that a document names exists.
func TestPathsInDocumentsExist(t *testing.T) {
	checked := 0
	for _, page := range documents(t) {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, m := range mentioned.FindAllStringSubmatch(string(text), -1) {
			switch m[1] {
			case "tools/call", "tools/list": // methods of MCP
				continue
			}
			path := strings.ReplaceAll(m[1], "NAME", "*")
			there, err := filepath.Glob(filepath.Join(root, path))
			require.NoError(t, err)
			require.NotEmpty(t, there, "%s names %s", page, m[1])
			checked++
		}
	}
	require.Greater(t, checked, 50)
}

// documents returns the paths of the tree's Markdown files.
func documents(t *testing.T) (pages []string) {
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		if !d.IsDir() && strings.HasSuffix(path, ".md") {
			pages = append(pages, path)
		}
		return nil
	}))
	return pages
}

// headings returns the anchors of a page's headings.
func headings(t *testing.T, page string) (anchors []string) {
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	dropped := regexp.MustCompile("[^a-z0-9 _-]")
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			title := strings.ToLower(strings.TrimSpace(strings.TrimLeft(line, "#")))
			anchors = append(anchors,
				strings.ReplaceAll(dropped.ReplaceAllString(title, ""), " ", "-"))
		}
	}
	return anchors
}

// The README is a door: what it cannot say in ten kilobytes belongs to docs. The changelog keeps
// what a user must know.
func TestTheReadmeAndTheChangelogAreShort(t *testing.T) {
	for file, most := range map[string]int64{"README.md": 10 << 10, "CHANGELOG.md": 3 << 10} {
		info, err := os.Stat(filepath.Join(root, file))
		require.NoError(t, err)
		require.LessOrEqual(t, info.Size(), most, file)
	}
}
