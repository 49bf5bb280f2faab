package archtest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatGoesAgainstTheMapIsNamed(t *testing.T) {
	rows := []row{
		{pkg: "low"},
		{pkg: "high", imports: "low", tests: "internal/sandbox"},
		{pkg: "internal/sandbox", imports: "low"},
		{pkg: "main", imports: "*"},
	}
	closed := []road{
		{to: "net/...", never: "low", why: "low is pure"},
		{to: "log", never: "low", code: true, why: "low is quiet"},
		{to: simulated, only: "main internal/sandbox", code: true, why: "it is a toy"},
	}
	// Every package has a file, so that only the file under test can go against the map.
	present := []file{{pkg: "low"}, {pkg: "high"}, {pkg: "internal/sandbox"}, {pkg: "main"}}
	for _, c := range []struct {
		name string
		file file
		want []string
	}{
		{"a row allows", file{name: "high/a.go", pkg: "high",
			imports: []string{"low", "fmt", "net/http"}}, nil},
		{"a row forbids", file{name: "low/a.go", pkg: "low", imports: []string{"high"}},
			[]string{"low/a.go imports high, which its row does not allow"}},
		{"no row", file{name: "new/a.go", pkg: "new", imports: []string{"low"}},
			[]string{"package new has no row in the map"}},
		{"a test may import itself and what its row adds",
			file{name: "high/a_test.go", pkg: "high", test: true, outside: true,
				imports: []string{"high", "internal/sandbox"}}, nil},
		{"code may not import what its tests may",
			file{name: "high/a.go", pkg: "high", imports: []string{"internal/sandbox"}}, []string{
				"high/a.go imports internal/sandbox, which its row does not allow",
				"high/a.go imports internal/sandbox: closed, because it is a toy"}},
		{"a test inside the package may not either",
			file{name: "high/a_test.go", pkg: "high", test: true,
				imports: []string{"internal/sandbox"}},
			[]string{"high/a_test.go imports internal/sandbox: closed, because it is a toy"}},
		{"a closed road", file{name: "low/a.go", pkg: "low",
			imports: []string{"net/http", "network"}},
			[]string{"low/a.go imports net/http: closed, because low is pure"}},
		{"a closed road is closed to tests", file{name: "low/a_test.go", pkg: "low", test: true,
			imports: []string{"net"}},
			[]string{"low/a_test.go imports net: closed, because low is pure"}},
		{"a road that is closed to code", file{name: "low/a_test.go", pkg: "low", test: true,
			imports: []string{"log"}}, nil},
		{"the wiring sees everything", file{name: "main/a.go", pkg: "main",
			imports: []string{"low", "high", "internal/sandbox"}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, violations(append(present, c.file), rows, closed))
		})
	}
	require.Equal(t, []string{"the map has a row for main, which is not there"},
		violations(present[:3], rows, closed))
}

func TestFilesAreReadWhateverTheirBuildTags(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	write("go.mod", "module example.org/m\n\ngo 1.26\n")
	write("a/a_windows.go",
		"//go:build never\n\npackage a\n\nimport (\n\t\"fmt\"\n\t_ "+
			"\"example.org/m/b\"\n\t\"example.org/m\"\n)\n")
	write("a/b/a_test.go", "package b_test\n\nimport \"example.org/mother\"\n")
	write("a/testdata/x.go", "not Go")
	write(".cache/x.go", "not Go")

	files, err := load(dir)
	require.NoError(t, err)
	require.Equal(t, []file{
		{name: "a/a_windows.go", pkg: "a", imports: []string{"fmt", "b", "."}},
		{name: "a/b/a_test.go", pkg: "a/b", test: true, outside: true,
			imports: []string{"example.org/mother"}},
	}, files)
}

func TestEveryRuleHasAReason(t *testing.T) {
	for _, r := range roads {
		require.NotEmpty(t, r.why, r.to)
	}
}
