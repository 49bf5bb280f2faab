package wire_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/mcp/wire"
)

const most = 1000

// read gives the events of a stream, and how it ended.
func read(r io.Reader) (all []wire.Event, err error) {
	for e, ended := range wire.Events(r, most) {
		if ended != nil {
			return all, ended
		}
		all = append(all, e)
	}
	return all, nil
}

func TestEventsAreReadAsTheyAreWritten(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []wire.Event
	}{
		"all fields": {"id: 7\nevent: x\nretry: 20\ndata: {}\n\n", []wire.Event{{ID: "7", Name: "x",
			Retry: 20 * time.Millisecond, Data: []byte("{}")}}},
		"lines of data": {"data: a\ndata:b\ndata\n\n",
			[]wire.Event{{Data: []byte("a\nb\n")}}},
		"ends of lines":       {"data: a\r\n\r\n", []wire.Event{{Data: []byte("a")}}},
		"only an id":          {"id: 1-0\ndata:\n\n", []wire.Event{{ID: "1-0", Data: []byte{}}}},
		"comments and others": {": hello\n\nother: x\n\nretry: soon\n\n", nil},
		"one is cut off":      {"data: a\n\ndata: b\n", []wire.Event{{Data: []byte("a")}}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := read(strings.NewReader(c.text))
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

func TestAStreamThatBreaksOffSaysSo(t *testing.T) {
	broken := errors.New("broken")
	got, err := read(io.MultiReader(strings.NewReader("data: a\n\n"), iotest.ErrReader(broken)))
	require.ErrorIs(t, err, broken)
	require.Len(t, got, 1)
}

func TestAnEventHasALimit(t *testing.T) {
	for _, text := range []string{
		"data: " + strings.Repeat("x", most+1) + "\n\n",
		strings.Repeat("data: xxxxxxxxxx\n", most/10),
		strings.Repeat("x", 1<<20),
	} {
		_, err := read(strings.NewReader(text))
		require.ErrorIs(t, err, wire.ErrLong)
	}
	got, err := read(strings.NewReader("data: " + strings.Repeat("x", most) + "\n\n"))
	require.NoError(t, err)
	require.Len(t, got, 1)
}

func TestACommentIsNoEvent(t *testing.T) {
	got, err := read(bytes.NewReader(wire.AppendComment(nil, "data: x")))
	require.NoError(t, err)
	require.Empty(t, got)
}

// What is written is read again, whatever the data is, but for the kind of its line ends.
func FuzzEvents(f *testing.F) {
	f.Add("1-0", "message", []byte(`{"jsonrpc":"2.0"}`), []byte("data: x\n\n"))
	f.Add("", "", []byte("a\nb\n"), []byte(": x\r\n\r\nid: 1\n\n"))
	f.Add("0", "0", []byte("\n\n"), []byte("0"))
	f.Fuzz(func(t *testing.T, id, name string, data, stream []byte) {
		for e, err := range wire.Events(bytes.NewReader(stream), most) {
			if err == nil && len(e.Data) > most {
				t.Fatalf("%d bytes of data", len(e.Data))
			}
		}
		if strings.ContainsAny(id+name, "\r\n") || bytes.ContainsRune(data, '\r') ||
			len(id)+len(name)+len(data) > most/2 || bytes.Count(data, []byte("\n")) > most/2 {
			return
		}
		want := wire.Event{ID: id, Name: name, Data: bytes.TrimSuffix(data, []byte("\n"))}
		got, err := read(bytes.NewReader(wire.AppendEvent(nil, want)))
		if err != nil || len(got) != 1 || got[0].ID != id || got[0].Name != name ||
			!bytes.Equal(got[0].Data, want.Data) {
			t.Fatalf("wrote %+v, read %+v, %v", want, got, err)
		}
	})
}
