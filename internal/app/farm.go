package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/taploop/taploop/device"
	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/wait"
)

// Farm is the phones of this process and those of the other machines that share its store. It is
// safe for concurrent use. It implements runs.Phones and runs.Neighbours.
type Farm struct {
	local runs.Phones
	host  *device.Host
	db    *store.Store
	conf  config.Farm
	log   *slog.Logger

	notices chan struct{}
	states  atomic.Pointer[map[string]string] // of the phones here, as others have been told
	closed  atomic.Bool                       // no runs are taken any more
}

// NewFarm returns the phones of the host and of those that share the store. Around is that of
// Options.
func NewFarm(s *Settings, db *store.Store, host *device.Host,
	around func(runs.Phones) runs.Phones) *Farm {
	f := &Farm{local: phones{host}, host: host, db: db, conf: s.Conf.Farm, log: s.Log,
		notices: make(chan struct{}, 1)}
	if around != nil {
		f.local = around(f.local)
	}
	return f
}

// neighbours are the other machines, nil if the store is this machine's own.
func (f *Farm) neighbours() runs.Neighbours {
	if !f.db.Farm.Shared() {
		return nil
	}
	return f
}

// front reports whether this process uses no phones by itself.
func (f *Farm) front() bool { return f.conf.Role == config.Front }

// List implements runs.Phones: the phones here, and then those of others.
func (f *Farm) List(ctx context.Context) ([]runs.PhoneInfo, error) {
	list, err := f.here(ctx)
	if !f.db.Farm.Shared() {
		return f.marked(ctx, list, err)
	}
	workers, failed := f.db.Farm.Workers(ctx)
	if failed != nil {
		return nil, failed
	}
	by := map[string][]sight{}
	for _, p := range list {
		by[p.Serial] = []sight{{f.conf.Name, f.db.Owner.ID, p}}
	}
	for _, w := range workers {
		if w.Gone || w.ID == f.db.Owner.ID {
			continue
		}
		for _, p := range f.announced(ctx, w) {
			p.Worker, p.WorkerURL = cmp.Or(w.Name, w.ID), w.Addr
			by[p.Serial] = append(by[p.Serial], sight{w.Name, w.ID, p})
			at := slices.IndexFunc(list,
				func(o runs.PhoneInfo) bool { return o.Serial == p.Serial })
			switch {
			case at < 0:
				list = append(list, p)
			case !list[at].Usable && p.Usable:
				list[at] = p
			}
		}
	}
	for i, p := range list {
		if list[i], failed = f.labelled(ctx, p, by[p.Serial]); failed != nil {
			return nil, failed
		}
	}
	if len(list) > 0 {
		err = nil // the phones of others can be used without a server here
	}
	return f.marked(ctx, list, err)
}

// sight is what a machine says of a phone.
type sight struct {
	name, id string // of the machine
	runs.PhoneInfo
}

// labelled is p as all machines know it that see it: with the labels of the one that holds it, or
// else with those of all.
func (f *Farm) labelled(ctx context.Context, p runs.PhoneInfo, by []sight) (
	_ runs.PhoneInfo, err error) {
	labels := map[string]string{}
	if len(by) > 1 {
		slices.SortFunc(by, func(a, b sight) int {
			return cmp.Or(cmp.Compare(b.name, a.name), cmp.Compare(b.id, a.id))
		})
		var h store.Hold
		h, _, err = f.db.Leases.Holder(ctx, p.Serial)
		at := slices.IndexFunc(by, func(s sight) bool { return s.id == h.Worker })
		if at >= 0 {
			by = by[at : at+1]
		}
		if at >= 0 && p.Worker != "" {
			p = by[0].PhoneInfo
		}
	}
	for _, s := range by {
		maps.Copy(labels, s.Labels)
	}
	labels["worker"], p.Labels = cmp.Or(p.Worker, f.conf.Name), labels
	return p, err
}

// announced are the phones of a worker. One of another version may say what cannot be read.
func (f *Farm) announced(ctx context.Context, w store.Worker) (phones []runs.PhoneInfo) {
	if err := json.Unmarshal(w.Phones, &phones); err != nil {
		f.log.WarnContext(ctx, "reading what a worker announced", "worker", w.Name, "err", err)
	}
	return phones
}

// here are the phones of this process.
func (f *Farm) here(ctx context.Context) ([]runs.PhoneInfo, error) {
	if f.front() {
		return nil, nil
	}
	list, err := f.local.List(ctx)
	for i := range list {
		list[i].Labels = f.conf.Labels
	}
	return list, err
}

// marked marks the phones that get no new runs.
func (f *Farm) marked(ctx context.Context, list []runs.PhoneInfo, err error) (
	[]runs.PhoneInfo, error) {
	if err != nil {
		return nil, err
	}
	closed, err := f.db.Farm.Closed(ctx)
	for i, p := range list {
		list[i].Closed = p.Closed || closed[store.ClosedPhone+p.Serial]
	}
	return list, err
}

// Open implements runs.Phones. The error is a *runs.ElsewhereError for a phone of another machine.
func (f *Farm) Open(ctx context.Context, serial string) (runs.Phone, error) {
	var p runs.Phone
	var err error = runs.Refuse(runs.DeviceNotFound, "name one that is listed",
		"there is no phone %q", serial)
	if !f.front() {
		p, err = f.local.Open(ctx, serial)
	}
	if err == nil || !f.db.Farm.Shared() || ctx.Err() != nil {
		return p, err
	}
	list, failed := f.List(ctx)
	list = slices.DeleteFunc(called(list, serial), func(p runs.PhoneInfo) bool {
		return p.Worker == ""
	})
	switch {
	case failed != nil || len(list) == 0:
		return nil, err
	case len(list) > 1:
		return nil, runs.Refuse(runs.DeviceAmbiguous, "name one, or any", "there are %d phones",
			len(list))
	}
	one := list[0]
	return nil, &runs.ElsewhereError{Worker: one.Worker, Device: store.Device{ID: one.Serial,
		Size: one.Size, Model: one.Model, Android: one.Android}}
}

