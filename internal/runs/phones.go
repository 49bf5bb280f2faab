package runs

import (
	"context"
	"fmt"
	"slices"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
)

// Phones are the phones that there are, for runs and for all who look at a phone. What changes
// every phone, for example a mask over all pictures, is a Phones around another one.
type Phones interface {
	// List gives all of them, even those that cannot be used.
	List(ctx context.Context) ([]PhoneInfo, error)
	// Open gives the phone with this serial; "" means the only usable one. An error has a hint, and
	// a code when it is not DeviceNotFound: DeviceAmbiguous, DeviceOffline or DeviceUnauthorized.
	Open(ctx context.Context, serial string) (Phone, error)
}

// PhoneInfo is a phone in a list. What follows State is empty when it is not known.
type PhoneInfo struct {
	Serial  string
	State   string // as ADB says: device, offline, unauthorized, ...
	Usable  bool
	Model   string
	Android string
	SDK     int
	Size    screen.Size
}

// Phone is one phone. It is used by one run at a time, and besides by those who look at it.
type Phone interface {
	agentloop.Phone
	agentloop.Stater
	agentloop.Reader
	Hands
	// Device is what is known of the phone; its ID is the serial.
	Device() store.Device
	// Wake switches the display on and opens a lock screen that needs no person; else the error is
	// screen.ErrLocked.
	Wake(ctx context.Context) error
	// Relaunch is Launch of an app that is ended before, unless its package is one of those in use.
	// A name that matches no installed app ends none.
	Relaunch(ctx context.Context, app string, used []string) error
	Close() error
}

// Hands are what a phone offers to people who see it live. Runs do not use them.
type Hands interface {
	// TypeByHand is Type, and types keys where no field has the focus.
	TypeByHand(ctx context.Context, text string) error
	// AwaitTouch returns nil once somebody touches the phone itself, and any error but ctx's when
	// it cannot tell.
	AwaitTouch(ctx context.Context) error
}

// ready wakes the phone and, when asked to, goes to the home screen.
func ready(ctx context.Context, p Phone, home bool) error {
	if err := p.Wake(ctx); err != nil {
		return fmt.Errorf("waking the phone: %w", err)
	}
	if !home {
		return nil
	}
	if err := p.Key(ctx, actions.KeyHome); err != nil {
		return fmt.Errorf("going to the home screen: %w", err)
	}
	return nil
}

// freshPhone is a phone on which the first app that a task opens begins anew: where the last task
// has left it is not where this one starts. An app that was in front since is in use.
type freshPhone struct {
	Phone
	done bool
	used []string
}

// Launch brings the app to the front.
func (p *freshPhone) Launch(ctx context.Context, app string) error {
	if p.done {
		return p.Phone.Launch(ctx, app)
	}
	err := p.Phone.Relaunch(ctx, app, p.used)
	p.done = err == nil
	return err
}

// see takes note of what is in front in a step.
func (p *freshPhone) see(s screen.State) {
	if s.App != "" && !slices.Contains(p.used, s.App) {
		p.used = append(p.used, s.App)
	}
}
