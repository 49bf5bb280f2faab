package store_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// databaseClock is what reads the clock of a database in a statement.
var databaseClock = regexp.MustCompile(`(?i)\b(now\(\)|(clock|statement|transaction)_timestamp|` +
	`current_(timestamp|time|date)|localtime|strftime|unixepoch|julianday|datetime\()`)

// The database's clock may be wrong, and be set at any time: no time of the store is by it.
func TestNoStatementReadsTheDatabasesClock(t *testing.T) {
	sources, err := filepath.Glob("*.go")
	require.NoError(t, err)
	read := 0
	for _, path := range sources {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
				require.NotRegexp(t, databaseClock, text.Value, path)
				read++
			}
			return true
		})
	}
	require.Greater(t, read, 500)
	for _, pattern := range []string{"migrations/*.sql", "migrations/postgres/*.sql"} {
		scripts, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, scripts)
		for _, path := range scripts {
			script, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NotRegexp(t, databaseClock, string(script), path)
		}
	}
	require.Regexp(t, databaseClock, "SELECT clock_timestamp()")
}
