package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/text"
)

// Begin adds a session for a phone with its first run, in one transaction. It takes Serial, Device,
// Client, StartKey and Parent from x, and from r the same fields as [Runs.Create]. It returns a
// *KeyError if the client has a session under this key already, and a *BusyError, as [Leases.Take]
// does, if the run is to be Leased and cannot have the phone.
func (s *Store) Begin(ctx context.Context, x Session, r Run) (Session, Run, error) {
	var begun Session
	err := s.update(ctx, func(ctx context.Context, tx *tx) error {
		have, err := sessionByKey(ctx, tx, x.Client, x.StartKey)
		if err == nil {
			return &KeyError{SessionID: have.ID}
		}
		if !errors.Is(err, ErrNotFound) {
			return err
		}
		x.ID, x.Steps = newID(), 0
		x.CreatedAt = tx.at
		x.UpdatedAt = x.CreatedAt
		if err := x.fields().insert(ctx, tx, "sessions"); err != nil {
			return err
		}
		r.SessionID = x.ID
		if err := newRun(ctx, tx, &r); err != nil {
			return err
		}
		if r.Leased && x.Serial != "" {
			if err := s.Leases.take(ctx, tx, x.Serial, r); err != nil {
				return err
			}
		}
		begun, err = sessionByID(ctx, tx, x.ID)
		return err
	})
	if err != nil {
		return Session{}, Run{}, fmt.Errorf("beginning a session: %w", err)
	}
	return begun, r, nil
}

// SessionByKey returns the session that the client began under the key, or ErrNotFound.
func (s *Store) SessionByKey(ctx context.Context, client, key string) (Session, error) {
	return sessionByKey(ctx, s.read, client, key)
}

// Session returns a session, or ErrNotFound.
func (s *Store) Session(ctx context.Context, id string) (Session, error) {
	x, err := sessionByID(ctx, s.read, id)
	return x, listHint(err)
}

// LeastID is the least number of characters that [Store.Find] accepts, so that a slip finds
// nothing.
const LeastID = 4

// mostFound is how many sessions it looks for: more than an error names.
const mostFound = 6

// Find returns the owners' session with the id, or the only one whose id begins with it. The error
// is ErrNotFound or an *inquiry.AmbiguousError.
func (s *Store) Find(ctx context.Context, id string, of Owners) (Session, error) {
	id = strings.ToLower(strings.TrimSpace(id))
	var found []Session
	var err error
	if len(id) >= LeastID {
		w := where{sql: "s.id >= ? AND s.id < ?", args: []any{id, id + "\U0010FFFF"}}
		w.owned("s.client", of)
		found, err = collect(ctx, s.read, scanRow[Session], "SELECT "+sessionColumns+
			" FROM sessions s WHERE "+w.sql+" ORDER BY s.updated_at DESC, s.rowid DESC LIMIT ?",
			w.limited(mostFound)...)
	}
	switch {
	case err != nil:
		return Session{}, doing(err, "looking for session %q", id)
	case len(found) == 0:
		return Session{}, listHint(doing(ErrNotFound, "session %q", id))
	case len(found) > 1:
		e := &inquiry.AmbiguousError{What: "several sessions", Beginning: id}
		for _, x := range found {
			e.IDs = append(e.IDs, x.ID)
		}
		return Session{}, hint.Add(e, "give more of the id")
	}
	return found[0], nil
}

// Sessions lists sessions with their latest runs, last changed first.
func (s *Store) Sessions(ctx context.Context, f Filter) (list []Overview, err error) {
	parts := f.parts()
	for _, part := range parts {
		query, args := part.query()
		some, failed := collect(ctx, s.read, scanOverview, query, args...)
		list, err = append(list, some...), cmp.Or(err, failed)
	}
	if len(parts) > 1 {
		slices.SortStableFunc(list, func(a, b Overview) int {
			return b.UpdatedAt.Compare(a.UpdatedAt)
		})
		from := min(f.Offset, len(list))
		list = list[from:min(from+f.Limit, len(list))]
	}
	return list, doing(err, "listing sessions")
}

