package device_test

import (
	"errors"
	"image"
	"io/fs"
	"net"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/device"
	"github.com/taploop/taploop/device/devicetest"
	"github.com/taploop/taploop/internal/patient"
	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/sandbox/adbserver"
	"github.com/taploop/taploop/internal/sandbox/shell"
	"github.com/taploop/taploop/internal/screen"
)

// endpoint is the simulated phone's own ADB server.
type endpoint struct {
	*adbserver.Server
	host *device.Host
	addr string
}

func serve(t testing.TB) endpoint {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := adbserver.New()
	served := make(chan error, 1)
	go func() { served <- s.Serve(t.Context(), ln) }()
	t.Cleanup(func() { require.NoError(t, <-served) })
	h, err := device.NewHost(&device.Options{Server: ln.Addr().String(),
		Getenv: func(string) string { return "" }})
	require.NoError(t, err)
	h.ShortenWaits()
	return endpoint{s, h, ln.Addr().String()}
}

func (e endpoint) open(t testing.TB, serial string) *device.Phone {
	t.Helper()
	p, err := e.host.Open(t.Context(), serial)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return p
}

// small has a ninth of the usual pixels, which are most of what the contract costs. The phone with
// an override size has all of them.
var small = sandbox.Options{Size: image.Pt(360, 800), Density: 140}

func TestAPhoneBehindTheSimulatedServerKeepsTheContract(t *testing.T) {
	t.Parallel()
	devicetest.Run(t, func(t *testing.T) devicetest.Subject {
		return overEndpoint(t, small)
	})
}

func TestAPhoneWithoutADBKeyboardKeepsTheContract(t *testing.T) {
	t.Parallel()
	devicetest.Run(t, func(t *testing.T) devicetest.Subject {
		without := small
		without.ADBKeyboard = new(false)
		s := overEndpoint(t, without)
		// typing is what differs
		return devicetest.Subject{Phone: s.Phone, Apps: s.Apps, Field: s.Field, Text: s.Text,
			Canary: s.Canary}
	})
}

// Some versions of Android capture physical pixels while an override size is set; touches still
// count in the override.
func TestAPhoneWithAnOverrideSizeKeepsTheContract(t *testing.T) {
	fresh := func(t *testing.T) devicetest.Subject {
		s := overEndpoint(t, sandbox.Options{CapturePhysical: true, Density: 280},
			"wm size 720x1600")
		// touching is what differs
		return devicetest.Subject{Phone: s.Phone, Apps: s.Apps, Front: s.Front, Home: s.Home,
			Touches: s.Touches, Rotate: s.Rotate}
	}
	look, err := fresh(t).Phone.Look(t.Context())
	require.NoError(t, err)
	require.Equal(t, 720, look.State.Size.W)
	require.Equal(t, 1080, look.Frame.Size().W)
	devicetest.Run(t, fresh)
}

func overEndpoint(t *testing.T, o sandbox.Options, lines ...string) devicetest.Subject {
	t.Parallel()
	e := serve(t)
	sim := newSimulated(t, o)
	sh := shell.New(sim.phone)
	for _, line := range lines {
		require.Zero(t, sh.Run(t.Context(), line, nil, os.Stderr, os.Stderr))
	}
	e.Attach("sandbox-1", sh)
	s := sim.subject(e.open(t, "sandbox-1"))
	s.LockedPIN = func(t *testing.T) devicetest.Surface {
		e.Attach("sandbox-2", shell.New(newSimulated(t, sandbox.Options{PIN: "2580",
			Locked: true}).phone))
		return e.open(t, "sandbox-2")
	}
	s.Hang = func(t *testing.T) { require.NoError(t, e.Server.Hang("sandbox-1", true)) }
	s.Resume = func(t *testing.T) { require.NoError(t, e.Server.Hang("sandbox-1", false)) }
	s.Disconnect = func(t *testing.T) {
		require.NoError(t, e.SetState("sandbox-1",
			adbserver.StateOffline))
	}
	s.Reconnect = func(t *testing.T) {
		require.NoError(t, e.SetState("sandbox-1",
			adbserver.StateDevice))
	}
	s.Canary = func() error { return errors.Join(canaryOnHost(), canaryOn(sim)) }
	return s
}

