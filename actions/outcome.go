package actions

import (
	"errors"
	"fmt"
	"strings"
)

// How far a failed gesture came, for errors.Is. An error that is none of these, no deadline and no
// lost phone means that nothing was touched.
var (
	// ErrPartial: it has touched the phone before it failed: a field was tapped and no text typed,
	// or half of a text was.
	ErrPartial = errors.New("carried out in part")
	// ErrUnknown: it was begun, and whether it took effect cannot be told.
	ErrUnknown = errors.New("of unknown outcome")
	// ErrDone: it was carried out completely, but something else went wrong that a person should
	// know.
	ErrDone = errors.New("carried out")
)

// Partial marks err as ErrPartial. It returns nil for nil.
func Partial(err error) error { return marked(err, ErrPartial) }

// Unknown marks err as ErrUnknown. It returns nil for nil.
func Unknown(err error) error { return marked(err, ErrUnknown) }

// Done marks err as ErrDone. It returns nil for nil.
func Done(err error) error { return marked(err, ErrDone) }

func marked(err, as error) error {
	if err == nil {
		return nil
	}
	return outcome{err, as}
}

type outcome struct {
	error
	as error
}

func (o outcome) Unwrap() error        { return o.error }
func (o outcome) Is(target error) bool { return target == o.as }

// On adds to err what was being done, and on which phone. It returns nil for nil.
func On(phone, doing string, err error) error {
	if err == nil {
		return nil
	}
	head := doing + " " + phone + ": "
	return onPhone{fmt.Errorf("%s%w", head, err), head, doing + " the phone: "}
}

type onPhone struct {
	error
	head, nameless string
}

func (o onPhone) Unwrap() error { return o.error }

// Nameless is a text about err without the name of the phone, for a model, which has only one.
func Nameless(text string, err error) string {
	o, _ := errors.AsType[onPhone](err)
	return strings.Replace(text, o.head, o.nameless, 1)
}
