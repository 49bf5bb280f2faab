package goals

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
)

// phones carries out tasks of agents, one on each phone at a time.
type phones struct {
	work *work

	mu    sync.Mutex
	taken map[string]bool // phones with a task of these agents
	freed chan struct{}   // closed when a phone is released
}

// Do implements agents.Phones. Questions of the phone's run are in the inbox like any other.
func (p *phones) Do(ctx context.Context, key, task string, begun func(string)) (
	string, bool, error) {
	serial, err := p.take(ctx, key)
	if err != nil {
		if ctx.Err() != nil {
			return "", false, err
		}
		return text.Line(err.Error()), false, nil
	}
	defer p.giveBack(serial)
	st, err := p.begin(ctx, key, task, serial, begun)
	if err == nil {
		st, err = p.follow(ctx, st)
	}
	switch {
	case ctx.Err() != nil:
		return "", false, context.Cause(ctx)
	case err != nil:
		return "the task was not done: " + text.Line(err.Error()), false, nil
	case st.Run.State == store.Completed:
		return st.Run.Answer, true, nil
	}
	return fmt.Sprintf("the task ended as %s (%s): %s", st.Run.State, st.Reason,
		text.Line(cmp.Or(st.Run.Answer, st.Message))), false, nil
}

// begin starts the task, or resumes the one that was started under the key.
func (p *phones) begin(ctx context.Context, key, task, serial string, begun func(string)) (
	runs.Status, error) {
	w := p.work
	x := w.life.Session
	st, err := w.goal.Runs.Start(ctx, runs.StartRequest{Task: task, Serial: serial, Queue: true,
		Client: x.Client, Key: key, Parent: x.ID, Wish: runs.Wish(w.life.Run),
		By:       runs.Actor{Authority: inquiry.AuthorityAgent, Name: w.goal.By.Name},
		Settings: runs.Settings{ReplyMode: "pass_to_client", DetachedOK: true}})
	if err != nil {
		return st, err
	}
	w.Watcher.Task(st.Session.ID, serial, task)
	if st.Run.State == store.Queued && st.Holder != nil {
		w.Watcher.Waits(serial)
	}
	begun(st.Session.ID)
	if st.Run.State == store.Paused { // the work was interrupted
		st, err = w.goal.Runs.Continue(ctx,
			runs.ContinueRequest{SessionID: st.Session.ID, Queue: true})
	}
	return st, err
}

// follow waits until the run ends and its questions are answered. It pauses the run when ctx ends.
func (p *phones) follow(ctx context.Context, st runs.Status) (runs.Status, error) {
	m, id := p.work.goal.Runs, st.Session.ID
	for {
		var err error
		if st.Reason != agentloop.StillRunning {
			if !st.Run.State.Waiting() || st.Question == nil {
				return st, nil
			}
			if _, err = m.Broker().Wait(ctx, st.Question.ID); err != nil {
				return st, err
			}
		}
		st, err = m.Wait(ctx, runs.WaitRequest{SessionID: id, Budget: time.Hour})
		if ctx.Err() != nil {
			return m.Stop(context.WithoutCancel(ctx), runs.StopRequest{SessionID: id,
				Mode: runs.Pause, By: p.work.goal.By})
		}
		if err != nil {
			return st, err
		}
	}
}

var errNoPhone = errors.New("there is no phone that can be used")

// take returns the phone of the task that was started under the key, or one without a task of these
// agents. It waits for a phone.
func (p *phones) take(ctx context.Context, key string) (string, error) {
	for {
		usable, err := p.usable(ctx, key)
		if err != nil {
			return "", err
		}
		serial, freed := p.free(usable)
		if serial != "" {
			return serial, nil
		}
		p.work.Watcher.Waits("")
		select {
		case <-freed:
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

// free takes the first free phone. If all are taken, freed is closed when a phone becomes free.
func (p *phones) free(usable []string) (serial string, freed <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, serial := range usable {
		if !p.taken[serial] {
			p.taken[serial] = true
			return serial, nil
		}
	}
	if p.freed == nil {
		p.freed = make(chan struct{})
	}
	return "", p.freed
}

// usable returns the phones that a task may use. Phones that no other session holds come first.
func (p *phones) usable(ctx context.Context, key string) ([]string, error) {
	w := p.work
	sess, err := w.Store.SessionByKey(ctx, w.life.Session.Client, key)
	if err == nil {
		return []string{sess.Serial}, nil
	}
	if !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	list, err := w.Phones.List(ctx)
	if err != nil {
		return nil, err
	}
	var free, held []string
	for _, info := range list {
		if !info.Usable || info.Closed {
			continue
		}
		_, busy, err := w.goal.Runs.HeldBy(ctx, info.Serial, nil)
		switch {
		case err != nil:
			return nil, err
		case busy:
			held = append(held, info.Serial)
		default:
			free = append(free, info.Serial)
		}
	}
	if all := append(free, held...); len(all) > 0 {
		return all, nil
	}
	return nil, errNoPhone
}

func (p *phones) giveBack(serial string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.taken, serial)
	if p.freed != nil {
		close(p.freed)
		p.freed = nil
	}
}
