package adbdshim

import (
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
	swipe := standin.Request{Dir: []byte("/")}
	for _, a := range []string{"input", "swipe", "1", "1", "2", "2", "1000000"} {
		swipe.Argv = append(swipe.Argv, []byte(a))
	}
	require.NoError(t, standin.NewWire(theirs, theirs).Send(swipe, nil))
	require.NoError(t, theirs.Close())
	<-done
}

func FuzzBytesFromStandIns(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{255, 255, 255, 255, 1})
	f.Add([]byte("{\"Head\": {}}\n"))
	f.Add([]byte("{\"Head\": {\"Argv\": [\"aW5wdXQ=\"]}, \"Size\": 1}\n"))
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
