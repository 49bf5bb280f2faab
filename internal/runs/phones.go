package runs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/wait"
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

// phoneQueues are the runs of this process that wait for a phone, first come first served.
type phoneQueues struct {
	store *store.Store
	log   *slog.Logger

	mu       sync.Mutex
	bySerial map[string][]*queueEntry
}

// queueEntry is a run's place in the queue for a phone.
type queueEntry struct {
	hold store.Hold    // of the run, as it would hold the phone
	wake chan struct{} // holds one token when the phone may be free for this one
}

// poll is how often the first in the queue asks the store, for phones that another process gives
// back.
const poll = time.Second

// acquire waits until the run has the phone, and calls busy when that does not come at once. It
// gives the entry up.
func (p *phoneQueues) acquire(ctx context.Context, e *queueEntry, busy func()) error {
	defer p.leave(e)
	h, held, err := p.store.Leases.Holder(ctx, e.hold.Serial)
	// It may have got the phone before it stood in the queue.
	if err != nil || held && h.RunID == e.hold.RunID {
		return err
	}
	for first := true; ; first = false {
		if p.first(e) {
			err := p.store.Leases.Take(ctx, e.hold.Serial, e.hold.RunID)
			if _, held := errors.AsType[*store.BusyError](err); !held {
				return err
			}
		}
		if first {
			busy()
		}
		if err := wait.Until(ctx, poll, e.wake); err != nil {
			return err
		}
	}
}

// join puts a run of the session at the end of the queue.
func (p *phoneQueues) join(x store.Session, runID string) *queueEntry {
	e := &queueEntry{
		wake: make(chan struct{}, 1),
		hold: store.Hold{Serial: x.Serial, SessionID: x.ID, Client: x.Client, RunID: runID,
			State: store.Queued, Since: time.Now()},
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bySerial[x.Serial] = append(p.bySerial[x.Serial], e)
	return e
}

func (p *phoneQueues) first(e *queueEntry) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.bySerial[e.hold.Serial][0] == e
}

func (p *phoneQueues) leave(e *queueEntry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	serial := e.hold.Serial
	left := slices.DeleteFunc(p.bySerial[serial], func(o *queueEntry) bool { return o == e })
	if p.bySerial[serial] = left; len(left) == 0 {
		delete(p.bySerial, serial)
	}
}

// release gives the phone back and lets the next in the queue have it.
func (p *phoneQueues) release(ctx context.Context, serial, runID string) {
	ctx, cancel := detached(ctx)
	defer cancel()
	if err := p.store.Leases.Release(ctx, serial, runID); err != nil {
		p.log.ErrorContext(ctx, "release", "serial", serial, "run", runID, "err", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if queue := p.bySerial[serial]; len(queue) > 0 {
		wait.Wake(queue[0].wake)
	}
}

// ahead is how many runs are in front of the run in the queue for the phone.
func (p *phoneQueues) ahead(serial, runID string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(0, slices.IndexFunc(p.bySerial[serial],
		func(e *queueEntry) bool { return e.hold.RunID == runID }))
}

// holder is the run of another session that has the phone, or is the first in the queue for it.
func (p *phoneQueues) holder(ctx context.Context,
	serial, sessionID string) (h store.Hold, held bool, err error) {
	all, err := p.holders(ctx, serial)
	i := slices.IndexFunc(all, func(h store.Hold) bool { return h.SessionID != sessionID })
	if err != nil || i < 0 {
		return h, false, err
	}
	return all[i], true, nil
}

// holders are the run that has the phone, and those that wait for it in this process.
func (p *phoneQueues) holders(ctx context.Context, serial string) (all []store.Hold, err error) {
	h, held, err := p.store.Leases.Holder(ctx, serial)
	if err != nil {
		return nil, err
	}
	if held {
		all = append(all, h)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.bySerial[serial] {
		all = append(all, e.hold)
	}
	return all, nil
}

// free refuses the client when another session than its own one has the phone, or is in the queue
// for it.
func (p *phoneQueues) free(ctx context.Context, serial, sessionID, client string) error {
	h, held, err := p.holder(ctx, serial, sessionID)
	if err == nil && held {
		err = busy(h.SeenBy(client))
	}
	return err
}
