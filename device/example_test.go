package device_test

import (
	"context"
	"fmt"
	"net"
	"strings"

	"github.com/taploop/taploop/device"
	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/sandbox/adbserver"
	"github.com/taploop/taploop/internal/sandbox/shell"
	"github.com/taploop/taploop/internal/screen"
)

// A phone behind an ADB server: here the simulated one, so that the example runs anywhere.
func Example() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	server := adbserver.New()
	server.Attach("sandbox-1", shell.New(sandbox.New(nil)))
	go server.Serve(ctx, ln)

	host, err := device.NewHost(&device.Options{Server: ln.Addr().String()})
	if err != nil {
		panic(err)
	}
	phone, err := host.Open(ctx, "") // the only one
	if err != nil {
		panic(err)
	}
	if err := phone.Launch(ctx, "Clock"); err != nil {
		panic(err)
	}
	if err := phone.Tap(ctx, screen.Point{X: 0.5, Y: 0.5}); err != nil {
		panic(err)
	}
	look, err := phone.Look(ctx)
	if err != nil {
		panic(err)
	}
	fmt.Println(phone.Info().Serial, look.State.App, look.State.Size, look.Frame.Size())
	err = phone.Launch(ctx, "Clocks and Calendars")
	fmt.Println(strings.ReplaceAll(err.Error(), ": ", ":\n"))
	// Output:
	// sandbox-1 com.android.deskclock 1080x2400 1080x2400
	// launching "Clocks and Calendars" on sandbox-1:
	// no installed app is called "Clocks and Calendars"; near names:
	// Clock (com.android.deskclock)
}
