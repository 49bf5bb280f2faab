package store_test

import (
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/storetest"
)

// clock is a time that a test sets.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// clocked is a store and a broker over it with one clock.
func clocked(t *testing.T, dir string) (*store.Store, *inquiry.Broker, *clock) {
	c := newClock()
	s := open(t, dir, &store.Options{Now: c.now})
	return s, inquiry.NewBroker(s.Questions, &inquiry.Options{Now: c.now}), c
}

// ask opens a question of the run.
func ask(t *testing.T, b *inquiry.Broker, r store.Run, q inquiry.Question) inquiry.Question {
	t.Helper()
	q.SessionID, q.RunID, q.Fence = r.SessionID, r.ID, r.Fence
	if q.Text == "" {
		q.Text = "which size?"
	}
	q, err := b.Open(t.Context(), q)
	require.NoError(t, err)
	return q
}

func audit(t *testing.T, s *store.Store, f store.AuditFilter) []store.AuditEntry {
	t.Helper()
	list, err := s.Audit.List(t.Context(), f)
	require.NoError(t, err)
	for i := range list {
		require.Positive(t, list[i].Seq)
		list[i].Seq = 0
	}
	return list
}

func TestTheAuditTellsTheWholeStoryOfAQuestion(t *testing.T) {
	s, b, c := clocked(t, t.TempDir())
	x, r, err := s.Begin(t.Context(), store.Session{Serial: "emu-1", Client: "laptop"},
		store.Run{Task: "buy"})
	require.NoError(t, err)
	asked := c.now()
	q := ask(t, b, r, inquiry.Question{Channels: []inquiry.Channel{{Name: "pass_to_client"},
		{Name: "page"}}})
	c.pass(90 * time.Second)
	_, err = b.Resolve(t.Context(), q.ID, inquiry.Reply{Response: "42", Channel: "page",
		Authority: "human_token", By: "ann"})
	require.NoError(t, err)
	c.pass(time.Second)
	_, err = b.Resolve(t.Context(), q.ID, inquiry.Reply{Response: "43", Channel: "http"})
	require.Error(t, err, "a loser leaves no row")
	_, err = b.Apply(t.Context(), q.ID, r.Fence)
	require.NoError(t, err)

	about := store.AuditEntry{QuestionID: q.ID, SessionID: x.ID, RunID: r.ID}
	first, second, third := about, about, about
	first.At, first.Event = asked, store.AuditAsked
	first.Channel, first.By = "pass_to_client, page", "laptop"
	first.Text = "which size?"
	second.At, second.Event = asked.Add(90*time.Second), store.AuditAnswered
	second.Channel, second.Authority = "page", "human_token"
	second.By = "ann"
	second.Answer, second.Took = "42", 90*time.Second
	third.At, third.Event, third.Took = asked.Add(91*time.Second), store.AuditApplied, time.Second
	require.Equal(t, []store.AuditEntry{first, second, third},
		audit(t, s, store.AuditFilter{QuestionID: q.ID}))

	text, err := json.Marshal(second)
	require.NoError(t, err)
	require.Contains(t, string(text), `"took_ms":90000`)
}

func TestEveryWayToSettleAQuestionIsInTheAudit(t *testing.T) {
	for name, way := range map[string]struct {
		settle func(*testing.T, *store.Store, *inquiry.Broker, inquiry.Question, store.Run)
		want   store.AuditEntry
	}{
		"refused": {func(t *testing.T, _ *store.Store, b *inquiry.Broker, q inquiry.Question,
			_ store.Run) {
			_, err := b.Resolve(t.Context(), q.ID,
				inquiry.Reply{Type: inquiry.TypeDecline, Response: "ask later", Channel: "http"})
			require.NoError(t, err)
		}, store.AuditEntry{Event: store.AuditRefused, Channel: "http", Answer: "ask later"}},
		"withdrawn": {func(t *testing.T, _ *store.Store, b *inquiry.Broker, q inquiry.Question,
			_ store.Run) {
			require.NoError(t, b.Withdraw(t.Context(), q.ID, "not needed any more"))
		}, store.AuditEntry{Event: store.AuditWithdrawn, Channel: "run",
			Text: "not needed any more"}},
		"ended run": {func(t *testing.T, s *store.Store, _ *inquiry.Broker, _ inquiry.Question,
			r store.Run) {
			_, err := s.Runs.Transition(t.Context(), r.ID,
				store.Change{To: store.Cancelled, Reason: agentloop.Cancelled})
			require.NoError(t, err)
		}, store.AuditEntry{Event: store.AuditWithdrawn, Channel: "run",
			Text: "the run has ended: CANCELLED"}},
		"default": {func(t *testing.T, _ *store.Store, b *inquiry.Broker, q inquiry.Question,
			_ store.Run) {
			require.NoError(t, b.Sweep(t.Context(), q.AttentionUntil))
		}, store.AuditEntry{Event: store.AuditTimedOut, Channel: "timer",
			Answer: "medium", Took: 10 * time.Minute}},
		"expired": {func(t *testing.T, _ *store.Store, b *inquiry.Broker, q inquiry.Question,
			_ store.Run) {
			require.NoError(t, b.Sweep(t.Context(), q.ExpiresAt))
		}, store.AuditEntry{Event: store.AuditExpired, Channel: "timer", Took: 24 * time.Hour}},
	} {
		t.Run(name, func(t *testing.T) {
			s, b, _ := clocked(t, t.TempDir())
			r := started(t, s)
			q := ask(t, b, r, inquiry.Question{DefaultAnswer: "medium", OnTimeout: inquiry.Default})
			way.settle(t, s, b, q, r)
			list := audit(t, s, store.AuditFilter{})
			require.Len(t, list, 2)
			way.want.QuestionID, way.want.SessionID, way.want.RunID = q.ID, r.SessionID, r.ID
			way.want.At = q.AskedAt.Add(way.want.Took)
			require.Equal(t, way.want, list[1])
		})
	}
}

