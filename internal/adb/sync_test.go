package adb_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/adb"
)

func (w *wire) sync(id string, n int, data string) {
	w.Write(append(binary.LittleEndian.AppendUint32([]byte(id), uint32(n)), data...))
}

// readSync reads one packet of the client; DONE has no data behind it.
func (w *wire) readSync() (id string, n uint32, data string) {
	var head [8]byte
	if _, err := io.ReadFull(w, head[:]); err != nil {
		return "", 0, ""
	}
	id, n = string(head[:4]), binary.LittleEndian.Uint32(head[4:])
	if id == "DONE" {
		return id, n, ""
	}
	b := make([]byte, n)
	io.ReadFull(w, b)
	return id, n, string(b)
}

func syncOf(f func(w *wire)) *fakeServer {
	return &fakeServer{services: func(_ string, w *wire) { w.ok(); f(w) }}
}

func TestPushSendsTheFileAndWaitsForTheVerdict(t *testing.T) {
	content := strings.Repeat("0123456789", 20_000)
	var spec, got string
	var when uint32
	s := syncOf(func(w *wire) {
		_, _, spec = w.readSync()
		for {
			id, n, data := w.readSync()
			if id != "DATA" {
				when = n
				break
			}
			require.LessOrEqual(t, n, uint32(64<<10))
			got += data
		}
		w.sync("OKAY", 0, "")
	})
	err := s.client(t).Device("emu").Push(t.Context(), strings.NewReader(content), "/sdcard/a b", 0o644, time.Unix(1234, 0))
	require.NoError(t, err)
	require.Equal(t, "/sdcard/a b,33188", spec)
	require.Equal(t, content, got)
	require.EqualValues(t, 1234, when)
}

func TestPushReportsTheRefusalOfThePhone(t *testing.T) {
	s := syncOf(func(w *wire) {
		w.readSync()
		go w.untilClosed()
		w.sync("FAIL", 21, "Read-only file system")
	})
	err := s.client(t).Device("emu").Push(t.Context(), strings.NewReader("x"), "/system/x", 0o644, time.Unix(0, 0))
	require.EqualError(t, err, "pushing /system/x: adb sync: Read-only file system")

	s = syncOf(func(w *wire) { w.readSync(); w.readSync(); w.readSync() })
	err = s.client(t).Device("emu").Push(t.Context(), strings.NewReader("x"), "/sdcard/x", 0o644, time.Unix(0, 0))
	require.ErrorIs(t, err, adb.ErrCut, "no verdict is no success")
}

func TestPushSendsNoDoneWhenItsSourceFails(t *testing.T) {
	broken := errors.New("disk on fire")
	var last string
	s := syncOf(func(w *wire) {
		for {
			id, _, _ := w.readSync()
			if id == "" {
				return
			}
			last = id
		}
	})
	source := io.MultiReader(strings.NewReader(strings.Repeat("x", 100_000)), iotest.ErrReader(broken))
	err := s.client(t).Device("emu").Push(t.Context(), source, "/sdcard/x", 0o644, time.Unix(0, 0))
	require.ErrorIs(t, err, broken)
	s.wg.Wait()
	require.Equal(t, "DATA", last)
}

func TestPullCopiesUntilThePhoneSaysDone(t *testing.T) {
	answer := func(f func(w *wire)) (string, error) {
		var b bytes.Buffer
		s := syncOf(func(w *wire) { w.readSync(); f(w) })
		err := s.client(t).Device("emu").Pull(t.Context(), "/sdcard/x", &b, 100)
		return b.String(), err
	}
	got, err := answer(func(w *wire) { w.sync("DATA", 3, "abc"); w.sync("DATA", 2, "de"); w.sync("DONE", 0, "") })
	require.NoError(t, err)
	require.Equal(t, "abcde", got)

	for name, c := range map[string]struct {
		f    func(w *wire)
		want error
	}{
		"cut off":                  {func(w *wire) { w.sync("DATA", 3, "a") }, adb.ErrCut},
		"no DONE":                  {func(w *wire) { w.sync("DATA", 3, "abc") }, adb.ErrCut},
		"more than is accepted":    {func(w *wire) { w.sync("DATA", 101, "") }, adb.ErrTooMuch},
		"a refusal without end":    {func(w *wire) { w.sync("FAIL", 1<<30, "") }, adb.ErrTooMuch},
		"an answer that is none":   {func(w *wire) { w.sync("WHAT", 0, "") }, adb.ErrProtocol},
		"a file that is not there": {func(w *wire) { w.sync("FAIL", 9, "not found") }, adb.ErrNotFound},
	} {
		_, err := answer(c.f)
		require.ErrorIs(t, err, c.want, name)
	}
}

func TestAPathThatNoPhoneTakesIsRefused(t *testing.T) {
	s := syncOf(func(*wire) {})
	err := s.client(t).Device("emu").Pull(t.Context(), strings.Repeat("x", 1025), io.Discard, 1)
	require.ErrorIs(t, err, adb.ErrTooMuch)
	require.Zero(t, s.dials)
}
