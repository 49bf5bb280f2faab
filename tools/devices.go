package tools

import (
	"context"
	"sync"
	"time"

	"github.com/taploop/taploop/runs"
	"github.com/taploop/taploop/screen"
	"github.com/taploop/taploop/tools/result"
)

// stateTime bounds how long a phone may take to tell its state; one that does not is listed without it.
const stateTime = 4 * time.Second

// listDevices lists the phones, reading their states at the same time.
func (t *Tools) listDevices(ctx context.Context, c *call) (*reply, error) {
	phones, err := t.opts.Phones.List(ctx)
	if err != nil {
		return nil, runs.Coded(deviceError, err)
	}
	list := make([]result.Phone, len(phones))
	errs := make([]error, len(phones))
	var wg sync.WaitGroup
	for i, p := range phones {
		wg.Go(func() { list[i], errs[i] = t.describe(ctx, c, p) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	r := &reply{body: result.Phones{Devices: list}}
	if len(list) == 0 {
		r.tail = "No phone is connected: ask your user to plug one in with USB debugging on, or to start an emulator."
	}
	return r, nil
}

func (t *Tools) describe(ctx context.Context, c *call, p runs.PhoneInfo) (result.Phone, error) {
	d := result.Phone{ID: p.Serial, State: p.State, Usable: p.Usable, Model: p.Model, Android: p.Android, SDK: p.SDK}
	if p.Size.Valid() {
		d.Size = &[2]int{p.Size.W, p.Size.H}
	}
	h, held, err := t.opts.Store.Holder(ctx, p.Serial)
	if err != nil {
		return d, err
	}
	if held {
		d.HeldBy = result.NewHolder(h)
		if _, err := t.opts.Runs.Session(ctx, h.SessionID, c.principal); err != nil {
			d.HeldBy.SessionID = "" // ids of somebody else's sessions are not told
		}
	}
	if !p.Usable {
		return d, nil
	}
	reading, cancel := context.WithTimeout(ctx, stateTime)
	defer cancel()
	s, err := t.stateOf(reading, p.Serial)
	if err != nil {
		t.log.InfoContext(ctx, "state of a phone", "serial", p.Serial, "err", err)
		return d, ctx.Err()
	}
	d.On, d.Locked, d.App = &s.On, &s.Locked, s.App
	return d, nil
}

// stateOf is what a phone says of itself, without a picture.
func (t *Tools) stateOf(ctx context.Context, serial string) (screen.State, error) {
	p, err := t.opts.Phones.Open(ctx, serial)
	if err != nil {
		return screen.State{}, err
	}
	defer p.Close() // nothing was changed on it
	return p.State(ctx)
}
