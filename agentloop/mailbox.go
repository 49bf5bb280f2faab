package agentloop

import (
	"context"
	"errors"

	"github.com/taploop/taploop/actions"
)

// Message is what the other side says to a run that was not asked for: the model is shown it at its
// next step, and from then on.
type Message struct {
	Number int64 // grows within the run, from 1
	Mode   MessageMode
	Text   string
}

// MessageMode says what a Message is to the task.
type MessageMode string

// The modes.
const (
	AsNote MessageMode = "note" // to be taken into account, does not change the task
	// takes precedence over the task and earlier instructions where they differ
	AsInstruction MessageMode = "instruction"
)

// Mailbox is a Journal to which messages for the run can come at any time.
type Mailbox interface {
	// Messages are those after the one with that number, oldest first.
	Messages(ctx context.Context, after int64) ([]Message, error)
}

// ErrUnheard is returned by the Done of a Mailbox for a step that ends the task, if there is a
// message after Progress.Heard. Nothing is written then, and the policy decides again. So every
// message is heard that a Mailbox accepts before such a step is done. Afterwards it accepts none.
var ErrUnheard = errors.New("the other side has said something that the model has not seen")

// errDropped is the error of a model's try whose decision was not carried out.
var errDropped = errors.New("the other side said something meanwhile, and the model was asked " +
	"again")

// WithMessage is p after a message. An action that waits to be carried out, or for an answer,
// belonged to what an instruction goes before: it is dropped.
func (p Progress) WithMessage(m Message) Progress {
	outcome := actions.Noted
	if m.Mode == AsInstruction {
		outcome = actions.Instructed
		if p.Pending != nil {
			p = p.noted(Note{Kind: NoteNotDone, Action: describe(p.Pending.Decision)})
			p.Pending = nil
		}
	}
	p.Heard = m.Number
	return p.exchanged(actions.Exchange{Answer: m.Text, Outcome: outcome})
}

// messages returns the messages that the model has not seen.
func (r *record) messages(ctx context.Context, s *Step) ([]Message, *Ending) {
	box, can := r.journal.(Mailbox)
	if !can {
		return nil, nil
	}
	ctx, cancel := toJournal(ctx)
	defer cancel()
	list, err := box.Messages(ctx, r.progress.Heard)
	if err != nil {
		return nil, broken(stepError(s, "reading messages", err))
	}
	return list, nil
}

// takeMessages takes what was said into the progress.
func (r *record) takeMessages(ctx context.Context, s *Step) *Ending {
	list, end := r.messages(ctx, s)
	for _, m := range list {
		r.progress = r.progress.WithMessage(m)
	}
	return end
}

// outdated reports whether what was decided does not hold any more, because of what was said
// meanwhile: a gesture after an instruction, anything else after any message.
func (r *record) outdated(ctx context.Context, s *Step) (bool, *Ending) {
	list, end := r.messages(ctx, s)
	_, gesture := s.Proposal.Action.(actions.Gesture)
	for _, m := range list {
		if m.Mode == AsInstruction || !gesture {
			return true, end
		}
	}
	return false, end
}

// discard drops the step's decision. The next step looks again and hears the messages, and the
// policy decides again. The model's tries and the step's times are counted there.
func (r *record) discard(before Progress, s *Step) {
	r.progress = before
	for i := range s.Proposal.Tries {
		s.Proposal.Tries[i].Again, s.Proposal.Tries[i].Error = true, errDropped.Error()
	}
}
