package session

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/inquiry"
)

// AuditEvent says what happened.
type AuditEvent string

// The events of the audit.
const (
	AuditAsked     AuditEvent = "asked"
	AuditAnswered  AuditEvent = "answered"
	AuditRefused   AuditEvent = "refused"
	AuditTimedOut  AuditEvent = "timed_out"
	AuditWithdrawn AuditEvent = "withdrawn"
	AuditExpired   AuditEvent = "expired"
	AuditApplied   AuditEvent = "applied"  // the run, or whoever asked, has taken the resolution
	AuditNotified  AuditEvent = "notified" // somebody was told that the question waits
	AuditStopped   AuditEvent = "stopped"  // a person ended the run
	AuditPaused    AuditEvent = "paused"   // a person paused it
)

// AuditEntry is one row of the audit. Nothing of it is secret.
type AuditEntry struct {
	Seq        int64         `json:"seq"` // grows; the store's own
	At         time.Time     `json:"at"`
	Event      AuditEvent    `json:"event"`
	QuestionID string        `json:"question_id,omitempty"`
	SessionID  string        `json:"session_id,omitempty"`
	RunID      string        `json:"run_id,omitempty"`
	Door       string        `json:"door,omitempty"`      // through which it came; of a question all through which it can be answered
	Authority  string        `json:"authority,omitempty"` // with which
	By         string        `json:"by,omitempty"`        // who; of a question its client
	Text       string        `json:"text,omitempty"`      // what was asked; of a withdrawal the reason
	Answer     string        `json:"answer,omitempty"`    // inquiry.Masked when it is secret
	Took       time.Duration `json:"-"`                   // settled: since it was asked; applied: since it was settled
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
	Limit      int       // the newest so many; 0 means all
}

const auditColumns = "seq, at, event, question_id, session_id, run_id, door, authority, by, words, answer, took"

func scanAudit(row scanner) (AuditEntry, error) {
	var e AuditEntry
	err := row.Scan(&e.Seq, instant{&e.At}, &e.Event, &e.QuestionID, &e.SessionID, &e.RunID, &e.Door, &e.Authority, &e.By, &e.Text, &e.Answer, &e.Took)
	return e, err
}

// Audit lists entries, oldest first.
func (s *Store) Audit(ctx context.Context, f AuditFilter) ([]AuditEntry, error) {
	where, args := []string{"at >= ?"}, []any{millis(f.Since)}
	if f.SessionID != "" {
		where, args = append(where, "session_id = ? AND session_id <> ''"), append(args, f.SessionID) // so says its index
	}
	if f.QuestionID != "" {
		where, args = append(where, "question_id = ? AND question_id <> ''"), append(args, f.QuestionID)
	}
	if f.Event != "" {
		where, args = append(where, "event = ?"), append(args, f.Event)
	}
	query := "SELECT " + auditColumns + " FROM audit WHERE " + strings.Join(where, " AND ") + " ORDER BY seq DESC"
	if f.Limit > 0 {
		query, args = query+" LIMIT ?", append(args, f.Limit)
	}
	list, err := collect(ctx, s.read, scanAudit, query, args...)
	if err != nil {
		return nil, fmt.Errorf("listing the audit: %w", err)
	}
	slices.Reverse(list)
	return list, nil
}

// AppendAudit adds an entry: what happens to questions is written by the store itself, this is for
// the rest. A zero At means now. Entries are never changed or removed, also not with their session.
// The caller leaves secrets out.
func (s *Store) AppendAudit(ctx context.Context, e AuditEntry) error {
	err := s.update(ctx, func(ctx context.Context, tx *sql.Tx) error { return s.audit(ctx, tx, e) })
	if err != nil {
		return fmt.Errorf("writing the audit: %w", err)
	}
	return nil
}

func (s *Store) audit(ctx context.Context, tx *sql.Tx, e AuditEntry) error {
	if e.At.IsZero() {
		e.At = s.now()
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO audit (at, event, question_id, session_id, run_id, door, authority, by, words, answer, took)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		millis(e.At), e.Event, e.QuestionID, e.SessionID, e.RunID, e.Door, e.Authority, e.By, e.Text, e.Answer, e.Took)
	return err
}

// about is an entry about a question.
func about(event AuditEvent, at time.Time, q inquiry.Question) AuditEntry {
	return AuditEntry{Event: event, At: at, QuestionID: q.ID, SessionID: q.SessionID, RunID: q.RunID}
}

// auditAsked notes a new question.
func (s *Store) auditAsked(ctx context.Context, tx *sql.Tx, q inquiry.Question) error {
	e := about(AuditAsked, q.AskedAt, q)
	doors := make([]string, len(q.Doors))
	for i, d := range q.Doors {
		doors[i] = d.Name
	}
	e.Door, e.By, e.Text = strings.Join(doors, ", "), q.Client, q.Text
	if q.SessionID != "" {
		err := tx.QueryRowContext(ctx, "SELECT client FROM sessions WHERE id = ?", q.SessionID).Scan(&e.By)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
	}
	return s.audit(ctx, tx, e)
}

// auditSettled notes a resolution. The statuses of settled questions are events.
func (s *Store) auditSettled(ctx context.Context, tx *sql.Tx, q inquiry.Question, r inquiry.Resolution) error {
	e := about(AuditEvent(q.Status), r.At, q)
	e.Door, e.Authority, e.By, e.Text = r.Channel, r.Authority, r.By, r.Why
	e.Answer, e.Took = r.Response.Reveal(), r.At.Sub(q.AskedAt)
	if e.Answer != "" && (q.Secret || r.Response.IsSecret()) {
		e.Answer = inquiry.Masked
	}
	return s.audit(ctx, tx, e)
}

// auditApplied notes that a resolution was taken.
func (s *Store) auditApplied(ctx context.Context, tx *sql.Tx, q inquiry.Question) error {
	e := about(AuditApplied, q.AppliedAt, q)
	if q.Resolution != nil {
		e.Took = q.AppliedAt.Sub(q.Resolution.At)
	}
	return s.audit(ctx, tx, e)
}
