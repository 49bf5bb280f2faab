package web

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
)

// busyTime is after how long a request is worth another try that was refused with 503.
const busyTime = 5 * time.Second

var errClosing = errors.New("the server is closing")

// codes are the refusals: the status of each, and what can be done about one whose error brings no
// hint of its own.
var codes = map[string]struct {
	status int
	hint   string
}{
	"INVALID_ARGUMENT": {http.StatusBadRequest,
		"nothing has changed; send it as the message wants it (docs/http.md has every route)"},
	"UNAUTHORIZED": {http.StatusUnauthorized,
		"send the header Authorization: Bearer TOKEN; taploop token create --name NAME makes " +
			"a token, taploop token list shows which there are; for a browser: taploop ui"},
	"LINK_USED": {http.StatusUnauthorized, "make a new link: taploop ui"},
	"FORBIDDEN": {http.StatusForbidden,
		"a program sends a token and no Origin; a page has to be of this server"},
	"NOT_FOUND": {http.StatusNotFound,
		"GET /v1/inquiries and GET /v1/sessions list what your token may see; " +
			"one that http.operators names sees everything"},
	"METHOD_NOT_ALLOWED": {http.StatusMethodNotAllowed,
		"use a method that the header Allow names"},
	"TOO_LARGE": {http.StatusRequestEntityTooLarge,
		"send less; a longer text belongs into a file or behind a link"},
	"TOO_MANY_LISTENERS": {http.StatusServiceUnavailable,
		"close event streams that are not read, end requests that wait, or try again later"},
	"RATE_LIMIT": {http.StatusTooManyRequests,
		"wait as long as Retry-After says; taploop token create --rate sets how many it may send"},
	"CLOSING": {http.StatusServiceUnavailable,
		"try again when the server is back; what was stored is kept"},
	"DEVICE_NOT_FOUND": {http.StatusNotFound, "see that the phone is connected: taploop devices"},
	"NOT_A_PERSON": {http.StatusForbidden, "a person does this, on the inbox page or with a " +
		"token of their own"},
	"CONFLICT": {http.StatusConflict, "see how the session stands, and what it waits for"},
	"NOT_CARRIED_OUT": {http.StatusConflict,
		"look at the live picture; if the phone is gone, bring it back"},
	"OUTCOME_UNKNOWN": {http.StatusGatewayTimeout,
		"it may have been done: look at the phone before you do it again"},
	// What can be done about a reply that was not taken comes with the refusal.
	"INVALID_REPLY":             {http.StatusBadRequest, ""},
	"DECISION_FORBIDDEN":        {http.StatusForbidden, ""},
	"REPLY_ID_REUSED":           {http.StatusUnprocessableEntity, ""},
	"QUESTION_ALREADY_RESOLVED": {http.StatusConflict, ""},
	"QUESTION_GONE":             {http.StatusGone, ""},

	"STORE_UNAVAILABLE": {http.StatusServiceUnavailable, "try again later"},
	// Refused use cases bring their hints. Codes of theirs that are not listed are 409.
	"SESSION_NOT_FOUND":  {http.StatusNotFound, ""},
	"QUESTION_NOT_FOUND": {http.StatusNotFound, ""},
	"DEVICE_AMBIGUOUS":   {http.StatusBadRequest, ""},
	"MESSAGE_LIMIT":      {http.StatusTooManyRequests, ""},
	"SERVER_CLOSING":     {http.StatusServiceUnavailable, ""},
	"INTERNAL_ERROR":     {http.StatusInternalServerError, ""},
	"model_not_found":    {http.StatusNotFound, "GET /v1/models lists the phones that there are"},

	"INTERNAL": {http.StatusInternalServerError,
		"try again, and look into the server's log"},
}

// codeInTable is a code with the status of this one. What is not in the table says how things
// stand now.
func codeInTable(code string) string {
	if _, known := codes[code]; known {
		return code
	}
	return "CONFLICT"
}

// refusal is an answer other than success.
type refusal struct {
	code string // a key of codes
	name string // its code as it is sent ("" is code)
	err  error
	body map[string]any // fields beside the error

	after time.Duration // when to try again, if that is known
}

func refuse(code string, err error) *refusal { return &refusal{code: code, err: err} }

func (r *refusal) Error() string { return r.err.Error() }

func (r *refusal) Unwrap() error { return r.err }

// hint is what can be done about the refusal.
func (r *refusal) hint() string { return cmp.Or(hint.Of(r.err), codes[r.code].hint) }

func badRequest(format string, args ...any) error {
	return refuse("INVALID_ARGUMENT", fmt.Errorf(format, args...))
}

func notAllowed(w http.ResponseWriter, methods ...string) error {
	w.Header().Set("Allow", strings.Join(methods, ", "))
	list := strings.Join(methods, " or ")
	return refuse("METHOD_NOT_ALLOWED", hint.Add(fmt.Errorf("this route takes %s only", list),
		"send it as "+list))
}

// refusalOf finds the code of an error that no handler has named.
func refusalOf(err error) *refusal {
	if f, is := errors.AsType[*refusal](err); is {
		return f
	}
	if e, is := errors.AsType[*runs.Error](err); is {
		return &refusal{code: codeInTable(string(e.Code)), name: string(e.Code), err: err}
	}
	if large, is := errors.AsType[*http.MaxBytesError](err); is {
		return refuse("TOO_LARGE", fmt.Errorf("the body is longer than %d bytes", large.Limit))
	}
	if _, is := errors.AsType[*store.StateError](err); is {
		return refuse("CONFLICT", err)
	}
	if _, several := errors.AsType[*inquiry.AmbiguousError](err); several {
		return refuse("INVALID_ARGUMENT", err)
	}
	switch {
	case errors.Is(err, store.ErrFrameAway):
		return refuse("NOT_FOUND", err)
	case errors.Is(err, inquiry.ErrNotFound), errors.Is(err, store.ErrNotFound):
		return refuse("NOT_FOUND", errors.New("it does not exist, or it belongs to another client"))
	case agentloop.Unwritable(err):
		return refuse("STORE_UNAVAILABLE", err)
	case errors.Is(err, errClosing):
		return refuse("CLOSING", errClosing)
	}
	return refuse("INTERNAL", errors.New("something went wrong here; the server's log has more"))
}
