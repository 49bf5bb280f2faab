package adbdshim

import (
	"encoding/gob"
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/sandbox"
	"github.com/taploop/taploop/sandbox/adbdshim/standin"
	"github.com/taploop/taploop/sandbox/shell"
)

func TestTheEndOfAStandInEndsItsCommand(t *testing.T) {
	theirs, ours := net.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		handle(t.Context(), ours, shell.New(sandbox.New(nil)))
	}()
	swipe := standin.Request{Dir: "/",
		Argv: []string{"input", "swipe", "1", "1", "2", "2", "1000000"}}
	require.NoError(t, gob.NewEncoder(theirs).Encode(swipe))
	require.NoError(t, theirs.Close())
	<-done
}

func FuzzBytesFromStandIns(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{255, 255, 255, 255, 1})
	f.Add([]byte("\x03\xff\xff\x00"))
	sh := shell.New(sandbox.New(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		theirs, ours := net.Pipe()
		go func() { _, _ = io.Copy(io.Discard, theirs) }()
		go func() {
			_, _ = theirs.Write(b)
			_ = theirs.Close()
		}()
		handle(t.Context(), ours, sh) // ends, whatever came
	})
}
