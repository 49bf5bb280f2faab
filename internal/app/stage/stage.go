// Package stage is where the cases of a call of tests run: the phones that were chosen or are
// simulated, settings of their own, cassettes, and the files that reports show.
package stage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taploop/taploop/device"
	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/app/simulation"
	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/suite"
	"github.com/taploop/taploop/internal/suite/play"
	"github.com/taploop/taploop/internal/wait"
)

// Mode is the use that is made of cassettes.
type Mode string

// The modes. The zero value neither records nor replays.
const (
	Record Mode = "record" // one of each case that passes
	Replay Mode = "replay" // without a model
	Heal   Mode = "heal"   // and ask the model from the first other screen on
)

// Options say how cases are run.
type Options struct {
	Play     play.Options // without what the stage sets: phones, folders and what opens them
	Phones   string       // serials between commas, "any", or "sandbox[:N]"
	Mode     Mode
	Dir      string // of the reports' files, "" for none
	Scripted func() // called when the simulated phones come with their scripted model
}

// Stage is what the cases share. Its methods may be called by one goroutine.
type Stage struct {
	opts Options
	base *app.Settings // as they were given
	set  *app.Settings // with the phones' ADB server
	host *device.Host
	pool []play.Phone
	temp string

	holds   holds
	closers []func() error
}

// Open opens what the cases share. Close closes it.
func Open(ctx context.Context, base *app.Settings, items []*suite.Item, o Options) (
	s *Stage, err error) {
	s = &Stage{opts: o, base: base}
	s.opts.Play.Mask = suite.Mask(items)
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	if s.temp, err = os.MkdirTemp("", "taploop-test-"); err != nil {
		return s, err
	}
	s.closers = append(s.closers, func() error { return os.RemoveAll(s.temp) })
	more := map[string]any{}
	if !o.Play.Ask { // no inbox shows questions of a separate folder
		more["data_dir"] = filepath.Join(base.Conf.DataDir, "tests")
		more["store.url"] = store.SQLiteURL // in that folder, also where machines share a store
	}
	s.holds.note, s.holds.lang = o.Play.View.Note, o.Play.Lang
	s.closers = append(s.closers, s.holds.close)
	kind, count, _ := strings.Cut(o.Phones, ":")
	switch {
	case kind == "sandbox":
		if !o.Play.Ask { // other calls have simulated phones of the same names
			more["data_dir"] = filepath.Join(s.temp, "data")
		}
		err = s.simulate(ctx, count, more)
	case !o.Play.Ask:
		err = s.holds.open(ctx, base, items)
	}
	if err == nil {
		err = s.settings(ctx, items, more)
	}
	if err != nil {
		return s, err
	}
	if s.host, err = app.NewHost(s.set, nil); err != nil {
		return s, err
	}
	if s.pool == nil {
		s.pool, err = s.phones(ctx)
	}
	return s, err
}

// settings makes those of the cases, and opens their data folder once.
func (s *Stage) settings(ctx context.Context, items []*suite.Item, more map[string]any) error {
	steps := s.base.Conf.Loop.MaxSteps
	price := s.base.Conf.Model.PromptPrice + s.base.Conf.Model.ReplyPrice
	for _, i := range items {
		if steps = max(steps, i.Budget().Steps); price == 0 && i.Budget().Cost > 0 {
			return app.Usage(fmt.Errorf("%v: this has a budget of cost, and what the model "+
				"costs is not known", i.At()), "set model.prompt_price and model.reply_price")
		}
	}
	more["loop.max_steps"] = steps
	var err error
	if s.set, err = s.base.With(more); err != nil {
		return err
	}
	s.set.Note = nil
	db, err := openEnded(ctx, s.set)
	if db != nil {
		err = errors.Join(err, db.Close())
	}
	return err
}

// Close closes what the stage has opened.
func (s *Stage) Close() error {
	var errs []error
	for i := len(s.closers) - 1; i >= 0; i-- {
		errs = append(errs, s.closers[i]())
	}
	s.closers = nil
	return errors.Join(errs...)
}

