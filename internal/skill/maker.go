package skill

import (
	"cmp"
	"fmt"
	"image"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
)

// maker makes one skill.
type maker struct {
	src    Source
	params map[string]string
	names  map[string]string // of the parameters, by their values
	used   map[string]int    // parameters and answers, and the index of the first step that has one
	now    int               // the index of the step that is made
	made   int               // and its number in the skill
	notes  []string
	asked  int  // questions so far that stay questions
	any    bool // which app is in front is said by a parameter
	// the words that the run had typed or seen until a person had the phone, nil if none had
	own map[string]bool
}

// note says of the skill's step that is made what does not hold of another run.
func (m *maker) note(format string, args ...any) {
	m.notes = append(m.notes, fmt.Sprintf("step %d: ", m.made)+fmt.Sprintf(format, args...))
}

// taken are the steps that did something, and the last one.
func (src *Source) taken() (list []store.StepRecord) {
	for _, s := range src.Steps {
		switch s.Proposal.Action.(type) {
		case nil, actions.Wait, actions.Note, actions.Abort:
			continue
		}
		if s.Refusal == "" && s.State != store.Unknown {
			list = append(list, s)
		}
	}
	return list
}

// general is a text with the values of parameters as their names: the longest that fits at each
// place, and none in the middle of a word or a number. What a question was answered with, and no
// more, is that answer's number.
func (m *maker) general(s string) string {
	if a := m.answered(s); a != s {
		return a
	}
	return m.valued(s)
}

// prose is general for what is said of the run: a value is the same in capitals, and a number with
// a nought in front, as nothing is found by it. An answer that a step has used is one, too.
func (m *maker) prose(s string) string {
	if a := m.answered(s); a != s {
		return a
	}
	return replaced(s, m.said(), spelled)
}

// said are the names of the parameters and of the answers that steps have, by their values.
func (m *maker) said() map[string]string {
	names := maps.Clone(m.names)
	for n, answer := range m.answers() {
		if name := numbered(n); m.used[name] > 0 && answer != "" {
			names[answer] = name
		}
	}
	return names
}

// spelled is how much of the beginning of s is the value, 0 for nothing: in capitals or not, with
// its numbers with noughts in front or without, and with whatever sign between its words.
func spelled(s, value string) int {
	rest, last := s, ' '
	for value != "" {
		if n, v := digits(rest), digits(value); n != "" && v != "" {
			if strings.TrimLeft(n, "0") != strings.TrimLeft(v, "0") {
				return 0
			}
			rest, value, last = rest[len(n):], value[len(v):], '0'
			continue
		}
		r, size := utf8.DecodeRuneInString(rest)
		v, width := utf8.DecodeRuneInString(value)
		between := unicode.IsLetter(last) && strings.ContainsRune(joints, r) &&
			strings.ContainsRune(joints, v)
		if size == 0 || unicode.ToLower(r) != unicode.ToLower(v) && !between {
			return 0
		}
		rest, value, last = rest[size:], value[width:], r
	}
	return len(s) - len(rest)
}

const joints = " _-" // between words, also in ids

// spells reports whether a text is the value, in whatever spelling.
func spells(s, value string) bool { return s == value || s != "" && spelled(s, value) == len(s) }

// digits are those at the beginning of a text.
func digits(s string) string { return s[:len(s)-len(strings.TrimLeft(s, "0123456789"))] }

// valued is general without the answers.
func (m *maker) valued(s string) string {
	if name := m.names[m.src.whole(s, slices.Sorted(maps.Keys(m.names)))]; name != "" {
		return "{{" + name + "}}"
	}
	return replaced(s, m.names, func(s, v string) int {
		if strings.HasPrefix(s, v) {
			return len(v)
		}
		return 0
	})
}

// replaced has names where their values stand by themselves, the longest first. Begins says how
// much of the beginning of a text is a value, 0 for nothing.
func replaced(s string, names map[string]string, begins func(s, value string) int) string {
	values := slices.SortedFunc(maps.Keys(names), func(a, b string) int {
		return cmp.Or(len(b)-len(a), strings.Compare(a, b))
	})
	var b strings.Builder
	for i := 0; i < len(s); {
		length := 0
		n := slices.IndexFunc(values, func(v string) bool {
			length = begins(s[i:], v)
			return length > 0 && text.Edge(s, i) && text.Edge(s, i+length)
		})
		if n < 0 {
			_, size := utf8.DecodeRuneInString(s[i:])
			b.WriteString(s[i : i+size])
			i += size
			continue
		}
		b.WriteString("{{" + names[values[n]] + "}}")
		i += length
	}
	return b.String()
}

