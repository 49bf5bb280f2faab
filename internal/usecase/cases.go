package usecase

// Cases are the use cases about runs and phones. They are safe for concurrent use.
type Cases struct {
	Questions *Questions // those about questions

	opts *Options
}

// New makes the use cases.
func New(opts *Options) *Cases {
	o := Complete(*opts)
	return &Cases{opts: &o, Questions: &Questions{opts: &o, closed: map[string]bool{}}}
}
