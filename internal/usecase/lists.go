package usecase

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
)

// DeviceError is the code about a phone, or an ADB server, that fails.
const DeviceError runs.Code = "DEVICE_ERROR"

// ListSessions lists sessions.
type ListSessions struct {
	State store.State `json:"state,omitempty"`
	Limit int         `json:"limit" default:"20" min:"1" max:"100"`
}

// ListSessions lists how the caller's sessions stand, the newest change first.
func (u *Cases) ListSessions(ctx context.Context, c *Call, a ListSessions) ([]runs.Status, error) {
	found, err := u.opts.Store.Sessions(ctx,
		store.Filter{Owners: c.Owners(), State: a.State, Limit: a.Limit})
	if err != nil {
		return nil, err
	}
	var list []runs.Status
	for _, o := range found {
		if o.Latest == nil {
			continue
		}
		st := runs.Status{Session: o.Session, Run: *o.Latest, Reason: o.Latest.StopReason}
		if !st.Run.State.Terminal() {
			st, err = u.opts.Runs.Status(ctx, o.ID)
		}
		if runs.CodeOf(err) == runs.SessionNotFound { // deleted meanwhile
			err = nil
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, st)
	}
	return list, nil
}

// Phone is a phone in a list.
type Phone struct {
	runs.PhoneInfo
	Held   *store.Hold   // its holder, as the caller may know it, or nil
	Screen *screen.State // what it says of itself, or nil if that is not known
	// Battery is how full it is, in percent, 0 if that is not known.
	Battery int
}

// ListPhones lists the phones. With states it asks each what it shows, all at the same time.
func (u *Cases) ListPhones(ctx context.Context, c *Call, states bool) ([]Phone, error) {
	found, err := u.opts.Phones.List(ctx)
	switch code := runs.CodeOf(err); {
	case code == runs.ADBUnreachable:
		return nil, err
	case err != nil:
		return nil, runs.Coded(DeviceError, err)
	}
	list := make([]Phone, len(found))
	errs := make([]error, len(found))
	var wg sync.WaitGroup
	for i, p := range found {
		list[i].PhoneInfo = p
		if states {
			wg.Go(func() { errs[i] = u.ask(ctx, c, &list[i]) })
		}
	}
	wg.Wait()
	return list, cmp.Or(errs...)
}

// stateTime bounds how long a phone may take to tell its state. One that does not is listed without
// it.
const stateTime = 4 * time.Second

// ask adds who has the phone, and what it says of itself.
func (u *Cases) ask(ctx context.Context, c *Call, p *Phone) error {
	h, held, err := u.opts.Leases.Holder(ctx, p.Serial)
	if err != nil {
		return err
	}
	if held {
		p.Held = new(h.SeenBy(c.Owners()))
	}
	if !p.Usable {
		return nil
	}
	reading, cancel := context.WithTimeout(ctx, stateTime)
	defer cancel()
	if err := u.read(reading, p); err != nil {
		u.opts.Log.InfoContext(ctx, "state of a phone", "serial", p.Serial, "err", err)
		return ctx.Err()
	}
	return nil
}

// read asks a phone what it says of itself, without a picture. Only phones with a battery tell of
// it.
func (u *Cases) read(ctx context.Context, p *Phone) error {
	open, err := u.opts.Phones.Open(ctx, p.Serial)
	if err != nil {
		return err
	}
	defer open.Close() // nothing was changed on it
	s, err := open.State(ctx)
	if err != nil {
		return err
	}
	p.Screen = &s
	if b, is := open.(interface {
		Battery(context.Context) (percent int, err error)
	}); is {
		p.Battery, err = b.Battery(ctx)
	}
	return err
}
