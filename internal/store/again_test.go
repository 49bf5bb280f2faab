package store_test

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/store/storetest"
)

// falters is the environment variable of a process whose stores have to try many transactions
// again, as a database does that others write to or that is restarted.
const falters = "TAPLOOP_TEST_FALTERS"

// of transactions that happen at once, and of statements that are counted
var notFaltering = append([]string{"TestEveryTransactionMayBeTriedAgain", "TestPostgreSQL"},
	ofSQLite...)

func TestEveryTransactionMayBeTriedAgain(t *testing.T) {
	if storetest.OnPostgres() {
		return // where a number that was given up is not given again, which tests would see
	}
	cmd := exec.Command(os.Args[0], "-test.v", "-test.timeout=2m",
		"-test.skip=^("+strings.Join(notFaltering, "|")+")$")
	cmd.Env = append(os.Environ(), falters+"=1")
	out, err := cmd.CombinedOutput()
	for _, part := range bytes.Split(out, []byte("\n=== RUN ")) {
		if err != nil && bytes.Contains(part, []byte("--- FAIL")) {
			t.Errorf("%s", part)
		}
	}
	require.NoError(t, err)
	require.Greater(t, bytes.Count(out, []byte("\n--- PASS: ")), 60)
}
