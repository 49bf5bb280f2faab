package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
)

// hostPhones carries phone tasks of agents out, on as many phones as are free.
type hostPhones struct {
	work *hostWork

	mu    sync.Mutex
	taken map[string]bool // phones that tasks of this host have
	freed chan struct{}   // closed when one is given back
}

// Do implements agents.Phones. A question of the phone's agent waits in the inbox like any other.
func (p *hostPhones) Do(ctx context.Context, key, task string, begun func(string)) (
	string, bool, error) {
	m := p.work.deps.manager
	serial, err := p.take(ctx, key)
	if err != nil {
		if ctx.Err() != nil {
			return "", false, err
		}
		return text.Line(err.Error()), false, nil
	}
	defer p.giveBack(serial)
	st, err := m.Start(ctx, runs.StartRequest{Task: task, Serial: serial, Queue: true,
		Client: p.work.client, Key: key, Parent: p.work.sess.ID, By: p.work.by,
		Settings: runs.Settings{ReplyMode: "pass_to_client", DetachedOK: true}})
	if err == nil {
		p.work.lines.phone(st.Session.ID, serial, task)
		if st.Run.State == store.Queued && st.Holder != nil {
			p.work.lines.line("    "+p.work.lines.words().Held, text.Line(serial))
		}
		begun(st.Session.ID)
		if st.Run.State == store.Paused { // when the work was interrupted
			st, err = m.Continue(ctx, runs.ContinueRequest{SessionID: st.Session.ID, Queue: true})
		}
	}
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

// follow waits for the end of the run, and for the answers to its questions. When ctx ends the run
// is paused.
func (p *hostPhones) follow(ctx context.Context, st runs.Status) (runs.Status, error) {
	m := p.work.deps.manager
	id := st.Session.ID
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
				Mode: runs.Pause, By: p.work.by})
		}
		if err != nil {
			return st, err
		}
	}
}

var errNoPhone = errors.New("there is no phone that can be used")

// take gives the phone of the task that has begun under the key, or one that is free of tasks of
// ours, and waits for one.
func (p *hostPhones) take(ctx context.Context, key string) (string, error) {
	for {
		usable, err := p.usable(ctx, key)
		if err != nil {
			return "", err
		}
		p.mu.Lock()
		for _, serial := range usable {
			if !p.taken[serial] {
				p.taken[serial] = true
				p.mu.Unlock()
				return serial, nil
			}
		}
		if p.freed == nil {
			p.freed = make(chan struct{})
		}
		freed := p.freed
		p.mu.Unlock()
		p.work.lines.line("    %s", p.work.lines.words().Queue)
		select {
		case <-freed:
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

// usable are the phones that a task may have, those that no other session holds first.
func (p *hostPhones) usable(ctx context.Context, key string) ([]string, error) {
	d := p.work.deps
	sess, err := d.store.SessionByKey(ctx, p.work.client, key)
	if err == nil {
		return []string{sess.Serial}, nil
	}
	if !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	list, err := d.phones.List(ctx)
	if err != nil {
		return nil, err
	}
	var free, held []string
	for _, info := range list {
		if !info.Usable {
			continue
		}
		if _, busy, err := d.manager.HeldBy(ctx, info.Serial, &p.work.client); err != nil {
			return nil, err
		} else if busy {
			held = append(held, info.Serial)
		} else {
			free = append(free, info.Serial)
		}
	}
	if all := append(free, held...); len(all) > 0 {
		return all, nil
	}
	return nil, errNoPhone
}

func (p *hostPhones) giveBack(serial string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.taken, serial)
	if p.freed != nil {
		close(p.freed)
		p.freed = nil
	}
}
