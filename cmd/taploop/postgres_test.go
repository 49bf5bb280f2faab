package main

import (
	"flag"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/pgtest"
)

// Commands do the same on PostgreSQL.
func TestScriptsOnPostgreSQL(t *testing.T) {
	server := pgtest.Start(t)
	var made atomic.Int64
	p := params("")
	p.Files = []string{filepath.Join("testdata", "postgres", "machines.txtar")}
	for _, name := range []string{"reply", "attend", "rerun", "interrupt", "modes"} {
		p.Files = append(p.Files, filepath.Join("testdata", "script", name+".txtar"))
	}
	p.Setup = func(e *testscript.Env) error {
		name := "script" + strconv.FormatInt(made.Add(1), 10)
		err := pgtest.Exec(t.Context(), server.URL("postgres"), "CREATE DATABASE "+name)
		if err != nil {
			return err
		}
		err = alone(e)
		e.Setenv("TAPLOOP_STORE_URL", server.URL(name))
		return err
	}
	testscript.RunT(inTurn{t}, p)
	if !strings.Contains(flag.Lookup("test.run").Value.String(), "/") {
		require.EqualValues(t, len(p.Files), made.Load())
	}
}
