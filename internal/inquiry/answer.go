package inquiry

import (
	"fmt"
	"log/slog"
)

// Masked is what stands for a secret answer wherever it is printed.
const Masked = "[secret]"

// Answer is the words of an answer. A secret one masks itself in every print, log and encoding;
// only [Answer.Reveal] gives its words. The zero value is an empty, plain answer. Compare answers
// by their words, not with ==.
type Answer struct {
	// A pointer, because fmt prints a nested field raw when the verb does not suit the struct
	// around it: then it prints an address.
	text   *string
	secret bool
}

// Plain is an answer that may be shown.
func Plain(text string) Answer { return Answer{text: pointer(text)} }

// Secret is an answer that may not be shown.
func Secret(text string) Answer { return Answer{text: pointer(text), secret: true} }

// pointer is nil for "", so that equal answers are deeply equal.
func pointer(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// Reveal gives the words, even of a secret answer. It is "" once a secret answer was erased.
func (a Answer) Reveal() string {
	if a.text == nil {
		return ""
	}
	return *a.text
}

// IsSecret reports whether the answer masks itself.
func (a Answer) IsSecret() bool { return a.secret }

// Erased is the answer without its words when it is secret, and the answer itself otherwise.
func (a Answer) Erased() Answer {
	if a.secret {
		return Secret("")
	}
	return a
}

func (a Answer) String() string {
	if a.secret {
		return Masked
	}
	return a.Reveal()
}

// Format masks a secret answer under every verb, even verbs that would print a struct's fields.
func (a Answer) Format(f fmt.State, verb rune) {
	switch verb {
	case 's', 'v', 'q', 'x', 'X':
		fmt.Fprintf(f, fmt.FormatString(f, verb), a.String())
	default:
		fmt.Fprintf(f, "%%!%c(inquiry.Answer=%s)", verb, a.String())
	}
}

// LogValue masks a secret answer in logs.
func (a Answer) LogValue() slog.Value { return slog.StringValue(a.String()) }

// MarshalText masks a secret answer, so JSON, YAML and XML hold the mask.
func (a Answer) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads a plain answer.
func (a *Answer) UnmarshalText(b []byte) error {
	*a = Plain(string(b))
	return nil
}
