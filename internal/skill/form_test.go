package skill

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
)

// form is a phone with a form: a field, sizes to choose from, and things that can be put in order.
type form struct {
	to, size                                 string
	focused                                  bool
	sizes, things                            []string
	down                                     float64
	otherIDs, dialog, covered, otherPage, up bool // up: the things stand above the sizes

	byModel  bool
	wrong    []string
	finished actions.Action
}

func (f *form) draw() *drawn {
	d := &drawn{state: screen.State{App: "com.example.parcel", Activity: "com.example.parcel/.New"}}
	id := func(name string) string {
		return "com.example.parcel:id/" + map[bool]string{true: "v2_"}[f.otherIDs] + name
	}
	title := "New parcel"
	if f.otherPage {
		title, d.state.Activity = "Old parcels", "com.example.parcel/.Old"
	}
	d.add(1, screen.Element{Class: "TextView", Depth: 1, Text: title, ResourceID: id("title")},
		0.1, 0.03+f.down, 0.5, 0.05)
	d.add(2, screen.Element{Class: "EditText", Depth: 1, Text: f.to, Hint: "To whom", Editable: true,
		Clickable: true, Focused: f.focused, ResourceID: id("to")}, 0.1, 0.1+f.down, 0.8, 0.06)
	y := 0.2 + f.down
	things := func() {
		for n, says := range f.things {
			d.add(20+n, screen.Element{Class: "Row", Depth: 1, Text: says, Clickable: true,
				ResourceID: id("thing")}, 0.1, y, 0.8, 0.06)
			y += 0.08
		}
	}
	if f.up {
		things()
	}
	for n, says := range f.sizes {
		d.add(10+n, screen.Element{Class: "Button", Depth: 1, Text: says, Clickable: true,
			Selected: f.size == says, ResourceID: id("size")}, 0.1+0.25*float64(n), y, 0.2, 0.06)
	}
	y += 0.1
	if !f.up {
		things()
	}
	if f.dialog {
		d.add(50, screen.Element{Class: "Button", Depth: 1, Text: "Rate it", Clickable: true}, 0, 0, 1, 1)
		d.list, d.thing = d.list[len(d.list)-1:], d.thing[len(d.thing)-1:]
	}
	if f.covered {
		d.add(60, screen.Element{Class: "FrameLayout", Depth: 1, Clickable: true,
			ContentDesc: "Advertisement"}, 0, 0, 1, 1)
	}
	return d
}

// do carries an action out.
func (f *form) do(a actions.Action) {
	away := f.dialog || f.covered || f.otherPage
	touches := len(a.Traits().Points) > 0 || a.Traits().Kind == actions.KindText
	d := f.draw()
	on := func(p screen.Point) int { return d.thing[screen.At(d.list, p, screen.Large)] }
	if away && touches && !a.Traits().Passive && !f.byModel {
		f.wrong = append(f.wrong, fmt.Sprintf("%v on %+v", a, f))
		return
	}
	switch a := a.(type) {
	case actions.Back:
		f.dialog, f.covered, f.otherPage = false, false, false
	case actions.Click:
		switch n := on(a.At); {
		case n == 2:
			f.focused = true
		case n >= 10 && n < 20:
			f.size = f.sizes[n-10]
		default:
			f.wrong = append(f.wrong, fmt.Sprintf("touched %d", n))
		}
	case actions.Type:
		if !f.focused || f.to != "" {
			f.wrong = append(f.wrong, "typed into what has text, or nowhere")
		}
		f.to += a.Text
	case actions.Drag, actions.Slide:
		way := a.Traits().Points
		from, to := on(way[0])-20, on(way[1])-20
		if from < 0 || to != 0 || f.things[from] != "Tea" {
			f.wrong = append(f.wrong, fmt.Sprintf("dragged %d to %d of %v", from, to, f.things))
			return
		}
		f.things = slices.Insert(slices.Delete(slices.Clone(f.things), from, from+1), to, "Tea")
	case actions.Complete, actions.Abort:
		f.finished = a
	}
}

// Next implements agentloop.Policy: what is in the way is taken away, and all else is given up.
func (f *form) Next(context.Context, agentloop.Situation) (agentloop.Proposal, error) {
	f.byModel = true
	var a actions.Action = actions.Back{}
	if !f.dialog && !f.covered && !f.otherPage {
		a = actions.Abort{Reason: "-"}
	}
	return agentloop.Proposal{Decision: actions.Decision{Action: a}}, nil
}

