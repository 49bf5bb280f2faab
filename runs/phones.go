package runs

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/screen"
	"github.com/taploop/taploop/session"
)

// Phones opens phones.
type Phones interface {
	// Open gives the phone with this serial; "" means the only usable one. An error names the mend.
	Open(ctx context.Context, serial string) (Phone, error)
}

// Phone is what a Fleet needs of a phone. It is used by one run at a time.
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

// secretWord stands for a secret answer in everything that the model reads and writes.
const secretWord = "{{secret}}"

// discreet is a phone that types a secret where the model wrote its placeholder, so that the secret itself is in no
// prompt, journal, event or log. It is used up once it was typed.
type discreet struct {
	Phone
	secret string
}

// State implements agentloop.Stater for a phone that does.
func (d *discreet) State(ctx context.Context) (screen.State, error) {
	if s, ok := d.Phone.(agentloop.Stater); ok {
		return s.State(ctx)
	}
	return screen.State{}, errors.ErrUnsupported
}

// Type types the text, with the secret in the place of its placeholder.
func (d *discreet) Type(ctx context.Context, text string) error {
	if !strings.Contains(text, secretWord) {
		return d.Phone.Type(ctx, text)
	}
	if d.secret == "" {
		return fmt.Errorf("nothing was typed: no secret is kept for %s any more (ask for it again)", secretWord)
	}
	if err := d.Phone.Type(ctx, strings.ReplaceAll(text, secretWord, d.secret)); err != nil {
		return fmt.Errorf("typing a secret: %w", masked{err, d.secret})
	}
	d.secret = ""
	return nil
}

// masked is an error whose text does not hold the secret.
type masked struct {
	error
	secret string
}

func (m masked) Error() string { return strings.ReplaceAll(m.error.Error(), m.secret, secretWord) }

func (m masked) Unwrap() error { return m.error }
