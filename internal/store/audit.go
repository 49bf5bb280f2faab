package store

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/text"
)

// AuditEvent says what happened.
type AuditEvent string

// The events of the audit.
const (
	AuditAsked     AuditEvent = "asked"
	AuditAnswered  AuditEvent = "answered"
	AuditRefused   AuditEvent = "refused"
	AuditDeferred  AuditEvent = "deferred" // refused, and a model is asked
	AuditTimedOut  AuditEvent = "timed_out"
	AuditWithdrawn AuditEvent = "withdrawn"
	AuditExpired   AuditEvent = "expired"
	AuditHastened  AuditEvent = "hastened" // somebody said that no answer comes in time
	// a reply was not taken because its sender may not settle the question
	AuditForbidden AuditEvent = "forbidden"
	// an answer will be reused. Text is its scope, see inquiry.Scope
	AuditRemembered AuditEvent = "remembered"
	AuditForgotten  AuditEvent = "forgotten" // that was taken back
	AuditApplied    AuditEvent = "applied"   // who asked has taken the resolution
	AuditNotified   AuditEvent = "notified"  // somebody was told that the question waits
	// somebody is to be told of the event in Text
	AuditNoticed   AuditEvent = "noticed"
	AuditStopped   AuditEvent = "stopped"    // a person ended the run
	AuditPaused    AuditEvent = "paused"     // a person paused it
	AuditSaid      AuditEvent = "said"       // the other side said Text to it, unasked
	AuditTakenOver AuditEvent = "taken_over" // the phone was taken from its run
	AuditByHand    AuditEvent = "by_hand"    // a person touched the phone, as often as Text says
	AuditGranted   AuditEvent = "granted"    // a person gave leave to go on without asking
	// that leave was taken back
	AuditGrantEnded AuditEvent = "grant_ended"
	// an action was carried out under the leave in Text
	AuditUnasked AuditEvent = "unasked"
	AuditAdopted AuditEvent = "adopted" // what belonged to no client belongs to one now
	AuditDeleted AuditEvent = "deleted" // the session is gone, with all but its audit
	// a person closed the machine or the phone in Text, opened it, or left a run to another machine
	AuditDrained    AuditEvent = "drained"
	AuditCordoned   AuditEvent = "cordoned"
	AuditUncordoned AuditEvent = "uncordoned"
	AuditRequeued   AuditEvent = "requeued"
)

// AuditEntry is one row of the audit. Nothing of it is secret.
type AuditEntry struct {
	Seq        int64      `json:"seq"` // set by the store, grows
	At         time.Time  `json:"at"`
	Event      AuditEvent `json:"event"`
	QuestionID string     `json:"question_id,omitempty"`
	SessionID  string     `json:"session_id,omitempty"`
	RunID      string     `json:"run_id,omitempty"`
	Authority  string     `json:"authority,omitempty"`
	By         string     `json:"by,omitempty"`     // of a question its client
	Text       string     `json:"text,omitempty"`   // the question, or the reason of a withdrawal
	Answer     string     `json:"answer,omitempty"` // inquiry.Masked when it is secret

	Frame string `json:"screenshot,omitempty"` // of the screen that a question is about

	// Channel is the channel of an answer, or all channels of a question.
	Channel string `json:"channel,omitempty"`
	// Took is the time since the question was asked, or settled for AuditApplied.
	Took time.Duration `json:"-"`
}

func (e *AuditEntry) fields() fields {
	return fields{
		{"at", instant{&e.At}}, {"event", &e.Event}, {"question_id", &e.QuestionID},
		{"session_id", &e.SessionID}, {"run_id", &e.RunID}, {"channel", &e.Channel},
		{"authority", &e.Authority}, {"by", &e.By}, {"words", &e.Text}, {"answer", &e.Answer},
		{"took", &e.Took}, {"frame", &e.Frame},
	}
}

// MarshalJSON writes Took in milliseconds.
func (e AuditEntry) MarshalJSON() ([]byte, error) {
	type plain AuditEntry
	return json.Marshal(struct {
		plain
		Took int64 `json:"took_ms,omitempty"`
	}{plain(e), e.Took.Milliseconds()})
}

// AuditFilter says which entries to list. Zero fields do not restrict.
type AuditFilter struct {
	SessionID  string
	QuestionID string
	Event      AuditEvent
	Since      time.Time // at or after
	Limit      int       // the newest entries, 0 means all
}

