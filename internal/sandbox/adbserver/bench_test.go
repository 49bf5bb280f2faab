package adbserver_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/sandbox/shell"
)

// BenchmarkTrue200 is 200 commands, one after the other, each on a connection of its own.
func BenchmarkTrue200(b *testing.B) {
	e := serve(b)
	for b.Loop() {
		for range 200 {
			c := e.open("shell,v2,raw:true")
			require.Equal(b, "OKAY"+packet(3, "\x00"), c.rest())
			require.NoError(b, c.Close())
		}
	}
}

// BenchmarkCapture is one screen of 1080x2400.
func BenchmarkCapture(b *testing.B) {
	e := serve(b)
	e.Detach(serial)
	e.Attach(serial, shell.New(sandbox.New(nil)))
	for _, line := range []string{"screencap", "screencap -p"} {
		b.Run(line, func(b *testing.B) {
			for b.Loop() {
				c := e.open("exec:" + line)
				n, err := io.Copy(io.Discard, c)
				require.NoError(b, err)
				b.SetBytes(n)
				require.NoError(b, c.Close())
			}
		})
	}
}
