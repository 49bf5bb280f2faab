package adbserver_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/taploop/taploop/internal/adbtest"
	"github.com/taploop/taploop/internal/patient"
	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/sandbox/adbserver"
	"github.com/taploop/taploop/internal/sandbox/shell"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(adbtest.Inside(m)) }

const serial = "sandbox-1"

// endpoint is a server with one phone on a loopback port.
type endpoint struct {
	*adbserver.Server
	t     testing.TB
	phone *sandbox.Simulator
	addr  string
	stop  func() // ends Serve and waits for it
}

func serve(t testing.TB) *endpoint {
	t.Helper()
	still := 0.0
	e := &endpoint{Server: adbserver.New(), t: t,
		phone: sandbox.New(&sandbox.Options{Size: image.Pt(270, 600), AnimationScale: &still})}
	e.Attach(serial, shell.New(e.phone))
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	e.addr = ln.Addr().String()
	done := make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { done <- e.Serve(ctx, ln) }()
	e.stop = sync.OnceFunc(func() {
		cancel()
		require.NoError(t, <-done)
	})
	t.Cleanup(e.stop)
	return e
}

// client is a connection to the endpoint. A failed read or write fails the test.
type client struct {
	t testing.TB
	net.Conn
}

func (e *endpoint) dial() *client {
	e.t.Helper()
	c, err := net.Dial("tcp", e.addr)
	require.NoError(e.t, err)
	require.NoError(e.t, c.SetDeadline(patient.Deadline()))
	e.t.Cleanup(func() { _ = c.Close() })
	return &client{e.t, c}
}

// open chooses the phone and starts a service of it.
func (e *endpoint) open(service string) *client {
	e.t.Helper()
	c := e.dial()
	c.request("host:transport:" + serial)
	c.okay()
	c.request(service)
	return c
}

func (c *client) request(text string) {
	c.t.Helper()
	_, err := fmt.Fprintf(c, "%04x%s", len(text), text)
	require.NoError(c.t, err)
}

func (c *client) okay() {
	c.t.Helper()
	require.Equal(c.t, "OKAY", c.read(4))
}

func (c *client) read(n int) string {
	c.t.Helper()
	buf := make([]byte, n)
	got, err := io.ReadFull(c, buf)
	require.NoError(c.t, err, "after %q", buf[:got])
	return string(buf)
}

// rest reads to the end of the connection.
func (c *client) rest() string {
	c.t.Helper()
	b, err := io.ReadAll(c)
	require.NoError(c.t, err)
	return string(b)
}

// ask makes one request on a connection of its own and returns all of the answer.
func (e *endpoint) ask(request string) string {
	e.t.Helper()
	c := e.dial()
	c.request(request)
	return c.rest()
}

func TestHostRequests(t *testing.T) {
	e := serve(t)
	two := serve(t)
	two.Attach("emulator-5554", shell.New(sandbox.New(nil)))
	none := serve(t)
	none.Detach(serial)
	none.Detach(serial)

	ok := func(s string) string { return fmt.Sprintf("OKAY%04x%s", len(s), s) }
	fail := func(s string) string { return fmt.Sprintf("FAIL%04x%s", len(s), s) }
	const features = "shell_v2,cmd"
	for _, c := range []struct {
		e             *endpoint
		request, want string
	}{
		{e, "host:version", "OKAY00040029"},
		{e, "host:kill", "OKAY"},
		{e, "host:devices", ok("sandbox-1\tdevice\n")},
		{e, "host:devices-l", ok("sandbox-1              device usb:1-1 product:taploop_sandbox " +
			"model:taploop_sandbox device:sandbox transport_id:1\n")},
		{e, "host:features", ok(features)},
		{e, "host:host-features", ok(features)},
		{e, "host-serial:sandbox-1:features", ok(features)},
		{e, "host-serial:nope:features", fail("device 'nope' not found")},
		{e, "host-serial:127.0.0.1:5555:get-state", fail("device '127.0.0.1:5555' not found")},
		{e, "host-transport-id:1:get-state", ok("device")},
		{e, "host-transport-id:9:get-state", fail("no device with transport id '9'")},
		{e, "host-transport-id:x:get-state", fail("unknown host service")},
		{e, "host-usb:get-serialno", ok("sandbox-1")},
		{e, "host:get-state", ok("device")},
		{e, "host:get-serialno", ok("sandbox-1")},
		{e, "host:transport:nope", fail("device 'nope' not found")},
		{e, "host:transport-sideways", fail("unknown host service")},
		{e, "host:transport-id:0", fail("unknown host service")},
		{e, "host:nope", fail("unknown host service")},
		{e, "host", fail("device offline (no transport)")},
		{e, "", fail("device offline (no transport)")},
		{e, "shell:id", fail("device offline (no transport)")},
		{e, "host:wait-for-any-device", "OKAYOKAY"},
		{e, "host-serial:sandbox-1:wait-for-usb-device", "OKAYOKAY"},
		{e, "host-serial:gone:wait-for-any-disconnect", "OKAYOKAY"},
		{e, "host:wait-for-any-nirvana", fail("unknown state nirvana")},
		{e, "host:wait-for-some-device", fail("unknown type some")},
		{two, "host:devices", ok("sandbox-1\tdevice\nemulator-5554\tdevice\n")},
		{two, "host:get-state", fail("more than one device/emulator")},
		{two, "host:transport-any", fail("more than one device/emulator")},
		{none, "host:devices", ok("")},
		{none, "host:get-state", fail("no devices/emulators found")},
		{none, "host:transport-usb", fail("no devices/emulators found")},
	} {
		require.Equal(t, c.want, c.e.ask(c.request), c.request)
	}
}

