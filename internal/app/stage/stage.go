// Package stage is where the cases of a call of tests run: the phones that were chosen or are
// simulated, settings of their own, cassettes, and the files that reports show.
package stage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/taploop/taploop/device"
	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/app/simulation"
	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/model/scripted"
	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/sandbox/adbserver"
	"github.com/taploop/taploop/internal/sandbox/shell"
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
	s.opts.Play.Mask = suite.NewMask(suite.Secrets(items))
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
	if own := strings.HasPrefix(o.Phones, "sandbox"); !own && !o.Play.Ask {
		if err := s.holds.open(ctx, base, items); err != nil {
			return s, err
		}
	}
	if n, simulated := strings.CutPrefix(o.Phones, "sandbox"); simulated {
		if err := s.simulate(ctx, n, more); err != nil {
			return s, err
		}
	}
	if err = s.settings(ctx, items, more); err != nil {
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
	for _, i := range items {
		steps = max(steps, i.Budget().Steps)
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
	known := map[string]device.PhoneInfo{}
	var pool []play.Phone
	add := func(i device.PhoneInfo) {
		pool = append(pool, play.Phone{Serial: i.Serial, Model: i.Model, SDK: i.SDK})
	}
	for _, i := range infos {
		if known[i.Serial] = i; s.opts.Phones == "any" && i.Usable() {
			add(i)
		}
	}
	if s.opts.Phones == "any" {
		if len(pool) == 0 {
			err = app.PhoneTrouble(hint.Add(errors.New("no phone can be used"),
				"taploop devices tells why; --phones sandbox needs none"))
		}
		return pool, err
	}
	for serial := range strings.SplitSeq(s.opts.Phones, ",") {
		serial = strings.TrimSpace(serial)
		i, ok := known[serial]
		if !ok || !i.Usable() {
			return nil, app.PhoneTrouble(hint.Add(fmt.Errorf("phone %q cannot be used", serial),
				"taploop devices tells why"))
		}
		add(i)
	}
	return pool, nil
}

// mostSimulated is how many simulated phones there are at most.
const mostSimulated = 64

// simulate starts simulated phones. count is "" or ":N".
func (s *Stage) simulate(ctx context.Context, count string, set map[string]any) error {
	n := 1
	if count != "" {
		var err error
		n, err = strconv.Atoi(strings.TrimPrefix(count, ":"))
		if err != nil || count[0] != ':' || n < 1 || n > mostSimulated {
			return app.Usage(fmt.Errorf("--phones is %q", s.opts.Phones),
				fmt.Sprintf("write sandbox, or sandbox:N with N from 1 to %d", mostSimulated))
		}
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := adbserver.New()
	serving, stop := context.WithCancel(context.WithoutCancel(ctx)) // teardowns come last
	var wg sync.WaitGroup
	wg.Go(func() { _ = server.Serve(serving, ln) }) // a failure shows in the cases
	s.closers = append(s.closers, func() error { stop(); wg.Wait(); return nil })
	for i := range n {
		serial := fmt.Sprintf("sandbox-%d", i+1)
		server.Attach(serial, shell.New(sandbox.New(nil)))
		s.pool = append(s.pool, play.Phone{Serial: serial, Model: "taploop sandbox", SDK: 34})
	}
	set["adb.server"] = ln.Addr().String()
	if s.base.Conf.Origin("model.base_url") != config.ByDefault || s.opts.Mode == Replay {
		return nil
	}
	rules, err := scripted.Parse(simulation.TasksScript)
	if err != nil {
		return err
	}
	m, err := scripted.Start(serving, "", scripted.NewHandler(rules))
	if err != nil {
		return err
	}
	s.closers = append(s.closers, m.Close)
	set["model.base_url"], set["model.name"] = m.BaseURL, "scripted"
	s.opts.Scripted()
	return nil
}

// comeBack is how long a phone gets to come back that was lost.
const comeBack = 8 * time.Second

// usable waits a moment for a phone that was lost.
func (s *Stage) usable(ctx context.Context, serial string) bool {
	ctx, cancel := context.WithTimeout(ctx, comeBack)
	defer cancel()
	for {
		infos, err := s.host.List(ctx)
		for _, i := range infos {
			if err == nil && i.Serial == serial && i.Usable() {
				return true
			}
		}
		select {
		case <-time.After(comeBack / 16):
		case <-ctx.Done():
			return false
		}
	}
}

// place is the folder of an attempt's files, below that of the reports.
func place(a play.Attempt) string {
	return filepath.Join("cases", a.Item.Key(), fmt.Sprintf("attempt-%d", a.Number))
}

// keep keeps a file of an attempt.
func (s *Stage) keep(a play.Attempt, name string, b []byte) (string, error) {
	path := filepath.Join(place(a), name)
	whole := filepath.Join(s.opts.Dir, path)
	if err := os.MkdirAll(filepath.Dir(whole), 0o755); err != nil {
		return "", err
	}
	return filepath.ToSlash(path), os.WriteFile(whole, b, 0o644)
}

// missing is the trouble of a case without a cassette.
func missing(file string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		err = hint.Add(fmt.Errorf("there is no cassette %s", file),
			"record it first: taploop test --record")
	}
	return &suite.Trouble{Kind: suite.KindCassette, Err: err}
}
