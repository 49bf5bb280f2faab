package adbdshim

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/sandbox"
	"github.com/taploop/taploop/sandbox/shell"
)

func TestTheEndOfAStandInEndsItsCommand(t *testing.T) {
	theirs, ours := net.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		handle(t.Context(), ours, shell.New(sandbox.New(nil)))
	}()
	words := []string{"/", "input", "swipe", "1", "1", "2", "2", "1000000"}
	require.NoError(t, writeFrame(theirs, kindArgs, packed(words)))
	require.NoError(t, theirs.Close())
	<-done
}

func FuzzFramesFromStandIns(f *testing.F) {
	f.Add([]byte{}, "x")
	f.Add(packed([]string{"/", "wm", "size"}), "")
	f.Add([]byte{255, 255, 255, 255, 1}, "cat")
	f.Fuzz(func(t *testing.T, b []byte, word string) {
		if words, err := unpack(b); err == nil {
			require.Equal(t, b, append([]byte{}, packed(words)...),
				"what can be unpacked packs to the same")
		}
		words, err := unpack(packed([]string{word, string(b)}))
		require.NoError(t, err)
		require.Equal(t, []string{word, string(b)}, words)
	})
}
