package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/inquiry"
)

// Questions are what waits, or has waited, for people: an inquiry.Store. A secret answer is
// encrypted from when it is accepted until it is applied, and then erased.
type Questions struct{ *db }

// briefFields are what a brief list has, without what has to be decoded.
func briefFields(q *inquiry.Question) fields {
	return fields{
		{"id", &q.ID}, {"fence", &q.Fence}, {"status", &q.Status},
		{"asked_at", instant{&q.AskedAt}}, {"attention_until", instant{&q.AttentionUntil}},
		{"expires_at", instant{&q.ExpiresAt}}, {"applied_at", instant{&q.AppliedAt}},
	}
}

// questionFields are all but the resolution. The body is read first: what other columns hold of it
// is newer.
func questionFields(q *inquiry.Question) fields {
	return append(fields{{"body", object{q}}, {"turn", object{&q.Routing}}}, briefFields(q)...)
}

var (
	briefColumns    = briefFields(new(inquiry.Question)).list("%s")
	questionColumns = questionFields(new(inquiry.Question)).list("%s") +
		", resolution, response, sealed, resume"
)

// waitTimes is how long the questions of a session, or of a run, have waited for their answers, by
// the index of the step that asked. It is the one source of such times, see
// inquiry.Question.Waited.
func waitTimes(ctx context.Context, q queryer, now time.Time, column, id string) (
	map[int]time.Duration, error) {
	waits := map[int]time.Duration{}
	_, err := collect(ctx, q, func(row scanner) (none struct{}, err error) {
		var step sql.Null[int]
		var asked inquiry.Question
		err = row.Scan(&step, instant{&asked.AskedAt}, object{&asked.Resolution})
		waits[step.V] += asked.Waited(now)
		return none, err
	}, `SELECT json_extract(body, '$.step'), asked_at, resolution
		FROM questions WHERE run_id <> '' AND `+column+" = ?", id)
	return waits, err
}

func scanBrief(row scanner) (q inquiry.Question, err error) {
	err = row.Scan(briefFields(&q).values()...)
	return q, err
}

// question reads one, with its answer when that was sealed.
func (v *vault) question(row scanner) (q inquiry.Question, err error) {
	var r inquiry.Resolution
	var response string
	var sealed []byte
	err = row.Scan(append(questionFields(&q).values(), object{&r}, &response, &sealed,
		object{&r.Resume})...)
	if err != nil || r.Type == "" {
		return q, err
	}
	r.Response = inquiry.Plain(response)
	if q.Secret && (r.Type == inquiry.TypeAnswer || r.Type == inquiry.TypeDecline) {
		if sealed != nil {
			response, err = v.open(q.ID, sealed)
		}
		r.Response = inquiry.Secret(response)
	}
	q.Resolution = &r
	return q, err
}

// Insert implements inquiry.Store.
func (qs Questions) Insert(ctx context.Context, q inquiry.Question) error {
	if !q.Open() || q.Resolution != nil {
		return fmt.Errorf("storing a question: it is %s already", q.Status)
	}
	row := append(questionFields(&q), field{"session_id", q.SessionID}, field{"run_id", q.RunID})
	err := qs.update(ctx, func(ctx context.Context, tx *tx) error {
		if err := unique(ctx, tx, q); err != nil {
			return err
		}
		if err := row.insert(ctx, tx, "questions"); err != nil {
			return err
		}
		client, err := clientOf(ctx, tx, q)
		if err != nil {
			return err
		}
		return tx.audit(ctx, askedEntry(q, client))
	})
	return doing(err, "storing a question")
}