func canaryOnHost() error {
	if _, err := os.Stat(devicetest.Canary); err == nil {
		return errors.New("a typed text ran as a command on this machine")
	}
	return nil
}

func canaryOn(s simulated) error {
	if _, err := s.phone.Files().Stat(devicetest.Canary); !errors.Is(err, fs.ErrNotExist) {
		return errors.New("a typed text ran as a command on the phone")
	}
	return nil
}

func TestAConnectionThatBreaksInTheMiddleIsADisconnect(t *testing.T) {
	e := serve(t)
	e.Attach("sandbox-1", shell.New(newSimulated(t, sandbox.Options{}).phone))
	p := e.open(t, "sandbox-1")
	look, err := p.Look(t.Context())
	require.NoError(t, err)
	require.NotNil(t, look.Frame)
	require.NoError(t, e.Hang("sandbox-1", true))
	done := make(chan error, 1)
	go func() { _, err := p.Look(t.Context()); done <- err }()
	require.Eventually(t, func() bool {
		require.NoError(t, e.DropConnections("sandbox-1"))
		select {
		case err = <-done:
			return true
		default:
			return false
		}
	}, patient.Lid, time.Millisecond)
	require.ErrorIs(t, err, screen.ErrDisconnected)
}

func TestACutCaptureIsNeverAFrame(t *testing.T) {
	e := serve(t)
	e.Attach("sandbox-1", shell.New(newSimulated(t, sandbox.Options{}).phone))
	p := e.open(t, "sandbox-1")
	require.NoError(t, e.CorruptCaptures("sandbox-1", true))
	look, err := p.Look(t.Context())
	require.ErrorContains(t, err, "screencap gave no whole picture")
	require.Nil(t, look.Frame)
	require.NoError(t, e.CorruptCaptures("sandbox-1", false))
	_, err = p.Look(t.Context())
	require.NoError(t, err)
}

func TestSimulatedPhonesAreListed(t *testing.T) {
	e := serve(t)
	list, err := e.host.List(t.Context())
	require.NoError(t, err)
	require.Empty(t, list)
	e.Attach("sandbox-1", shell.New(newSimulated(t, sandbox.Options{}).phone))
	e.Attach("sandbox-2", shell.New(newSimulated(t, sandbox.Options{}).phone))
	require.NoError(t, e.SetState("sandbox-2", adbserver.StateUnauthorized))
	list, err = e.host.List(t.Context())
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.Equal(t, "sandbox-1", list[0].Serial)
	require.True(t, list[0].Usable())
	require.NotEmpty(t, list[0].Model)
	require.NotEmpty(t, list[0].Android)
	require.Equal(t, "1080x2400", list[0].Size.String())
	require.Equal(t, device.PhoneInfo{Serial: "sandbox-2", State: "unauthorized"}, list[1])

	found, err := e.open(t, "").Apps(t.Context())
	require.NoError(t, err)
	require.Contains(t, found, device.App{Package: settingsApp, Name: "Settings", System: true})
}

// A person types where the agent may not: what has the focus is no field.
func TestAPersonTypesAPINOnTheLockScreen(t *testing.T) {
	e := serve(t)
	sim := newSimulated(t, sandbox.Options{PIN: "2580", Locked: true})
	e.Attach("sandbox-1", shell.New(sim.phone))
	p := e.open(t, "sandbox-1")
	_, err := p.Wake(t.Context())
	require.Error(t, err)
	require.ErrorContains(t, p.Type(t.Context(), "2580"), "no text field")
	require.NoError(t, p.TypeByHand(t.Context(), "2580\n"))
	require.False(t, sim.phone.Lock.Locked())
}
