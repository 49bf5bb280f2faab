package runs

import (
	"slices"
	"time"

	"github.com/taploop/taploop/inquiry"
)

// Doors are those through which the open question can still be answered, the one that asks now marked. Of a settled question there
// are none.
func (f *Manager) Doors(q inquiry.Question) []inquiry.Door {
	if q.RunID == "" || !q.Open() {
		return DoorsLeft(q)
	}
	door, led := f.desk(q.SessionID).turn(q.ID)
	return doorsLeft(q, door, led)
}

// DoorsLeft is Manager.Doors for somebody who carries no runs out: a door that gave up before its time is still among them.
func DoorsLeft(q inquiry.Question) []inquiry.Door { return doorsLeft(q, "", false) }

// doorsLeft leaves out who is not asked at all, and who had a turn that is over. door has its turn when the question is led;
// without a door all turns are over. The client may answer as long as the question is open.
func doorsLeft(q inquiry.Question, door ReplyMode, led bool) (left []inquiry.Door) {
	if !q.Open() {
		return nil
	}
	turn := slices.IndexFunc(q.Doors, func(d inquiry.Door) bool { return d.Name == string(door) })
	for i, d := range q.Doors {
		mode := ReplyMode(d.Name)
		over := !d.Until.IsZero() && !time.Now().Before(d.Until) ||
			led && slices.Contains(replyModes, mode) && (turn < 0 || i < turn)
		switch {
		case mode == NoReply, over && mode != PassToClient:
			continue
		case over:
			d.Until = time.Time{}
		}
		d.Asks = d.Asks || led && i == turn
		left = append(left, d)
	}
	return left
}

// turn is the door that has its turn for the question; led is false when nobody here leads it from door to door.
func (d *desk) turn(questionID string) (door ReplyMode, led bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.asking == nil || d.asking.question != questionID {
		return "", false
	}
	return d.asking.now(), true
}