// phones lists the connected phones that were asked for.
func (s *Stage) phones(ctx context.Context) ([]play.Phone, error) {
	infos, err := s.host.List(ctx)
	if err != nil {
		return nil, app.PhoneTrouble(err)
	}
	var all []play.Phone
	for _, i := range infos {
		if i.Usable() {
			all = append(all, play.Phone{Serial: i.Serial, Addresses: i.Addresses,
				Model: i.Model, SDK: i.SDK})
		}
	}
	if s.opts.Phones == "any" && all == nil {
		return nil, app.PhoneTrouble(hint.Add(errors.New("no phone can be used"),
			"taploop devices tells why; --phones sandbox needs none"))
	} else if s.opts.Phones == "any" {
		return all, nil
	}
	var chosen []play.Phone
	for serial := range strings.SplitSeq(s.opts.Phones, ",") {
		if serial = strings.TrimSpace(serial); serial == "" {
			return nil, app.Usage(fmt.Errorf("--phones is %q", s.opts.Phones),
				"write serials between commas, any, or sandbox")
		}
		known := func(p play.Phone) bool {
			return p.Serial == serial || slices.Contains(p.Addresses, serial)
		}
		at := slices.IndexFunc(all, known)
		if at < 0 {
			return nil, app.PhoneTrouble(hint.Add(fmt.Errorf("phone %q cannot be used", serial),
				"taploop devices tells why"))
		}
		if !slices.ContainsFunc(chosen, known) {
			chosen = append(chosen, all[at])
		}
	}
	return chosen, nil
}

// firstMoment is when the clocks of simulated phones begin, so that recordings do not age.
var firstMoment = time.Date(2026, time.January, 5, 9, 30, 0, 0, time.UTC)

// mostSimulated is how many simulated phones there are at most.
const mostSimulated = 64

// simulate starts simulated phones. count is their number, or "" for one.
func (s *Stage) simulate(ctx context.Context, count string, set map[string]any) error {
	n, err := strconv.Atoi(cmp.Or(count, "1"))
	if err != nil || n < 1 || n > mostSimulated || strings.HasSuffix(s.opts.Phones, ":") {
		return app.Usage(fmt.Errorf("--phones is %q", s.opts.Phones),
			fmt.Sprintf("write sandbox, or sandbox:N with N from 1 to %d", mostSimulated))
	}
	// teardowns come last
	began := time.Now()
	now := func() time.Time { return firstMoment.Add(time.Since(began)) }
	sim, err := simulation.Start(context.WithoutCancel(ctx),
		sandbox.New(&sandbox.Options{Now: now}), &simulation.Options{Further: n - 1, Now: now})
	if err != nil {
		return err
	}
	s.closers = append(s.closers, sim.Close)
	for i := range n {
		s.pool = append(s.pool, play.Phone{Serial: fmt.Sprintf("sandbox-%d", i+1),
			Model: "taploop sandbox", SDK: 34})
	}
	set["adb.server"] = sim.Addr
	if s.base.Conf.Origin("model.base_url") == config.ByDefault && s.opts.Mode != Replay {
		set["model.base_url"], set["model.name"] = sim.Model.BaseURL, "scripted"
		s.opts.Scripted()
	}
	return nil
}

// comeBack is how long a phone gets to come back that was lost.
const comeBack = 8 * time.Second

// usable waits a moment for a phone that was lost.
func (s *Stage) usable(ctx context.Context, serial string) bool {
	ctx, cancel := context.WithTimeout(ctx, comeBack)
	defer cancel()
	for wait.For(ctx, comeBack/16) == nil {
		infos, _ := s.host.List(ctx) // without the server there is none
		if slices.ContainsFunc(infos, func(i device.PhoneInfo) bool {
			return i.Serial == serial && i.Usable()
		}) {
			return true
		}
	}
	return false
}

// keep keeps a file of an attempt.
func (s *Stage) keep(a play.Attempt, name string, b []byte) (string, error) {
	path := filepath.Join("cases", a.Item.Folder(), fmt.Sprintf("attempt-%d", a.Number), name)
	whole := filepath.Join(s.opts.Dir, path)
	if err := os.MkdirAll(filepath.Dir(whole), 0o755); err != nil {
		return "", err
	}
	return filepath.ToSlash(path), os.WriteFile(whole, b, 0o644)
}
