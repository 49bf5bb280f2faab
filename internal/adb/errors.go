package adb

import (
	"errors"
	"fmt"
	"strings"

	"github.com/taploop/taploop/internal/hint"
)

// What went wrong, for errors.Is.
var (
	ErrNoServer      = errors.New("no ADB server is listening")
	ErrNotFound      = errors.New("the ADB server has no such phone")
	ErrOffline       = errors.New("the phone is offline")
	ErrUnauthorized  = errors.New("the phone has not authorised this computer")
	ErrNotStarted    = errors.New("not started up normally") // recovery, bootloader, ...
	ErrNoPermissions = errors.New("this user may not open the phone's USB device")
	ErrClosed        = errors.New("the phone refused the service")
	ErrCut           = errors.New("the connection broke off")
	ErrProtocol      = errors.New("that is not the ADB protocol")
	ErrTooMuch       = errors.New("more data than is accepted")
	ErrNotReached    = errors.New("the phone was not reached")
	ErrStart         = errors.New("the ADB server could not be started")
)

// notReached is an error from before a phone was asked for anything. It is ErrNotReached without
// saying so.
type notReached struct{ error }

func (n notReached) Unwrap() error        { return n.error }
func (n notReached) Is(target error) bool { return target == ErrNotReached }

// startFailed is the error of starting a server. It is ErrStart without saying so.
type startFailed struct{ error }

func (s startFailed) Unwrap() error        { return s.error }
func (s startFailed) Is(target error) bool { return target == ErrStart }

// RefusedError is a FAIL of the server or of the phone. It unwraps to one of the sentinels when its
// text is known.
type RefusedError struct {
	Service string
	Message string
	kind    error
}

func (e *RefusedError) Error() string { return fmt.Sprintf("adb %s: %s", e.Service, e.Message) }

func (e *RefusedError) Unwrap() error { return e.kind }

// refusals holds the known texts of adb servers 1.0.31 to 1.0.41, of refusals and of states, in the
// order in which they are tried.
var refusals = []struct {
	text string
	kind error
	hint string
}{
	{"unauthorized", ErrUnauthorized, hintUnauthorized},
	{"authorizing", ErrUnauthorized, hintUnauthorized},
	{"no permissions", ErrNoPermissions, hintNoPermissions},
	{"insufficient permissions", ErrNoPermissions, hintNoPermissions},
	{"offline", ErrOffline, hintOffline},
	{"connecting", ErrOffline, hintOffline},
	{"not found", ErrNotFound, hintNotFound},
	{"no devices", ErrNotFound, hintNotFound},
	{"no device with transport id", ErrNotFound, hintNotFound},
	{"closed", ErrClosed, "the phone's adbd does not offer this service"},
	{"unknown host service", ErrClosed, "update the adb that runs the server, then run `adb " +
		"kill-server`"},
}

const (
	hintUnauthorized  = "unlock the phone and confirm \"Allow USB debugging?\", then try again"
	hintNoPermissions = "add a udev rule for the phone or join the group plugdev, run `adb " +
		"kill-server`, then plug the phone in again"
	hintOffline  = "check the cable or the Wi-Fi, run `adb reconnect offline`, then try again"
	hintNotFound = "run `taploop devices` and pass one of its serials; for a phone on the " +
		"network run `taploop connect HOST:PORT` first"
)

func refused(service, message string) error {
	e := &RefusedError{Service: service, Message: strings.TrimSpace(message)}
	low := strings.ToLower(message)
	for _, r := range refusals {
		if strings.Contains(low, r.text) {
			e.kind = r.kind
			return hint.Add(e, r.hint)
		}
	}
	return e
}

// StateError is why a phone in this state of the device list cannot be used, or nil for the state
// "device".
func StateError(serial, state string) error {
	if state == "device" {
		return nil
	}
	for _, r := range refusals {
		if strings.Contains(state, r.text) {
			return hint.Add(fmt.Errorf("%s: %w", serial, r.kind), r.hint)
		}
	}
	err := fmt.Errorf("%s is in state %q, %w", serial, state, ErrNotStarted)
	return hint.Add(err, "start the phone normally (`adb reboot`), then try again")
}
