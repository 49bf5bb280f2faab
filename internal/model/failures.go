package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/text"
)

// failed turns what send returned, and a reply that is no success, into an error that says what
// happened and carries a hint.
func (k *attempts) failed(ctx context.Context, err error) error {
	var own permanent
	switch {
	case err != nil && ctx.Err() != nil:
		return k.ended(ctx)
	case errors.As(err, &own):
		return fmt.Errorf("asking %s at %s: %w", k.opts.Name, text.Address(k.opts.BaseURL),
			own.error)
	case err != nil:
		return k.withHint(k.unanswered(err))
	case k.status/100 == 3:
		return k.withHint(k.redirected())
	case k.status >= 400:
		return k.withHint(k.refused())
	}
	return nil
}

// unreadable is a success that is not what was asked for.
func (k *attempts) unreadable(err error) *Error {
	if len(k.body) == maxReply {
		return k.fail(BadReply, fmt.Sprintf("the reply is longer than %d MiB, and begins with %s",
			maxReply>>20, summary(k.body[:64<<10], k.scrub)), nil)
	}
	if json.Valid(k.body) {
		return k.fail(BadReply, fmt.Sprintf("no chat completion came back: %v", err), nil)
	}
	e := k.fail(BadReply, "no chat completion came back, but "+summary(k.body, k.scrub), nil)
	e.alien = true
	return e
}

// ended says why the caller's context ended, and what the last attempt had met.
func (k *attempts) ended(ctx context.Context) error {
	met := ""
	if k.status >= 400 {
		met = fmt.Sprintf(" (attempt %d had met HTTP %d: %s)", k.attempts, k.status,
			shortened(k.scrub, summary(k.body, k.scrub), 500))
	}
	return fmt.Errorf("asking %s at %s%s: %w", k.opts.Name, text.Address(k.opts.BaseURL), met,
		context.Cause(ctx))
}

func (k *attempts) unanswered(err error) *Error {
	if errors.Is(err, errAttemptTimeout) {
		return k.fail(TimedOut, fmt.Sprintf("no reply within %s", k.opts.Timeout), err)
	}
	if u, is := errors.AsType[*url.Error](err); is {
		err = u.Err // without the method and the URL, which are known
	}
	if k.absent(err) {
		return k.fail(Unreachable, "no model is configured, and none is there: "+err.Error(), err)
	}
	return k.fail(Unreachable, err.Error(), err)
}

func (k *attempts) redirected() *Error {
	to := k.header.Get("Location")
	return k.fail(NoSuchPath, fmt.Sprintf("the endpoint redirects to %q",
		shortened(k.scrub, text.Address(to), 300)), nil)
}

// refused is a status of 400 or above. What the endpoint says of it is read from its error object.
func (k *attempts) refused() *Error {
	message, code, param := told(k.body, k.scrub)
	e := k.fail(kindOf(k.status, message+" "+code), message, nil)
	e.code, e.param = code, param
	if after, ok := retryAfter(k.header); ok && after > maxRetryAfter {
		e.Message += fmt.Sprintf(" (asks to come back in %s)", after.Round(time.Second))
	}
	return e
}

// empty returns an error for a success without a choice, in which some routers report errors.
func (k *attempts) empty(inside json.RawMessage) *Error {
	if !present(inside) {
		return k.fail(BadReply, "the reply has no choices", nil)
	}
	words := said(inside)
	kind := kindOf(k.status, words)
	switch {
	case noMoney().MatchString(strings.ToLower(words)):
		kind = RateLimited
	case kind == Rejected:
		kind = BadReply
	}
	return k.fail(kind, "the endpoint reports: "+words, nil)
}

func (k *attempts) fail(kind ErrorKind, message string, cause error) *Error {
	return &Error{
		Kind:     kind,
		Status:   k.status,
		Message:  shortened(k.scrub, message, 500),
		Attempts: k.attempts,
		Model:    k.opts.Name,
		BaseURL:  text.Address(k.opts.BaseURL),
		cause:    cause,
	}
}

func kindOf(status int, said string) ErrorKind {
	said = strings.ToLower(said)
	switch {
	case filtered().MatchString(said):
		return Withheld
	case status == http.StatusUnauthorized ||
		status == http.StatusForbidden && !noRegion().MatchString(said):
		return Unauthorized
	case status == http.StatusTooManyRequests || status == http.StatusPaymentRequired:
		return RateLimited
	case tooLong.MatchString(said) || status == http.StatusRequestEntityTooLarge:
		return TooLong
	case noModel.MatchString(said) &&
		(status == http.StatusNotFound || status == http.StatusBadRequest):
		return NoSuchModel
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed:
		return NoSuchPath
	case status >= 500:
		return ServerFault
	}
	return Rejected
}
