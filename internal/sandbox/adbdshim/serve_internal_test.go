package adbdshim

import (
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/sandbox/adbdshim/standin"
	"github.com/taploop/taploop/internal/sandbox/shell"
)

func TestTheEndOfAStandInEndsItsCommand(t *testing.T) {
	theirs, ours := net.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		handle(t.Context(), ours, shell.New(sandbox.New(nil)))
	}()
	require.NoError(t, standin.Send(theirs, standin.Ask,
		[]byte("/\x00input\x00swipe\x001\x001\x002\x002\x001000000")))
	require.NoError(t, theirs.Close())
	<-done
}

func FuzzBytesFromStandIns(f *testing.F) {
	for _, seed := range []string{"", "\xff\xff\xff\xff\xff", "\x00\x00\x00\x00\x00",
		"\x00\x07\x00\x00\x00/\x00input",
		"\x00\x0d\x00\x00\x00/\x00screencap\x00x\x01\x01\x00\x00\x000"} {
		f.Add([]byte(seed))
	}
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
