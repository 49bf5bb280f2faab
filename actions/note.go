package actions

import (
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/screen"
)

// Note remembers something for later steps and does nothing else.
type Note struct {
	Text string `json:"text"`
}

// Verb is NOTE.
func (Note) Verb() string { return "NOTE" }

// Validate checks the text.
func (a Note) Validate() error { return because(a, filled("the text", a.Text, MaxText)) }

// Points is none.
func (Note) Points() []screen.Point { return nil }

// Texts applies f to the text.
func (a Note) Texts(f func(string) string) Action { return Note{f(a.Text)} }

func (a Note) arguments() []Field { return []Field{{"value", a.Text}} }

func (a Note) describe() string { return "note " + text.Quote(a.Text, maxDescribed) }
