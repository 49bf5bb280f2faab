package guard

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Subject is an action with the facts about it. Unknown fields are empty.
type Subject struct {
	Action string         `json:"action"`         // its name, for example CLICK
	App    string         `json:"app,omitempty"`  // the package in front, or a tool's server
	Args   map[string]any `json:"args,omitempty"` // as they were decided
	// the element at the place of the action, nil if it is not known
	Element *Element `json:"element,omitempty"`
	Near    []string `json:"near,omitempty"`   // words near that place, the nearest first
	Screen  []string `json:"screen,omitempty"` // all words of the screen
	Secure  bool     `json:"secure,omitempty"` // the screen forbids capture
	Money   bool     `json:"money,omitempty"`  // a judge says that the app is about money
	Name    string   `json:"name,omitempty"`   // of the app, as people see it
	// nothing of the screen is listed, and no person was asked in this app because of that
	Unlisted bool    `json:"unlisted,omitempty"`
	Layout   *Layout `json:"layout,omitempty"` // nil if it is not known

	// a finger that is drawn from there may press the element, too: it is held, hardly moves, or
	// stays on it
	Presses bool `json:"presses,omitempty"`
	// there may be a keyboard's key that enters what stands in the element, which has the focus
	Enters bool `json:"enters,omitempty"`

	Typed string `json:"typed,omitempty"` // text that the action writes
	Task  string `json:"task,omitempty"`  // what a person asked for, in the person's words
	// a person's own words, where somebody else has put the task into words: only they consent to
	// anything. nil means that Task is a person's
	Wish *string `json:"wish,omitempty"`
	// what a person has said since, oldest first: the last word about an act counts
	Later []string `json:"later,omitempty"`
	Said  string   `json:"said,omitempty"` // what the model says about the action
	// what the model says that the action does, in a sentence
	Act string `json:"act,omitempty"`

	// the action is a tool of the server App, whatever its name is like
	Tool bool `json:"tool,omitempty"`
	// what a judge says that touching the element does: pay, send, delete, grant, install, sign,
	// call or other, Harmless for nothing, or "" if it was not asked
	Judged string `json:"judged,omitempty"`

	// the action's own description says so, as tools can
	Destructive bool `json:"destructive,omitempty"`
}

// consent is the words that may consent to the action, the last ones first.
func (s *Subject) consent() []string {
	words := slices.Clone(s.Later)
	slices.Reverse(words)
	if s.Wish != nil {
		return append(words, *s.Wish)
	}
	return append(words, s.Task)
}

// Harmless is what a judge found in Subject.Judged that does nothing that matters. It answers what
// is asked only because the rules do not know a label.
const Harmless = "harmless"

// Element is the element at the place of an action. Its texts are an app's words, and may hold
// anything.
type Element struct {
	Text        string `json:"text,omitempty"`
	Description string `json:"description,omitempty"` // read out by a screen reader
	ResourceID  string `json:"id,omitempty"`          // for example com.app:id/send
	Class       string `json:"class,omitempty"`       // for example android.widget.Button
	Password    bool   `json:"password,omitempty"`    // a field whose text is hidden
	// it covers all of the screen, or nearly: it says nothing of the place
	WholeScreen bool `json:"whole_screen,omitempty"`
}

// Verdict is what becomes of an action.
type Verdict string

// The verdicts.
const (
	Allow Verdict = "allow" // carried out
	Ask   Verdict = "ask"   // put to a person
	Deny  Verdict = "deny"  // not carried out, without asking
	// not carried out: a person does it, by hand
	HandOver Verdict = "takeover"
)

// Severity is how much harm an action may do.
type Severity int

// The severities, from the least on.
const (
	Routine   Severity = iota
	Sensitive          // a loss, or something that others see
	Critical           // money, or what cannot be undone: only a person decides
)

var severities = []string{"routine", "sensitive", "critical"}

// String is the name of s.
func (s Severity) String() string {
	if s < Routine || s > Critical {
		return fmt.Sprintf("severity %d", int(s))
	}
	return severities[s]
}

// MarshalText writes the name of s.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a name.
func (s *Severity) UnmarshalText(b []byte) error {
	i := slices.Index(severities, string(b))
	if i < 0 {
		return fmt.Errorf("unknown severity %q (want one of %s)", b, strings.Join(severities, ", "))
	}
	*s = Severity(i)
	return nil
}

// The decisions that a person may take about an action.
const (
	approve = "approve" // carry it out unchanged
	edit    = "edit"    // carry another one out
	reject  = "reject"  // do not, and tell the model why
	respond = "respond" // do not, and tell the model this instead
)

// Decisions is all of them. Not to be changed.
var Decisions = []string{approve, edit, reject, respond}

// Decision is what a [Policy] says about an action.
type Decision struct {
	Verdict  Verdict  `json:"verdict"`
	Severity Severity `json:"severity"`
	// of Decisions, the answers that a person may give, nil unless Verdict is Ask
	Allowed []string `json:"allowed,omitempty"`
	Rule    string   `json:"rule,omitempty"`   // the rule that decided, "" when none matched
	Reason  string   `json:"reason,omitempty"` // why, for people and for the model
	// Reason by language, nil where it is the author's
	Reasons map[string]string `json:"-"`
	// for people, in the words of the rule's author, or ""
	Description string `json:"description,omitempty"`
	// Description is made of the action, and is not the author's
	Made bool `json:"-"`
}

// Describe says what is touched or called, in the words for the action, and with which arguments.
func (s *Subject) Describe(action string) string {
	if label := s.label(); label != "" {
		action += fmt.Sprintf("\nOn: %q in %s", label, s.App)
	}
	args, err := json.Marshal(s.Args)
	if err != nil || len(s.Args) == 0 {
		return action
	}
	return action + "\nArgs: " + string(args)
}

// label names the one element under the finger, or is "".
func (s *Subject) label() string {
	if s.Element == nil || s.Element.WholeScreen {
		return ""
	}
	name := cmp.Or(s.Element.Description, s.Element.ResourceID)
	if strings.HasSuffix(s.Element.Class, "EditText") || s.Element.Password {
		return name // its text is what somebody has written
	}
	return cmp.Or(s.Element.Text, name)
}
