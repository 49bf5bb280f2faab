package main

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/terminal"
	"github.com/taploop/taploop/internal/terminal/story"
	"github.com/taploop/taploop/internal/terminal/tty"
	"github.com/taploop/taploop/internal/terminal/watch"
	"github.com/taploop/taploop/internal/usecase"
)

type watchCmd struct {
	ADB     string `name:"adb-server" key:"adb.server" placeholder:"ADDR"`
	DataDir string `key:"data_dir" placeholder:"DIR"`
}

// Run shows what runs, whatever process runs it, until the person leaves.
func (c *watchCmd) Run(ctx context.Context, a *invocation) error {
	if err := a.Load(); err != nil {
		return err
	}
	a.Log = slog.New(slog.DiscardHandler) // it would write over the screen
	return app.With(ctx, &a.Settings, app.Options{StoreOnly: true}, func(d *app.Parts) error {
		to, err := tty.OpenScreen(a.in, a.err)
		if errors.Is(err, tty.ErrNoScreen) {
			return app.Usage(err, "run it at a terminal; taploop sessions list and taploop "+
				"inquiries print lists anywhere")
		}
		if err != nil {
			return err
		}
		from := &watched{parts: d, lang: a.Lang(), said: story.In(a.Lang())}
		defer from.looking.Wait()
		paint := tty.NewPainter(a.err, a.Options.Environ)
		return app.Closing(watch.Show(ctx, to, from, paint, a.Lang()), to.Close)
	})
}

// watched is what the view follows: the store, which knows of every process's runs, and the phones.
type watched struct {
	parts *app.Parts
	lang  string
	said  story.Words

	looking sync.WaitGroup
	mu      sync.Mutex
	busy    bool              // the phones are being looked at
	phones  map[string]string // as they were when they were last looked at
	trouble string            // why they are not known, or ""
	looked  time.Time
}

const (
	watchedTasks = 30 // at most so many sessions are shown
	watchedSteps = 50 // of each at most so many steps
	phonesEvery  = 3 * time.Second
)

// Board implements watch.Source.
func (w *watched) Board(ctx context.Context) (b watch.Board, err error) {
	b.At = time.Now()
	broker := w.parts.Manager.Broker()
	if err := broker.Sweep(ctx, b.At); err != nil {
		return b, err
	}
	if b.Questions, err = broker.List(ctx, inquiry.Filter{Status: inquiry.Pending}); err != nil {
		return b, err
	}
	all, err := w.parts.Store.Sessions(ctx, store.Filter{Limit: watchedTasks})
	if err != nil {
		return b, err
	}
	var ended []watch.Task
	for _, o := range all {
		if o.Latest == nil {
			continue
		}
		t, err := w.task(ctx, o)
		if err != nil {
			return b, err
		}
		if t.State.Terminal() {
			ended = append(ended, t)
		} else {
			b.Tasks = append(b.Tasks, t)
		}
	}
	b.Tasks = append(b.Tasks, ended...)
	b.Phones, b.Trouble = w.look(ctx, b.At)
	return b, nil
}

// task is the latest run of a session. The steps of one that has ended are read, too: it may be
// chosen at any time.
func (w *watched) task(ctx context.Context, o store.Overview) (watch.Task, error) {
	r := o.Latest
	t := watch.Task{Session: o.ID, Phone: o.Serial, Title: r.Task, State: r.State,
		Why: string(r.StopReason), Answer: r.Answer, Most: r.MaxSteps, Begun: r.CreatedAt,
		Ended: r.EndedAt}
	steps, err := w.parts.Store.Steps(ctx, o.ID, max(o.Steps-watchedSteps, 0))
	for _, st := range steps {
		if st.RunID != r.ID {
			continue
		}
		t.Steps = append(t.Steps, watch.Step{Index: st.Index, Said: w.said.Made(st.Step),
			Mark: story.Mark(st.Step)})
		t.Taken++
	}
	t.Taken = max(t.Taken, r.Progress.Steps)
	return t, err
}

// look has the phones looked at now and then, beside the reading of boards: one may not answer for
// long. It returns what was seen last.
func (w *watched) look(ctx context.Context, now time.Time) (phones map[string]string,
	trouble string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.busy || now.Sub(w.looked) < phonesEvery {
		return w.phones, w.trouble
	}
	w.busy = true
	w.looking.Go(func() {
		phones, err := w.parts.Host.States(ctx) // ends with ctx
		w.mu.Lock()
		defer w.mu.Unlock()
		w.busy, w.looked, w.phones, w.trouble = false, now, phones, ""
		if err != nil {
			w.trouble = err.Error()
		}
	})
	return w.phones, w.trouble
}

// Ask implements watch.Source.
func (w *watched) Ask(ctx context.Context, lines terminal.Lines, q inquiry.Question) error {
	stop := func() { _ = w.Stop(ctx, q.SessionID) } // the view goes on showing how it stands
	return terminal.New(lines, w.lang).Ask(ctx, w.parts.Manager.Broker(), q, nil, stop)
}

// Stop implements watch.Source.
func (w *watched) Stop(ctx context.Context, session string) error {
	sess, err := w.parts.Store.Find(ctx, session, nil)
	if err != nil {
		return err
	}
	_, err = w.parts.Cases.Stop(ctx, app.Call(sess.Client), usecase.Stop{SessionID: sess.ID,
		Mode: runs.Cancel})
	return err
}
