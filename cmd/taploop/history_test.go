package main

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// history is what phones and the store have seen of a farm. Clocks of all are the same.
type history struct {
	tasks    []taskSeen
	touches  []touchSeen // in the order of their arrival
	holds    []holdSeen  // in the order of their tokens
	answered map[int]int // how many answers of a person reached the model, by task
	stalls   []stallSeen // of the machine on which all ran
}

// stallSeen is how much later than it wanted somebody ran who had nothing to do.
type stallSeen struct {
	at   time.Time
	long time.Duration
}

// taskSeen is a task that a front has accepted.
type taskSeen struct {
	number   int
	touches  int // that it takes
	asks     bool
	state    string // in the end
	sessions int    // that the store has of it
	answers  int    // that the store has
}

// touchSeen is a touch that arrived at a phone.
type touchSeen struct {
	at         time.Time
	phone      string
	worker     string
	task, step int
}

// holdSeen is a phone that was leased to a worker, "" for one that was let go.
type holdSeen struct {
	at     time.Time
	phone  string
	worker string
}

// late is how much later than a take-over a touch may have arrived: it was under way. What nobody
// had the processor for then comes to it.
const late = 50 * time.Millisecond

func (h *history) late(at time.Time) time.Duration {
	longest := time.Duration(0)
	for _, s := range h.stalls {
		if began := s.at.Add(-s.long - late); at.After(began) && at.Before(s.at.Add(late)) {
			longest = max(longest, s.long)
		}
	}
	return late + longest
}

// wrongs is what must not be in a history: tasks and questions that were lost, touches that were
// made twice or never, and those of a worker after another one took its lease.
func (h *history) wrongs() (list []string) {
	found := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	times := map[[2]int]int{}
	for _, t := range h.touches {
		times[[2]int{t.task, t.step}]++
		if has, since := h.holder(t.phone, t.at.Add(-h.late(t.at))); has != "" && has != t.worker {
			if now, _ := h.holder(t.phone, t.at); now != t.worker {
				found("%s touches %s %v after %s took it", t.worker, t.phone, t.at.Sub(since), has)
			}
		}
	}
	for _, t := range h.tasks {
		if t.state != "COMPLETED" {
			found("task %d is lost: it is %q", t.number, t.state)
		}
		if t.sessions != 1 {
			found("task %d has %d sessions", t.number, t.sessions)
		}
		for step := range t.touches {
			if n := times[[2]int{t.number, step}]; n != 1 {
				found("touch %d of task %d was made %d times", step, t.number, n)
			}
			delete(times, [2]int{t.number, step})
		}
		if want := map[bool]int{true: 1}[t.asks]; t.answers != want || h.answered[t.number] != want {
			found("task %d: the store has %d answers, and the model was told %d, of %d", t.number,
				t.answers, h.answered[t.number], want)
		}
	}
	for what := range times {
		found("touch %d of task %d is of no task that was accepted", what[1], what[0])
	}
	slices.Sort(list)
	return list
}

// handover is the longest that a task waited for another worker between two touches, without what
// nobody had the processor for.
func (h *history) handover() (longest time.Duration) {
	last := map[int]touchSeen{}
	for _, t := range h.touches {
		if before, ok := last[t.task]; ok && before.worker != t.worker {
			waited := t.at.Sub(before.at)
			for _, s := range h.stalls {
				if s.at.After(before.at) && s.at.Before(t.at) {
					waited -= s.long
				}
			}
			longest = max(longest, waited)
		}
		last[t.task] = t
	}
	return longest
}

// holder is the worker that has the phone then, "" for none, and since when.
func (h *history) holder(phone string, then time.Time) (worker string, since time.Time) {
	for _, x := range h.holds {
		if x.phone == phone && !x.at.After(then) {
			worker, since = x.worker, x.at
		}
	}
	return worker, since
}

func TestAHistoryThatIsWrongIsFound(t *testing.T) {
	at := func(ms int) time.Time { return time.UnixMilli(1_700_000_000_000 + int64(ms)) }
	whole := func() *history {
		return &history{
			tasks: []taskSeen{{1, 2, true, "COMPLETED", 1, 1}, {2, 1, false, "COMPLETED", 1, 0}},
			holds: []holdSeen{{at(0), "P", "a"}, {at(100), "Q", "b"}, {at(200), "P", ""},
				{at(300), "P", "b"}},
			touches: []touchSeen{{at(10), "P", "a", 1, 0}, {at(320), "P", "b", 1, 1},
				{at(150), "Q", "b", 2, 0}},
			answered: map[int]int{1: 1},
		}
	}
	require.Empty(t, whole().wrongs())
	for want, spoil := range map[string]func(h *history){
		"task 1 is lost":        func(h *history) { h.tasks[0].state = "PAUSED" },
		"task 2 has 0 sessions": func(h *history) { h.tasks[1].sessions = 0 },
		"task 2 has 2 sessions": func(h *history) { h.tasks[1].sessions = 2 },
		"touch 1 of task 1 was made 0": func(h *history) {
			h.touches = slices.Delete(h.touches, 1, 2)
		},
		"touch 0 of task 2 was made 2": func(h *history) {
			h.touches = append(h.touches, h.touches[2])
		},
		"touch 7 of task 2 is of no task":   func(h *history) { h.touches[2].step = 7 },
		"touch 0 of task 9 is of no task":   func(h *history) { h.touches[2].task = 9 },
		"the store has 0 answers":           func(h *history) { h.tasks[0].answers = 0 },
		"the model was told 0":              func(h *history) { h.answered = nil },
		"the model was told 2":              func(h *history) { h.answered[1] = 2 },
		"task 2: the store has 1 answers":   func(h *history) { h.tasks[1].answers = 1 },
		"b touches P 320ms after a took it": func(h *history) { h.holds = h.holds[:2] },
		"a touches P 51ms after b took it": func(h *history) {
			h.touches[0].at = at(351)
		},
		"b touches P 150ms after a took it": func(h *history) {
			h.holds = append(h.holds, holdSeen{at(350), "P", "a"})
			h.touches[1].at = at(500)
		},
	} {
		h := whole()
		spoil(h)
		require.NotEmpty(t, h.wrongs(), want)
		require.Contains(t, h.wrongs()[len(h.wrongs())-1]+h.wrongs()[0], want)
	}
	h := whole()
	h.touches[0].at = at(250)
	require.Empty(t, h.wrongs(), "nobody else had it yet")
	h.touches[0].at = at(340)
	require.Empty(t, h.wrongs(), "it was under way")
	h.touches[0].at = at(390)
	require.NotEmpty(t, h.wrongs())
	h.stalls = []stallSeen{{at(200), 100 * time.Millisecond}}
	require.NotEmpty(t, h.wrongs(), "the machine stood still before that")
	h.stalls = []stallSeen{{at(380), 50 * time.Millisecond}}
	require.Empty(t, h.wrongs(), "nobody had the processor")
}
