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

const tomsSwitch = 301 // of the drawn app

// world is a phone with the drawn app, which gets into all sorts of states.
type world struct {
	mutation
	lost     int // taps that the phone loses from now on
	mishaps  int // that a model had to mend
	byModel  bool
	wrong    []string
	finished actions.Action
}

func (w *world) drawn() *drawn { return draw(w.mutation, tomsSwitch%100+100) }

// mend takes away what is in the way, one thing at a time, and reports whether there was any.
func (w *world) mend() bool {
	for _, it := range []*bool{&w.dialog, &w.otherApp, &w.otherPage, &w.covered} {
		if *it {
			*it = false
			w.mishaps++
			return true
		}
	}
	return false
}

// do carries an action out.
func (w *world) do(a actions.Action) {
	switch a := a.(type) {
	case actions.Back:
		w.mend()
	case actions.Scroll:
		if !w.byModel && (w.dialog || w.otherApp || w.otherPage || w.covered) {
			w.wrong = append(w.wrong, fmt.Sprintf("scrolled on %+v", w.mutation))
		}
	case actions.Click:
		d := w.drawn()
		thing := d.thing[screen.At(d.page().list, a.At, screen.Large)]
		if w.lost > 0 {
			w.lost--
			w.mishaps++
			return
		}
		switch {
		case w.dialog || w.otherApp || w.otherPage || w.covered || thing != 2 && thing != tomsSwitch,
			thing == tomsSwitch && (w.gone || w.renamed || w.twice):
			if !w.byModel {
				w.wrong = append(w.wrong, fmt.Sprintf("%d on %+v", thing, w.mutation))
			}
		case thing == 2:
			w.searching = true
		default:
			w.muted[1] = !w.muted[1]
		}
	case actions.Complete, actions.Abort:
		w.finished = a
	}
}

// Next implements agentloop.Policy: the world knows what is to be done on it.
func (w *world) Next(context.Context, agentloop.Situation) (agentloop.Proposal, error) {
	w.byModel = true
	d := w.drawn()
	var a actions.Action = actions.Back{}
	if !w.dialog && !w.otherApp && !w.otherPage && !w.covered {
		at := slices.Index(d.thing, map[bool]int{false: 2, true: tomsSwitch}[w.searching])
		switch {
		case w.searching && (at < 0 || w.gone || w.renamed || w.twice):
			w.mishaps++
			a = actions.Abort{Reason: "there is no such chat, or two"}
		case w.searching && w.muted[1]:
			a = actions.Complete{Report: "Tom is mute."}
		default:
			a = actions.Click{At: d.list[at].Bounds.Center()}
		}
	}
	return agentloop.Proposal{Decision: actions.Decision{Action: a}}, nil
}

// muting is the skill that a run on the plain app becomes.
func muting(t *testing.T) *Skill {
	t.Helper()
	w := &world{mutation: mutation{order: []int{0, 1, 2, 3}, muted: map[int]bool{}}}
	src := Source{Run: store.Run{State: store.Completed, Task: "Mute Tom"}}
	for _, thing := range []int{2, tomsSwitch, 0} {
		d := w.drawn()
		var a actions.Action = actions.Complete{Report: "Tom is mute."}
		if thing != 0 {
			a = actions.Click{At: d.list[slices.Index(d.thing, thing)].Bounds.Center()}
		}
		src.Steps = append(src.Steps, store.StepRecord{State: store.Done, Step: agentloop.Step{
			Index: len(src.Steps) + 1, Screen: screen.Observation{State: d.state},
			Proposal: agentloop.Proposal{Elements: d.list,
				Decision: actions.Decision{Action: a}}}})
		w.do(a)
	}
	s, notes, err := Make(src, MakeOptions{Name: "mute"})
	require.NoError(t, err)
	require.Empty(t, notes)
	require.True(t, *s.Steps[1].After.On)
	return s
}

// On no screen that differs from the recorded one, by itself or in the middle of a run, a replay
// touches something else, or ends well when the phone is not as it should be. The model is asked
// about once for each thing that is in the way.
func TestAReplayOnMutatedScreensDoesWhatItShouldOrNothing(t *testing.T) {
	s, r := muting(t), rand.New(rand.NewPCG(11, 4))
	calls, mishaps, green := 0, 0, 0
	for n := range 1000 {
		w := &world{mutation: mutated(r)}
		w.muted = map[int]bool{1: r.IntN(6) == 0} // it may be mute already
		p, later := New(Plan{s, HealAuto}, w, "en", "en"), 1+r.IntN(4)
		var history []actions.Turn
		for step := 1; w.finished == nil; step++ {
			require.Less(t, step, 60, "%+v", w.mutation)
			if step == later { // something happens in between
				was := w.mutation
				w.mutation = mutated(r)
				w.searching, w.muted, w.gone = was.searching, was.muted, was.gone
				w.renamed, w.twice = was.renamed, was.twice
				w.lost = max(r.IntN(8)-6, 0)
			}
			d := w.drawn()
			w.byModel = false
			out, err := p.Next(t.Context(), agentloop.Situation{Step: step,
				Reader: listing(d.list), Screen: screen.Observation{State: d.state},
				Progress: agentloop.Progress{Task: "Mute Tom", History: history}})
			require.NoError(t, err)
			if w.byModel {
				calls++
			}
			history = out.History
			w.do(out.Action)
		}
		require.Empty(t, w.wrong, "world %d", n)
		if _, is := w.finished.(actions.Complete); is {
			require.True(t, w.muted[1], "world %d: %+v", n, w.mutation)
			require.Len(t, w.muted, 1)
			green++
		}
		mishaps += w.mishaps
	}
	t.Logf("%d of 1000 ended well, %d calls for %d things in the way", green, calls, mishaps)
	require.LessOrEqual(t, float64(calls), 1.3*float64(mishaps))
	require.Greater(t, green, 300)
}
