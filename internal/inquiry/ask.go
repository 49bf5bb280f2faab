package inquiry

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/text"
)

// Ask is the body of a question that is answered with a text, with one of some options, or with a
// draft that was edited.
type Ask struct {
	Words
	Options  []string `json:"options,omitempty"`
	FreeText bool     `json:"free_text,omitempty"` // an answer besides the Options is fine
	Draft    string   `json:"draft,omitempty"`     // Markdown to edit: the answer is the whole text
	Personal bool     `json:"personal,omitempty"`  // only people answer it
}

// Clone implements [Body].
func (a *Ask) Clone() Body {
	c := *a
	c.Options = slices.Clone(a.Options)
	return &c
}

// Check implements [Body].
func (a *Ask) Check(q *Question, o *Options) error {
	for i, o := range a.Options {
		if strings.TrimSpace(o) == "" {
			return errors.New("an option is empty")
		}
		if slices.ContainsFunc(a.Options[:i], func(before string) bool {
			return strings.TrimSpace(before) == strings.TrimSpace(o)
		}) {
			return fmt.Errorf("the option %s is there twice (want each once)", text.Quote(o, 100))
		}
	}
	switch draft := a.Draft != ""; {
	case draft && len(a.Options) > 0:
		return errors.New("a draft has no options besides")
	case draft && q.Secret:
		return errors.New("a secret question has no draft: ask for each secret in a question of " +
			"its own")
	}
	if err := checkText(a.Draft, o.MaxAnswer); err != nil {
		return fmt.Errorf("the draft cannot be answered as it is: %w", err)
	}
	return checkSilence(q, o)
}

// cleaned is the options without what would steer a terminal or hide in them, as it is taken out
// of answers: an answer is compared with them.
func cleaned(options []string) []string {
	options = slices.Clone(options)
	for i, o := range options {
		options[i] = text.Lines(o)
	}
	return options
}

// Tidy implements [Body]: an option gets the question's own spelling, and a draft keeps its spaces.
func (a *Ask) Tidy(q *Question, said string) string {
	if o := option(a.Options, said); o != "" {
		return o
	}
	if a.Draft != "" {
		return text.Lines(said)
	}
	return a.Words.Tidy(q, said)
}

// Take implements [Body].
func (a *Ask) Take(q *Question, r Reply, o *Options) (Resolution, error) {
	res, err := a.Words.Take(q, r, o)
	if errors.Is(err, errEmpty) {
		return res, &InvalidReplyError{Problem: errEmpty.Problem, Options: a.Options}
	}
	if err == nil && r.Type == TypeAnswer && len(a.Options) > 0 && !a.FreeText &&
		option(a.Options, res.Response.Reveal()) == "" {
		err = &InvalidReplyError{Problem: "the answer is none of the options", Options: a.Options}
	}
	return res, err
}

// Permit implements [Body].
func (a *Ask) Permit(authority string) *ForbiddenError {
	if !a.Personal || IsPerson(authority) {
		return nil
	}
	return &ForbiddenError{Authority: cmp.Or(authority, "a program"),
		Problem: "a person is asked this, and no model or program"}
}

// Prefill implements [Body].
func (a *Ask) Prefill(draft string) Body {
	c := *a
	c.Draft = draft
	return &c
}

// Say implements [Body]. The number of an option stands for it.
func (a *Ask) Say(q *Question, said ...Said) (Reply, error) {
	r, err := a.Words.Say(q, said...)
	if err == nil && r.Type == TypeAnswer {
		r.Response = chosen(r.Response, a.Options)
	}
	return r, err
}

// Details implements [Body].
func (a *Ask) Details() (all []Detail) {
	for _, o := range a.Options {
		all = append(all, Detail{Name: "option", Text: o})
	}
	return append(all, Detail{"draft", a.Draft, true})
}

// Sort implements [Body].
func (a *Ask) Sort() string {
	if a.Draft != "" {
		return "a draft"
	}
	return text.Line(strings.Join(a.Options, " / "))
}