var auditColumns = new(AuditEntry).fields().list("a.%s")

func scanAudit(row scanner) (AuditEntry, error) {
	var e AuditEntry
	err := row.Scan(append([]any{&e.Seq}, e.fields().values()...)...)
	return e, err
}

// Audit records the fate of questions and other acts of people. The store writes the entries about
// questions in the same transaction as the change. Entries are never changed or removed, even with
// their session.
type Audit struct{ *db }

// List lists the newest entries in the order in which they were written, oldest first.
func (a Audit) List(ctx context.Context, f AuditFilter) ([]AuditEntry, error) {
	w := where{"at >= ?", []any{millis(f.Since)}}
	w.and("session_id = ? AND session_id <> ''", f.SessionID) // so says its index
	w.and("question_id = ? AND question_id <> ''", f.QuestionID)
	w.and("event = ?", string(f.Event))
	list, err := collect(ctx, a.read, scanAudit, "SELECT seq, "+auditColumns+
		" FROM audit a WHERE "+w.sql+" ORDER BY at DESC, seq DESC LIMIT ?", w.limited(f.Limit)...)
	slices.SortStableFunc(list, func(a, b AuditEntry) int { return cmp.Compare(a.Seq, b.Seq) })
	return list, doing(err, "listing the audit")
}

// Append adds an entry about something else than a question. A zero At means now. The caller leaves
// secrets out.
func (a Audit) Append(ctx context.Context, e AuditEntry) error {
	err := a.update(ctx, func(ctx context.Context, tx *tx) error { return tx.audit(ctx, e) })
	return doing(err, "writing the audit")
}

func (t *tx) audit(ctx context.Context, e AuditEntry) error {
	if e.At.IsZero() {
		e.At = t.at
	}
	return e.fields().insert(ctx, t, "audit")
}

// about is an entry about a question, and about when and by whom r was said to it.
func about(event AuditEvent, q inquiry.Question, r inquiry.Resolution) AuditEntry {
	return AuditEntry{Event: event, At: r.At, QuestionID: q.ID, SessionID: q.SessionID,
		RunID: q.RunID, Frame: q.Frame, Channel: r.Channel, Authority: r.Authority, By: r.By}
}

// askedEntry is the entry of a new question, which is the client's.
func askedEntry(q inquiry.Question, client string) AuditEntry {
	e := about(AuditAsked, q, inquiry.Resolution{At: q.AskedAt})
	names := text.Each(q.Channels, func(c inquiry.Channel) string { return c.Name })
	e.Channel = strings.Join(names, ", ")
	e.Text = q.Text
	e.By = client
	return e
}

// settledEntry is that of a resolution. The statuses of settled questions are events.
func settledEntry(q inquiry.Question) AuditEntry {
	r := q.Resolution
	e := about(AuditEvent(q.Status), q, *r)
	e.Text = r.Why
	if r.Unedited != "" {
		e.Text = "sent the unedited draft of " + r.Unedited
	}
	e.Answer, e.Took = r.Response.Reveal(), q.Waited(r.At)
	if e.Answer != "" && (q.Secret || r.Response.IsSecret()) {
		e.Answer = inquiry.Masked
	}
	return e
}

// forbiddenEntry says who tried to settle a question, and how.
func forbiddenEntry(q inquiry.Question, tried inquiry.Resolution) AuditEntry {
	e := about(AuditForbidden, q, tried)
	e.Text, e.Took = string(tried.Type), q.Waited(tried.At)
	if e.Answer = tried.Response.String(); e.Answer != "" && q.Secret {
		e.Answer = inquiry.Masked
	}
	return e
}

// deferredEntry says that a model is asked in place of a reply.
func deferredEntry(q inquiry.Question) AuditEntry {
	r := q.Deferred
	e := about(AuditDeferred, q, *r)
	e.Text, e.Answer = "to "+q.Fallback[r.Type], r.Response.String()
	q.Resolution = r
	e.Took = q.Waited(r.At)
	return e
}

// appliedEntry says that a resolution was taken.
func appliedEntry(q inquiry.Question) AuditEntry {
	e := about(AuditApplied, q, inquiry.Resolution{At: q.AppliedAt})
	if q.Resolution != nil {
		e.Took = q.AppliedAt.Sub(q.Resolution.At)
	}
	return e
}
