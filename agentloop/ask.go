package agentloop

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/taploop/taploop/actions"
)

// ask puts the question of an INFO action to whoever answers, unless it has been refused before or there were too many.
func (l *loop) ask(ctx context.Context, s *Step, info actions.Info) *Ending {
	switch {
	case l.askedInVain(info.Question):
		n := l.streak.add(info, l.before)
		if n >= l.limits.Repeats {
			return l.stuck(ctx, s, n)
		}
		s.Refusal = "not asked: the same question was not answered before"
		l.note(Note{Kind: NoteAskedBefore, Detail: info.Question})
		return l.done(ctx, s)
	case l.course.Questions >= l.limits.Questions && l.toldLimit():
		s.Refusal = "not asked: no more questions in this run"
		return l.finish(ctx, s, *halt(QuestionLimit, errors.New("the run went on asking after its last question was used up")))
	case l.course.Questions >= l.limits.Questions:
		return l.settleQuestion(ctx, s, actions.Exchange{Question: info.Question, Outcome: actions.LimitReached})
	}
	if err := l.intend(ctx, s); err != nil { // a question that is known is known with the step that asked it
		return halt(InternalError, stepError(s, "journaling", err))
	}
	q := &Question{Info: info, Task: l.course.Task, Look: s.Look, Step: s.Index, Round: l.course.Questions + 1}
	l.emit(Event{Kind: Asking, Step: *s, Question: q})
	began := time.Now()
	x, err := l.Asker.Ask(ctx, *q)
	s.Timing.Ask = time.Since(began)
	l.waited += s.Timing.Ask
	switch {
	case err == nil && !errors.Is(context.Cause(ctx), ErrStopped): // a pause in this moment keeps the answer, a stop beats it
		l.course.Questions++
		s.Exchange = &x
		l.emit(Event{Kind: Replied, Step: *s})
		return l.settleQuestion(ctx, s, x)
	case ctx.Err() != nil:
		return l.interruptedBy(ctx, s, *Stopped(ctx))
	case !errors.Is(err, ErrParked):
		return l.interruptedBy(ctx, s, *unasked(s, err))
	}
	l.course.Questions++
	return l.finish(ctx, s, Ending{Reason: InfoNeedsReply, Question: q})
}

// unasked is the ending when the question could not be put: as the Asker's error says, else the model that answers in a
// person's place could not be reached.
func unasked(s *Step, err error) *Ending {
	err = stepError(s, "asking", err)
	var i *interruption
	if errors.As(err, &i) {
		return halt(i.reason, err)
	}
	return halt(ModelError, err)
}

// settleQuestion journals the step with its exchange, which the policy is shown from the next step on.
func (l *loop) settleQuestion(ctx context.Context, s *Step, x actions.Exchange) *Ending {
	s.Exchange = &x
	l.course.Exchanges, l.course.ReplyJustIn = append(l.course.Exchanges, x), true
	return l.done(ctx, s)
}

// askedInVain reports whether the question was asked before in the same words, and was not answered.
func (l *loop) askedInVain(question string) bool {
	for _, x := range l.course.Exchanges {
		switch x.Outcome {
		case actions.Refused, actions.Silence, actions.NoReply:
			if words(x.Question) == words(question) {
				return true
			}
		}
	}
	return false
}

func (l *loop) toldLimit() bool {
	for _, x := range l.course.Exchanges {
		if x.Outcome == actions.LimitReached {
			return true
		}
	}
	return false
}

// words is a question without what does not make it another one: case, spacing and closing marks.
func words(question string) string {
	return strings.Join(strings.Fields(strings.ToLower(strings.TrimRight(strings.TrimSpace(question), "?？.。!！ "))), " ")
}
