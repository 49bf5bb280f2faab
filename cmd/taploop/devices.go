package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/device"
	"github.com/taploop/taploop/internal/adb"
	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/terminal/tty"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/wait"
)

type devicesCmd struct {
	JSON    bool
	Wait    bool
	Watch   bool
	Boot    bool
	Phones  whole         `from:"1" to:"1000" default:"1" placeholder:"N"`
	Timeout time.Duration `default:"5m" placeholder:"D"`
	ADB     string        `name:"adb-server" key:"adb.server" placeholder:"ADDR"`
}

// Run lists the phones that the ADB server has, usable or not.
func (c *devicesCmd) Run(ctx context.Context, a *invocation) error {
	switch {
	case c.Timeout <= 0:
		return app.Usage(fmt.Errorf("--timeout is %v", c.Timeout),
			"use one of more than 0, such as 5m")
	case c.Phones > 1 && !c.waits():
		return app.Usage(errors.New("--phones is of use only where phones are waited for"),
			"add --wait or --boot")
	}
	if err := a.Load(); err != nil {
		return err
	}
	host, err := app.NewHost(&a.Settings, nil)
	if err != nil {
		return err
	}
	if c.Watch && !c.waits() {
		return app.PhoneTrouble(c.watch(ctx, a, host))
	}
	phones, err := c.phones(ctx, host)
	if err != nil {
		return runs.Coded(runs.Code(agentloop.DeviceError), err)
	}
	if c.Watch {
		return app.PhoneTrouble(c.watch(ctx, a, host))
	}
	return printPhones(a, c.JSON, phones)
}

// waits reports whether phones are waited for.
func (c *devicesCmd) waits() bool { return c.Wait || c.Boot }

// phones lists the phones, after waiting for the wanted ones.
func (c *devicesCmd) phones(ctx context.Context, host *device.Host) ([]device.PhoneInfo, error) {
	if !c.waits() {
		return host.List(ctx)
	}
	late := hint.Add(fmt.Errorf("the wait of %v is over", c.Timeout),
		"start a phone, or wait longer with --timeout")
	ctx, cancel := context.WithTimeoutCause(ctx, c.Timeout, late)
	defer cancel()
	return host.AwaitPhones(ctx, int(c.Phones), c.Boot)
}

// watchEvery is how often the phones are looked at.
const watchEvery = time.Second

// phoneChange is a phone whose state is another one than before.
type phoneChange struct {
	At    time.Time `json:"at"`
	Phone string    `json:"device_id"`
	State string    `json:"state"` // "gone" if the server has it no longer
}

// watch prints a line for each phone, and for each change. Once it has seen the phones it goes on
// while the ADB server is away, as when that is restarted.
func (c *devicesCmd) watch(ctx context.Context, a *invocation, host *device.Host) error {
	var before map[string]string
	for away := false; ; {
		now, err := host.States(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil && away:
			a.notef("the phones can be seen again")
		case err == nil:
		case before == nil:
			return err
		case !away:
			a.notef("the phones cannot be seen, and are looked for: %v", err)
		}
		if away = err != nil; away {
			now = before
		}
		for _, change := range changes(before, now) {
			if err := c.printChange(a, change); err != nil {
				return err
			}
		}
		before = now
		if wait.For(ctx, watchEvery) != nil {
			return nil
		}
	}
}

// changes lists what differs, in the order of the phones' names.
func changes(before, now map[string]string) (list []phoneChange) {
	at := time.Now().Truncate(time.Millisecond)
	all := maps.Clone(now)
	maps.Copy(all, before)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		state, there := now[name]
		if !there {
			state = "gone"
		}
		if before[name] != state {
			list = append(list, phoneChange{at, name, state})
		}
	}
	return list
}

func (c *devicesCmd) printChange(a *invocation, p phoneChange) error {
	if c.JSON {
		return json.NewEncoder(a.out).Encode(p)
	}
	_, err := fmt.Fprintf(a.out, "%s  %s  %s\n", p.At.Format(time.TimeOnly), text.Line(p.Phone),
		text.Line(p.State))
	return err
}

// printPhones lists phones, and says below the list what keeps some from being used.
func printPhones(a *invocation, asJSON bool, phones []device.PhoneInfo) error {
	whole := tty.Columns(a.out) == 0
	err := printList(a, asJSON, phones,
		"no phones; connect one with USB debugging on, or start `taploop sandbox`",
		"SERIAL STATE MODEL ANDROID SIZE", func(p device.PhoneInfo) []any {
			size, state := "", p.State
			if p.Size.Valid() {
				size = p.Size.String()
			}
			if at := strings.IndexAny(state, "(;"); at > 0 && !whole {
				state = strings.TrimSpace(state[:at])
			}
			serial := p.Serial
			if others := slices.DeleteFunc(slices.Clone(p.Addresses), func(a string) bool {
				return a == serial
			}); len(others) > 0 {
				serial += " (" + strings.Join(others, ", ") + ")"
			}
			return []any{serial, a.term(state), p.Model, p.Android, size}
		})
	for _, p := range phones {
		if asJSON || p.Usable() || err != nil {
			continue
		}
		trouble := adb.StateError(p.Serial, p.State)
		a.notef("%v", indented(trouble.Error(), "  "))
		a.try(hint.Of(trouble))
	}
	return err
}
