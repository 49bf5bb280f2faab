package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/sandbox/adbserver"
	"github.com/taploop/taploop/internal/sandbox/shell"
)

func TestDevicesWaitsForPhones(t *testing.T) {
	t.Parallel()
	f := newTested(t, 0, "rules:\n- {reply: x}\n")
	list := func(args ...string) (int, string) {
		var out, said bytes.Buffer
		code := run(t.Context(), append([]string{"devices"}, args...), f.env,
			streams{strings.NewReader(""), &out, &said})
		return code, out.String() + said.String()
	}
	code, said := list("--wait", "--timeout", "50ms")
	require.Equal(t, exitPhone, code)
	require.Contains(t, said, "the wait of 50ms is over")
	done := make(chan string)
	go func() {
		_, said := list("--boot", "--timeout", "20s")
		done <- said
	}()
	f.adb.Attach("late", shell.New(newPhone()))
	require.Contains(t, <-done, "late")
	for _, more := range []string{"--watch", "--boot"} {
		code, said = list(more, "--wait", "--phones", "2", "--timeout", "50ms")
		require.Equal(t, exitPhone, code, "%s", more)
		require.Contains(t, said, "the wait of 50ms is over", more)
		code, said = list("--watch", "--phones", "2")
		require.Equal(t, exitUsage, code)
		require.Contains(t, said, "--phones is of use only where phones are waited for")
	}
	code, _ = list("--phones", "2")
	require.Equal(t, exitUsage, code)
	require.NoError(t, f.adb.SetState("late", adbserver.StateOffline))
	code, _ = list("--wait", "--timeout", "50ms")
	require.Equal(t, exitPhone, code)
}
