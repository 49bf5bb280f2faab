package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/screen"
)

// Journal returns the journal of one life of a run, which Transition to Running has returned. It is
// for one goroutine.
//
// Its writer is refused with ErrFenced once the run has another life, and an Intent also once the
// run is not RUNNING any more: a stop, in this process or another, takes effect before the next
// touch.
func (s *Store) Journal(run Run) agentloop.Journal { return &journal{db: s.db, run: run} }

type journal struct {
	*db
	run    Run
	token  int64     // of the lease under which this life writes, 0 before it is known
	kept   keptFrame // the last one
	parked *StepRecord
}

// keptFrame is a step's frame in the store.
type keptFrame struct {
	frame *screen.Frame
	index int
	file  frameFile
	// receives the file, or the zero value if saving failed. nil once received
	early chan frameFile
}

// Prepare saves the step's frame in the background. Close of the store waits for it. See
// agentloop.Preparer.
func (j *journal) Prepare(ctx context.Context, st agentloop.Step) {
	f := st.Screen.Frame
	if f == nil || j.settles(st.Index) {
		return
	}
	early := make(chan frameFile, 1)
	j.kept = keptFrame{frame: f, index: st.Index, early: early}
	ctx = context.WithoutCancel(ctx)
	j.frames.saving.Go(func() {
		file, _ := j.frames.save(ctx, j.run.FrameID(st.Index), f)
		early <- file // none: keep tries again
	})
}

// keep returns the file of the step's frame, once it is there.
func (j *journal) keep(ctx context.Context, index int, f *screen.Frame) (frameFile, error) {
	k := &j.kept
	if f != k.frame || index != k.index {
		*k = keptFrame{frame: f, index: index}
	}
	if k.early != nil {
		select {
		case k.file = <-k.early:
			k.early = nil
		case <-ctx.Done():
			return frameFile{}, context.Cause(ctx)
		}
	}
	var err error
	if k.file.id == "" {
		k.file, err = j.frames.save(ctx, j.run.FrameID(index), f)
	}
	return k.file, err
}

// Intent writes the step before the phone is touched. Once it returns, this step and all before it
// survive a crash of the machine. See agentloop.Journal.
func (j *journal) Intent(ctx context.Context, st agentloop.Step) error {
	r, err := j.record(ctx, st, Intent)
	if err == nil {
		err = j.update(ctx, func(ctx context.Context, tx *tx) error {
			if err := j.check(ctx, tx); err != nil {
				return err
			}
			if l := st.Leave; l != nil {
				by := AuditEntry{SessionID: j.run.SessionID, RunID: j.run.ID, Text: l.Act}
				if err := tx.use(ctx, *l, by); err != nil {
					return err
				}
			}
			return j.insert(ctx, tx, r)
		})
	}
	return doing(err, "journaling the intent of step %d", st.Index)
}

// Done writes the outcome. See agentloop.Journal. It survives a crash of the process or of a
// database server, and a crash of the machine with the database once the next Intent or Transition
// has returned. Its ctx should not end with the run, so that no outcome is lost. If the run has
// another life by now, Done completes the step but does not store the progress, and returns
// ErrFenced. See agentloop.ErrUnheard, too.
func (j *journal) Done(ctx context.Context, st agentloop.Step, c agentloop.Progress) error {
	r, err := j.record(ctx, st, Done)
	if err != nil {
		return fmt.Errorf("journaling step %d: %w", st.Index, err)
	}
	var lost error
	synced := !j.engine.alone() // this process outlives a server that crashes
	err = j.transact(ctx, synced, func(ctx context.Context, tx *tx) error {
		lost = nil
		state, fence, _, err := standing(ctx, tx, j.owner.ID, j.run)
		if err != nil {
			return err
		}
		if err := checkHeard(ctx, tx, j.run.ID, st, c); err != nil {
			return err
		}
		if st.Leave != nil && st.Dropped() {
			err := tx.exec(ctx, "UPDATE grants SET used = used - 1 WHERE seq = ? AND used > 0",
				st.Leave.ID)
			if err != nil {
				return err
			}
		}
		completed, err := j.complete(ctx, tx, r)
		if err != nil {
			return err
		}
		if fence != j.run.Fence {
			lost = fenced(state)
			return nil
		}
		if !completed {
			if err := j.insert(ctx, tx, r); err != nil {
				return err
			}
		}
		err = tx.exec(ctx, "UPDATE runs SET course = ?, updated_at = ? WHERE id = ?", object{c},
			millis(tx.at), j.run.ID)
		if err != nil {
			return err
		}
		return tx.touch(ctx, j.run.SessionID)
	})
	if err == nil {
		err = lost
	}
	return doing(err, "journaling step %d", st.Index)
}

