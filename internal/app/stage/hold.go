package stage

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/suite"
	"github.com/taploop/taploop/internal/suite/play"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/wait"
)

// holds are the phones that tests have in the usual data folder, from the first set-up to the last
// teardown: tasks of a server wait for them, and tests wait for a phone that a task has. The
// sessions and questions of the cases are in a folder of their own, in no one's inbox.
type holds struct {
	db   *store.Store // nil if nothing else uses the phones
	task string
	view play.View
	lang string // of what people read

	mu       sync.Mutex
	runs     map[string]store.Run // by serial
	watching sync.WaitGroup
	living   context.Context // ends with the tests
	end      func()
}

// open begins to hold phones for the cases.
func (h *holds) open(ctx context.Context, s *Stage, items []*suite.Item) {
	names := text.Each(items, func(i *suite.Item) string { return filepath.Base(i.Suite.File) })
	h.db, h.view, h.lang = s.db, s.opts.Play.View, s.opts.Play.Lang
	h.task = "taploop test: " + strings.Join(slices.Compact(names), ", ")
	h.runs = map[string]store.Run{}
	h.living, h.end = context.WithCancel(context.WithoutCancel(ctx))
}

// openEnded opens a store and ends what killed tests have left in it. Machines that share a store
// do so by themselves.
func openEnded(ctx context.Context, set *app.Settings) (*store.Store, error) {
	db, err := app.OpenStore(ctx, set, nil)
	if err == nil && !store.Networked(string(set.Conf.Store.URL)) {
		_, err = db.Runs.Recover(ctx)
	}
	return db, err
}

// patience is how long tests wait for a phone that a task has, before they do without it.
const patience = 10 * time.Minute

// take implements play.Options.Hold.
func (h *holds) take(ctx context.Context, serial string) (context.Context, error) {
	if h.db == nil {
		return context.WithoutCancel(ctx), nil
	}
	x, run, err := h.db.Begin(ctx, store.Session{Serial: serial},
		store.Run{Task: h.task, State: store.Running})
	if err != nil {
		return nil, err
	}
	if err = leaveKilled(h.db, run.ID); err == nil {
		err = h.lease(ctx, serial, run.ID)
	}
	var done func()
	if err == nil {
		done, err = h.db.Owner.Touching(ctx, serial, run.ID)
	}
	if err != nil {
		h.db.Owner.TakeEnd(run.ID)
		return nil, errors.Join(err, h.db.Delete(context.WithoutCancel(ctx), x.ID,
			store.AuditEntry{}))
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.runs[serial] = run
	held, away := context.WithCancelCause(h.living)
	h.watching.Go(func() { defer done(); h.watch(held, serial, run.ID, away) })
	return held, nil
}

// leaveKilled leaves word of how a run ends if this process is killed.
func leaveKilled(db *store.Store, run string) error {
	return db.Owner.LeaveEnd(run, store.Cancelled, agentloop.Cancelled, "the tests were killed")
}

// lease waits for the phone until it is free, or for as long as it is worth it.
func (h *holds) lease(ctx context.Context, serial, run string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for told := false; ; told = true {
		err := h.db.Leases.Take(ctx, serial, run)
		busy, is := errors.AsType[*store.BusyError](err)
		if err == nil {
			return nil
		}
		if is && !told {
			h.view.Note(busy.Error())
		}
		if !is || wait.For(ctx, time.Second) != nil {
			return err
		}
	}
}

// watch ends the hold when someone stops it, or starts a task in its place. What is under way on
// the phone then has a moment to end.
func (h *holds) watch(held context.Context, serial, run string, away func(error)) {
	for wait.For(held, glance) == nil {
		if r, err := h.db.Runs.Get(held, run); err == nil && r.State != store.Running {
			away(fmt.Errorf(suite.WordsIn(h.lang).Play.Taken, serial))
			_ = wait.For(h.living, letGo)
		}
	}
}

// letGo is how long others wait for what is under way on a phone.
const letGo = 5 * time.Second

// glance is how soon it is noticed that a phone was taken from the tests.
const glance = 300 * time.Millisecond

// close gives the phones back.
func (h *holds) close() error {
	h.end()
	h.watching.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var errs []error
	for serial, run := range h.runs {
		h.db.Owner.TakeEnd(run.ID)
		now, err := h.db.Runs.Get(ctx, run.ID)
		if err == nil && now.State == store.Running { // no one has stopped it
			_, err = h.db.Runs.Transition(ctx, run.ID, store.Change{To: store.Completed,
				Reason: agentloop.TaskCompleted, Answer: "the tests have ended"})
		}
		if err == nil {
			err = h.db.Leases.Release(ctx, serial, run.ID)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("giving %s back: %w", serial, err))
		}
	}
	return errors.Join(errs...)
}