// sending is the skill that a run on the plain form becomes, in which a thing is moved in this way.
func sending(t *testing.T, moved func(from, to screen.Point) actions.Action) *Skill {
	t.Helper()
	f := &form{sizes: []string{"S", "M", "L"}, things: []string{"Milk", "Tea", "Jam"}}
	src := Source{Run: store.Run{State: store.Completed,
		Task: "Send Anna a parcel in my size, with tea on top."}}
	at := func(thing int) screen.Point {
		d := f.draw()
		return d.list[slices.Index(d.thing, thing)].Bounds.Center()
	}
	for i, next := range []func() actions.Action{
		func() actions.Action { return actions.Info{Question: "Which size?"} },
		func() actions.Action { return actions.Click{At: at(2)} },
		func() actions.Action { return actions.Type{Text: "Anna"} },
		func() actions.Action { return actions.Click{At: at(11)} },
		func() actions.Action { return moved(at(21), at(20)) },
		func() actions.Action { return actions.Complete{Report: "It is ready."} },
	} {
		d, a := f.draw(), next()
		r := store.StepRecord{State: store.Done, Step: agentloop.Step{Index: i + 1,
			Screen: screen.Observation{State: d.state}, Proposal: agentloop.Proposal{
				Elements: d.list, Decision: actions.Decision{Action: a}}}}
		if i == 0 {
			r.Exchange = &actions.Exchange{Answer: "M", Outcome: actions.Answered}
		}
		src.Steps = append(src.Steps, r)
		f.do(a)
	}
	require.Empty(t, f.wrong)
	s, notes, err := Make(src, MakeOptions{Name: "send", Params: map[string]string{"who": "Anna"}})
	require.NoError(t, err)
	require.Equal(t, []string{`step 1: "Which size?" stays a question`}, notes)
	return s
}

// What is typed is the parameter, what is chosen is the answer, and what is dragged ends on top, on
// whatever screens there are: nothing else is touched, and no end is claimed that is not so.
func TestAFormThatDiffersIsFilledInAsAskedOrNotAtAll(t *testing.T) {
	made := []*Skill{
		sending(t, func(from, to screen.Point) actions.Action { return actions.Drag{From: from, To: to} }),
		sending(t, func(from, to screen.Point) actions.Action { return actions.Slide{From: from, To: to} }),
	}
	r := rand.New(rand.NewPCG(3, 9))
	one := func() bool { return r.IntN(6) == 0 }
	shuffled := func(list ...string) []string {
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		return list
	}
	green := 0
	for n := range 1000 {
		who := []string{"Tom", "Dr. Lee", "李雷", "Anna", "M", "Tea"}[r.IntN(6)]
		answer := []string{"S", "M", "L", "XL", "Tea", ""}[r.IntN(6)]
		s, err := made[n%2].Fill(map[string]any{"who": who})
		require.NoError(t, err)
		f := &form{sizes: shuffled("S", "M", "L")[:2+r.IntN(2)], down: r.Float64() * 0.1,
			things: shuffled("Milk", "Tea", "Jam", "Salt")[:2+r.IntN(3)], up: one(),
			otherIDs: one(), dialog: one(), covered: one(), otherPage: one()}
		if one() {
			f.to = "Mum"
		}
		p, later := New(Plan{s, HealAuto}, f, "en", "en"), 2+r.IntN(6)
		var history []actions.Turn
		var heard []actions.Exchange
		for step := 1; f.finished == nil; step++ {
			require.Less(t, step, 60, "%+v", f)
			if step == later { // something happens in between
				f.dialog, f.covered, f.otherPage = one(), one(), one()
			}
			d := f.draw()
			f.byModel = false
			out, err := p.Next(t.Context(), agentloop.Situation{Step: step,
				Reader: listing(d.list), Screen: screen.Observation{State: d.state},
				Progress: agentloop.Progress{Task: s.Task, History: history, Exchanges: heard}})
			require.NoError(t, err)
			history = out.History
			if q, is := out.Action.(actions.Info); is {
				x := actions.Exchange{Question: q.Question, Answer: answer, Outcome: actions.Answered}
				if answer == "" {
					x.Outcome = actions.NoReply
				}
				heard = append(heard, x)
			}
			f.do(out.Action)
		}
		require.Empty(t, f.wrong, "form %d", n)
		if _, is := f.finished.(actions.Complete); is {
			green++
			require.Equal(t, []string{who, answer, "Tea"}, []string{f.to, f.size, f.things[0]}, "%d", n)
		}
	}
	t.Logf("%d of 1000 ended well", green)
	require.Greater(t, green, 100)
}
