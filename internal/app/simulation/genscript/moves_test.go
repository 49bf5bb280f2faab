package genscript

import (
	"fmt"
	"regexp"
	"time"

	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/sandbox/apps"
)

// move is one step of a walk: what the model says it does, and how it is done on the phone that is
// walked.
type move struct {
	explain string
	do      func(*hand) (action string, err error) // the action's fields as the model writes them
	answer  string                                 // the move is for this answer of a person only
	others  []move                                 // moves in its place for other answers
}

// touch touches a node. The model writes action before the point.
func touch(explain, what, action string, do func(h *hand, x, y int)) move {
	return move{explain: explain, do: func(h *hand) (string, error) {
		x, y, err := h.find(what)
		px, py := h.pixel(x, y)
		do(h, px, py)
		return fmt.Sprintf("%s\tpoint:%d,%d", action, x, y), err
	}}
}

func tap(explain, what string) move {
	return touch(explain, what, "CLICK", func(h *hand, x, y int) { h.phone.Touch.Tap(x, y) })
}

func doubleTap(explain, what string) move {
	return touch(explain, what, "DOUBLE_CLICK", func(h *hand, x, y int) {
		h.phone.Touch.Tap(x, y)
		h.now = h.now.Add(100 * time.Millisecond)
		h.phone.Touch.Tap(x, y)
	})
}

func press(explain, what string) move {
	return touch(explain, what, "LONGPRESS", func(h *hand, x, y int) {
		h.phone.Touch.Swipe(x, y, x, y, time.Second)
	})
}

// drag moves the finger from one node to another.
func drag(explain, from, to string) move {
	return move{explain: explain, do: func(h *hand) (string, error) {
		x1, y1, err := h.find(from)
		if err != nil {
			return "", err
		}
		x2, y2, err := h.find(to)
		ax, ay := h.pixel(x1, y1)
		bx, by := h.pixel(x2, y2)
		h.phone.Touch.Swipe(ax, ay, bx, by, 1500*time.Millisecond)
		return fmt.Sprintf("SLIDE\tpoint1:%d,%d\tpoint2:%d,%d", x1, y1, x2, y2), err
	}}
}

// scroll moves the list up by a third of the screen.
func scroll(explain string) move {
	return move{explain: explain, do: func(h *hand) (string, error) {
		ax, ay := h.pixel(500, 667)
		bx, by := h.pixel(500, 333)
		h.phone.Touch.Swipe(ax, ay, bx, by, 1500*time.Millisecond)
		return "SLIDE\tpoint1:500,667\tpoint2:500,333", nil
	}}
}

func write(explain, text string) move {
	return move{explain: explain, do: func(h *hand) (string, error) {
		h.phone.Keys.Text(text)
		return "TYPE\tvalue:" + text, nil
	}}
}

// open starts an app by its name, which must mean pkg.
func open(name, pkg string) move {
	return move{explain: "open " + name, do: func(h *hand) (string, error) {
		return "AWAKE\tvalue:" + name, h.phone.Apps.Launch(pkg)
	}}
}

func back(explain string) move {
	return move{explain: explain, do: func(h *hand) (string, error) {
		return "BACK", h.phone.Keys.Key(sandbox.KeyBack)
	}}
}

// say is a move that does nothing on the phone.
func say(explain, action string) move {
	return move{explain: explain, do: func(*hand) (string, error) { return action, nil }}
}

func ask(question string) move { return say("ask the person", "INFO\tvalue:"+question) }

func askSecret(question string) move {
	return say("ask the person", "INFO\tvalue:"+question+"\tsecret:true")
}

func finish(report string) move { return say("finish", "COMPLETE\treturn:"+report) }

func wait(explain string) move {
	return move{explain: explain, do: func(h *hand) (string, error) {
		h.now = h.now.Add(3 * time.Second)
		return "WAIT\tvalue:3", nil
	}}
}

// typeSecret types the code of the newest message: what a person answers, and the model never sees.
func typeSecret(explain string) move {
	return move{explain: explain, do: func(h *hand) (string, error) {
		var last string
		h.phone.Inspect(func(d *apps.Data) { last = d.Threads[0].Last().Text })
		h.phone.Keys.Text(regexp.MustCompile(`\d{6}`).FindString(last) + "\n")
		return "TYPE\tvalue:{{secret}}\tsubmit:true", nil
	}}
}

// choose taps what the person answered: prefix and the answer are the node's resource name.
func choose(explain, prefix, chosen string, others ...string) move {
	m := tap(explain, prefix+chosen)
	m.answer = chosen
	for _, o := range others {
		other := tap(explain, prefix+o)
		other.answer = o
		m.others = append(m.others, other)
	}
	return m
}
