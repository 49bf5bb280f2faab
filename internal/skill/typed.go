package skill

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/store"
)

// unknown reports whether a step types a secret that nobody was asked for, or what would be taken
// for a parameter.
func (m *maker) unknown(s *store.StepRecord) bool {
	t := s.Proposal.Action.Traits()
	return t.Kind == actions.KindText && (foreign(strings.ReplaceAll(t.Text, secret, "")) ||
		m.asked == 0 && strings.Contains(t.Text, secret))
}

// copied is what a step types that an earlier screen showed and the task does not say, so that it
// is another text the next time. It is "" for other steps.
func (m *maker) copied(s *store.StepRecord) string {
	words := plain(s.Proposal.Action.Traits().Text)
	if len([]rune(words)) < 3 || strings.Contains(m.src.Run.Task, words) ||
		slices.ContainsFunc(m.values, func(v string) bool { return strings.Contains(words, v) }) {
		return ""
	}
	for _, before := range m.taken() {
		if x := before.Exchange; x != nil && strings.Contains(x.Answer, words) {
			return "" // a person said it
		}
		if before.Index >= s.Index {
			break
		}
		for i := range before.Proposal.Elements {
			if e := &before.Proposal.Elements[i]; !e.Editable && strings.Contains(said(e), words) {
				return words
			}
		}
	}
	return ""
}

// isParam reports whether an answer is the value of a parameter.
func (m *maker) isParam(answer string) bool {
	return answer != "" && slices.Contains(m.values, answer) && m.general(answer) != answer
}

// answered is a text with the answers of questions that stay questions as their numbers.
func (m *maker) answered(s string) string {
	n := 0
	for _, st := range m.taken() {
		if _, is := st.Proposal.Action.(actions.Info); !is || st.Exchange == nil ||
			m.isParam(st.Exchange.Answer) {
			continue
		}
		if n++; n <= m.asked && len(st.Exchange.Answer) > 1 && s == st.Exchange.Answer {
			return fmt.Sprintf("{{answer %d}}", n)
		}
	}
	return s
}

var number = regexp.MustCompile(`\d+`)

// numbers reports whether a text has a number that another has not.
func numbers(in, but string) bool {
	for _, n := range number.FindAllString(in, -1) {
		if !strings.Contains(but, n) {
			return true
		}
	}
	return false
}