func TestAnAnswerAppliedWithItsRunsChangeIsInTheAudit(t *testing.T) {
	s, b, _ := clocked(t, t.TempDir())
	r := started(t, s)
	q := ask(t, b, r, inquiry.Question{})
	_, err := s.Runs.Transition(t.Context(), r.ID,
		store.Change{To: store.WaitingReply, Question: q.ID})
	require.NoError(t, err)
	_, err = b.Resolve(t.Context(), q.ID, inquiry.Reply{Response: "42", Channel: "mcp"})
	require.NoError(t, err)
	_, err = s.Runs.Transition(t.Context(), r.ID, store.Change{To: store.Running, Apply: q.ID})
	require.NoError(t, err)
	_, err = s.Runs.Transition(t.Context(), r.ID, store.Change{To: store.Running, Apply: q.ID})
	require.ErrorIs(t, err, inquiry.ErrApplied)

	var events []store.AuditEvent
	for _, e := range audit(t, s, store.AuditFilter{SessionID: r.SessionID}) {
		events = append(events, e.Event)
	}
	require.Equal(t, []store.AuditEvent{store.AuditAsked, store.AuditAnswered,
		store.AuditApplied}, events)
}

func TestASecretAnswerIsMaskedInTheAuditAndInTheFiles(t *testing.T) {
	const secret = "correct-horse-4711"
	dir := t.TempDir()
	s, b, _ := clocked(t, dir)
	r := started(t, s)
	var ids []string
	for _, kind := range []inquiry.Type{inquiry.TypeAnswer, inquiry.TypeDecline} {
		q := ask(t, b, r, inquiry.Question{Secret: true})
		_, err := b.Resolve(t.Context(), q.ID,
			inquiry.Reply{Type: kind, Response: secret, Channel: "page"})
		require.NoError(t, err)
		ids = append(ids, q.ID)
	}
	for _, id := range ids {
		list := audit(t, s, store.AuditFilter{QuestionID: id})
		require.Equal(t, inquiry.Masked, list[1].Answer)
	}
	requireNowhere(t, dir, secret)
}

func TestACodeInAnswerToAnActIsInNoFile(t *testing.T) {
	dir := t.TempDir()
	s, b, _ := clocked(t, dir)
	q := ask(t, b, started(t, s), inquiry.Question{
		Text: "Please enter the verification code on the phone, then say done."})
	_, err := b.Resolve(t.Context(), q.ID, inquiry.Reply{Response: "739155", Channel: "page"})
	require.NoError(t, err)
	got, err := b.Get(t.Context(), q.ID)
	require.NoError(t, err)
	require.True(t, got.Secret)
	require.Equal(t, "739155", got.Resolution.Response.Reveal(), "the run reads it")
	require.Equal(t, inquiry.Masked, audit(t, s, store.AuditFilter{QuestionID: q.ID})[1].Answer)
	requireNowhere(t, dir, "739155")
}

func TestTheAuditIsListedByWhatIsAskedFor(t *testing.T) {
	s, _, c := clocked(t, t.TempDir())
	for i, e := range []store.AuditEntry{
		{Event: store.AuditNotified, QuestionID: "q1", SessionID: "s1", Channel: "webhook",
			Took: time.Second},
		{Event: store.AuditPaused, SessionID: "s1", By: "ann"},
		{Event: store.AuditStopped, SessionID: "s2", By: "ben"},
	} {
		require.NoError(t, s.Audit.Append(t.Context(), e), "entry %d", i)
		c.pass(time.Hour)
	}
	names := func(f store.AuditFilter) (list []store.AuditEvent) {
		for _, e := range audit(t, s, f) {
			list = append(list, e.Event)
		}
		return list
	}
	require.Equal(t, []store.AuditEvent{store.AuditNotified, store.AuditPaused},
		names(store.AuditFilter{SessionID: "s1"}))
	require.Equal(t, []store.AuditEvent{store.AuditNotified},
		names(store.AuditFilter{QuestionID: "q1"}))
	require.Equal(t, []store.AuditEvent{store.AuditPaused, store.AuditStopped},
		names(store.AuditFilter{Since: newClock().at.Add(time.Hour)}))
	require.Equal(t, []store.AuditEvent{store.AuditPaused, store.AuditStopped},
		names(store.AuditFilter{Limit: 2}), "the newest, oldest first")
	require.Equal(t, []store.AuditEvent{store.AuditStopped},
		names(store.AuditFilter{Event: store.AuditStopped}))
	require.Empty(t, names(store.AuditFilter{Event: store.AuditStopped, SessionID: "s1"}))
	require.Empty(t, names(store.AuditFilter{SessionID: "s3"}))
	require.Error(t, s.Audit.Append(t.Context(), store.AuditEntry{}), "an entry about nothing")
	require.Equal(t, newClock().at, audit(t, s, store.AuditFilter{Limit: 3})[0].At,
		"now, when it does not say")
}

