package runs

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
)

// Code says why a call failed, for programs.
type Code string

// The codes. A call that returns one of them has changed nothing, except under StoreUnavailable and
// InternalError.
const (
	SessionNotFound         Code = "SESSION_NOT_FOUND"
	DeviceNotFound          Code = "DEVICE_NOT_FOUND"
	DeviceAmbiguous         Code = "DEVICE_AMBIGUOUS"
	DeviceOffline           Code = "DEVICE_OFFLINE"      // listed, but does not answer
	DeviceUnauthorized      Code = "DEVICE_UNAUTHORIZED" // listed, but does not allow debugging
	ADBUnreachable          Code = "ADB_UNREACHABLE"     // no ADB server answers
	DeviceMismatch          Code = "DEVICE_MISMATCH"
	DeviceBusy              Code = "DEVICE_BUSY"
	NoOpenQuestion          Code = "NO_OPEN_QUESTION"
	QuestionAlreadyResolved Code = "QUESTION_ALREADY_RESOLVED"
	QuestionSuperseded      Code = "QUESTION_SUPERSEDED"
	RunInProgress           Code = "RUN_IN_PROGRESS"
	RunEnded                Code = "RUN_ENDED"     // it cannot be sent messages
	MessageLimit            Code = "MESSAGE_LIMIT" // it takes no more messages
	NothingToTakeOver       Code = "NOTHING_TO_TAKE_OVER"
	Forbidden               Code = "DECISION_FORBIDDEN" // only a person may decide this
	InvalidArgument         Code = "INVALID_ARGUMENT"
	ServerClosing           Code = "SERVER_CLOSING"
	// the data folder's disk is full, or another program has its database locked
	StoreUnavailable Code = "STORE_UNAVAILABLE"
	InternalError    Code = "INTERNAL_ERROR"
)

// Remedy says where the caller of a refused call can look next.
type Remedy int

// The remedies. NoRemedy is for codes where no list and no session helps.
const (
	NoRemedy    Remedy = iota
	SeePhones          // the list of phones
	SeeSessions        // the list of sessions
	SeeSession         // the session that the call was about
	SeeHolder          // the session that has the phone
)

// remedies holds the remedy of each code. The command line and the MCP tools express it in their
// own terms.
var remedies = map[Code]Remedy{
	DeviceNotFound: SeePhones, DeviceAmbiguous: SeePhones, DeviceOffline: SeePhones,
	DeviceUnauthorized: SeePhones, DeviceBusy: SeeHolder, SessionNotFound: SeeSessions,
	NoOpenQuestion: SeeSession, QuestionAlreadyResolved: SeeSession,
	QuestionSuperseded: SeeSession, RunInProgress: SeeSession,
	Forbidden: SeeSession, NothingToTakeOver: SeeSession,
	RunEnded: SeeSession, MessageLimit: SeeSession,
}

// Remedy returns where to look after a refusal with the code.
func (c Code) Remedy() Remedy { return remedies[c] }

// ErrReplyWithTask is returned for a call with both a reply and a new task.
var ErrReplyWithTask = errors.New("a reply and a new task cannot be sent together")

// Error says why a call failed. Its remedy is a hint, see package hint.
type Error struct {
	Code Code
	// Who has the phone, under DeviceBusy. Another client's session is given without ids.
	Holder *store.Hold
	// the settled question under QuestionAlreadyResolved, the current one under QuestionSuperseded
	Question *inquiry.Question
	err      error
}

func (e *Error) Error() string { return e.err.Error() }

// Unwrap returns the underlying error.
func (e *Error) Unwrap() error { return e.err }

// CodeOf returns the code of the *Error in err. Without one it returns StoreUnavailable or
// InternalError, or "" if err is nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	if agentloop.Unwritable(err) {
		return StoreUnavailable
	}
	return InternalError
}

// Refuse returns an error with the code and the formatted message. remedy is its hint.
func Refuse(code Code, remedy, format string, args ...any) *Error {
	return &Error{Code: code, err: hint.Add(fmt.Errorf(format, args...), remedy)}
}

// NoPhone gives an error of Phones.Open the code DeviceNotFound if it has none.
func NoPhone(err error) error {
	if _, coded := errors.AsType[*Error](err); coded {
		return err
	}
	return Coded(DeviceNotFound, err)
}

// Coded wraps err with a code. A hint in err is kept.
func Coded(code Code, err error) *Error { return &Error{Code: code, err: err} }

func invalid(remedy, format string, args ...any) *Error {
	return Refuse(InvalidArgument, remedy, format, args...)
}

// busy reports that h has the phone. The caller may have to hide ids, see store.Hold.SeenBy.
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

// UnknownSession gives the store's error about an unknown or ambiguous session id a code. It
// returns other errors unchanged.
func UnknownSession(sessionID string, err error) error {
	if errors.Is(err, store.ErrNotFound) {
		if short := len(strings.TrimSpace(sessionID)); short > 0 && short < store.LeastID {
			return Refuse(SessionNotFound, "give more of the id",
				"there is no session %q: of a session's id at least %d characters are needed",
				sessionID, store.LeastID)
		}
		return Refuse(SessionNotFound,
			"pass the id of one of your sessions, or start a new task",
			"there is no session %q", sessionID)
	}
	if _, several := errors.AsType[*inquiry.AmbiguousError](err); several {
		return Coded(InvalidArgument, err)
	}
	return err
}

// age returns the time since t, rounded for messages.
func age(t time.Time) time.Duration { return max(time.Since(t).Round(time.Second), 0) }

// superseded reports whether err says that another caller, perhaps in another process, has changed
// the run in the meantime.
func superseded(err error) bool {
	_, moved := errors.AsType[*store.StateError](err)
	return moved || errors.Is(err, store.ErrFenced)
}

// ElsewhereError is the error of Phones.Open for a phone that only another machine reaches. Its
// runs are begun here all the same, and left to that machine.
type ElsewhereError struct {
	Device store.Device
	Worker string
}

func (e *ElsewhereError) Error() string {
	return fmt.Sprintf("phone %q is on %s, and cannot be reached from here", e.Device.ID, e.Worker)
}
