package export

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

// Ends are the words for what steps did, for why runs end, where that needs no others, and for how
// questions were settled.
type Ends struct {
	Lang, Colon     string
	Wants, CutShort string // an action that was asked about first, and one cut short

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
	reason, said := EndsIn(lang).Reasons[r.StopReason], words.Phrase(lang, r.Error)
	if reason != "" && said == r.Error && words.Match(lang) != words.Default {
		return reason
	}
	return text.Cut(cmp.Or(said, reason), mostWhy)
}

// grouped is a number with thin spaces between thousands.
func grouped(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "\u2009" + s[i:]
	}
	return s
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
	return fmt.Sprintf("%s\n[... %s more characters]", head, grouped(left))
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

// outcome is how a run stands, for people.
func outcome(r store.Run) string {
	o, known := outcomes[r.State]
	what, waits := strings.CutPrefix(string(r.State), "WAITING_")
	switch {
	case known:
		return o
	case waits:
		return "Waiting for " + strings.ReplaceAll(strings.ToLower(what), "_", " ")
	}
	return "Running"
}

var outcomes = map[store.State]string{
	store.Completed:       "Completed",
	store.Aborted:         "Given up",
	store.Failed:          "Failed",
	store.Cancelled:       "Stopped",
	store.Expired:         "Expired",
	store.WaitingReply:    "Waiting for a reply",
	store.WaitingTakeover: "Taken over by a person",
	store.Paused:          "Paused",
	store.Queued:          "Queued",
}