func TestTheAuditCannotBeChangedAndOutlivesItsSession(t *testing.T) {
	dir := t.TempDir()
	s, b, _ := clocked(t, dir)
	r := started(t, s)
	q := ask(t, b, r, inquiry.Question{})
	only := "INSERT OR REPLACE INTO audit (seq, at, event) VALUES (1, 1, 'answered')"
	if storetest.OnPostgres() {
		only = "TRUNCATE audit"
	}
	for _, statement := range []string{
		"UPDATE audit SET by = 'somebody else'", "DELETE FROM audit",
		"DELETE FROM audit WHERE seq = 1", only,
		`INSERT INTO audit (seq, at, event) VALUES (1, 1, 'answered')
			ON CONFLICT (seq) DO UPDATE SET event = 'answered'`,
	} {
		_, err := s.Raw().Exec(statement)
		require.ErrorContains(t, err, "the audit is append-only", statement)
	}
	_, err := s.Runs.Transition(t.Context(), r.ID, store.Change{To: store.Cancelled,
		Reason: agentloop.Cancelled})
	require.NoError(t, err)
	before := audit(t, s, store.AuditFilter{})
	require.NoError(t, s.Delete(t.Context(), r.SessionID, store.AuditEntry{}))
	_, err = b.Get(t.Context(), q.ID)
	require.ErrorIs(t, err, inquiry.ErrNotFound)
	after := audit(t, s, store.AuditFilter{SessionID: r.SessionID})
	require.Equal(t, before, after[:len(before)])
	require.Len(t, after, len(before)+1)
	require.Equal(t, store.AuditDeleted, after[len(before)].Event)
}

func TestAQuestionThatCannotBeAuditedIsNotAsked(t *testing.T) {
	dir := t.TempDir()
	s, b, _ := clocked(t, dir)
	r := started(t, s)
	script := `CREATE TRIGGER no_room BEFORE INSERT ON audit
		BEGIN SELECT RAISE(ABORT, 'no room'); END`
	if storetest.OnPostgres() {
		script = `CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS
			'BEGIN RAISE EXCEPTION ''no room''; END';
			CREATE TRIGGER no_room BEFORE INSERT ON audit EXECUTE FUNCTION no_room()`
	}
	_, err := s.Raw().Exec(script)
	require.NoError(t, err)
	_, err = b.Open(t.Context(), inquiry.Question{SessionID: r.SessionID, RunID: r.ID,
		Text: "which size?"})
	require.ErrorContains(t, err, "no room")
	list, err := b.List(t.Context(), inquiry.Filter{})
	require.NoError(t, err)
	require.Empty(t, list, "both or neither")
}

// A program that tries to decide in a person's place leaves a line, however often it tries, and no
// secret.
func TestTheAuditHasForbiddenReplies(t *testing.T) {
	s, b, _ := clocked(t, t.TempDir())
	q := ask(t, b, started(t, s), inquiry.Question{Kind: inquiry.KindTakeover, Text: "Log in",
		Body: &inquiry.Takeover{PeopleOnly: true}})
	for range 30 {
		_, err := b.Resolve(t.Context(), q.ID, inquiry.Reply{Response: "it is\x1b[2J done",
			Channel: inquiry.ChannelHTTP, Authority: inquiry.AuthorityToken, By: "bot"})
		_, forbidden := errors.AsType[*inquiry.ForbiddenError](err)
		require.True(t, forbidden, "%v", err)
	}
	list := audit(t, s, store.AuditFilter{QuestionID: q.ID, Event: store.AuditForbidden})
	require.Len(t, list, 20)
	require.Equal(t, []string{"bot", "token", "http", "answer", "it is[2J done"}, []string{list[0].By,
		list[0].Authority, list[0].Channel, list[0].Text, list[0].Answer})
	require.NoError(t, s.Questions.Forbid(t.Context(), q.ID, inquiry.Resolution{}))
	hidden := ask(t, b, started(t, s), inquiry.Question{Secret: true, Text: "The code?"})
	require.NoError(t, s.Questions.Forbid(t.Context(), hidden.ID,
		inquiry.Resolution{Response: inquiry.Plain("4711")}))
	require.Equal(t, inquiry.Masked, audit(t, s,
		store.AuditFilter{QuestionID: hidden.ID, Event: store.AuditForbidden})[0].Answer)
}
