package actions

import (
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/screen"
)

// Note remembers something for later steps and does nothing else.
type Note struct {
	Text string `json:"text"`
}

func (Note) Verb() string      { return "NOTE" }
func (a Note) Validate() error { return because(a, filled("the text", a.Text, MaxText)) }

func (Note) Points() []screen.Point               { return nil }
func (a Note) Texts(f func(string) string) Action { return Note{f(a.Text)} }
func (a Note) arguments() []Field                 { return []Field{{"value", a.Text}} }

func (a Note) describe() string { return "note " + text.Quote(a.Text, maxDescribed) }
