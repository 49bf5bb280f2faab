package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/notify"
	"github.com/taploop/taploop/internal/notify/push"
	"github.com/taploop/taploop/internal/schedule"
	"github.com/taploop/taploop/internal/store"
)

// openBrowsers gives the browsers that have subscribed to notifications, which servers of one data
// folder share.
func openBrowsers(dir string) *push.Browsers { return push.Open(filepath.Join(dir, "push.json")) }

// errEnded ends the transport after a signal, which is a normal end.
var errEnded = errors.New("the server ends")

// notifyPeople tells people outside of open questions, and of what else is configured, until s is
// closed.
func (s *Service) notifyPeople(set *app.Settings) error {
	c := set.Conf.Notify
	o := &notify.Options{Questions: s.Manager.Broker(), Ledger: ledger{s.Store.Audit},
		HideText: !c.Text, Events: c.Events, Answers: c.Answers,
		BaseURL: func() string { return s.pageURL(set) }, Log: s.log,
		Browsers: openBrowsers(s.dataDir),
		Ntfy:     notify.Ntfy{URL: string(c.Ntfy.URL), Token: string(c.Ntfy.Token)}}
	for _, h := range c.Webhooks {
		o.Webhooks = append(o.Webhooks, notify.Webhook{URL: string(h.URL),
			Secret: string(h.Secret)})
	}
	n, err := notify.New(o)
	if err != nil {
		return app.Usage(fmt.Errorf("notifications: %w", err), "")
	}
	if n.Idle() {
		return nil
	}
	s.inTurn("notify.lock", func(ctx context.Context) {
		if err := n.Run(ctx); !errors.Is(err, errEnded) {
			s.log.Error("no more notifications of questions", "err", err)
		}
	})
	s.noteRuns(n)
	s.notifier.Store(n)
	return nil
}

// tell tells people outside of something other than a question.
func (s *Service) tell(n notify.Notice) {
	if to := s.notifier.Load(); to != nil {
		to.Tell(n)
	}
}

// runNotices are the events of runs by their states.
var runNotices = map[store.State]string{
	store.Completed: notify.RunCompleted, store.Paused: notify.RunPaused,
	store.Aborted: notify.RunFailed, store.Failed: notify.RunFailed,
	store.Expired: notify.RunFailed,
}

// runNotice tells how a run ended. Its event is "" if the run has not.
func runNotice(r store.Run, serial string) notify.Notice {
	n := notify.Notice{Event: runNotices[r.State], At: r.UpdatedAt, SessionID: r.SessionID,
		RunID: r.ID, Serial: serial, State: string(r.State), Reason: string(r.StopReason),
		Answer: r.Answer}
	if r.State == store.Aborted {
		n.Why, n.Answer = r.Answer, ""
	}
	return n
}

// noteRuns has the notice of a run's end stored with that end: a crash right after it loses none.
func (s *Service) noteRuns(n *notify.Notifier) {
	s.Store.Runs.Note(func(r store.Run, serial string) (store.AuditEntry, bool) {
		about, is := n.Chosen(runNotice(r, serial))
		if !is {
			return store.AuditEntry{}, false
		}
		e, err := noticed(about)
		return e, err == nil
	})
}

// tellRun sends people outside the notice of a run's end.
func (s *Service) tellRun(r store.Run, serial string) {
	if to := s.notifier.Load(); to != nil {
		to.Send(runNotice(r, serial))
	}
}

// tellMissed tells people outside of times of a schedule that no run began for.
func (s *Service) tellMissed(m schedule.Missed) {
	s.tell(notify.Notice{Event: notify.ScheduleMissed, At: time.Now(), Schedule: m.Schedule.Name,
		Serial: m.Schedule.Serial, Ticks: m.Ticks, From: m.From, To: m.To, Reason: m.Why})
}

// pageURL is where people find the page now, or "". It is that of another server of the data folder
// only if this one has none.
func (s *Service) pageURL(set *app.Settings) string {
	if url := cmp.Or(set.Conf.Notify.BaseURL, set.Conf.HTTP.URL, s.URL); url != "" {
		return url
	}
	if here, _, _ := Servers(set.Conf.DataDir); len(here) > 0 {
		return here[0].URL
	}
	return ""
}

// ledger keeps in the audit what was told to whom.
type ledger struct{ store.Audit }

// Delivered implements notify.Ledger.
func (l ledger) Delivered(ctx context.Context, r notify.Receipt) error {
	return l.Append(ctx, store.AuditEntry{Event: store.AuditNotified,
		QuestionID: r.QuestionID, SessionID: r.SessionID, Channel: r.Endpoint, Text: r.Event})
}

// Noticed implements notify.Ledger.
func (l ledger) Noticed(ctx context.Context, n notify.Notice) error {
	e, err := noticed(n)
	if err != nil {
		return err
	}
	return l.Append(ctx, e)
}

// noticed is a notice in the audit.
func noticed(n notify.Notice) (store.AuditEntry, error) {
	b, err := json.Marshal(n)
	return store.AuditEntry{Event: store.AuditNoticed, SessionID: n.SessionID, RunID: n.RunID,
		Text: n.Event, Answer: string(b)}, err
}

// Notices implements notify.Ledger.
func (l ledger) Notices(ctx context.Context, since time.Time) ([]notify.Notice, error) {
	entries, err := l.List(ctx, store.AuditFilter{Event: store.AuditNoticed, Since: since})
	if err != nil {
		return nil, err
	}
	list := make([]notify.Notice, len(entries))
	for i, e := range entries {
		if err := json.Unmarshal([]byte(e.Answer), &list[i]); err != nil {
			return nil, err
		}
	}
	return list, nil
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
