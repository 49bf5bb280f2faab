// Package stage is where the cases of a call of tests run: the phones that were chosen or are
// simulated, settings of their own, cassettes, and the files that reports show.
package stage

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/taploop/taploop/device"
	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/app/simulation"
	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/suite"
	"github.com/taploop/taploop/internal/suite/play"
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
	Phones   string       // as runs.Choose takes them, or "sandbox[:N]"
	Mode     Mode
	Dir      string // of the reports' files, "" for none
	Scripted func() // called when the simulated phones come with their scripted model
}

// Stage is what the cases share. Its methods may be called by one goroutine.
type Stage struct {
	opts  Options
	base  *app.Settings // as they were given
	set   *app.Settings // with the phones' ADB server
	host  *device.Host
	items []*suite.Item
	db    *store.Store // the usual one, nil for simulated phones
	farm  *app.Farm
	all   []runs.PhoneInfo // that were asked for
	pool  []runs.PhoneInfo // of these, what is used
	temp  string

	holds   holds
	closers []func() error
}

// Open opens what the cases share. Close closes it.
func Open(ctx context.Context, base *app.Settings, items []*suite.Item, o Options) (
	s *Stage, err error) {
	s = &Stage{opts: o, base: base, items: items}
	s.opts.Play.Mask = suite.Mask(items)
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	var end func() error
	if s.temp, end, err = temporary(); err != nil {
		return s, err
	}
	s.closers = append(s.closers, end)
	more := map[string]any{}
	if !o.Play.Ask { // no inbox shows questions of a separate folder
		more["data_dir"] = filepath.Join(base.Conf.DataDir, "tests")
		// In that folder, also where machines share a store.
		more["store.url"], more["store.frames"] = store.SQLiteURL, store.FilesURL
	}
	if o.Mode == Heal && o.Dir == "" {
		return s, app.Usage(errors.New("what is healed has no place without a report"),
			"add --report DIR")
	}
	kind, count, _ := strings.Cut(o.Phones, ":")
	switch {
	case kind != "sandbox" && slices.Contains(strings.Split(o.Phones, ","), "sandbox"):
		err = app.Usage(fmt.Errorf("--phones is %q", o.Phones), "simulated phones are used alone")
	case kind == "sandbox":
		if !o.Play.Ask { // other calls have simulated phones of the same names
			more["data_dir"] = filepath.Join(s.temp, "data")
		}
		err = s.simulate(ctx, count, more)
	default:
		err = s.share(ctx, items)
	}
	if err == nil {
		err = s.settings(ctx, items, more)
	}
	if err != nil {
		return s, err
	}
	if s.host, err = app.NewHost(s.set, s.db); err != nil {
		return s, err
	}
	s.farm = app.NewFarm(s.set, s.db, s.host, nil)
	if s.pool == nil {
		err = s.phones(ctx)
	}
	if err == nil {
		s.choose(ctx)
	}
	return s, err
}

// Folders of calls, and the file in them that a call has locked while it lives.
const (
	tempPrefix = "taploop-test-"
	lockName   = ".lock"
)

// temporary makes a folder for a call, which end removes, and removes those of killed calls.
func temporary() (dir string, end func() error, err error) {
	all, _ := filepath.Glob(filepath.Join(os.TempDir(), tempPrefix+"*")) // or they stay
	for _, left := range all {
		lock := flock.New(filepath.Join(left, lockName), flock.SetFlag(os.O_RDWR))
		if free, _ := lock.TryLock(); free {
			_ = os.RemoveAll(left)
			_ = lock.Close()
		}
	}
	if dir, err = os.MkdirTemp("", tempPrefix); err != nil {
		return "", nil, err
	}
	lock := flock.New(filepath.Join(dir, lockName), flock.SetPermissions(0o600))
	locked, err := lock.TryLock()
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	if _, err = os.Stat(lock.Path()); err != nil || !locked { // another call took it for a left one
		_ = lock.Close()
		return temporary()
	}
	return dir, func() error { return errors.Join(lock.Close(), os.RemoveAll(dir)) }, nil
}

// share opens the usual data folder, whose phones are used.
func (s *Stage) share(ctx context.Context, items []*suite.Item) (err error) {
	if s.db, err = openEnded(ctx, s.base); err != nil {
		return err
	}
	s.closers = append(s.closers, s.db.Close)
	if !s.opts.Play.Ask {
		s.holds.open(ctx, s, items)
		s.closers = append(s.closers, s.holds.close)
	}
	return nil
}

// Check refuses budgets that cannot be kept to, and phones of which there can be none.
func Check(base *app.Settings, items []*suite.Item) error {
	for _, i := range items {
		if _, err := wanted(i.Suite); err != nil {
			return app.Usage(fmt.Errorf("%s: phone: %w", i.Suite.File, err), "")
		}
		if i.Budget().Cost > 0 && base.Conf.Model.PromptPrice+base.Conf.Model.ReplyPrice == 0 {
			return app.Usage(fmt.Errorf("%v: this has a budget of cost, and what the model "+
				"costs is not known", i.At()), "set model.prompt_price and model.reply_price")
		}
	}
	return nil
}

