package export

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

// Ends are the words for what steps did, for why runs end, where that needs no others, and for how
// questions were settled.
type Ends struct {
	Lang, Colon     string
	Wants, CutShort string // an action that was asked about first, and one cut short
	GaveUp          string // what can be done when the model gave up

	Outcomes map[actions.Outcome]string
	Reasons  map[agentloop.StopReason]string
	States   map[store.State]string
}

// EndsIn returns the words in the language that fits best.
var EndsIn = words.Of[Ends]("ended")

// mostWhy bounds what stands beside the whole error, once for each language.
const mostWhy = 500

// why is why a run does not go on, in a language: the error that it ended with, or its reason where
// there is none, or no translation of it.
func why(r *store.Run, lang string) string {
	message, _ := hint.Split(r.Error)
	reason, said := EndsIn(lang).Reasons[r.StopReason], words.Phrase(lang, message)
	if reason != "" && said == message && words.Match(lang) != words.Default {
		return reason
	}
	return text.Cut(cmp.Or(said, reason), mostWhy)
}

// inEach is what the program has said, in each language.
func inEach(said string) map[string]string {
	return words.Each(func(lang string) string {
		return text.Cut(words.Phrase(lang, said), mostWhy)
	})
}

// mend is what can be done about a run that does not go on, in a language.
func mend(r *store.Run, lang string) string {
	_, remedy := hint.Split(r.Error)
	if remedy == "" && r.State == store.Aborted {
		return EndsIn(lang).GaveUp
	}
	return text.Cut(words.Phrase(lang, remedy), mostWhy)
}

// The bounds of exported texts, in characters: what a model or a person wrote may be huge.
const (
	longest   = 20_000
	longLabel = 200 // of a single line
)

func bounded(s string) string { return cut(s, longest) }

func label(s string) string { return cut(s, longLabel) }

func cut(s string, most int) string {
	head, left := text.Head(strings.ToValidUTF8(s, "\uFFFD"), most)
	if left == 0 {
		return head
	}
	return fmt.Sprintf("%s\n[... %d more characters]", head, left)
}

// cutStrings bounds every text in a JSON document.
func cutStrings(b []byte) ([]byte, error) {
	v, err := text.FromJSON(b)
	if err != nil {
		return nil, err
	}
	return json.Marshal(text.InJSON(v, bounded))
}

// partial reports whether an action had touched the phone when it was refused.
func partial(refusal string) bool { return strings.HasPrefix(refusal, agentloop.PartialRefusal) }
