package model

import (
	"fmt"
	"net/http"
	"strings"
)

// ErrorKind says what sort of failure an [Error] is.
type ErrorKind string

// The kinds of failure.
const (
	Unreachable  ErrorKind = "unreachable"    // refused, no such host, wrong certificate
	TimedOut     ErrorKind = "timed out"      // no whole reply within Options.Timeout
	Unauthorized ErrorKind = "unauthorized"   // 401, 403: the key is missing or wrong
	Withheld     ErrorKind = "withheld"       // the endpoint's content filter refused or cut it
	NoSuchModel  ErrorKind = "no such model"  // the endpoint does not know the name
	NoSuchPath   ErrorKind = "no such path"   // 404, 405, a redirect: the base URL is no endpoint's
	RateLimited  ErrorKind = "rate limited"   // 429 to the last attempt, or an empty purse
	TooLong      ErrorKind = "too long"       // the request does not fit the model's context
	Rejected     ErrorKind = "rejected"       // other 4xx, for the request itself
	ServerFault  ErrorKind = "server fault"   // 5xx to the last attempt, or a reply broken off
	BadReply     ErrorKind = "unusable reply" // no chat completion, or none with a choice
)

// Error is a call that got no usable reply. Its text holds no key and fits one line.
type Error struct {
	Kind     ErrorKind
	Status   int    // HTTP status of the last attempt, 0 when it got no reply
	Message  string // what the endpoint or the network said, shortened
	Attempts int
	Model    string
	BaseURL  string

	code, param string // as OpenAI's error object has them
	alien       bool   // what came back is not JSON
	cause       error
}

func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "asking %s at %s: ", e.Model, e.BaseURL)
	if e.Status != 0 && e.Status != http.StatusOK {
		fmt.Fprintf(&b, "HTTP %d: ", e.Status)
	}
	b.WriteString(e.Message)
	if e.Attempts > 1 {
		fmt.Fprintf(&b, " (%d attempts)", e.Attempts)
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.cause }

// Alien reports whether a web page, or something else that no endpoint for models sends, came back.
func (e *Error) Alien() bool { return e.alien }

// NoPictures reports whether the endpoint's message says that the model takes no pictures.
func (e *Error) NoPictures() bool {
	refused := e.Kind == Rejected || e.Kind == BadReply || e.Kind == ServerFault
	return refused && sightless(e.Message)
}

// NoTools reports whether the endpoint's message says that it takes no tools. A complaint about one
// tool does not count.
func (e *Error) NoTools() bool {
	switch e.Status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity,
		http.StatusInternalServerError, http.StatusNotImplemented: // llama.cpp says it with 500
	default:
		return false
	}
	return e.Kind != TooLong && e.Kind != NoSuchModel &&
		noTools().MatchString(strings.ToLower(e.Message))
}
