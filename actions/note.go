package actions

// Note remembers something for later steps and does nothing else.
type Note struct {
	Text string `json:"text"`
}

func (Note) Verb() string      { return "NOTE" }
func (a Note) Validate() error { return because(a, filled("the text", a.Text, MaxText)) }

func (a Note) arguments() []Field { return []Field{{"value", a.Text}} }

func (a Note) brief() phrase { return phrase{en: "note", zh: "记下"}.quoting(a.Text) }
