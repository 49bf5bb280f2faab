package runs

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
)

// Code says what kept a call from being carried out. Programs read it.
type Code string

// The codes. Nothing has changed when a call returns one of them, StoreUnavailable and
// InternalError aside.
const (
	SessionNotFound         Code = "SESSION_NOT_FOUND"
	DeviceNotFound          Code = "DEVICE_NOT_FOUND"
	DeviceAmbiguous         Code = "DEVICE_AMBIGUOUS"
	DeviceOffline           Code = "DEVICE_OFFLINE"      // it is listed, and does not answer
	DeviceUnauthorized      Code = "DEVICE_UNAUTHORIZED" // it is listed, and may not be used
	ADBUnreachable          Code = "ADB_UNREACHABLE"     // no ADB server answers
	DeviceMismatch          Code = "DEVICE_MISMATCH"
	DeviceBusy              Code = "DEVICE_BUSY"
	NoOpenQuestion          Code = "NO_OPEN_QUESTION"
	QuestionAlreadyResolved Code = "QUESTION_ALREADY_RESOLVED"
	QuestionSuperseded      Code = "QUESTION_SUPERSEDED"
	RunInProgress           Code = "RUN_IN_PROGRESS"
	RunEnded                Code = "RUN_ENDED"     // nothing can be said to it
	MessageLimit            Code = "MESSAGE_LIMIT" // nothing more can
	NothingToTakeOver       Code = "NOTHING_TO_TAKE_OVER"
	Forbidden               Code = "DECISION_FORBIDDEN" // the decision is for a person
	InvalidArgument         Code = "INVALID_ARGUMENT"
	ServerClosing           Code = "SERVER_CLOSING"
	// the data folder's disk is full, or another program has its database locked
	StoreUnavailable Code = "STORE_UNAVAILABLE"
	InternalError    Code = "INTERNAL_ERROR"
)

// Remedy is where the caller of a refused call looks to go on.
type Remedy int

// The remedies. NoRemedy is that of codes which no list and no session helps with.
const (
	NoRemedy    Remedy = iota
	SeePhones          // the list of phones
	SeeSessions        // the list of sessions
	SeeSession         // how the session stands that the call was about
	SeeHolder          // the session that has the phone
)

// remedies is the one table of what goes on after a refusal; each face says it in its own calls or
// commands.
var remedies = map[Code]Remedy{
	DeviceNotFound: SeePhones, DeviceAmbiguous: SeePhones, DeviceOffline: SeePhones,
	DeviceUnauthorized: SeePhones, DeviceBusy: SeeHolder, SessionNotFound: SeeSessions,
	NoOpenQuestion: SeeSession, QuestionAlreadyResolved: SeeSession,
	QuestionSuperseded: SeeSession, RunInProgress: SeeSession,
	Forbidden: SeeSession, NothingToTakeOver: SeeSession,
	RunEnded: SeeSession, MessageLimit: SeeSession,
}

// Remedy is where to look after a refusal with the code.
func (c Code) Remedy() Remedy { return remedies[c] }

// ErrReplyWithTask is about a call that brings both: an answer is for the task that has asked.
var ErrReplyWithTask = errors.New("a reply and a new task cannot be sent together")

// Error is why a call could not be carried out. Its remedy is a hint (see package hint).
type Error struct {
	Code Code
	// under DeviceBusy: who has the phone; without ids when that is somebody else's session
	Holder *store.Hold
	// under QuestionAlreadyResolved the settled one, under QuestionSuperseded the current one
	Question *inquiry.Question
	err      error
}

func (e *Error) Error() string { return e.err.Error() }

// Unwrap gives what is behind it.
func (e *Error) Unwrap() error { return e.err }

// CodeOf is the code of err: that of the *Error in it, else StoreUnavailable or InternalError; ""
// when err is nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	if errors.Is(err, store.ErrLocked) || errors.Is(err, store.ErrDiskFull) {
		return StoreUnavailable
	}
	return InternalError
}

// Refuse is the error of a call that is refused for a reason which its caller found, not runs.
// remedy is its hint.
func Refuse(code Code, remedy, format string, args ...any) *Error {
	return &Error{Code: code, err: hint.Add(fmt.Errorf(format, args...), remedy)}
}

// NoPhone is the error of Phones.Open with a code: its own, or DeviceNotFound.
func NoPhone(err error) error {
	if _, coded := errors.AsType[*Error](err); coded {
		return err
	}
	return Coded(DeviceNotFound, err)
}

// Coded is err with a code; a hint in it stays.
func Coded(code Code, err error) *Error { return &Error{Code: code, err: err} }

func invalid(remedy, format string, args ...any) *Error {
	return Refuse(InvalidArgument, remedy, format, args...)
}

// busy is about a hold as the one who reads it may know it, see store.Hold.SeenBy.
func busy(h store.Hold) *Error {
	who, remedy := "session "+h.SessionID, "wait for that session or stop it"
	if h.SessionID == "" {
		who, remedy = "a session of somebody else", "wait until the phone is free"
	}
	remedy += ", use another phone, or start with queue to wait your turn"
	e := Refuse(DeviceBusy, remedy, "phone %q is held by %s, which is %s and has had it for %v",
		h.Serial, who, h.State, age(h.Since))
	e.Holder = &h
	return e
}

// UnknownSession gives a store's answer about a session that is not there, or is not clear, its
// code; any other error stays as it is.
func UnknownSession(sessionID string, err error) error {
	if errors.Is(err, store.ErrNotFound) {
		if short := len(strings.TrimSpace(sessionID)); short > 0 && short < store.LeastID {
			return Refuse(SessionNotFound, "give more of the id",
				"there is no session %q: of a session's id at least %d characters are needed",
				sessionID, store.LeastID)
		}
		return Refuse(SessionNotFound,
			"list_sessions, at the command line taploop sessions list, names them: pass the id of "+
				"one, or start a new task",
			"there is no session %q", sessionID)
	}
	if _, several := errors.AsType[*inquiry.AmbiguousError](err); several {
		return Coded(InvalidArgument, err)
	}
	return err
}

// age is for messages.
func age(t time.Time) time.Duration { return max(time.Since(t).Round(time.Second), 0) }

// hintMark stands between an error and its remedy in a run's stored error.
const hintMark = "\nmend: "

func errorText(err error) string {
	if err == nil {
		return ""
	}
	if remedy := hint.Of(err); remedy != "" {
		return err.Error() + hintMark + remedy
	}
	return err.Error()
}

// ErrorParts are the two parts of a stored run's error: what was in the way, and what can be done.
func ErrorParts(text string) (message, remedy string) {
	if i := strings.LastIndex(text, hintMark); i >= 0 {
		return text[:i], text[i+len(hintMark):]
	}
	return text, ""
}

// superseded reports whether err says that somebody else, perhaps in another process, has moved the
// run in the meantime.
func superseded(err error) bool {
	_, moved := errors.AsType[*store.StateError](err)
	return moved || errors.Is(err, store.ErrFenced)
}
