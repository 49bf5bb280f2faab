package runs

import (
	"context"
	"fmt"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/session"
)

// Phones opens phones.
type Phones interface {
	// Open gives the phone with this serial; "" means the only usable one. An error names the mend.
	Open(ctx context.Context, serial string) (Phone, error)
}

// Phone is what a Manager needs of a phone. It is used by one run at a time.
type Phone interface {
	agentloop.Phone
	// Device is what is known of the phone; its ID is the serial.
	Device() session.Device
	// Wake switches the display on and opens a lock screen that needs no person; else the error is screen.ErrLocked.
	Wake(ctx context.Context) error
	Close() error
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
