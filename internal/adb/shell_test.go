package adb_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/adb"
	"github.com/taploop/taploop/internal/hint"
)

func shellOf(answer func(w *wire)) *fakeServer {
	return &fakeServer{features: "cmd,shell_v2", services: func(service string, w *wire) {
		w.ok()
		go w.untilClosed()
		answer(w)
	}}
}

func TestShellKeepsTheStreamsApartAndReadsTheExitCode(t *testing.T) {
	s := shellOf(func(w *wire) {
		w.packet(1, "one\n")
		w.packet(2, "warning\n")
		w.packet(9, "an id of a later version")
		w.packet(1, "two\r\n")
		w.packet(3, "\x07")
	})
	r, err := s.client(t).Device("emu").Shell(t.Context(), "ls; exit 7")
	require.NoError(t, err)
	require.Equal(t, adb.Result{Stdout: "one\ntwo\r\n", Stderr: "warning\n", Code: 7}, r)
	require.Equal(t, []string{"host-serial:emu:features", "host:transport:emu",
		"shell,v2,raw:ls; exit 7"}, s.asked)
}

func TestFeaturesAreAskedForOnce(t *testing.T) {
	s := shellOf(func(w *wire) { w.packet(3, "\x00") })
	d := s.client(t).Device("emu")
	for range 3 {
		_, err := d.Shell(t.Context(), "true")
		require.NoError(t, err)
	}
	require.Equal(t, 4, s.dials, "one for the features, one for each command")
}

func TestABrokenStreamIsAnErrorNotAShortResult(t *testing.T) {
	huge := string(binary.LittleEndian.AppendUint32([]byte{1}, 0xffff_fff0))
	for name, c := range map[string]struct {
		bytes string
		want  error
	}{
		"nothing at all":            {"", adb.ErrCut},
		"end inside a head":         {"\x01\x04", adb.ErrCut},
		"end inside the data":       {"\x01\x04\x00\x00\x00ab", adb.ErrCut},
		"end before the exit":       {"\x01\x01\x00\x00\x00a", adb.ErrCut},
		"exit without a code":       {"\x03\x01\x00\x00\x00", adb.ErrCut},
		"exit code of four bytes":   {"\x03\x04\x00\x00\x00\x00\x00\x00\x00", adb.ErrProtocol},
		"a length beyond all sense": {huge, adb.ErrTooMuch},
	} {
		t.Run(name, func(t *testing.T) {
			s := shellOf(func(w *wire) { w.say(c.bytes) })
			r, err := s.client(t).Device("emu").Shell(t.Context(), "dumpsys")
			require.ErrorIs(t, err, c.want)
			require.ErrorContains(t, err, "dumpsys")
			require.Zero(t, r)
		})
	}
}

func TestOutputIsBounded(t *testing.T) {
	chunk := strings.Repeat("x", 1<<20)
	s := shellOf(func(w *wire) {
		for {
			head := binary.LittleEndian.AppendUint32([]byte{1}, uint32(len(chunk)))
			if _, err := w.Write(append(head, chunk...)); err != nil {
				return
			}
		}
	})
	_, err := s.client(t).Device("emu").Shell(t.Context(), "yes")
	require.ErrorIs(t, err, adb.ErrTooMuch)

	s = &fakeServer{services: func(_ string, w *wire) {
		w.ok()
		for {
			if _, err := w.Write([]byte(chunk)); err != nil {
				return
			}
		}
	}}
	_, err = s.client(t).Device("emu").Exec(t.Context(), "cat /dev/zero", nil, 3<<20, nil)
	require.ErrorIs(t, err, adb.ErrTooMuch)
}

func TestExecReturnsEveryByte(t *testing.T) {
	want := strings.Repeat("\x00\r\n\xff", 5000)
	s := &fakeServer{services: func(service string, w *wire) {
		require.Equal(t, "exec:screencap", service)
		w.ok()
		w.say(want)
	}}
	seen := []byte{}
	got, err := s.client(t).Device("emu").Exec(t.Context(), "screencap", nil, len(want),
		func(all []byte) {
			require.Equal(t, seen, all[:len(seen)], "more of the same")
			seen = append(seen, all[len(seen):]...)
		})
	require.Equal(t, want, string(seen))
	require.NoError(t, err)
	require.Equal(t, want, string(got))
}

