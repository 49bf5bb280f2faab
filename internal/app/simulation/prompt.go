package simulation

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/device"
	"github.com/taploop/taploop/internal/sandbox"
)

// Prompt is the first step's prompt on the simulated phone's screen, looked at as in a run.
func Prompt(
	ctx context.Context, d dialect.Dialect, task string,
) (asked dialect.Request, err error) {
	sim, err := Start(ctx, sandbox.New(nil),
		&Options{Serial: fmt.Sprintf("prompt-%d", os.Getpid())})
	if err != nil {
		return asked, err
	}
	defer func() { err = errors.Join(err, sim.Close()) }()
	host, err := device.NewHost(&device.Options{Server: sim.Addr})
	if err != nil {
		return asked, err
	}
	phone, err := host.Open(ctx, sim.Serial)
	if err != nil {
		return asked, err
	}
	defer func() { err = errors.Join(err, phone.Close()) }()
	look, err := phone.Look(ctx)
	if err == nil && d.Profile().Elements {
		look.Elements, err = phone.Elements(ctx)
	}
	if err != nil {
		return asked, err
	}
	return d.Prompt(dialect.Situation{Task: task, Screen: look})
}
