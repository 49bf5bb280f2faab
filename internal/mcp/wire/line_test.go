package wire_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/mcp/wire"
)

func TestALongLineIsSkipped(t *testing.T) {
	long := "[" + strings.Repeat("x", 100<<10) + "]"
	for _, n := range []int{10, 40 << 10} {
		lines := wire.NewLines(strings.NewReader("first\r\n"+long+"\n"+"last"), n)
		line, err := lines.Next()
		require.NoError(t, err)
		require.Equal(t, "first", string(line))
		line, err = lines.Next()
		require.ErrorIs(t, err, wire.ErrLong)
		require.True(t, strings.HasPrefix(long, string(line)))
		require.Equal(t, "xxx]", string(lines.Skip(4)))
		line, err = lines.Next()
		require.NoError(t, err)
		require.Equal(t, "last", string(line))
		_, err = lines.Next()
		require.ErrorIs(t, err, io.EOF)
	}
}

func TestAfterAnErrorNothingIsWritten(t *testing.T) {
	broken := errors.New("broken")
	w := &writer{err: broken}
	lines := wire.NewLineWriter(w)
	require.ErrorIs(t, lines.Write([]byte("a")), broken)
	w.err = nil
	require.ErrorIs(t, lines.Write([]byte("b")), broken)
	lines.Close()
	require.ErrorIs(t, lines.Write([]byte("c")), wire.ErrClosed)
	require.Equal(t, "a\n", w.String())
}

type writer struct {
	bytes.Buffer
	err error
}

func (w *writer) Write(b []byte) (int, error) {
	w.Buffer.Write(b)
	return len(b), w.err
}

// Lines within the limit are read whole, and every longer one is noticed.
func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nbb\r\n\nccccccccccccccc\nd"), uint16(5))
	f.Fuzz(func(t *testing.T, text []byte, limit uint16) {
		lines := wire.NewLines(bytes.NewReader(text), int(limit))
		for want := range bytes.Lines(text) {
			want = bytes.TrimSuffix(bytes.TrimSuffix(want, []byte("\n")), []byte("\r"))
			got, err := lines.Next()
			if len(want) > int(limit) {
				if !errors.Is(err, wire.ErrLong) {
					t.Fatalf("%d bytes of at most %d: %v", len(want), limit, err)
				}
				lines.Skip(10)
				continue
			}
			if err != nil && len(want) > 0 || !bytes.Equal(got, want) {
				t.Fatalf("got %q, %v, want %q", got, err, want)
			}
		}
	})
}