// use is general for what a step does: in the task or on a screen alone, a parameter would change
// nothing.
func (m *maker) use(s string) string {
	s = m.general(s)
	for _, found := range placeholder.FindAllString(s, -1) {
		if name := found[2 : len(found)-2]; m.used[name] == 0 {
			m.used[name] = m.now
		}
	}
	return s
}

// begins takes in what the run had of its own before a person had the phone.
func (m *maker) begins() {
	own := map[string]bool{}
	for _, s := range m.src.Steps {
		if own[plain(s.Proposal.Action.Traits().Text)] = true; m.own != nil {
			continue
		}
		for i := range s.Proposal.Elements {
			own[said(&s.Proposal.Elements[i])] = true
		}
		if info, is := s.Proposal.Action.(actions.Info); is && info.ByHand {
			m.own = own
		}
	}
}

// theirs reports whether words may be a person's, as they were not there until one had the phone.
func (m *maker) theirs(words string) bool {
	return m.own != nil && !m.own[words] && !strings.Contains(m.src.Run.Task, words) &&
		wordy(m.general(words))
}

// keyed reports whether a step is one of several in a row that touch a single sign each, as on the
// keys of a calculator: it is a part of what they enter together.
func (src *Source) keyed(s *store.StepRecord) bool {
	list := src.taken()
	sign := func(i int) bool {
		if i < 0 || i >= len(list) {
			return false
		}
		p, at := pageOf(&list[i]), pointsOf(list[i].Proposal.Action)
		if len(at) != 1 {
			return false
		}
		key := p.at(at[0])
		return key >= 0 && len([]rune(p.says(key))) == 1
	}
	i := slices.IndexFunc(list, func(o store.StepRecord) bool { return o.Index == s.Index })
	return sign(i) && (sign(i-1) || sign(i+1))
}

func pageOf(s *store.StepRecord) *page {
	return &page{list: s.Proposal.Elements, state: s.Screen.State,
		picture: func() image.Image { return nil }}
}

// known reports whether the steps so far had all the parameters of a text. Those of others are
// there by chance.
func (m *maker) known(general string) bool {
	return !slices.ContainsFunc(placeholder.FindAllString(general, -1), func(found string) bool {
		return m.params[found[2:len(found)-2]] != "" && m.used[found[2:len(found)-2]] == 0
	})
}

// isParam reports whether an answer is the value of a parameter.
func (m *maker) isParam(answer string) bool {
	return answer != "" && m.src.whole(answer, slices.Sorted(maps.Keys(m.names))) != ""
}

// whole is the value that a text is and no more, or "": in another spelling only if the run has
// none that is spelled like the value.
func (src *Source) whole(s string, values []string) string {
	if slices.Contains(values, s) {
		return s
	}
	i := slices.IndexFunc(values, func(v string) bool {
		return spells(s, v) && !slices.ContainsFunc(src.taken(), func(st store.StepRecord) bool {
			return text.Contains(st.Proposal.Action.Traits().Text, v) ||
				slices.ContainsFunc(st.Proposal.Elements, func(e screen.Element) bool {
					return said(&e) == v
				})
		})
	})
	if i < 0 {
		return ""
	}
	return values[i]
}

// answers are those of the questions so far that stay questions.
func (m *maker) answers() (all []string) {
	for _, st := range m.src.taken() {
		_, is := st.Proposal.Action.(actions.Info)
		if is && st.Exchange != nil && len(all) < m.asked && !m.isParam(st.Exchange.Answer) {
			all = append(all, st.Exchange.Answer)
		}
	}
	return all
}

// numbered is the name of the answer to a question, by its index.
func numbered(n int) string { return fmt.Sprintf("answer %d", n+1) }

// answered is a text that is such an answer and no more as its number.
func (m *maker) answered(s string) string {
	all := m.answers()
	if n := slices.Index(all, m.src.whole(s, all)); n >= 0 && all[n] != "" {
		return "{{" + numbered(n) + "}}"
	}
	return s
}
