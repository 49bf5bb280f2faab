package watch

import "slices"

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
	if v.board == nil {
		return false
	}
	for _, q := range v.board.Questions {
		if q.ID == id {
			return true
		}
	}
	return false
}

// move chooses another line.
func (v *view) move(by int) {
	if v.board == nil || v.single {
		return
	}
	body := rows{at: map[string]int{}}
	v.all(&body, 80)
	if len(body.ids) == 0 {
		return
	}
	at := slices.Index(body.ids, v.chosen) + by
	v.chosen = body.ids[min(max(at, 0), len(body.ids)-1)]
}

// see takes a new board. What was chosen stays chosen as long as it is there, and a question that
// came while nothing was chosen is chosen.
func (v *view) see(b Board) {
	v.board = &b
	if _, ok := v.task(v.chosen); ok || v.asked(v.chosen) {
		return
	}
	v.chosen, v.single = "", false
	v.move(1)
}
