package actions

import "errors"

// ErrPartial marks the error of a gesture that has touched the phone before it failed: a field was
// tapped and no text typed, or half of a text was.
var ErrPartial = errors.New("carried out in part")

// Partial marks err so; nil stays nil.
func Partial(err error) error {
	if err == nil {
		return nil
	}
	return partial{err}
}

type partial struct{ error }

func (p partial) Unwrap() error        { return p.error }
func (p partial) Is(target error) bool { return target == ErrPartial }
