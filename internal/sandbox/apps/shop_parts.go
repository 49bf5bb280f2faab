package apps

// store is the shop's app.
type store struct {
	*Task
	query string
}

func (p *Product) label(t *Task) string { return t.Say(p.EN, p.ZH) }
