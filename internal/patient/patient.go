// Package patient is how tests wait for what has to come. A machine that is busy with other work
// makes a test slow and must not make it fail: a test waits for a sign, and a lid ends the waiting
// only where a fault is silent.
package patient

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Lid is for how long a test waits while nothing happens at all.
const Lid = 5 * time.Minute

// Until waits until a condition holds. It fails the test with what is said when that does not come.
func Until(t testing.TB, holds func() bool, said ...any) {
	t.Helper()
	require.Eventually(t, holds, Lid, 5*time.Millisecond, said...)
}

// Deadline is when a read or a write of a test that starts now has to be given up.
func Deadline() time.Time { return time.Now().Add(Lid) }
