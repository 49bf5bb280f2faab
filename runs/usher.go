package runs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/inquiry"
)

// asking is a question of a session that has an usher, who leads it from door to door.
type asking struct {
	question string
	cancel   context.CancelCauseFunc // with what the doors are told
	doors    []inquiry.Door

	// The desk's lock guards the rest.
	door    ReplyMode     // that has its turn; "" when all have had theirs
	passed  chan struct{} // closed when that door has no answer
	gone    []ReplyMode   // that have passed their turn on
	trouble string        // why the last door had none; "" when it just took too long
}

// admit notes that the question has an usher from now on, whose work ends with the context; nil when it has one.
func (d *desk) admit(ctx context.Context, q inquiry.Question) (context.Context, *asking) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.asking != nil && d.asking.question == q.ID {
		return nil, nil
	}
	if d.asking != nil { // of an earlier question, which is settled
		d.asking.cancel(nil)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	d.asking = &asking{question: q.ID, cancel: cancel, doors: q.Doors, passed: make(chan struct{})}
	d.asking.door = d.asking.next("")
	return ctx, d.asking
}

// next is the door that has its turn after the given one, "" after the last.
func (a *asking) next(after ReplyMode) ReplyMode {
	doors := a.doors
	if after != "" {
		doors = doors[slices.IndexFunc(doors, func(d inquiry.Door) bool { return d.Name == string(after) })+1:]
	}
	for _, d := range doors {
		if turnComes(d) {
			return ReplyMode(d.Name)
		}
	}
	return ""
}

// now is the door that has its turn. The usher may not have noticed yet that a time is over.
func (a *asking) now() ReplyMode {
	i := slices.IndexFunc(a.doors, func(d inquiry.Door) bool { return d.Name == string(a.door) })
	if i < 0 || turnComes(a.doors[i]) {
		return a.door
	}
	return a.next(a.door)
}

// turnComes reports whether the door asks actively, and has its turn still before it.
func turnComes(door inquiry.Door) bool {
	return slices.Contains(replyModes, ReplyMode(door.Name)) && (door.Until.IsZero() || time.Now().Before(door.Until))
}

// dismiss ends the ushering of the question, which is settled or not to be answered now; "" is whichever there is. The doors are
// told why.
func (d *desk) dismiss(questionID string, why error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.asking != nil && (questionID == "" || d.asking.question == questionID) {
		d.asking.cancel(why)
		d.asking = nil
		d.wake()
	}
}

// over ends this ushering.
func (d *desk) over(a *asking) {
	d.mu.Lock()
	defer d.mu.Unlock()
	a.cancel(nil)
	if d.asking == a {
		d.asking = nil
		d.wake()
	}
}

// routing is the question that is led from door to door, the one that has its turn, and why the one before had no answer.
func (d *desk) routing() (questionID string, door ReplyMode, trouble string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.asking == nil {
		return "", "", ""
	}
	return d.asking.question, d.asking.now(), d.asking.trouble
}

// open gives the turn to a door, and returns what is closed when it is passed on. A door that has passed it on before its usher
// came to it does not get it back.
func (d *desk) open(a *asking, door ReplyMode) <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	if slices.Contains(a.gone, door) {
		passed := make(chan struct{})
		close(passed)
		return passed
	}
	if a.door != door {
		a.door, a.passed = door, make(chan struct{})
		d.wake()
	}
	return a.passed
}

// fault notes why a door had no answer.
func (d *desk) fault(a *asking, why string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	a.trouble = why
}

// What a door is told that is closed without an answer.
var (
	errTurnOver = errors.New("the time to answer here is over; the question is put to somebody else / 此处的回答时间已过,问题已转给他人")
	errHalted   = errors.New("the run was stopped or paused / 任务已停止或暂停")
	errAnswered = errors.New("the question was answered elsewhere / 问题已在别处得到回答")
)

// settledAs says how a question was settled, for a door that is closed.
func settledAs(q inquiry.Question) error {
	return fmt.Errorf("%w (%s: %s)", errAnswered, q.Status, printable(q.Resolution.Who()))
}

// PassOn says that a door has no answer to the question, and why: the next one has its turn. It does nothing when the door does not
// have its turn.
func (f *Manager) PassOn(q inquiry.Question, door ReplyMode, why string) {
	d := f.desk(q.SessionID)
	d.mu.Lock()
	defer d.mu.Unlock()
	if a := d.asking; a != nil && a.question == q.ID && a.door == door {
		close(a.passed)
		a.gone = append(a.gone, door)
		a.trouble, a.door, a.passed = why, a.next(door), make(chan struct{})
		d.wake()
	}
}

// usher leads an open question from door to door until it is settled. It does nothing when somebody does.
func (f *Manager) usher(q inquiry.Question) {
	d := f.desk(q.SessionID)
	ctx, a := d.admit(f.ctx, q)
	if a != nil && !f.spawn(func() { f.lead(ctx, d, a, q) }) {
		d.over(a)
	}
}

func (f *Manager) lead(ctx context.Context, d *desk, a *asking, q inquiry.Question) {
	defer d.over(a)
	// Whoever wants the question to be ushered may have read it a while ago. What settles it after this dismisses the usher.
	if now, err := f.broker.Get(ctx, q.ID); err == nil && !now.Open() {
		return
	}
	for _, door := range q.Doors {
		if !turnComes(door) {
			continue
		}
		passed := d.open(a, ReplyMode(door.Name))
		err := f.ask(ctx, q, door, passed)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			f.log.WarnContext(ctx, "no answer", "question", q.ID, "door", door.Name, "err", err)
			d.fault(a, fmt.Sprintf("%s had no answer: %v", door.Name, err))
		}
	}
	d.open(a, "")
	<-ctx.Done() // the question is open to every other door
}

// ask lets one door ask until its turn is over. An error says why it had no answer.
func (f *Manager) ask(ctx context.Context, q inquiry.Question, door inquiry.Door, passed <-chan struct{}) error {
	turn := ctx
	if !door.Until.IsZero() {
		var cancel context.CancelFunc
		turn, cancel = context.WithDeadlineCause(ctx, door.Until, errTurnOver)
		defer cancel()
	}
	var err error
	switch ReplyMode(door.Name) {
	case ManualReply:
		err = f.atConsole(turn, q)
	case AutoReply:
		err = f.answerInPlace(turn, q)
	case NoReply:
		err = f.broker.Lapse(turn, q.ID)
	default:
		select {
		case <-passed:
		case <-turn.Done():
		}
		return nil
	}
	switch {
	case turn.Err() != nil:
		return nil
	case errors.Is(err, agentloop.ErrStopped):
		// On a goroutine of its own: stopping ends this one.
		f.spawn(func() { f.stopFromConsole(q) })
		<-ctx.Done()
		return nil
	case err == nil: // it is settled: ctx ends in a moment
		<-turn.Done()
	}
	return err
}

// stopFromConsole ends the run that asks, for the person at the console.
func (f *Manager) stopFromConsole(q inquiry.Question) {
	_, err := f.Stop(f.ctx, StopRequest{SessionID: q.SessionID, By: Actor{Door: inquiry.ChannelConsole, Authority: inquiry.AuthorityLocalOperator}})
	if err != nil && f.ctx.Err() == nil {
		f.log.Error("stopping from the console", "session", q.SessionID, "err", err)
	}
}
