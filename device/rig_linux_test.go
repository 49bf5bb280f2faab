package device_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/device"
	"github.com/taploop/taploop/device/devicetest"
	"github.com/taploop/taploop/internal/adbtest"
	"github.com/taploop/taploop/internal/patient"
	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/sandbox/adbdshim"
	"github.com/taploop/taploop/internal/sandbox/shell"
	"github.com/taploop/taploop/internal/screen"
)

func TestMain(m *testing.M) { adbtest.Main(m) }

// rigged is Android's own adb server with two of Android's own daemons, whose commands are
// stand-ins for a simulated phone each. The daemons live as long as the test; the phones behind
// them are exchanged.
type rigged struct {
	*adbtest.Rig
	dirs [2]string
	host *device.Host
}

func newRigged(t *testing.T) *rigged {
	t.Helper()
	// Not this binary, which takes long to start: they are started some hundred times.
	command := filepath.Join(t.TempDir(), "command")
	said, err := exec.Command("go", "build", "-o", command, "../internal/sandbox/adbdshim/command").
		CombinedOutput()
	require.NoError(t, err, "%s", said)
	r := &rigged{}
	var phones []adbtest.Daemon
	for i := range r.dirs {
		dir, err := os.MkdirTemp("", "phone") // a socket's path has to be short
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
		r.dirs[i] = dir
		bin := filepath.Join(dir, "bin")
		require.NoError(t, os.Mkdir(bin, 0o700))
		require.NoError(t, adbdshim.Install(bin, command))
		phones = append(phones, adbtest.Daemon{Standins: bin, Env: []string{adbdshim.Env + "=" +
			filepath.Join(dir, "socket")}})
	}
	r.Rig = adbtest.Start(t, &adbtest.Options{Phones: phones})
	r.host, err = device.NewHost(&device.Options{Server: r.Server, Getenv: func(string) string {
		return ""
	}})
	require.NoError(t, err)
	r.host.ShortenWaits()
	return r
}

// plug puts a simulated phone behind the daemon of that number, until t ends.
func (r *rigged) plug(t *testing.T, n int, o sandbox.Options) simulated {
	t.Helper()
	o.Serial = r.Serials[n] // not alike, as the daemons are in all else
	sim := newSimulated(t, o)
	ln, err := adbdshim.Listen(filepath.Join(r.dirs[n], "socket"))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- adbdshim.Serve(ctx, ln, shell.New(sim.phone)) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-served)
	})
	return sim
}

func (r *rigged) open(t *testing.T, n int) *device.Phone {
	t.Helper()
	p, err := r.host.Open(t.Context(), r.Serials[n])
	require.NoError(t, err)
	return p
}

func TestAPhoneBehindTheRealServerAndDaemonKeepsTheContract(t *testing.T) {
	r := newRigged(t)
	devicetest.Run(t, func(t *testing.T) devicetest.Subject {
		sim := r.plug(t, 0, small)
		s := sim.subject(r.open(t, 0))
		serial := r.Serials[0]
		s.LockedPIN = func(t *testing.T) devicetest.Surface {
			r.plug(t, 1, sandbox.Options{PIN: "2580", Locked: true})
			return r.open(t, 1)
		}
		s.Hang = func(*testing.T) { r.Hang(serial) }
		s.Resume = func(*testing.T) { r.Resume(serial) }
		s.Disconnect = func(*testing.T) { r.Kill(serial) }
		s.Reconnect = func(*testing.T) { r.Restart(serial) }
		// this machine's files are the phone's
		s.Canary = func() error { return errors.Join(canaryOnHost(), canaryOn(sim)) }
		return s
	})
}

// A daemon that answers nothing must not keep the others from the list, and is not a phone that is
// gone.
func TestTheRealServersPhonesAreListed(t *testing.T) {
	r := newRigged(t)
	r.plug(t, 0, sandbox.Options{})
	r.Hang(r.Serials[1])
	list, err := r.host.List(t.Context())
	r.Resume(r.Serials[1])
	require.NoError(t, err)
	require.Len(t, list, 2)
	for _, info := range list {
		switch info.Serial {
		case r.Serials[0]:
			require.True(t, info.Usable())
			require.Equal(t, "1080x2400", info.Size.String())
		case r.Serials[1]:
			require.Equal(t, device.StateHung, info.State)
		default:
			require.Fail(t, fmt.Sprint("an unknown phone ", info))
		}
	}
	look, err := r.open(t, 0).Look(t.Context())
	require.NoError(t, err)
	require.Equal(t, screen.Size{W: 1080, H: 2400}, look.Frame.Size(), "whole, through the daemon")
}

func TestARealDaemonTellsOfFingersAndOfNothingElse(t *testing.T) {
	r := newRigged(t)
	sim := r.plug(t, 0, small)
	p := r.open(t, 0)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- p.AwaitTouch(ctx) }()
	require.NoError(t, p.Tap(t.Context(), screen.Point{X: 0.5, Y: 0.5}))
	require.Empty(t, ended, "what is injected")
	late, touching := time.After(patient.Lid), time.NewTicker(50*time.Millisecond)
	for { // until getevent listens
		select {
		case err := <-ended:
			require.NoError(t, err)
			return
		case <-touching.C:
			sim.phone.Touch.Finger(10, 10)
		case <-late:
			require.Fail(t, "nobody felt the fingers")
		}
	}
}
