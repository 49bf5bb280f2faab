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

// Phones lists and opens phones. A Phones may wrap another one to change every phone, for example
// to mask all pictures.
type Phones interface {
	// List returns all phones, also unusable ones.
	List(ctx context.Context) ([]PhoneInfo, error)
	// Open returns the phone with the serial, which may be one of its addresses. "" means the only
	// usable phone. The error has a hint.
	// Its code is DeviceNotFound unless it has another: DeviceAmbiguous, DeviceOffline or
	// DeviceUnauthorized.
	Open(ctx context.Context, serial string) (Phone, error)
}

// PhoneInfo is a phone in a list. The fields after State are empty if they are unknown.
type PhoneInfo struct {
	Serial string // the same at each of its addresses
	// under which it can be opened as well, the one in use first; empty if it is just Serial
	Addresses []string

	State   string // the state in ADB's words: device, offline, unauthorized, ...
	Usable  bool
	Model   string
	Android string
	SDK     int
	Size    screen.Size

	Worker    string            // the machine that has it, "" for this one
	WorkerURL string            // where that shows it to the others, "" if it does not
	Labels    map[string]string // the user's own
	Apps      []string          // the installed packages, nil if that is not known
	Closed    bool              // it gets no new runs
}

// Phone is one phone. Only one run uses it at a time, but viewers may use it at the same time.
type Phone interface {
	agentloop.Phone
	agentloop.Reader
	Hands
	// State is what the phone says of itself, without a picture and in less time than a Look.
	State(ctx context.Context) (screen.State, error)
	// Device describes the phone. Its ID is the serial.
	Device() store.Device
	// Wake switches the display on and dismisses a lock screen that has no credential. Otherwise it
	// returns screen.ErrLocked. The state is the one after that.
	Wake(ctx context.Context) (screen.State, error)
	// Relaunch stops the app, unless its package is in used, and launches it. If no installed app
	// has the name, nothing is stopped.
	Relaunch(ctx context.Context, app string, used []string) error
	Close() error
}

// Hands are the functions of a phone for people who use it live. Runs do not use them.
type Hands interface {
	// TypeByHand is like Type, but sends keys if no field has the focus.
	TypeByHand(ctx context.Context, text string) error
	// AwaitTouch returns nil once somebody touches the phone's screen. It returns ctx's error, or
	// another one if touches cannot be observed.
	AwaitTouch(ctx context.Context) error
}

// means reports whether the name is the serial of the phone or one of its addresses.
func means(ctx context.Context, phones Phones, name, serial string) bool {
	if name == serial || name == "" || serial == "" {
		return name == serial
	}
	p, err := phones.Open(ctx, name)
	if err != nil {
		return false
	}
	defer p.Close() // nothing was changed on it
	return p.Device().ID == serial
}

// ready wakes the phone. If home is set it goes to the home screen, and returns what was in front.
func ready(ctx context.Context, p Phone, home bool) (left screen.State, err error) {
	if left, err = p.Wake(ctx); err != nil {
		return screen.State{}, fmt.Errorf("waking the phone: %w", err)
	}
	if !home {
		return screen.State{}, nil
	}
	if err = p.Key(ctx, actions.KeyHome); err != nil {
		return left, fmt.Errorf("going to the home screen: %w", err)
	}
	return left, nil
}

// freshPhone restarts the first app that a task opens, so that the task does not start where the
// last one left the app. Apps that were in front since are not restarted.
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

// see records which app is in front at a step.
func (p *freshPhone) see(s screen.State) {
	if s.App != "" && !slices.Contains(p.used, s.App) {
		p.used = append(p.used, s.App)
	}
}
