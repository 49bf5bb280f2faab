package adbserver

import (
	"fmt"
	"io"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/sandbox/shell"
)

func TestTheEndOfTheClientEndsItsCommand(t *testing.T) {
	phone := sandbox.New(nil)
	s := New()
	s.Attach("one", shell.New(phone))
	theirs, ours := net.Pipe()
	var running sync.WaitGroup
	running.Go(func() { s.handle(t.Context(), ours, &running) })
	for _, request := range []string{"host:transport:one",
		"shell,v2,raw:echo ready; cat; echo > /sdcard/after"} {
		_, err := fmt.Fprintf(theirs, "%04x%s", len(request), request)
		require.NoError(t, err)
		_, err = io.ReadFull(theirs, make([]byte, 4))
		require.NoError(t, err)
	}
	_, err := io.ReadFull(theirs, make([]byte, 5+len("ready\n")))
	require.NoError(t, err)
	require.NoError(t, theirs.Close())
	running.Wait()
	_, err = phone.Files().Stat("/sdcard/after")
	require.Error(t, err, "what follows in the line must not run")
}
