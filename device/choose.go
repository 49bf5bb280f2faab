package device

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/adb"
	"github.com/taploop/taploop/internal/hint"
)

// Why a phone could not be chosen.
var (
	ErrNoPhone    = errors.New("no phone")
	ErrWhichPhone = errors.New("phones are connected; which one?")
)

// choose is the phone of that name, or the only usable one for "".
func choose(phones []found, name string) (*found, error) {
	if name != "" {
		return named(phones, name)
	}
	var usable []found
	for _, f := range phones {
		if f.addresses[0].usable() || f.addresses[0].phone != nil {
			usable = append(usable, f)
		}
	}
	switch {
	case len(usable) == 1:
		return &usable[0], nil
	case len(usable) > 1:
		return nil, hint.Add(fmt.Errorf("%d %w", len(usable), ErrWhichPhone),
			"name one of: "+names(usable))
	case len(phones) == 1:
		why := adb.StateError(phones[0].id, phones[0].addresses[0].State)
		return nil, fmt.Errorf("%w: %w", ErrNoPhone, why)
	case len(phones) > 1:
		return nil, hint.Add(fmt.Errorf("%w is usable: %s", ErrNoPhone, names(phones)),
			"unlock the phones, confirm \"Allow USB debugging?\" and check the cables")
	}
	return nil, hint.Add(ErrNoPhone,
		"plug a phone in with USB debugging on, run `taploop connect HOST:PORT`, or start an "+
			"emulator")
}

func named(phones []found, name string) (*found, error) {
	var called []found
	for _, f := range phones {
		if f.id == name {
			called = []found{f}
			break
		}
		if f.called(name) {
			called = append(called, f)
		}
	}
	switch {
	case len(called) == 0:
		return nil, hint.Add(fmt.Errorf("%w %q", ErrNoPhone, name), "use one of: "+names(phones))
	case len(called) > 1:
		return nil, hint.Add(fmt.Errorf("%d %w They have the same serial %q", len(called),
			ErrWhichPhone, name), "name one of: "+names(called))
	}
	f := &called[0]
	if f.id != name && f.serial() == name {
		return nil, hint.Add(fmt.Errorf("%w %q: the connected one has the same serial and is "+
			"another one", ErrNoPhone, name), "connect the phone that had this name, or use "+f.id)
	}
	for i, a := range f.addresses { // the way to it that was asked for
		if a.usable() && a.called(name) {
			f.addresses = slices.Insert(slices.Delete(f.addresses, i, i+1), 0, a)
		}
	}
	if a := f.addresses[0]; a.phone == nil {
		return f, adb.StateError(f.id, a.State)
	}
	return f, nil
}

// called reports whether the phone can be named so, beside its id.
func (f *found) called(name string) bool {
	return f.serial() == name ||
		slices.ContainsFunc(f.addresses, func(a address) bool { return a.called(name) })
}

func (a address) called(name string) bool {
	id := a.Props["transport_id"]
	return a.Serial == name || id != "" && name == "transport:"+id
}

// names lists phones for people, with every state other than "device".
func names(phones []found) string {
	if len(phones) == 0 {
		return "none is connected"
	}
	var all []string
	for _, f := range phones {
		name := f.id
		if state := f.addresses[0].State; state != "device" {
			name += " (" + state + ")"
		}
		all = append(all, name)
	}
	return strings.Join(all, ", ")
}
