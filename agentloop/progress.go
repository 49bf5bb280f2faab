package agentloop

import (
	"slices"

	"github.com/taploop/taploop/actions"
)

// Progress is the state of a run between steps, without the screen. The journal keeps it after each
// step, and a run is resumed from it.
//
// Its methods apply what happens to the run. They return a new Progress and do not change the old
// one.
type Progress struct {
	Task    string `json:"task"`
	Steps   int    `json:"steps"`   // of this run so far
	Summary string `json:"summary"` // the model's own account of what has been done

	Remembered []string           `json:"remembered,omitempty"` // NOTE texts, oldest first
	Exchanges  []actions.Exchange `json:"exchanges,omitempty"`  // of the model, oldest first
	Notes      []Note             `json:"notes,omitempty"`      // for the model's next step, once
	Questions  int                `json:"questions"`            // that the model has asked
	Pending    *Pending           `json:"pending,omitempty"`    // what the next step does first
	History    []actions.Turn     `json:"history,omitempty"`    // turns that the policy wants again

	Warnings []Warning `json:"warnings,omitempty"` // for people, oldest first

	// what people have rejected in this run, each as Review.Bound had it, oldest first
	Rejected []string `json:"rejected,omitempty"`

	// Verification is what the end of the run was held against, nil before it and when nothing was.
	Verification *Verification `json:"verification,omitempty"`
	Doubted      []NoteKind    `json:"doubted,omitempty"` // what the policy was told of its end

	// Heard is the Number of the last Message that is among the Exchanges.
	Heard int64 `json:"heard,omitempty"`

	// ReplyJustIn says that the model has not seen the last exchange yet.
	ReplyJustIn bool `json:"reply_just_in,omitempty"`

	// Blind says that the last decision was made on a wholly black picture, knowingly.
	Blind bool `json:"blind,omitempty"`
}

// Pending is an action that was decided and not carried out, because a [Gate] parked a question
// about it.
type Pending struct {
	Decision actions.Decision  `json:"decision"`
	Step     int               `json:"step,omitempty"`   // the Index of the step that asked
	Answer   *actions.Exchange `json:"answer,omitempty"` // nil until the question is settled
	Ruling   *Ruling           `json:"ruling,omitempty"` // nil when the question was one in words
}

func (p Progress) clone() Progress {
	p.Remembered, p.Notes = slices.Clone(p.Remembered), slices.Clone(p.Notes)
	p.Exchanges, p.History = slices.Clone(p.Exchanges), slices.Clone(p.History)
	p.Warnings, p.Rejected = slices.Clone(p.Warnings), slices.Clone(p.Rejected)
	return p
}

// decided is p after the model was shown all that it was to be shown, and has decided.
func (p Progress) decided(d actions.Decision) Progress {
	p.Blind = slices.ContainsFunc(p.Notes, isBlack)
	p.Notes, p.ReplyJustIn = nil, false
	if d.Summary != "" {
		p.Summary = d.Summary
	}
	return p
}

// after is p after the step. A question that it has parked is the model's own or is about a
// gesture, which then is pending.
func (p Progress) after(s Step) Progress {
	p = p.counted(s)
	p.Pending = nil
	if s.Asks == "" {
		return p
	}
	if _, gesture := s.Proposal.Action.(actions.Gesture); gesture {
		p.Pending = &Pending{Decision: s.Proposal.Decision, Step: s.Index}
	} else {
		p.Questions++
	}
	return p
}

// counted is p with the step among its Steps. One that settles a pending step was counted when it
// asked.
func (p Progress) counted(s Step) Progress {
	if p.Pending == nil || p.Pending.Step != s.Index {
		p.Steps++
	}
	return p
}

// From returns how many steps come before the next one in a session that has had so many. A pending
// action is carried out in the step that asked about it, if that is the last one.
func (p Progress) From(steps int) int {
	if p.Pending != nil && p.Pending.Step == steps {
		return max(steps-1, 0)
	}
	return steps
}

func (p Progress) noted(n Note) Progress {
	p.Notes = append(slices.Clip(p.Notes), n)
	return p
}

// Interrupted is p after a step that was begun and of which nothing more was written down. parked
// says that the question which the step was about to park is known: then it has done what it was to
// do. A question that is not known is asked again. What became of a gesture can never be known,
// and it is not repeated.
func (p Progress) Interrupted(s Step, parked bool) Progress {
	switch {
	case s.Asks == "":
		what := actions.Describe(s.Proposal.Action)
		return p.after(s).noted(Note{Kind: NoteOutcomeUnknown, Action: what})
	case !parked:
		return p.counted(s)
	case p.Pending == nil: // else the model was not asked in this step
		p = p.decided(s.Proposal.Decision)
	}
	return p.after(s)
}

// Answered returns p after the question that the run waited for was settled. The model learns the
// answer to its own question, and the [Gate] the answer about a pending action. If a person has had
// the phone, a pending action is dropped, and the model learns of it and decides again.
func (p Progress) Answered(x actions.Exchange) Progress {
	byHand := x.Outcome == actions.HandedBack || x.Outcome == actions.CouldNot
	if p.Pending != nil && byHand {
		p = p.noted(Note{Kind: NoteNotDone, Action: describe(p.Pending.Decision)})
		p.Pending = nil
	}
	if p.Pending != nil && p.Pending.Answer == nil {
		p.Pending = &Pending{Decision: p.Pending.Decision, Step: p.Pending.Step, Answer: &x}
		return p
	}
	return p.exchanged(x)
}

func (p Progress) exchanged(x actions.Exchange) Progress {
	p.Exchanges, p.ReplyJustIn = append(slices.Clip(p.Exchanges), x), true
	return p
}

// Ruled is p after it was decided about the pending action, which x says in words. One that was
// edited takes its place.
func (p Progress) Ruled(x actions.Exchange, r Ruling) Progress {
	if p.Pending == nil || p.Pending.Answer != nil {
		return p
	}
	d := p.Pending.Decision
	if r.Type == Edit && r.Edited != nil {
		p = p.noted(Note{Kind: NoteEdited, Action: describe(d), Detail: describe(*r.Edited)})
		d.Action = r.Edited.Action
		d.Explain, d.Fields = "", nil // they were about the other
		d.Secret, d.Key = false, nil
	}
	p.Pending = &Pending{Decision: d, Step: p.Pending.Step, Answer: &x, Ruling: &r}
	return p
}

// Resumed returns p for a run that is continued after a pause. An action that still waits for an
// answer is dropped, and the model decides again.
func (p Progress) Resumed() Progress {
	p = p.noted(Note{Kind: NoteResumed})
	if p.Pending != nil && p.Pending.Answer == nil {
		p = p.noted(Note{Kind: NoteNotDone, Action: describe(p.Pending.Decision)})
		p.Pending = nil
	}
	return p
}

// NextTask is the beginning of a run with a new task after one that ended in these words. What was
// remembered, and what people said, is kept.
func (p Progress) NextTask(task, ended string) Progress {
	next := Progress{Task: task, Remembered: slices.Clone(p.Remembered)}
	for _, x := range p.Exchanges {
		switch x.Outcome {
		case actions.Answered, actions.DefaultAnswer, actions.ModelAnswer:
			next.Exchanges = append(next.Exchanges, x)
		}
	}
	return next.noted(Note{Kind: NoteEarlierTask, Action: p.Task, Detail: ended})
}

func isBlack(n Note) bool { return n.Kind == NoteBlack }
