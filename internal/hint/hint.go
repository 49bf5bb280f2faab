// Package hint attaches a hint to an error: what a person or a model can do about it.
//
// The text of the error says what is wrong; the hint is shown once, at the edge: cmd prints it
// below the error, the MCP tools put it next to the message. [errors.Is] and [errors.As] see
// through a hint.
package hint

import (
	"errors"
	"strings"
)

type hinted struct {
	error
	text string
}

func (h *hinted) Unwrap() error { return h.error }

// Add returns err with a hint. A nil err stays nil; an outer hint hides an inner one.
func Add(err error, text string) error {
	if err == nil {
		return nil
	}
	return &hinted{err, text}
}

// Text is err with its hint in one line.
func Text(err error) string {
	if h := Of(err); h != "" {
		return err.Error() + " (" + h + ")"
	}
	return err.Error()
}

// mark separates an error from its hint in stored texts.
const mark = "\nmend: "

// Join is err with its hint as one text, which Split takes apart; "" for nil.
func Join(err error) string {
	if err == nil {
		return ""
	}
	if h := Of(err); h != "" {
		return err.Error() + mark + h
	}
	return err.Error()
}

// Split takes a text of Join apart.
func Split(stored string) (message, text string) {
	if i := strings.LastIndex(stored, mark); i >= 0 {
		return stored[:i], stored[i+len(mark):]
	}
	return stored, ""
}

// Of returns the outermost hint of err, or "" if missing.
func Of(err error) string {
	if h, is := errors.AsType[*hinted](err); is {
		return h.text
	}
	return ""
}