// parts are the filters of each owner, whose sessions an index has in the order of the list: of
// several owners together all would be read and sorted for a few.
func (f Filter) parts() (list []Filter) {
	if len(f.Owners) < 2 || f.Limit == 0 {
		return []Filter{f}
	}
	for _, client := range slices.Compact(slices.Sorted(slices.Values(f.Owners))) {
		part := f
		part.Owners, part.Offset, part.Limit = Owners{client}, 0, f.Offset+f.Limit
		list = append(list, part)
	}
	return list
}

// query lists what the filter lets through. Each of its fields has an index that is in the order of
// the list.
func (f Filter) query() (string, []any) {
	w, order := where{sql: "true"}, "s.updated_at"
	w.owned("s.client", f.Owners)
	w.and("s.id = ?", f.ID)
	w.and("s.state = ?", string(f.State))
	w.and("r.stop_reason = ?", string(f.Reason))
	w.and("s.serial = ?", f.Serial)
	if f.Parent != "" { // an index has those with one
		w.sql += " AND s.parent <> ''"
		w.and("s.parent = ?", f.Parent)
	}
	f.found(&w)
	if f.Waiting {
		w.sql += " AND r.waiting_at <> 0"
		order = "+s.updated_at" // the few that wait have an index, which SQLite is to choose
	}
	return "SELECT " + sessionColumns + `, r.id IS NOT NULL,
		coalesce(u.prompt_tokens + u.completion_tokens, 0), ` + runColumns + ` FROM sessions s
		LEFT JOIN runs r ON r.session_id = s.id AND r.seq =
			(SELECT max(seq) FROM runs WHERE session_id = s.id)
		LEFT JOIN usage u ON u.run_id = r.id
		WHERE ` + w.sql + " ORDER BY " + order + " DESC, s.rowid DESC LIMIT ? OFFSET ?",
		append(w.limited(f.Limit), f.Offset)
}

// found adds what people look for.
func (f Filter) found(w *where) {
	if f.Over {
		w.sql += " AND r.ended_at <> 0"
	}
	if !f.Since.IsZero() {
		w.sql, w.args = w.sql+" AND s.updated_at >= ?", append(w.args, millis(f.Since))
	}
	if !f.Until.IsZero() {
		w.sql, w.args = w.sql+" AND s.updated_at <= ?", append(w.args, millis(f.Until))
	}
	w.and(`EXISTS (SELECT 1 FROM runs x WHERE x.session_id = s.id AND
		lower(x.task || ' ' || x.answer || ' ' || x.error)
			LIKE lower(?) ESCAPE '\')`, like("", f.Text))
	w.and(`EXISTS (SELECT 1 FROM steps t WHERE t.session_id = s.id AND
		lower(t.phone) LIKE lower(?) ESCAPE '\')`, like(`"app":"%`, f.App))
}

// like is the pattern of a text that has a part after a beginning, "" for no part.
func like(before, part string) string {
	if part == "" {
		return ""
	}
	return "%" + before + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(part) + "%"
}

// scanOverview reads the row twice: only the first pass knows whether there is a run to read.
func scanOverview(row scanner) (Overview, error) {
	var o Overview
	var has bool
	head := append(o.Session.fields().values(), &has, &o.Tokens)
	pass := slices.Clone(head)
	o.Latest = new(Run)
	for range o.Latest.fields() {
		pass = append(pass, new(any))
	}
	if err := row.Scan(pass...); err != nil || !has {
		o.Latest = nil
		return o, err
	}
	return o, row.Scan(append(head, o.Latest.fields().values()...)...)
}

// Orphans are the open sessions and questions of no client, by id: sessions whose latest run has
// not ended, and questions of no run whose answer was not used.
type Orphans struct{ Sessions, Questions []string }

