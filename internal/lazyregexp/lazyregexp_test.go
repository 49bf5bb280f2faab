package lazyregexp_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/lazyregexp"
)

func TestAWrongExpressionIsFoundByTheTestsOfItsPackage(t *testing.T) {
	require.Panics(t, func() { lazyregexp.New(`(`) })
}

// A program of another name than that of a test compiles nothing before it is needed.
func TestAProgramCompilesWhatItUses(t *testing.T) {
	if os.Getenv("LAZYREGEXP_PROGRAM") != "" {
		r := lazyregexp.New(`(`)
		require.Equal(t, `(`, r.String())
		require.Panics(t, func() { r.MatchString("") })
		return
	}
	self, err := os.Executable()
	require.NoError(t, err)
	program := exec.Command(self, "-test.run", "^"+t.Name()+"$")
	program.Args[0] = "taploop"
	program.Env = append(os.Environ(), "LAZYREGEXP_PROGRAM=1")
	out, err := program.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "PASS")
}
