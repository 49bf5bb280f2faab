package store_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// A model of two workers and one phone: what each may do, in whichever order, with a clock of each
// that the others do not see. It keeps the rules of presence.go and leases.go, and a test takes one
// rule after the other away.

const (
	modelTTL    = 4
	modelMargin = 2
	// how much later than its look at the clock a write may arrive
	modelLate = 1
)

type modelWorker struct {
	alive   bool
	life    int  // of the run that it carries out, 0 for none
	token   int  // with which it began
	renewed int  // by its own clock, before the renewal was sent
	sent    int  // a renewal that is under way, -1 for none
	stored  bool // so is it
	looked  bool // at the clock, and the write is to come
	lookAt  int
	count   int // of renewals of the other, as it saw it first
	seen    int // when
	of      int // whose count that is
}

type model struct {
	now                     int
	w                       [2]modelWorker
	holder, token, renewals int // of the lease; holder -1 is nobody
	life                    int // of the run
	open                    bool
	rules                   rules
}

// rules are the rules that hold.
type rules struct{ deadline, observed, margin, fence, before, keeps bool }

func newModel(r rules) *model {
	m := &model{holder: -1, rules: r}
	for i := range m.w {
		m.w[i] = modelWorker{alive: true, sent: -1, of: -1}
	}
	return m
}

// do lets a worker do the thing, if it can, and returns what is wrong with that.
func (m *model) do(i, what int) string {
	w := &m.w[i]
	if !w.alive {
		if what == 7 {
			*w = modelWorker{alive: true, sent: -1, of: -1}
		}
		return ""
	}
	switch what {
	case 0: // acquire, or take over
		if w.life == 0 && (m.holder == -1 || m.holder != i && m.dead(w)) {
			m.holder = i
			m.token++
			m.renewals, m.open = 0, false
			m.life++
			*w = modelWorker{alive: true, life: m.life, token: m.token, renewed: m.now, sent: -1, of: -1}
		}
	case 1: // see the other's count
		if m.holder != i && m.holder != -1 && (w.of != m.token || w.count != m.renewals) {
			w.of, w.count, w.seen = m.token, m.renewals, m.now
		}
	case 2: // send a renewal
		if w.life != 0 && w.sent == -1 {
			w.sent = m.now
		}
	case 3: // it is stored, and then the worker hears of it
		switch {
		case w.sent == -1:
		case !w.stored && m.holder == i && m.token == w.token:
			m.renewals++
			w.stored = true
		case w.stored && m.rules.before:
			w.renewed, w.sent, w.stored = w.sent, -1, false
		case w.stored:
			w.renewed, w.sent, w.stored = m.now, -1, false
		default:
			w.sent = -1
		}
	case 4: // write an intent
		if w.life == 0 || m.open && m.holder == i && m.token == w.token {
			return ""
		}
		if !m.rules.fence || m.holder == i && m.token == w.token {
			if m.holder != i || m.token != w.token {
				return "an intent of a worker that has lost its lease"
			}
			m.open = true
		} else {
			*w = modelWorker{alive: true, sent: -1, of: -1}
		}
	case 5: // look at the clock right before a write
		if w.life != 0 && !w.looked && (!m.rules.deadline || m.now-w.renewed < modelTTL) {
			w.looked, w.lookAt = true, m.now
		}
	case 6: // the write arrives
		if !w.looked || m.now-w.lookAt > modelLate {
			w.looked = false
			return ""
		}
		w.looked = false
		if m.holder != i || m.token != w.token {
			return fmt.Sprintf("worker %d touches the phone that worker %d has", i, m.holder)
		}
		m.open = false
	case 7: // die
		w.alive = false
	case 8: // let a run that never began have the phone of a dead worker's
		if !m.rules.keeps && w.life == 0 && m.holder != -1 && m.holder != i && m.dead(w) {
			return "a run that never began has the phone of one that was going on"
		}
	}
	return ""
}

// dead reports whether the worker has watched the holder for long enough.
func (m *model) dead(w *modelWorker) bool {
	if !m.rules.observed {
		return true
	}
	wait := modelTTL + modelMargin
	if !m.rules.margin {
		wait = modelTTL
	}
	return w.of == m.token && w.count == m.renewals && m.now-w.seen >= wait
}

// move is that a worker did one of the things at a time.
type move struct{ now, worker, what int }

// explore takes so many random interleavings, and returns the first mistake with how it came.
func explore(seed uint64, n int, r rules) string {
	chance := rand.New(rand.NewPCG(seed, 1))
	for range n {
		m := newModel(r)
		way := make([]move, 0, 60)
		for range cap(way) {
			i, what := chance.IntN(2), chance.IntN(9)
			if what == 7 && chance.IntN(8) > 0 {
				what = 6
			}
			if wrong := m.do(i, what); wrong != "" {
				return fmt.Sprintf("%s, after %v", wrong, way)
			}
			way = append(way, move{m.now, i, what})
			if chance.IntN(3) == 0 {
				m.now += 1 + chance.IntN(3)
			}
		}
	}
	return ""
}

func TestNoInterleavingLetsTwoWorkersTouchOnePhone(t *testing.T) {
	all, n := rules{true, true, true, true, true, true}, 100_000
	if os.Getenv("TAPLOOP_TEST_LONG") == "1" {
		n = 1_000_000
	}
	seed := rand.Uint64()
	t.Log("seed", seed)
	require.Empty(t, explore(seed, n, all))
	for name, broken := range map[string]rules{
		"without a deadline":                   {false, true, true, true, true, true},
		"without watching":                     {true, false, true, true, true, true},
		"without a margin":                     {true, true, false, true, true, true},
		"without a fence":                      {true, true, true, false, true, true},
		"without places that are kept":         {true, true, true, true, true, false},
		"counting from when a renewal arrived": {true, true, true, true, false, true},
	} {
		require.NotEmpty(t, explore(seed, 1_000_000, broken), name)
	}
}