func TestAPhoneThatHangsEndsWithTheCauseOfTheContext(t *testing.T) {
	hang := func(w *wire) { w.untilClosed() }
	for name, s := range map[string]*fakeServer{
		"before the server answers": {raw: func(_ string, w *wire) bool { hang(w); return true }},
		"before the phone answers": {features: "shell_v2", services: func(_ string, w *wire) {
			hang(w)
		}},
		"in the middle of a packet": {features: "shell_v2", services: func(_ string, w *wire) {
			w.ok()
			w.say("\x01\xff\x00\x00\x00half")
			hang(w)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cause := errors.New("emu did not answer within 5s")
				ctx, cancel := context.WithTimeoutCause(t.Context(), 5*time.Second, cause)
				defer cancel()
				began := time.Now()
				_, err := s.client(t).Device("emu").Shell(ctx, "sleep 1000")
				require.ErrorIs(t, err, cause)
				require.Equal(t, 5*time.Second, time.Since(began))
			})
		})
	}
}

func TestAnOldPhonesTerminalIsMended(t *testing.T) {
	var line string
	s := &fakeServer{features: "cmd,stat_v2", services: func(service string, w *wire) {
		w.ok()
		line = service
		mark := service[strings.LastIndex(service, "taploop-"):strings.LastIndex(service, "$?")]
		w.say("one\r\ntwo\r\r\n" + mark + "7\r\n")
	}}
	r, err := s.client(t).Device("old").Shell(t.Context(), "ls; false")
	require.NoError(t, err)
	require.Equal(t, adb.Result{Stdout: "one\ntwo\n", Code: 7}, r)
	require.Contains(t, line, "shell:(ls; false\n); echo taploop-")

	s.services = func(_ string, w *wire) { w.ok(); w.say("one\r\n") }
	_, err = s.client(t).Device("old").Shell(t.Context(), "ls")
	require.ErrorIs(t, err, adb.ErrCut, "output without its trailer is no output")
}

func TestRefusalsHaveAKindAndAHint(t *testing.T) {
	for text, want := range map[string]error{
		"device 'emu' not found": adb.ErrNotFound,
		"device offline":         adb.ErrOffline,
		"device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS is not set\nTry 'adb " +
			"kill-server'": adb.ErrUnauthorized,
		"device still authorizing": adb.ErrUnauthorized,
		"insufficient permissions for device: missing udev rules? user is in the " +
			"plugdev group": adb.ErrNoPermissions,
		"no devices/emulators found": adb.ErrNotFound,
	} {
		s := &fakeServer{refuse: map[string]string{"host:transport:emu": text}}
		_, err := s.client(t).Device("emu").Exec(t.Context(), "true", nil, 10, nil)
		require.ErrorIs(t, err, want)
		require.NotEmpty(t, hint.Of(err), "no hint for %q", text)
		var refusal *adb.RefusedError
		require.ErrorAs(t, err, &refusal)
		require.Equal(t, text, refusal.Message)
	}
	s := &fakeServer{refuse: map[string]string{"abb_exec:package": "closed",
		"exec:x": "what the makers added"}}
	_, err := s.client(t).Device("emu").Open(t.Context(), "abb_exec:package")
	require.ErrorIs(t, err, adb.ErrClosed)
	_, err = s.client(t).Device("emu").Exec(t.Context(), "x", nil, 10, nil)
	require.EqualError(t, err, "adb exec:x: what the makers added")
}

func TestGarbageInsteadOfAServerIsNamed(t *testing.T) {
	for _, answer := range []string{"HTTP/1.1 400 Bad Request\r\n", "OKAY-001", "FAILxyz1",
		"OKAYzzzz"} {
		s := &fakeServer{raw: func(_ string, w *wire) bool { w.say(answer); return true }}
		_, err := s.client(t).Host(t.Context(), "host:version")
		require.ErrorIs(t, err, adb.ErrProtocol, "%q", answer)
	}
	s := &fakeServer{raw: func(_ string, w *wire) bool { w.say("OKAYffffshort"); return true }}
	_, err := s.client(t).Host(t.Context(), "host:version")
	require.ErrorIs(t, err, adb.ErrCut)
}

func TestWhatCannotBeSentIsRefusedBeforeDialling(t *testing.T) {
	s := &fakeServer{}
	_, err := s.client(t).Device("emu").Exec(t.Context(), "echo a\x00b", nil, 10, nil)
	require.ErrorContains(t, err, "NUL")
	require.Zero(t, s.dials)

	_, err = s.client(t).Device("emu").Exec(t.Context(), strings.Repeat("x", 0x10000), nil, 10, nil)
	require.ErrorIs(t, err, adb.ErrTooMuch)
	require.Less(t, len(err.Error()), 300, "the error does not quote it all")
}

func TestErrorsDoNotShowWhatIsTyped(t *testing.T) {
	s := shellOf(func(*wire) {})
	_, err := s.client(t).Device("emu").Shell(t.Context(), "input text 'one-time 123456'")
	require.EqualError(t, err, "adb shell,v2:input text: the connection broke off")
}

func ExampleQuote() {
	fmt.Println(adb.Quote("input", "text", "it's $HOME; rm -rf / `id`"))
	// Output: input text 'it'\''s $HOME; rm -rf / `id`'
}
