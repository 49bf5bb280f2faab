package store

import (
	"database/sql"
	"fmt"
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

// A statement that is kept serves again, not while its rows are being read, and not after a change
// of the tables as it was.
func TestAStatementServesAgain(t *testing.T) {
	c, err := newConnector(filepath.Join(t.TempDir(), "x.db"))
	require.NoError(t, err)
	db := sql.OpenDB(c)
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	exec := func(query string, args ...any) {
		t.Helper()
		_, err := db.Exec(query, args...)
		require.NoError(t, err)
	}
	exec("CREATE TABLE n (v INTEGER PRIMARY KEY)")
	for i := range 3 {
		exec("INSERT INTO n VALUES (?)", i)
	}
	_, err = db.Exec("INSERT INTO n VALUES (?)", 1)
	require.ErrorContains(t, err, "UNIQUE")
	exec("INSERT INTO n VALUES (?)", 3)

	tx, err := db.Begin()
	require.NoError(t, err)
	const list = "SELECT v FROM n WHERE v >= ? ORDER BY v"
	read := func(from int) (all []int) {
		rows, err := tx.Query(list, from)
		require.NoError(t, err)
		for rows.Next() {
			var v int
			require.NoError(t, rows.Scan(&v))
			all = append(all, v)
		}
		require.NoError(t, rows.Close())
		return all
	}
	outer, err := tx.Query(list, 1)
	require.NoError(t, err)
	for want := 1; outer.Next(); want++ {
		var v int
		require.NoError(t, outer.Scan(&v))
		require.Equal(t, want, v)
		require.Equal(t, []int{2, 3}, read(2))
	}
	require.NoError(t, outer.Close())
	require.Equal(t, []int{3}, read(3))
	require.NoError(t, tx.Rollback())

	exec("ALTER TABLE n ADD COLUMN w TEXT DEFAULT 'new'")
	var all []string
	for range 2 {
		var v int
		var w string
		require.NoError(t, db.QueryRow("SELECT * FROM n WHERE v = ?", 2).Scan(&v, &w))
		all = append(all, w)
	}
	exec("ALTER TABLE n ADD COLUMN x TEXT DEFAULT ''")
	rows, err := db.Query("SELECT * FROM n WHERE v = ?", 2)
	require.NoError(t, err)
	columns, err := rows.Columns()
	require.NoError(t, err)
	require.Equal(t, []string{"v", "w", "x"}, columns)
	require.NoError(t, rows.Close())
	require.Equal(t, []string{"new", "new"}, all)

	for i := range 2 * mostKept {
		var v int
		require.NoError(t, db.QueryRow(fmt.Sprintf("SELECT %d", i)).Scan(&v))
		require.Equal(t, i, v)
	}
}

// The clock of a database can be set at any time, and says nothing about those of the machines.
func TestNoStatementAsksTheDatabaseForTheTime(t *testing.T) {
	asks := regexp.MustCompile(`(?i)\b(now|clock_timestamp|statement_timestamp|timeofday|` +
		`transaction_timestamp|julianday|unixepoch|strftime|datetime)\s*\(|` +
		`\b(current|local)_?(time|timestamp|date)\b`)
	require.True(t, asks.MatchString("SELECT now() - interval '1 s'"))
	require.True(t, asks.MatchString("at TIMESTAMP DEFAULT CURRENT_TIMESTAMP"))
	texts := map[string]string{} // all of the program that may be a statement
	names, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && !strings.HasSuffix(name, "_test.go") {
				texts[text.Value] = name
			}
			return true
		})
	}
	scripts, err := filepath.Glob("migrations/*.sql")
	require.NoError(t, err)
	more, err := filepath.Glob("migrations/postgres/*.sql")
	require.NoError(t, err)
	for _, name := range append(scripts, more...) {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		texts[string(text)] = name
	}
	require.Greater(t, len(texts), 200)
	for text, name := range texts {
		require.Empty(t, asks.FindString(text), name)
	}
}