// called are the usable phones of that name: the one whose serial it is, else those that have it as
// an address, which phones of several machines may have in common. All have the name "".
func called(list []runs.PhoneInfo, name string) (found []runs.PhoneInfo) {
	for _, p := range list {
		switch {
		case !p.Usable:
		case p.Serial == name:
			return []runs.PhoneInfo{p}
		case name == "", slices.Contains(p.Addresses, name):
			found = append(found, p)
		}
	}
	return found
}

// Apps lists the packages of a phone.
func (f *Farm) Apps(ctx context.Context, serial string) ([]string, error) {
	p, err := f.host.Open(ctx, serial)
	if err != nil {
		return nil, err
	}
	apps, err := p.Apps(ctx)
	list := make([]string, 0, len(apps))
	for _, a := range apps {
		list = append(list, a.Package)
	}
	return list, errors.Join(err, p.Close())
}

// Away implements web.Farm.
func (f *Farm) Away(ctx context.Context, serial string) (string, error) {
	if !f.db.Farm.Shared() || f.Mine(serial) {
		return "", nil
	}
	list, err := f.List(ctx)
	if found := called(list, serial); len(found) > 0 {
		return found[0].WorkerURL, err
	}
	return "", err
}

// Lend implements web.Farm.
func (f *Farm) Lend(ctx context.Context, serial, worker string) (io.ReadWriteCloser, error) {
	h, _, err := f.db.Leases.Holder(ctx, serial)
	if err == nil && (!f.Mine(serial) || worker == "" || h.Worker != worker) {
		err = runs.Refuse(runs.DeviceBusy, "see where it is, and who has it: taploop farm status",
			"phone %q is not here, or not leased to who asks for it", serial)
	}
	if err != nil {
		return nil, err
	}
	return f.host.Dial(ctx)
}

// Sign implements web.Farm.
func (f *Farm) Sign(text string) []byte { return f.db.Sign("machines", text) }

// Mine implements runs.Neighbours.
func (f *Farm) Mine(serial string) bool {
	states := f.states.Load()
	return states != nil && (*states)[serial] == "device"
}

// Closed implements runs.Neighbours.
func (f *Farm) Closed() bool { return f.closed.Load() }

// Notices implements runs.Neighbours.
func (f *Farm) Notices() <-chan struct{} { return f.notices }

// How often the own phones are looked at, how often they are told when nothing has changed, and
// their apps are listed.
const (
	farmLook = 2 * time.Second
	farmTell = time.Minute
)

// Attend tells the other machines of the phones here until ctx ends, and calls drained when a
// person has drained this worker.
func (f *Farm) Attend(ctx context.Context, drained func()) {
	if !f.db.Farm.Shared() {
		return
	}
	var listening sync.WaitGroup
	listening.Go(func() { f.db.Farm.Listen(ctx, f.notices) })
	defer listening.Wait()
	var before map[string]string
	var told time.Time
	for ; ctx.Err() == nil; _ = wait.For(ctx, farmLook) {
		var err error
		now := f.look(ctx)
		if before == nil || !maps.Equal(before, now) || time.Since(told) > farmTell {
			if err = f.announce(ctx); err == nil {
				if before == nil {
					f.log.InfoContext(ctx, "the phones are announced", "phones", len(now))
				}
				before, told = now, time.Now()
				_, err = f.db.Farm.Workers(ctx) // so that those that died are known to have
			}
		}
		if before != nil {
			f.states.Store(&now)
		}
		if err == nil {
			err = f.obey(ctx, drained)
		}
		if err != nil && ctx.Err() == nil {
			f.log.WarnContext(ctx, "telling the other machines", "err", err)
		}
	}
}

// States returns the states of the phones here. A front asks no ADB server, and begins none.
func (f *Farm) States(ctx context.Context) (map[string]string, error) {
	if f.front() {
		return map[string]string{}, nil
	}
	return f.host.States(ctx)
}

// look returns the states of the phones here. Without an ADB server that answers there are none.
func (f *Farm) look(ctx context.Context) map[string]string {
	asking, stop := context.WithTimeout(ctx, 5*farmLook)
	defer stop()
	states, err := f.States(asking)
	if err != nil {
		f.log.DebugContext(ctx, "looking at the phones", "err", err)
		return map[string]string{}
	}
	return states
}

func (f *Farm) announce(ctx context.Context) error {
	list, err := f.here(ctx)
	if err != nil {
		list = nil // the server is gone, and the phones with it
	}
	for i, p := range list {
		if !p.Usable {
			continue
		}
		if list[i].Apps, err = f.Apps(ctx, p.Serial); err != nil {
			f.log.DebugContext(ctx, "listing apps", "serial", p.Serial, "err", err)
		}
	}
	phones, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return f.db.Farm.Announce(ctx, store.Worker{Name: f.conf.Name, Role: f.conf.Role,
		Addr: f.conf.Addr, Phones: phones})
}

// obey reads what people have closed.
func (f *Farm) obey(ctx context.Context, drained func()) error {
	closed, err := f.db.Farm.Closed(ctx)
	if err != nil || !closed[store.ClosedWorker+f.db.Owner.ID] {
		return err
	}
	if !f.closed.Swap(true) {
		f.log.InfoContext(ctx, "drained: the runs are handed over")
		drained()
	}
	return nil
}