// unique refuses a second question under one key.
func unique(ctx context.Context, tx *tx, q inquiry.Question) error {
	if q.Key == "" {
		return nil
	}
	var taken bool
	row := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM questions WHERE
		json_extract(body, '$.key') = ? AND coalesce(json_extract(body, '$.client'), '') = ?)`,
		q.Key, q.Client)
	err := row.Scan(&taken)
	if err == nil && taken {
		err = inquiry.ErrKeyTaken
	}
	return err
}

// Get implements inquiry.Store.
func (qs Questions) Get(ctx context.Context, id string) (inquiry.Question, error) {
	q, err := questionByID(ctx, qs.read, qs.vault, id)
	if err != nil {
		return q, err
	}
	list, err := qs.standing(ctx, []inquiry.Question{q})
	return list[0], doing(err, "question %q", id)
}

// standing marks the open questions of other processes. It probes each owner once.
func (qs Questions) standing(ctx context.Context, list []inquiry.Question) (
	[]inquiry.Question, error) {
	if !slices.ContainsFunc(list, inquiry.Question.Open) {
		return list, nil
	}
	owner, alive := map[string]string{}, qs.owner.census(ctx, qs.read)
	_, err := collect(ctx, qs.read, func(row scanner) (none struct{}, err error) {
		var id, by string
		err = row.Scan(&id, &by)
		owner[id] = by
		return none, err
	}, `SELECT q.id, r.owner FROM questions q JOIN runs r ON r.id = q.run_id
		WHERE q.status = 'pending' AND r.owner <> ''`)
	for i, q := range list {
		by := owner[q.ID]
		if q.Open() && by != "" && by != qs.owner.ID {
			list[i].Elsewhere = alive(by)
			list[i].LeftBehind = !list[i].Elsewhere
		}
	}
	return list, err
}

func questionByID(
	ctx context.Context, q queryer, v *vault, id string,
) (inquiry.Question, error) {
	x, err := v.question(q.QueryRowContext(ctx,
		"SELECT "+questionColumns+" FROM questions WHERE id = ?", id))
	if errors.Is(err, sql.ErrNoRows) {
		err = inquiry.ErrNotFound
	}
	return x, doing(err, "question %q", id)
}

// change calls f with the question in a transaction, and returns the changed question.
func (qs Questions) change(
	ctx context.Context, id string, f func(context.Context, *tx, *inquiry.Question) error,
) (q inquiry.Question, err error) {
	err = qs.update(ctx, func(ctx context.Context, tx *tx) error {
		if q, err = questionByID(ctx, tx, qs.vault, id); err != nil {
			return err
		}
		return f(ctx, tx, &q)
	})
	return q, err
}

// Settle implements inquiry.Store.
func (qs Questions) Settle(
	ctx context.Context, id string, to inquiry.Status, r inquiry.Resolution,
) (inquiry.Question, error) {
	return qs.change(ctx, id, func(ctx context.Context, tx *tx, q *inquiry.Question) error {
		if !q.Open() {
			return inquiry.ErrSettled
		}
		return settle(ctx, tx, q, to, r)
	})
}

// settle writes the resolution of an open question.
func settle(
	ctx context.Context, tx *tx, q *inquiry.Question, to inquiry.Status, r inquiry.Resolution,
) error {
	response, sealed := r.Response.Reveal(), []byte(nil)
	if r.Response.IsSecret() {
		response, sealed = "", tx.db.vault.seal(q.ID, r.Response.Reveal())
	}
	wasSecret := q.Secret
	q.Settle(to, r)
	if wasSecret != q.Secret {
		if err := saveBody(ctx, tx, *q); err != nil {
			return err
		}
	}
	row := fields{{"status", to}, {"resolution", object{r}}, {"response", response},
		{"sealed", sealed}, {"resume", string(r.Resume)}}
	if _, err := row.update(ctx, tx, "questions", "id = ?", q.ID); err != nil {
		return err
	}
	if err := tx.audit(ctx, settledEntry(*q)); err != nil {
		return err
	}
	return remember(ctx, tx, *q)
}

// Hasten implements inquiry.Store.
func (qs Questions) Hasten(
	ctx context.Context, id string, by inquiry.Resolution,
) (inquiry.Question, error) {
	return qs.change(ctx, id, func(ctx context.Context, tx *tx, q *inquiry.Question) error {
		switch {
		case !q.Open():
			return inquiry.ErrSettled
		case !by.At.Before(q.AttentionUntil):
			return nil
		}
		q.AttentionUntil = by.At
		if err := tx.audit(ctx, about(AuditHastened, *q, by)); err != nil {
			return err
		}
		return tx.exec(ctx, "UPDATE questions SET attention_until = ? WHERE id = ?",
			millis(by.At), id)
	})
}

// Amend implements inquiry.Store.
func (qs Questions) Amend(ctx context.Context, id string,
	change func(*inquiry.Question) error) (inquiry.Question, error) {
	return qs.change(ctx, id, func(ctx context.Context, tx *tx, q *inquiry.Question) error {
		if !q.Open() {
			return inquiry.ErrSettled
		}
		passed := q.Deferred != nil
		if err := change(q); err != nil {
			return err
		}
		row := fields{{"body", object{q}}, {"turn", object{q.Routing}},
			{"attention_until", instant{&q.AttentionUntil}}}
		if _, err := row.update(ctx, tx, "questions", "id = ?", id); err != nil {
			return err
		}
		if passed || q.Deferred == nil {
			return nil
		}
		return tx.audit(ctx, deferredEntry(*q))
	})
}

// maxForbidden is how many forbidden replies to one question are recorded.
const maxForbidden = 20

// Forbid implements inquiry.Store.
func (qs Questions) Forbid(ctx context.Context, id string, tried inquiry.Resolution) error {
	_, err := qs.change(ctx, id, func(ctx context.Context, tx *tx, q *inquiry.Question) error {
		var n int
		row := tx.QueryRowContext(ctx, "SELECT count(*) FROM audit WHERE question_id = ? AND "+
			"question_id <> '' AND event = ?", id, AuditForbidden)
		if err := row.Scan(&n); err != nil || n >= maxForbidden {
			return err
		}
		return tx.audit(ctx, forbiddenEntry(*q, tried))
	})
	return err
}

// Spend implements inquiry.Store.
func (qs Questions) Spend(ctx context.Context, id string, u inquiry.Spending) error {
	_, err := qs.change(ctx, id, func(ctx context.Context, tx *tx, q *inquiry.Question) error {
		q.Usage = q.Usage.Plus(u)
		return saveBody(ctx, tx, *q)
	})
	return err
}

// saveBody writes the question's body. The resolution has columns for itself, because it may be
// secret.
func saveBody(ctx context.Context, tx *tx, q inquiry.Question) error {
	q.Resolution = nil
	return tx.exec(ctx, "UPDATE questions SET body = ? WHERE id = ?", object{q}, q.ID)
}

// Apply implements inquiry.Store.
func (qs Questions) Apply(
	ctx context.Context, id string, fence int64, at time.Time,
) (inquiry.Question, error) {
	return qs.change(ctx, id, func(ctx context.Context, tx *tx, q *inquiry.Question) error {
		return apply(ctx, tx, q, fence, at)
	})
}

func apply(
	ctx context.Context, tx *tx, q *inquiry.Question, fence int64, at time.Time,
) error {
	if err := q.Applicable(fence); err != nil {
		return err
	}
	q.AppliedAt = at
	err := tx.exec(ctx, "UPDATE questions SET applied_at = ?, sealed = NULL WHERE id = ?",
		millis(at), q.ID)
	if err != nil {
		return err
	}
	return tx.audit(ctx, appliedEntry(*q))
}

// Recall implements inquiry.Store.
func (qs Questions) Recall(ctx context.Context, q inquiry.Question) (inquiry.Remembered, error) {
	client, err := clientOf(ctx, qs.read, q)
	if err != nil {
		return inquiry.Remembered{}, err
	}
	list, err := collect(ctx, qs.read, scanAnswer, "SELECT "+answerColumns+
		" FROM answers WHERE likeness = ? AND client = ?", inquiry.Likeness(q), client)
	for _, scope := range inquiry.Scopes {
		for _, m := range list {
			if m.Scope == scope && m.Fits(q, client) {
				return m, nil
			}
		}
	}
	if err == nil {
		err = inquiry.ErrNotFound
	}
	return inquiry.Remembered{}, err
}

// List implements inquiry.Store.
func (qs Questions) List(ctx context.Context, f inquiry.Filter) ([]inquiry.Question, error) {
	w := where{sql: "true"}
	w.and("status = ?", string(f.Status))
	w.and("session_id = ?", f.SessionID)
	w.and("run_id = ?", f.RunID)
	if f.Client != nil && *f.Client == "" { // which is not written
		w.sql += " AND json_extract(body, '$.client') IS NULL"
	} else if f.Client != nil {
		w.and("json_extract(body, '$.client') = ?", *f.Client)
	}
	w.and("json_extract(body, '$.key') = ?", f.Key)
	if f.Beginning != "" {
		w.and("id >= ?", f.Beginning)
		w.and("id < ?", f.Beginning+"\U0010FFFF")
	}
	if f.Unapplied {
		w.sql += " AND applied_at = 0"
	}
	if f.NoRun {
		w.sql += " AND run_id = ''"
	}
	columns, scan := questionColumns, qs.vault.question
	if f.Brief {
		columns, scan = briefColumns, scanBrief
	}
	list, err := collect(ctx, qs.read, scan,
		"SELECT "+columns+" FROM questions WHERE "+w.sql+
			" ORDER BY asked_at DESC, rowid DESC LIMIT ?", w.limited(f.Limit)...)
	if slices.Reverse(list); err == nil {
		list, err = qs.standing(ctx, list)
	}
	return list, doing(err, "listing questions")
}

// withdrawAll withdraws the run's open questions.
func withdrawAll(ctx context.Context, tx *tx, runID, why string) error {
	open, err := collect(ctx, tx, tx.db.vault.question,
		"SELECT "+questionColumns+" FROM questions WHERE run_id = ? AND status = 'pending'", runID)
	if err != nil {
		return err
	}
	for _, q := range open {
		r := inquiry.Resolution{Type: inquiry.TypeWithdraw, Channel: inquiry.ChannelRun, Why: why,
			At: tx.at}
		if err := settle(ctx, tx, &q, inquiry.Withdrawn, r); err != nil {
			return err
		}
	}
	return nil
}

// applyTo applies the answer of c.Apply to the run, and notes the exchange at the step that asked.
func applyTo(ctx context.Context, tx *tx, r *Run, c Change) error {
	q, err := questionByID(ctx, tx, tx.db.vault, c.Apply)
	if err != nil {
		return err
	}
	if err := apply(ctx, tx, &q, r.Fence, tx.at); err != nil {
		return err
	}
	if q.RunID != r.ID {
		return fmt.Errorf("question %q is not one of run %q", q.ID, r.ID)
	}
	if r := q.Resolution; q.Secret && r != nil && r.Type == inquiry.TypeAnswer {
		x := Secret{QuestionID: q.ID, Text: r.Response.Reveal()}
		if err := tx.keepSecret(ctx, q.RunID, x); err != nil {
			return err
		}
	}
	if c.Exchange == (actions.Exchange{}) {
		return nil
	}
	if c.Ruling != nil {
		if err := noteRuling(ctx, tx, r, *c.Ruling); err != nil {
			return err
		}
		r.Progress = r.Progress.Ruled(c.Exchange, *c.Ruling)
	} else {
		r.Progress = r.Progress.Answered(c.Exchange)
	}
	return tx.exec(ctx, "UPDATE steps SET exchange = ? WHERE run_id = ? AND idx = ?",
		object{c.Exchange}, r.ID, q.Step)
}