// settings makes those of the cases, and opens their data folder once.
func (s *Stage) settings(ctx context.Context, items []*suite.Item, more map[string]any) (
	err error) {
	steps := s.base.Conf.Loop.MaxSteps
	for _, i := range items {
		steps = max(steps, i.Budget().Steps)
	}
	more["loop.max_steps"] = steps
	more["farm.role"] = config.Both // the phones of the ADB server are used
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
func (s *Stage) Close() (err error) {
	for _, c := range slices.Backward(s.closers) {
		err = errors.Join(err, c())
	}
	s.closers = nil
	return err
}

// phones lists the phones that were asked for, here and at other machines.
func (s *Stage) phones(ctx context.Context) error {
	list, err := runs.Choose(ctx, s.farm, s.opts.Phones, s.set.Log)
	if err != nil {
		return fmt.Errorf("--phones is %q: %w", s.opts.Phones, err)
	}
	for _, i := range list {
		if i.Worker != "" && (i.WorkerURL == "" || s.opts.Play.Ask) {
			err = runs.Refuse(runs.DeviceNotFound, "set farm.addr there (not for --ask), or name "+
				"its ADB server behind a tunnel: --adb-server", "phone %s is at machine %s",
				i.Serial, i.Worker)
			if s.opts.Phones != runs.AnyPhone {
				return err
			}
			s.opts.Play.View.Note(err.Error())
			continue
		}
		s.pool = append(s.pool, i)
	}
	if s.pool != nil {
		return nil
	}
	return err
}

// choose keeps the phones that a suite can use. Of other machines it takes no more than there are
// cases, and one for one that is lost: the free ones first.
func (s *Stage) choose(ctx context.Context) {
	for n, p := range s.pool {
		var err error
		if p.Worker == "" && slices.ContainsFunc(s.items,
			func(i *suite.Item) bool { return i.Suite.Phone.Value != nil }) {
			s.pool[n].Apps, err = s.farm.Apps(ctx, p.Serial)
		}
		if err != nil {
			s.opts.Play.View.Note(p.Serial + ": " + err.Error())
		}
	}
	s.all = slices.Clone(s.pool)
	var here, free, busy []runs.PhoneInfo
	for _, p := range s.all {
		switch {
		case !slices.ContainsFunc(s.items,
			func(i *suite.Item) bool { return s.fits(i.Suite, p) == nil }):
		case p.Worker == "":
			here = append(here, p)
		default:
			to := &free
			if _, held, failed := s.db.Leases.Holder(ctx, p.Serial); held || failed != nil {
				to = &busy
			}
			*to = append(*to, p)
		}
	}
	s.pool = slices.Concat(here, free, busy)
	s.pool = s.pool[:min(len(s.pool), max(len(here), len(s.items)+1))]
}

// wanted is the phone that a suite wants.
func wanted(of *suite.Suite) (runs.Wanted, error) {
	raw, _ := json.Marshal(of.Phone) // it was read before
	return runs.ParseWanted(raw)
}

// listed are phones that have been listed.
type listed struct {
	runs.Phones
	list []runs.PhoneInfo
}

// List implements runs.Phones.
func (l listed) List(context.Context) ([]runs.PhoneInfo, error) { return l.list, nil }

// fits implements play.Options.Fits.
func (s *Stage) fits(of *suite.Suite, p runs.PhoneInfo) error {
	list := []runs.PhoneInfo{p}
	if p.Serial == "" {
		list = s.all
	}
	names := append([]string{p.Serial, p.Model}, p.Addresses...)
	for name, value := range p.AllLabels() {
		names = append(names, name+"="+value)
	}
	if p.SDK < of.Phones.API || slices.ContainsFunc(of.Phones.Labels, func(l string) bool {
		return !slices.ContainsFunc(names,
			func(name string) bool { fits, _ := path.Match(l, name); return fits })
	}) {
		return errors.New(suite.WordsIn(s.opts.Play.Lang).Play.NoFit)
	}
	w, err := wanted(of)
	if err == nil {
		_, err = w.Choose(context.Background(), listed{list: list}, s.set.Log)
	}
	return err
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
	name := "sandbox-"
	if s.opts.Play.Ask { // the usual folder knows other phones
		name += strings.TrimPrefix(filepath.Base(s.temp), tempPrefix) + "-"
	}
	began := time.Now()
	now := func() time.Time { return firstMoment.Add(time.Since(began)) }
	sim, err := simulation.Start(context.WithoutCancel(ctx), // teardowns come last
		sandbox.New(&sandbox.Options{Now: now}),
		&simulation.Options{Serial: name + "1", Further: n - 1, Now: now})
	if err != nil {
		return err
	}
	s.closers = append(s.closers, sim.Close)
	for i := range n {
		s.pool = append(s.pool, runs.PhoneInfo{Serial: name + strconv.Itoa(i+1),
			Model: "taploop sandbox", SDK: 34, Usable: true})
	}
	set["adb.server"] = sim.Addr
	if s.base.Conf.Origin("model.base_url") == config.ByDefault && s.opts.Mode != Replay &&
		s.opts.Mode != Heal {
		set["model.base_url"], set["model.name"] = sim.Model.BaseURL, "scripted"
		s.opts.Scripted()
	}
	return nil
}

// keep keeps a file of an attempt.
func (s *Stage) keep(a play.Attempt, name string, b []byte) (string, error) {
	path := filepath.Join("cases", a.Item.Folder(), fmt.Sprintf("attempt-%d", a.Number), name)
	return filepath.ToSlash(path), files.Replace(filepath.Join(s.opts.Dir, path), "", b)
}
