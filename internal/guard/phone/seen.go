package phone

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/text"
)

// seen is what a gate knew of a step in addition to the action. It is stored with the step.
type seen struct {
	Places []guard.Subject `json:"places"` // one for each subject, of what is not below
	Screen []string        `json:"screen,omitempty"`
	Secure bool            `json:"secure,omitempty"`
	Money  bool            `json:"money,omitempty"`
	Name   string          `json:"name,omitempty"`
}

// Bounds of a stored step.
const (
	keptWords = 8000 // bytes of the screen's words
	keptWord  = 300  // characters of each
	keptHits  = 8
)

func encodeSeen(list []guard.Subject) string {
	var s seen
	for i, one := range list {
		if i == 0 {
			s.Secure, s.Money, s.Name = one.Secure, one.Money, one.Name
			size := 0
			for _, w := range one.Screen {
				w = text.Cut(w, keptWord)
				if size += len(w); size > keptWords {
					break
				}
				s.Screen = append(s.Screen, w)
			}
		}
		if i < keptHits {
			s.Places = append(s.Places, guard.Subject{Element: one.Element, Near: one.Near,
				Layout: kept(one.Layout), Presses: one.Presses, Enters: one.Enters,
				Judged: one.Judged})
		}
	}
	b, _ := json.Marshal(s) // there is nothing in it that cannot be written
	return string(b)
}

// kept is l as it is stored, with some of its words.
func kept(l *guard.Layout) *guard.Layout {
	if l == nil {
		return nil
	}
	short := *l
	short.Words = nil
	for _, w := range l.Words[:min(len(l.Words), 2*keptHits)] {
		short.Words = append(short.Words, text.Cut(w, keptWord))
	}
	return &short
}

// Recall is what an action was to a [Gate], from what was kept with its step as
// agentloop.Step.Seen. known says that something was: else the subject has no element and no words.
func Recall(kept, app, task string, d actions.Decision) (list []guard.Subject, known bool) {
	base := subject(app, task, d)
	var s seen
	if kept == "" || json.Unmarshal([]byte(kept), &s) != nil || len(s.Places) == 0 {
		return []guard.Subject{base}, false
	}
	base.Screen, base.Secure = s.Screen, s.Secure
	base.Money, base.Name = s.Money, s.Name
	for _, p := range s.Places {
		one := base
		one.Element, one.Near = p.Element, p.Near
		one.Layout, one.Presses, one.Enters = p.Layout, p.Presses, p.Enters
		one.Judged = p.Judged
		list = append(list, one)
	}
	return list, true
}

// Recheck applies the policy again to an action that a [Gate] decided about. See [Recall] for the
// stored facts. It returns the gravest decision with its subject. Unseen says that the decision
// would depend on the elements of the screen, and none were stored.
func Recheck(p *guard.Policy, kept, app, task string, d actions.Decision) (
	s guard.Subject, said guard.Decision, unseen bool,
) {
	list, known := Recall(kept, app, task, d)
	s, said = Decide(p, list)
	return s, said, !known && onElements(d.Action)
}

// onElements reports whether what the action does depends on the elements of the screen.
func onElements(a actions.Action) bool {
	t := a.Traits()
	return len(t.Points) > 0 || t.Focused()
}

// Decide is the gravest of what the policy says about the subjects, with the subject it is about.
func Decide(p *guard.Policy, list []guard.Subject) (guard.Subject, guard.Decision) {
	order := []guard.Verdict{guard.Allow, guard.Ask, guard.HandOver, guard.Deny}
	var subject guard.Subject
	var worst guard.Decision
	for i, s := range list {
		d := p.Decide(s)
		graver := cmp.Or(slices.Index(order, d.Verdict)-slices.Index(order, worst.Verdict),
			int(d.Severity-worst.Severity))
		if i == 0 || graver > 0 {
			subject, worst = s, d
		}
	}
	return subject, worst
}