// Frame is what a former step of the session saw, or ErrNotFound. See agentloop.Album.
func (j *journal) Frame(ctx context.Context, step int) (*screen.Frame, error) {
	var id string
	known, err := found(j.read.QueryRowContext(ctx, `SELECT frame FROM steps
		WHERE session_id = ? AND idx = ?`, j.run.SessionID, step), &id)
	if err == nil && !known {
		err = ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("finding the frame of step %d: %w", step, err)
	}
	b, _, err := j.frame(ctx, id)
	if err != nil {
		return nil, err
	}
	f, err := screen.FromJPEG(b)
	return f, doing(err, "reading frame %s", id)
}

// Steps implements agentloop.Album.
func (j *journal) Steps(ctx context.Context) (past []agentloop.Step, err error) {
	all, err := stepsAfter(ctx, j.read, j.run.SessionID, 0)
	for _, st := range all {
		if st.RunID == j.run.ID {
			past = append(past, st.Step)
		}
	}
	return past, doing(err, "reading the steps of run %s", j.run.ID)
}

// Messages implements agentloop.Mailbox.
func (j *journal) Messages(ctx context.Context, after int64) ([]agentloop.Message, error) {
	list, err := collect(ctx, j.read, func(row scanner) (m agentloop.Message, err error) {
		err = row.Scan(&m.Number, &m.Mode, &m.Text)
		return m, err
	}, "SELECT id, mode, text FROM messages WHERE run_id = ? AND id > ? ORDER BY id",
		j.run.ID, after)
	return list, doing(err, "reading what was said to run %s", j.run.ID)
}

// record saves the step's frame and returns the step's record.
func (j *journal) record(
	ctx context.Context, st agentloop.Step, state StepState,
) (*StepRecord, error) {
	r := &StepRecord{Step: st, SessionID: j.run.SessionID, RunID: j.run.ID, State: state}
	if r.Proposal.Tries == nil {
		r.Proposal.Tries = []agentloop.Try{}
	}
	if state == Done {
		r.DoneAt = j.now()
	}
	if j.settles(st.Index) {
		if err := j.readParked(ctx, st.Index); err != nil {
			return nil, err
		}
		r.settle(*j.parked)
		if st.Asks == "" {
			return r, nil
		}
	}
	f := st.Screen.Frame
	if f == nil {
		return r, nil
	}
	file, err := j.keep(ctx, st.Index, f)
	if err == nil && state == Intent && st.Asks != "" {
		err = explain(j.dir, j.frames.Sync(file.name)) // a person is to see it, also after a crash
	}
	if err != nil {
		return nil, fmt.Errorf("keeping its frame: %w", err)
	}
	r.FrameID, r.FrameSize = file.id, f.Size()
	return r, nil
}

// row is all of the record's columns.
func (j *journal) row(r *StepRecord) fields {
	verb := ""
	if a := r.Proposal.Action; a != nil {
		verb = a.Verb()
	}
	more := append(r.usage(), field{"verb", verb}, field{"fence", j.run.Fence})
	if r.FrameID != "" && r.FrameID == j.kept.file.id {
		more = append(more, field{"frame_bytes", j.kept.file.bytes},
			field{"frame_sum", j.kept.file.sum})
	}
	return append(r.fields(), more...)
}

