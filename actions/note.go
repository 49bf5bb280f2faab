package actions

// Note remembers something for later steps and does nothing else.
type Note struct {
	Text string `json:"text" arg:"value"`
}

func (Note) Verb() string      { return "NOTE" }
func (Note) Traits() Traits    { return Traits{} }
func (a Note) Validate() error { return because(a, filled("the text", a.Text, MaxText)) }

func (a Note) with(string) string { return quoted(a.Text) }
