package agentloop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/wait"
)

// record keeps a run's progress. It writes the progress to the journal and reports events to the
// observer.
type record struct {
	journal Journal
	observe func(Event) // may be nil
	log     *slog.Logger

	progress Progress
	saved    Progress // as journaled, a later call starts from it
	from     int      // steps that the session has had before this call
	local    int      // steps journaled in this call
	last     *Step
	open     *Step // what was spent and is journaled with no step yet: its Timing, its Tries
}

func (r *record) emit(e Event) {
	if r.observe == nil {
		return
	}
	e.At, e.Progress, e.Step.Proposal.Key = time.Now(), r.progress, nil
	r.observe(e)
}

// prepare has the step's frame kept while the policy thinks.
func (r *record) prepare(ctx context.Context, s *Step) {
	if j, can := r.journal.(Preparer); can {
		j.Prepare(ctx, *s)
	}
}

// journalTime bounds one entry of the journal, even after the run was interrupted. It does not
// count while the entries of others go on before it.
const journalTime = 10 * time.Second

var errJournalTime error = Unavailable(
	fmt.Sprintf("the store did not answer within %v", journalTime))

// toJournal is ctx for such an entry.
func toJournal(ctx context.Context) (context.Context, context.CancelFunc) {
	return wait.Limit(context.WithoutCancel(ctx), journalTime, errJournalTime)
}

func (r *record) intend(ctx context.Context, s *Step) error {
	ctx, cancel := toJournal(ctx)
	defer cancel()
	began := time.Now()
	err := r.journal.Intent(ctx, *s)
	s.Timing.Intent += time.Since(began)
	if err == nil {
		r.open = new(Step)
	}
	return err
}

// done journals the step and counts it.
func (r *record) done(ctx context.Context, s *Step) *Ending {
	s.Proposal.Key = nil // it is over
	p, began := r.progress.after(*s), time.Now()
	ctx, cancel := toJournal(ctx)
	defer cancel()
	if err := r.journal.Done(ctx, *s, p); err != nil {
		return broken(stepError(s, "journaling", err))
	}
	r.progress, r.saved = p, p.clone()
	r.last, r.open = s, &Step{Timing: Timing{Done: time.Since(began)}}
	r.local++
	r.log.InfoContext(ctx, "step", "step", s.Index, "action", verb(s.Proposal.Action),
		"refused", s.Refusal, "took", s.Timing.Total().Round(time.Millisecond))
	r.emit(Event{Kind: Stepped, Step: *s})
	return nil
}

func (r *record) finish(ctx context.Context, s *Step, end Ending) *Ending {
	if failed := r.done(ctx, s); failed != nil {
		return failed
	}
	return &end
}

// undecided journals a step that came to no action, so that none of the model's tries is lost. What
// the model was to be told stays in the progress for the next call.
func (r *record) undecided(ctx context.Context, s *Step, reason StopReason, err error) *Ending {
	s.Proposal.Action = nil
	if end := r.done(ctx, s); end != nil {
		return end
	}
	return halt(reason, err)
}

// diverged journals the step that a skill cannot repeat on its screen, so that the screen is kept.
func (r *record) diverged(ctx context.Context, s *Step, err error) *Ending {
	s.Refusal = "not carried out: " + err.Error()
	return cmp.Or(r.done(ctx, s), halt(SkillDiverged, err))
}

func (r *record) refuse(s *Step, what string, err error) {
	why := hint.Text(err)
	n := Note{Kind: NoteRefused, Action: what, Detail: actions.Nameless(why, err)}
	s.Refusal = "not carried out: " + why
	if errors.Is(err, actions.ErrPartial) {
		n.Kind, s.Refusal = NotePartial, PartialRefusal+why
	}
	r.note(n)
}

// warn warns a person, unless the run has a warning of the same setting.
func (r *record) warn(ctx context.Context, s *Step, w Warning) {
	same := func(v Warning) bool { return v.Setting == w.Setting }
	if !slices.ContainsFunc(r.progress.Warnings, same) {
		r.progress.Warnings = append(r.progress.Warnings, w)
		r.log.WarnContext(ctx, w.Text, "step", s.Index, "setting", w.Setting)
	}
}

func (r *record) note(n Note) { r.progress = r.progress.noted(n) }

// PartialRefusal begins the Refusal of a step whose gesture had touched the phone when it failed.
const PartialRefusal = "carried out only in part: "

func stepError(s *Step, doing string, err error) error {
	return fmt.Errorf("step %d: %s: %w", s.Index, doing, err)
}