// String is how many there are, in words.
func (o Orphans) String() string {
	words := text.Count(len(o.Sessions), "open session")
	if n := len(o.Questions); n > 0 {
		words += " and " + text.Count(n, "open question")
	}
	return words
}

// List is the ids of the first of them, each in a line below the one before.
func (o Orphans) List(most int) string {
	ids := slices.Concat(o.Sessions, o.Questions)
	words := ""
	for _, id := range ids[:min(len(ids), most)] {
		words += "\n  " + id
	}
	if n := len(ids) - most; n > 0 {
		words += fmt.Sprintf("\n  and %d more: taploop sessions list", n)
	}
	return words
}

// Orphans lists the orphans.
func (s *Store) Orphans(ctx context.Context) (Orphans, error) {
	o, err := orphans(ctx, s.read)
	return o, doing(err, "looking for what belongs to no client")
}

func orphans(ctx context.Context, q queryer) (o Orphans, err error) {
	o.Sessions, err = collect(ctx, q, scanID, `SELECT s.id FROM sessions s
		WHERE s.client = '' AND EXISTS
			(SELECT 1 FROM runs r WHERE r.session_id = s.id AND r.ended_at = 0)
		ORDER BY s.rowid`)
	if err == nil {
		o.Questions, err = collect(ctx, q, scanID, `SELECT id FROM questions WHERE run_id = ''
			AND applied_at = 0 AND coalesce(json_extract(body, '$.client'), '') = ''
			AND status IN (?, ?) ORDER BY rowid`, inquiry.Pending, inquiry.Answered)
	}
	return o, err
}

// Adopt gives the orphans to the client and records that in the audit.
func (s *Store) Adopt(ctx context.Context, client string, by AuditEntry) (o Orphans, err error) {
	by.Event, by.Text = AuditAdopted, client
	err = s.update(ctx, func(ctx context.Context, tx *tx) error {
		if o, err = orphans(ctx, tx); err != nil {
			return err
		}
		if err := adoptSessions(ctx, tx, o.Sessions, client, by); err != nil {
			return err
		}
		if err := adoptAnswers(ctx, tx, client); err != nil {
			return err
		}
		for _, id := range o.Questions {
			q, err := questionByID(ctx, tx, s.vault, id)
			if err != nil {
				return err
			}
			q.Client = client
			if err := saveBody(ctx, tx, q); err != nil {
				return err
			}
			by.QuestionID = id
			if err := tx.audit(ctx, by); err != nil {
				return err
			}
		}
		return nil
	})
	return o, doing(err, "giving sessions to %s", client)
}

func adoptSessions(
	ctx context.Context, tx *tx, ids []string, client string, by AuditEntry,
) error {
	for _, id := range ids {
		// A key that a former bearer of the name has used stays that one's.
		err := tx.exec(ctx, `UPDATE sessions SET client = ?1, start_key = CASE WHEN EXISTS
			(SELECT 1 FROM sessions o WHERE o.client = ?1 AND o.start_key = sessions.start_key)
			THEN '' ELSE start_key END WHERE id = ?2`, client, id)
		if err != nil {
			return err
		}
		by.SessionID = id
		if err := tx.audit(ctx, by); err != nil {
			return err
		}
	}
	return nil
}

// adoptAnswers gives the remembered answers of no client to this one, whose own ones win.
func adoptAnswers(ctx context.Context, tx *tx, client string) error {
	list, err := collect(ctx, tx, scanAnswer, "SELECT "+answerColumns+` FROM answers a
		WHERE client = '' AND NOT EXISTS (SELECT 1 FROM answers o WHERE o.likeness = a.likeness AND
		o.client = ? AND o.scope = a.scope AND o.session_id = a.session_id AND o.app = a.app)`,
		client)
	for _, m := range list {
		m.Client = client
		err := tx.exec(ctx, "UPDATE answers SET client = ?, body = ? WHERE id = ?", client,
			object{m}, m.ID)
		if err != nil {
			return err
		}
	}
	return err
}

