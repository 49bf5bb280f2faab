package adbserver_test

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/patient"
	"github.com/taploop/taploop/internal/sandbox/adbserver"
)

func TestAPhoneThatCannotBeUsedSaysWhy(t *testing.T) {
	for state, says := range map[string]string{
		adbserver.StateOffline: "device offline",
		adbserver.StateUnauthorized: "device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS " +
			"is not set\n",
	} {
		e := serve(t)
		require.NoError(t, e.SetState(serial, state))
		for _, request := range []string{"host:transport:sandbox-1", "host:tport:any",
			"host:features"} {
			answer := e.ask(request)
			require.Contains(t, answer, "FAIL")
			require.Contains(t, answer, says)
		}
		require.Contains(t, e.ask("host:get-state"), state, "the state can be asked for")
		require.Contains(t, e.ask("host:devices-l"), state)
	}
}

func TestAPhoneThatGoesOfflineDropsWhatRuns(t *testing.T) {
	for _, drop := range []func(*endpoint) error{
		func(e *endpoint) error { return e.SetState(serial, adbserver.StateOffline) },
		func(e *endpoint) error { return e.DropConnections(serial) },
		func(e *endpoint) error { e.Detach(serial); return nil },
	} {
		e := serve(t)
		c := e.open("shell,v2,raw:echo ready; sleep 1000")
		c.okay()
		require.Equal(t, packet(1, "ready\n"), c.read(11))
		require.NoError(t, drop(e))
		_, err := io.ReadAll(c) // ends, in order or not
		require.False(t, isTimeout(err))
	}
}

func isTimeout(err error) bool {
	t, ok := errors.AsType[net.Error](err)
	return ok && t.Timeout()
}

func TestAHungPhoneAnswersWhenItIsBack(t *testing.T) {
	e := serve(t)
	running := e.open("shell,v2,raw:cat")
	running.okay()
	require.NoError(t, e.Hang(serial, true))
	require.NoError(t, e.Hang(serial, true))
	require.Contains(t, e.ask("host:devices"), "device", "the server itself answers")

	waiting := e.dial()
	waiting.request("host:transport-any")
	waiting.okay()
	waiting.request("exec:cat")
	_, err := io.WriteString(waiting, "early")
	require.NoError(t, err)
	_, err = io.WriteString(running, packet(0, "typed\n")+packet(4, ""))
	require.NoError(t, err)
	require.NoError(t, waiting.SetReadDeadline(time.Now().Add(30*time.Millisecond)))
	_, err = waiting.Read(make([]byte, 1))
	require.True(t, isTimeout(err), "a hung phone answers nothing")

	impatient := e.open("shell:id")
	require.NoError(t, impatient.Close())

	require.NoError(t, e.Hang(serial, false))
	require.NoError(t, waiting.SetReadDeadline(patient.Deadline()))
	require.Equal(t, "OKAYearly", waiting.read(9))
	require.Equal(t, packet(1, "typed\n")+packet(3, "\x00"), running.rest())
}

func TestAServerWithAHungPhoneEnds(t *testing.T) {
	e := serve(t)
	require.NoError(t, e.Hang(serial, true))
	e.open("shell:id")
	early := e.open("exec:cat")
	_, err := io.WriteString(early, "x")
	require.NoError(t, err)
	e.stop()
}

func TestLatencyDelaysTheBeginningOfAService(t *testing.T) {
	e := serve(t)
	require.NoError(t, e.SetLatency(serial, 60*time.Millisecond))
	began := time.Now()
	require.Equal(t, "OKAYhi\n", e.open("shell:echo hi").rest())
	require.GreaterOrEqual(t, time.Since(began), 60*time.Millisecond)
}

func TestACorruptCaptureIsCutShort(t *testing.T) {
	e := serve(t)
	whole := e.open("exec:screencap").rest()
	require.NoError(t, e.CorruptCaptures(serial, true))
	cut := e.open("exec:screencap").rest()
	require.Less(t, len(cut), len(whole)*3/4)
	require.Greater(t, len(cut), 1000)
	require.Equal(t, "OKAYhi\n", e.open("exec:echo hi").rest(), "other output is whole")
	require.NoError(t, e.CorruptCaptures(serial, false))
	require.Len(t, e.open("exec:screencap").rest(), len(whole))
}

func TestFaultsOfAnUnknownPhoneAreErrors(t *testing.T) {
	s := adbserver.New()
	for _, err := range []error{
		s.SetState("x", adbserver.StateOffline), s.Hang("x", true), s.SetLatency("x", 1),
		s.CorruptCaptures("x", true), s.DropConnections("x"),
	} {
		require.EqualError(t, err, "device 'x' not found")
	}
}

func TestServeEndsWithItsContext(t *testing.T) {
	s := adbserver.New()
	listen := func() net.Listener {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		return ln
	}
	ctx, cancel := context.WithCancel(t.Context())
	ln := listen()
	done := make(chan error)
	go func() { done <- s.Serve(ctx, ln) }()
	c, err := net.Dial("tcp", ln.Addr().String())
	require.NoError(t, err)
	cancel()
	require.NoError(t, <-done)
	_, err = c.Read(make([]byte, 1))
	require.Error(t, err)
	require.False(t, isTimeout(err))
	require.NoError(t, c.Close())

	broken := listen()
	require.NoError(t, broken.Close())
	require.ErrorContains(t, s.Serve(t.Context(), broken), "accepting on ")
}
