package agentloop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/actions"
)

// ask parks the question of an INFO action, unless it was asked in vain before or there were too
// many.
func (l *loop) ask(ctx context.Context, s *Step, info actions.Info) *Ending {
	switch {
	case l.record.progress.askedInVain(info.Question):
		n := l.repeats.add(info, l.watch.before.print)
		if n >= l.limits.Repeats {
			return l.stuck(ctx, s, n)
		}
		s.Refusal = "not asked: the same question was not answered before"
		l.record.note(Note{Kind: NoteAskedBefore, Detail: info.Question})
		return l.record.done(ctx, s)
	case l.record.progress.Questions >= l.limits.Questions && l.record.progress.knowsLimit():
		s.Refusal = "not asked: no more questions in this run"
		err := errors.New("the run went on asking after its last question was used up")
		return l.record.finish(ctx, s, *halt(QuestionLimit, err))
	case l.record.progress.Questions >= l.limits.Questions:
		return l.answerAtOnce(ctx, s, info, actions.LimitReached)
	}
	q := l.question(s, Question{Kind: l.kind(info), Text: info.Question, Options: info.Options,
		FreeText: true, Secret: info.Secret, Personal: info.Personal})
	if !l.NoQuestions {
		return l.park(ctx, s, q)
	}
	l.record.emit(Event{Kind: Asking, Step: *s})
	l.record.progress.Questions++
	return l.answerAtOnce(ctx, s, info, actions.NoReply)
}

// kind returns the kind of the action's question. A choice or a secret is not an act.
func (r *Runner) kind(info actions.Info) string {
	open := len(info.Options) == 0 && (info.Secret == nil || !*info.Secret)
	if info.ByHand || open && r.ByHand != nil && r.ByHand(info.Question) {
		return KindTakeover
	}
	return KindInfo
}

// keepElements keeps the elements of the step's screen with it, if somebody has read them.
func (l *loop) keepElements(s *Step) {
	if s.Proposal.Elements == nil {
		s.Proposal.Elements = l.watch.elements.known()
	}
}

// park stores the question and ends the run for now.
func (l *loop) park(ctx context.Context, s *Step, q Question) *Ending {
	q.Kind = cmp.Or(q.Kind, KindInfo)
	s.Asks = q.Kind
	l.keepElements(s)
	// The intent comes first: a question that is known is known with the step that asked it.
	if err := l.record.intend(ctx, s); err != nil {
		return broken(stepError(s, "journaling", err))
	}
	l.record.emit(Event{Kind: Asking, Step: *s})
	began := time.Now()
	waits, err := l.Parker.Park(ctx, q)
	s.Timing.Ask += time.Since(began)
	switch {
	case err == nil && ctx.Err() == nil:
		return l.record.finish(ctx, s, Ending{Reason: waits, Question: &q})
	case err == nil: // the question stays open while the run is paused
		return l.record.finish(ctx, s, *Stopped(ctx))
	}
	s.Asks = ""
	if ctx.Err() != nil {
		return l.interruptedBy(ctx, s, *Stopped(ctx))
	}
	return l.interruptedBy(ctx, s, *parkFailed(s, err))
}

// parkFailed is the ending of a run whose question could not be parked.
func parkFailed(s *Step, err error) *Ending {
	if i, is := errors.AsType[*interruption](err); is {
		return halt(i.reason, stepError(s, "asking", err))
	}
	err = fmt.Errorf("the question could not be stored: %w", err)
	return broken(stepError(s, "asking", err))
}

// question is q with what it is about.
func (l *loop) question(s *Step, q Question) Question {
	q.Task, q.Screen = l.record.progress.Task, s.Screen
	q.Step, q.Round = s.Index, l.record.progress.Questions+1
	return q
}

// answerAtOnce journals a step whose question is not asked. The policy sees its outcome from the
// next step on.
func (l *loop) answerAtOnce(
	ctx context.Context, s *Step, info actions.Info, o actions.Outcome,
) *Ending {
	s.Exchange = &actions.Exchange{Question: info.Question, Outcome: o}
	l.record.progress = l.record.progress.Answered(*s.Exchange)
	return l.record.done(ctx, s)
}

// askedInVain reports whether the question was asked before in the same words, and was not
// answered.
func (p Progress) askedInVain(question string) bool {
	for _, x := range p.Exchanges {
		switch x.Outcome {
		case actions.Refused, actions.Silence, actions.NoReply, actions.CouldNot,
			actions.Delegated:
			if normalized(x.Question) == normalized(question) {
				return true
			}
		}
	}
	return false
}

func (p Progress) knowsLimit() bool {
	return slices.ContainsFunc(p.Exchanges, func(x actions.Exchange) bool {
		return x.Outcome == actions.LimitReached
	})
}

// normalized is a question without what does not make it another one: case, spacing and closing
// marks.
func normalized(question string) string {
	question = strings.TrimRight(strings.TrimSpace(question), "?？.。!！ ")
	return strings.Join(strings.Fields(strings.ToLower(question)), " ")
}
