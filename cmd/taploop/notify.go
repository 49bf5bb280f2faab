package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/taploop/taploop/internal/notify"
	"github.com/taploop/taploop/internal/store"
)

// notify tells people outside of the questions in the store, when the configuration names somebody
// to tell, until the dependencies are closed.
func (w *wiring) notify(d *deps) error {
	c := w.conf.Notify
	o := &notify.Options{Questions: d.manager.Broker(), Ledger: ledger{d.store.Audit},
		HideText: !c.Text, BaseURL: w.pages, Log: w.log,
		Ntfy: notify.Ntfy{URL: string(c.Ntfy.URL), Token: string(c.Ntfy.Token)}}
	for _, h := range c.Webhooks {
		o.Webhooks = append(o.Webhooks, notify.Webhook{URL: string(h.URL),
			Secret: string(h.Secret)})
	}
	n, err := notify.New(o)
	if err != nil {
		return usageError{fmt.Errorf("notifications: %w", err)}
	}
	if n.Endpoints() == 0 {
		return nil
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { w.notifyInTurn(ctx, n) }) // ends when the dependencies are closed
	d.closers = append(d.closers, func() error { cancel(errEnded); wg.Wait(); return nil })
	return nil
}

// notifyInTurn runs the notifier while no other process of this data folder does: of several
// servers one tells, and when it ends the next goes on from what was noted as told.
func (w *wiring) notifyInTurn(ctx context.Context, n *notify.Notifier) {
	turn := flock.New(filepath.Join(w.conf.DataDir, "notify.lock"), flock.SetPermissions(0o600))
	defer turn.Close()
	if _, err := turn.TryLockContext(ctx, time.Second); err != nil {
		if ctx.Err() == nil {
			w.log.Error("no notifications of questions", "err", err)
		}
		return
	}
	if err := n.Run(ctx); !errors.Is(err, errEnded) {
		w.log.Error("no more notifications of questions", "err", err)
	}
}

// pages is where people find the page now; "" when there is none.
func (w *wiring) pages() string {
	if configured := cmp.Or(w.conf.Notify.BaseURL, w.conf.HTTP.URL); configured != "" {
		return configured
	}
	here, _, err := servers(w.conf.DataDir)
	if err != nil || len(here) == 0 {
		return ""
	}
	return here[0].URL
}

// ledger keeps in the audit what was told to whom.
type ledger struct{ store.Audit }

// Delivered implements notify.Ledger.
func (l ledger) Delivered(ctx context.Context, r notify.Receipt) error {
	return l.Append(ctx, store.AuditEntry{Event: store.AuditNotified,
		QuestionID: r.QuestionID, SessionID: r.SessionID, Channel: r.Endpoint, Text: r.Event})
}

// Receipts implements notify.Ledger.
func (l ledger) Receipts(ctx context.Context, s notify.Span) ([]notify.Receipt, error) {
	entries, err := l.List(ctx, store.AuditFilter{QuestionID: s.QuestionID,
		Event: store.AuditNotified, Since: s.Since})
	if err != nil {
		return nil, err
	}
	list := make([]notify.Receipt, len(entries))
	for i, e := range entries {
		list[i] = notify.Receipt{QuestionID: e.QuestionID, SessionID: e.SessionID, Event: e.Text,
			Endpoint: e.Channel}
	}
	return list, nil
}