// standing is the run's state and fence, and the token of its lease if the process of that name has
// it.
func standing(ctx context.Context, tx *tx, worker string, r Run) (
	state State, fence, token int64, err error) {
	row := tx.QueryRowContext(ctx, `SELECT state, fence, (SELECT coalesce(max(token), 0) FROM leases
		WHERE run_id = runs.id AND worker = ?) FROM runs WHERE id = ?`, worker, r.ID)
	known, err := found(row, &state, &fence, &token)
	if err == nil && !known {
		err = fmt.Errorf("run %q: %w", r.ID, ErrNotFound)
	}
	return state, fence, token, err
}

// checkWriter refuses a writer whose run is not RUNNING any more, or has another life. It returns
// the token of the run's lease.
func checkWriter(ctx context.Context, tx *tx, worker string, r Run) (token int64, err error) {
	state, fence, token, err := standing(ctx, tx, worker, r)
	if err == nil && (fence != r.Fence || state != Running) {
		err = fenced(state)
	}
	return token, err
}

// check is checkWriter, and refuses a writer that has lost the lease of its phone.
func (j *journal) check(ctx context.Context, tx *tx) error {
	token, err := checkWriter(ctx, tx, j.owner.ID, j.run)
	if err == nil && j.token != 0 && token != j.token {
		err = fmt.Errorf("%w (its phone was taken over)", ErrFenced)
	}
	if err == nil { // else it is still the one to be compared if this is tried again
		j.token = token
	}
	return err
}

func fenced(state State) error {
	return hint.Add(fmt.Errorf("%w (it is %s now)", ErrFenced, state),
		"continue the session if the run should go on")
}

// insert adds the step, or settles the one that was parked.
func (j *journal) insert(ctx context.Context, tx *tx, r *StepRecord) error {
	if j.settles(r.Index) {
		return j.unpark(ctx, tx, r)
	}
	err := j.row(r).insert(ctx, tx, "steps")
	if errors.Is(err, errTaken) {
		return fmt.Errorf("session %s has a step %d already", r.SessionID, r.Index)
	}
	if err != nil {
		return err
	}
	return tx.exec(ctx, "UPDATE sessions SET updated_at = ?, "+
		"steps = CASE WHEN steps < ? THEN ? ELSE steps END WHERE id = ?",
		millis(tx.at), r.Index, r.Index, r.SessionID)
}

// complete turns this life's Intent of the step into Done. It returns false without an Intent.
func (j *journal) complete(ctx context.Context, tx *tx, r *StepRecord) (bool, error) {
	n, err := j.row(r).update(ctx, tx, "steps",
		"session_id = ? AND idx = ? AND run_id = ? AND fence = ? AND state = 'INTENT'",
		r.SessionID, r.Index, r.RunID, j.run.Fence)
	return n == 1, err
}

// Entries is the journal of a session without a phone, for one life of its run. It is safe for
// concurrent use.
type Entries struct {
	*db
	run Run
}

// Entries returns the journal of the run's life, which Transition to Running has returned.
func (s *Store) Entries(run Run) *Entries { return &Entries{s.db, run} }

// Append adds a line of JSON that survives a crash of the machine. It returns ErrFenced once the
// run is not RUNNING any more, or has another life.
func (e *Entries) Append(ctx context.Context, body json.RawMessage) error {
	err := e.update(ctx, func(ctx context.Context, tx *tx) error {
		if _, err := checkWriter(ctx, tx, e.owner.ID, e.run); err != nil {
			return err
		}
		err := tx.exec(ctx, `INSERT INTO entries (session_id, idx, body, at) VALUES (?1,
			(SELECT coalesce(max(idx), 0) + 1 FROM entries WHERE session_id = ?1), ?2, ?3)`,
			e.run.SessionID, string(body), millis(tx.at))
		if err != nil {
			return err
		}
		return tx.touch(ctx, e.run.SessionID)
	})
	return doing(err, "writing the session's journal")
}

// Noted returns the lines that all runs of a session of agents have appended, in their order.
func (s *Store) Noted(ctx context.Context, sessionID string) ([]json.RawMessage, error) {
	list, err := collect(ctx, s.read, func(row scanner) (json.RawMessage, error) {
		var body string
		err := row.Scan(&body)
		return json.RawMessage(body), err
	}, "SELECT body FROM entries WHERE session_id = ? ORDER BY idx", sessionID)
	return list, doing(err, "reading the session's journal")
}
