// Package golden reads golden cases. Each is a txtar file, whose comment states the rule and whose
// sections are the input and the wanted output.
//
// go test -update rewrites the wanted sections, so review their diff.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the wanted sections of golden files")

// Case is one txtar file.
type Case struct {
	Name    string // file name without the extension
	Comment string // the rule that the case shows
	path    string
	archive *txtar.Archive
}

// Section returns the text of a section with its final newline. It fails the test if there is no
// such section.
func (c *Case) Section(t testing.TB, name string) string {
	t.Helper()
	i := c.find(name)
	require.GreaterOrEqual(t, i, 0, "%s has no section %q", c.path, name)
	return string(c.archive.Files[i].Data)
}

// Has reports whether the case has the section.
func (c *Case) Has(name string) bool { return c.find(name) >= 0 }

func (c *Case) find(name string) int {
	return slices.IndexFunc(c.archive.Files, func(f txtar.File) bool { return f.Name == name })
}

// Want compares got with a section. Under -update it writes got into the file instead.
func (c *Case) Want(t *testing.T, section, got string) {
	t.Helper()
	if got != "" && !strings.HasSuffix(got, "\n") {
		got += "\n"
	}
	if !*update {
		require.Equal(t, c.Section(t, section), got, "%s, section %q; go test -update rewrites it",
			c.path, section)
		return
	}
	if i := c.find(section); i >= 0 {
		c.archive.Files[i].Data = []byte(got)
	} else {
		c.archive.Files = append(c.archive.Files, txtar.File{Name: section, Data: []byte(got)})
	}
	require.NoError(t, os.WriteFile(c.path, txtar.Format(c.archive), 0o644))
}

// Run runs f as a subtest for each *.txtar file of dir. It fails the test if there is no file, as
// when the folder was moved.
func Run(t *testing.T, dir string, f func(*testing.T, *Case)) {
	t.Helper()
	for _, c := range Load(t, dir) {
		t.Run(c.Name, func(t *testing.T) { f(t, c) })
	}
}

// Shared returns the path of a file in the module's top testdata folder, which several packages and
// users share.
func Shared(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(Module(t), "testdata", filepath.FromSlash(name))
	require.True(t, exists(path), "no %s", path)
	return path
}

// Module returns the root folder of the module under test.
func Module(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	require.NoError(t, err)
	for !exists(filepath.Join(dir, "go.mod")) {
		require.NotEqual(t, dir, filepath.Dir(dir), "no go.mod above the test's folder")
		dir = filepath.Dir(dir)
	}
	return dir
}

// Foreign returns the lines of a text for a Chinese person that have a word in Latin letters which
// testdata/chinese.txtar has not, and which is not among the words of others.
func Foreign(t testing.TB, said string, others ...string) (lines []string) {
	t.Helper()
	list, err := txtar.ParseFile(Shared(t, "chinese.txtar"))
	require.NoError(t, err)
	names := strings.Fields(string(list.Files[0].Data))
	literal := strings.TrimSuffix(string(list.Files[1].Data), "\n")
	for _, words := range others {
		literal = regexp.QuoteMeta(words) + "\n" + literal
	}
	known := regexp.MustCompile(strings.ReplaceAll(literal, "\n", "|"))
	known.Longest()
	for line := range strings.Lines(said) {
		found := word.FindAllString(strings.ToLower(known.ReplaceAllString(line, " ")), -1)
		if slices.ContainsFunc(found, func(w string) bool { return !slices.Contains(names, w) }) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return slices.Compact(lines)
}

var word = regexp.MustCompile(`[a-z]{2,}`)

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Load returns the cases in dir, to seed fuzz targets.
func Load(t testing.TB, dir string) []*Case {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	require.NoError(t, err)
	require.NotEmpty(t, paths, "no golden files in %s", dir)
	var cases []*Case
	for _, p := range paths {
		a, err := txtar.ParseFile(p)
		require.NoError(t, err)
		name := strings.TrimSuffix(filepath.Base(p), ".txtar")
		cases = append(cases, &Case{Name: name, Comment: strings.TrimSpace(string(a.Comment)),
			path: p, archive: a})
	}
	return cases
}
