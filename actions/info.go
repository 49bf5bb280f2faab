package actions

import (
	"fmt"

	"github.com/taploop/taploop/internal/text"
)

// Info asks a person. Options are answers to choose from, none for a free answer. Secret says that
// the answer must not be shown anywhere again, nil lets the question's words decide. ByHand says
// that the answer is an act: a person is to do on the phone what Question says. Personal says
// that only people may answer it.
type Info struct {
	Question string   `json:"question" arg:"value"`
	Options  []string `json:"options,omitempty" arg:"options"`
	Secret   *bool    `json:"secret,omitempty" arg:"secret"`
	ByHand   bool     `json:"by_hand,omitempty" arg:"by_hand"`
	Personal bool     `json:"personal,omitempty"`
}

func (Info) Verb() string   { return "INFO" }
func (Info) Traits() Traits { return Traits{} }

func (a Info) Validate() error {
	errs := []error{filled("the question", a.Question, MaxText)}
	if n := len(a.Options); n > maxOptions {
		errs = append(errs, fmt.Errorf("%d options (want at most %d)", n, maxOptions))
	}
	for i, o := range a.Options {
		errs = append(errs, filled(fmt.Sprintf("option %d", i+1), o, maxOption))
	}
	return because(a, errs...)
}

func (a Info) with(string) string { return quoted(a.Question) }

func (a Info) describe() string {
	does := "ask "
	if a.ByHand {
		does = "hand the phone over: "
	}
	return does + text.Quote(a.Question, maxDescribed)
}