func TestATransportMayBeChosenInEveryWay(t *testing.T) {
	e := serve(t)
	for _, request := range []string{"host:transport:sandbox-1", "host:transport-any",
		"host:transport-usb", "host:transport-id:1"} {
		c := e.dial()
		c.request(request)
		c.okay()
		c.request("host:get-serialno")
		require.Equal(t, "OKAY0009sandbox-1", c.rest(), request)
	}
	for _, request := range []string{"host:tport:any", "host:tport:usb",
		"host:tport:serial:sandbox-1"} {
		c := e.dial()
		c.request(request)
		require.Equal(t, "OKAY\x01\x00\x00\x00\x00\x00\x00\x00", c.read(12), request)
		c.request("shell:echo hi")
		require.Equal(t, "OKAYhi\n", c.rest(), request)
	}
}

func TestASerialMayHaveColons(t *testing.T) {
	e := serve(t)
	e.Attach("127.0.0.1:5555", shell.New(sandbox.New(nil)))
	require.Equal(t, "OKAY0006device", e.ask("host-serial:127.0.0.1:5555:get-state"))
	e.Attach("odd:serial:x", shell.New(sandbox.New(nil)))
	require.Equal(t, "OKAY0006device", e.ask("host-serial:odd:serial:x:get-state"))
}

func TestServicesOfThePhone(t *testing.T) {
	e := serve(t)
	require.NoError(t, e.phone.Files().Write("/sdcard/bytes", []byte("a\nb\x00c\r\n")))
	for _, c := range []struct{ service, want string }{
		{"shell:echo out; echo err >&2; exit 3", "OKAYout\nerr\n"},
		{"exec:cat /sdcard/bytes", "OKAYa\nb\x00c\r\n"},
		{"exec:nope", "OKAY/system/bin/sh: nope: inaccessible or not found\n"},
		{"reboot:", "FAIL0006closed"}, {"root:", "FAIL0006closed"}, {"tcp:80", "FAIL0006closed"},
		{"jdwp", "FAIL0006closed"},
		{"framebuffer:", "FAIL0006closed"}, {"localabstract:x", "FAIL0006closed"},
		{"abb_exec:x", "FAIL0006closed"}, {"", "FAIL0006closed"},
	} {
		require.Equal(t, c.want, e.open(c.service).rest(), c.service)
	}
}

// packet is one packet of shell v2.
func packet(kind byte, data string) string {
	return string(binary.LittleEndian.AppendUint32([]byte{kind}, uint32(len(data)))) + data
}

func TestShellV2KeepsStreamsAndCodeApart(t *testing.T) {
	e := serve(t)
	c := e.open("shell,v2,TERM=xterm-256color,raw:echo out; echo err >&2; cat; exit 9")
	c.okay()
	require.Equal(t, packet(1, "out\n")+packet(2, "err\n"), c.read(2*5+8))
	for _, p := range []string{packet(0, "typed"), packet(5, "24x80,0x0"), packet(99, "later"),
		packet(0, ""), packet(4, "")} {
		_, err := io.WriteString(c, p)
		require.NoError(t, err)
	}
	require.Equal(t, packet(1, "typed")+packet(3, "\x09"), c.rest())
}

func TestUnreadInputDoesNotCostTheAnswer(t *testing.T) {
	c := serve(t).open("shell,v2,raw:exit 4")
	c.okay()
	// More than the sockets hold, and all of it before the answer is read.
	_, err := io.WriteString(c, strings.Repeat(packet(0, strings.Repeat("x", 60_000)), 200))
	require.NoError(t, err)
	require.Equal(t, packet(3, "\x04"), c.read(6))
}

func TestTheEndOfServeEndsWhatRunsAndWaitsForIt(t *testing.T) {
	e := serve(t)
	c := e.open("shell,v2,raw:echo ready; sleep 1000; echo > /sdcard/after")
	c.okay()
	require.Equal(t, packet(1, "ready\n"), c.read(11))
	e.stop()
	_, err := e.phone.Files().Stat("/sdcard/after")
	require.Error(t, err)
}

func TestAHalfClosedExecReadsItsInputToTheEnd(t *testing.T) {
	c := serve(t).open("exec:cat; echo end")
	c.okay()
	_, err := io.WriteString(c, "in")
	require.NoError(t, err)
	require.NoError(t, c.Conn.(*net.TCPConn).CloseWrite())
	require.Equal(t, "inend\n", c.rest())
}

func TestAShellWithoutCommandReadsLinesAndIsNoTerminal(t *testing.T) {
	c := serve(t).open("shell,v2,raw:")
	c.okay()
	_, err := io.WriteString(c, packet(0, "echo one\n")+packet(0, "exit 6\n")+packet(4, ""))
	require.NoError(t, err)
	require.Equal(t, packet(1, "one\n")+packet(3, "\x06"), c.rest())
	const says = "the simulated phone has no interactive shell: run adb shell COMMAND\r\n"
	require.Equal(t, "OKAY"+packet(1, says)+packet(3, "\x01"),
		serve(t).open("shell,v2,TERM=xterm,pty:").rest())
	require.Equal(t, "OKAY"+says, serve(t).open("shell:").rest())
}

func TestWaitingEndsWhenTheStateIsReached(t *testing.T) {
	e := serve(t)
	require.NoError(t, e.SetState(serial, adbserver.StateOffline))
	c := e.dial()
	c.request("host:wait-for-any-device")
	c.okay()
	require.NoError(t, e.SetState(serial, adbserver.StateDevice))
	c.okay()
	gone := e.dial()
	gone.request("host-serial:sandbox-1:wait-for-any-disconnect")
	gone.okay()
	e.Detach(serial)
	gone.okay()
}
