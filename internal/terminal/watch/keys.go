package watch

import (
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/inquiry"
)

// order is at which key something is to be done.
type order int

// The orders.
const (
	nothing order = iota
	leave
	ask  // the chosen question
	stop // the session that the person was asked about
	sent // what was typed
	quit // the answer that is being typed
)

// key takes a typed key, and returns what is to be done beyond the view.
func (v *view) key(k string) order {
	switch {
	case v.typing != nil:
		return v.typed(k)
	case v.sure != "":
		if k == "y" {
			return stop
		}
		v.sure = ""
		return nothing
	}
	v.note = ""
	switch k {
	case "q", "ctrl+c", "ctrl+d":
		return leave
	case "up", "k":
		v.move(-1)
	case "down", "j", "tab":
		v.move(1)
	case "esc", "backspace", "left":
		v.single = false
	case "enter":
		if v.asked(v.chosen) {
			return ask
		}
		_, v.single = v.task(v.chosen)
	case "s":
		if t, ok := v.task(v.chosen); ok && !t.State.Terminal() {
			v.sure = t.Session
		}
	}
	return nothing
}

// typed takes a key of an answer.
func (v *view) typed(k string) order {
	t := v.typing
	switch k {
	case "enter":
		return sent
	case "esc", "ctrl+c", "ctrl+d":
		return quit
	case "backspace":
		t.typed = t.typed[:max(len(t.typed)-1, 0)]
	case "ctrl+u":
		t.typed = nil
	case "up", "down", "tab", "home", "end", "pgup", "pgdown":
	default:
		t.typed = append(t.typed, k)
	}
	return nothing
}

// asked reports whether the id is that of an open question.
func (v *view) asked(id string) bool {
	return v.board != nil && slices.ContainsFunc(v.board.Questions,
		func(q inquiry.Question) bool { return q.ID == id })
}

// move chooses another line.
func (v *view) move(by int) {
	if v.board == nil || v.single {
		return
	}
	if ids := v.all(80).ids; len(ids) > 0 {
		v.chosen = ids[min(max(slices.Index(ids, v.chosen)+by, 0), len(ids)-1)]
	}
}

// see takes a new board. What was chosen stays chosen as long as it is there, and a question or a
// task that came while nothing was chosen is chosen.
func (v *view) see(b Board) {
	v.board = &b
	ids := v.all(80).ids
	if slices.Contains(ids, v.chosen) {
		return
	}
	v.chosen, v.single = "", false
	isPhone := func(id string) bool { return strings.HasPrefix(id, phone) }
	if ids = slices.DeleteFunc(ids, isPhone); len(ids) > 0 {
		v.chosen = ids[0]
	}
}