// Snapshot is a consistent view of a session.
type Snapshot struct {
	Session  Session
	Run      Run               // the latest
	Question *inquiry.Question // that Run has asked and whose answer it has not used yet, or nil
	Usage    Usage             // of Run
	Steps    []StepRecord      // as requested, always with the last, oldest first
	Holder   *Hold             // of the session's phone, nil if it is free
	Grants   []guard.Grant     // people's leaves that may cover actions of the session
}

// Snapshot reads a session in one transaction. after returns, for the latest run, the step after
// which the steps begin. Snapshot returns ErrNotFound if the session or its run is missing.
func (s *Store) Snapshot(
	ctx context.Context, sessionID string, after func(Run) (int, error),
) (Snapshot, error) {
	var v Snapshot
	if ctx.Err() != nil {
		return v, doing(context.Cause(ctx), "reading how session %s stands", sessionID)
	}
	// Whoever is interrupted meanwhile still learns how the session stands.
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), s.opts.Patience)
	defer stop()
	err := s.view(ctx, func(tx *sql.Tx) (err error) {
		v, err = snapshotOf(ctx, s, tx, sessionID, after)
		return err
	})
	return v, doing(err, "reading how session %s stands", sessionID)
}

func snapshotOf(ctx context.Context, s *Store, tx *sql.Tx, id string, after func(Run) (int, error),
) (v Snapshot, err error) {
	if v.Session, err = sessionByID(ctx, tx, id); err != nil {
		return v, listHint(err)
	}
	if v.Run, err = latestRun(ctx, tx, id); err != nil {
		return v, err
	}
	if v.Question, err = unused(ctx, tx, s.vault, v.Run); err != nil {
		return v, err
	}
	if v.Usage, err = usage(ctx, tx, s.now(), v.Run.ID); err != nil {
		return v, err
	}
	from, err := after(v.Run)
	if err != nil {
		return v, err
	}
	if v.Steps, err = stepsAfter(ctx, tx, id, min(from, v.Session.Steps-1)); err != nil {
		return v, err
	}
	h, leased, err := s.Leases.holder(ctx, tx, v.Session.Serial)
	if err != nil {
		return v, err
	}
	if leased {
		v.Holder = &h
	}
	held, err := grants(ctx, tx, s.now())
	for _, g := range held {
		others := g.Scope == guard.ForSession && g.Name != id && g.Name != v.Session.Parent
		if g.IsFor(v.Session.Client) && !others {
			v.Grants = append(v.Grants, g.Grant)
		}
	}
	return v, err
}

// Trajectory is all of a session but its pictures.
func (s *Store) Trajectory(ctx context.Context, sessionID string) (t Trajectory, err error) {
	if t.Session, err = s.Session(ctx, sessionID); err != nil {
		return t, err
	}
	if t.Runs, err = s.Runs.Of(ctx, sessionID); err != nil {
		return t, err
	}
	if t.Steps, err = s.Steps(ctx, sessionID, 0); err != nil {
		return t, err
	}
	t.Questions, err = s.Questions.List(ctx, inquiry.Filter{SessionID: sessionID})
	if err != nil {
		return t, err
	}
	t.Usage = map[string]Usage{}
	for _, r := range t.Runs {
		if t.Usage[r.ID], err = usage(ctx, s.read, s.now(), r.ID); err != nil {
			return t, doing(err, "adding up what run %s has cost", r.ID)
		}
	}
	t.Asked, err = waitTimes(ctx, s.read, s.now(), "session_id", sessionID)
	return t, doing(err, "reading how long session %s has waited", sessionID)
}

// LatestRun returns the session's latest run, or ErrNotFound when it has none.
func (s *Store) LatestRun(ctx context.Context, sessionID string) (Run, error) {
	return latestRun(ctx, s.read, sessionID)
}
