package device_test

import (
	"net"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/device"
	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/sandbox/adbserver"
	"github.com/taploop/taploop/internal/sandbox/shell"
	"github.com/taploop/taploop/internal/screen"
)

// benchPhone is a phone behind the simulated server, and the server's port.
func benchPhone(b *testing.B) (*device.Phone, string) {
	b.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	s := adbserver.New()
	s.Attach("sandbox-1", shell.New(sandbox.New(&sandbox.Options{AnimationScale: new(float64)})))
	served := make(chan error, 1)
	go func() { served <- s.Serve(b.Context(), ln) }()
	b.Cleanup(func() { require.NoError(b, <-served) })
	h, err := device.NewHost(&device.Options{Server: ln.Addr().String()})
	require.NoError(b, err)
	p, err := h.Open(b.Context(), "sandbox-1")
	require.NoError(b, err)
	for range 3 { // both forms of capture are measured, and the sizes are known
		_, err = p.Look(b.Context())
		require.NoError(b, err)
	}
	_, port, err := net.SplitHostPort(ln.Addr().String())
	require.NoError(b, err)
	return p, port
}

// BenchmarkLook is a frame of 1080x2400 with its state.
func BenchmarkLook(b *testing.B) {
	p, _ := benchPhone(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Look(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLookWithElements is what a step with marks asks of the phone, as a ratio to a step
// without them. A real uiautomator takes a second or more on top of it.
func BenchmarkLookWithElements(b *testing.B) {
	p, _ := benchPhone(b)
	var looks, all time.Duration
	for b.Loop() {
		began := time.Now()
		_, err := p.Look(b.Context())
		require.NoError(b, err)
		looks += time.Since(began)
		_, err = p.Elements(b.Context())
		require.NoError(b, err)
		all += time.Since(began)
	}
	b.ReportMetric(float64(all)/float64(looks), "steps-without")
}

// BenchmarkTap compares a tap over the server's socket with one that runs the adb binary, in one
// run.
func BenchmarkTap(b *testing.B) {
	p, port := benchPhone(b)
	at := screen.Point{X: 0.01, Y: 0.5} // next to everything
	b.Run("socket", func(b *testing.B) {
		for b.Loop() {
			if err := p.Tap(b.Context(), at); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("process", func(b *testing.B) {
		adb, err := exec.LookPath("adb")
		require.NoError(b, err, "install adb to compare with it")
		for b.Loop() {
			if out, err := exec.CommandContext(b.Context(), adb, "-P", port, "-s", "sandbox-1",
				"shell", "input tap 10 1200").CombinedOutput(); err != nil {
				b.Fatalf("%v: %s", err, out)
			}
		}
	})
}
