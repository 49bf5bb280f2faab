package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"time"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/tools/result"
	"github.com/taploop/taploop/tools/schema"
)

// Tasks are the use cases that requests call; a *usecase.Cases is one.
type Tasks interface {
	Start(context.Context, *usecase.Call, usecase.Start) (*usecase.Outcome, error)
	Continue(context.Context, *usecase.Call, usecase.Continue) (*usecase.Outcome, error)
	Message(context.Context, *usecase.Call, usecase.Message) (*usecase.Outcome, error)
	Wait(context.Context, *usecase.Call, usecase.Wait) (*usecase.Outcome, error)
	ListPhones(context.Context, *usecase.Call, bool) ([]usecase.Phone, error)
	// After finds what helps after a refusal.
	After(ctx context.Context, c *usecase.Call, err error, begins, starts bool) usecase.Remedy
}

// Results are the objects that requests about runs are answered with.
type Results interface {
	// Show is how a run stands; name words what the client can do next.
	Show(o *usecase.Outcome, name result.Namer) (result.Result, error)
	// Refuse is why a request could not be carried out.
	Refuse(err error, r usecase.Remedy, name result.Namer) result.Result
}

// request is a request about runs, with what a result may say of it.
type request struct {
	line   string         // its method and path
	body   map[string]any // nil when it cannot be sent again
	client string         // whom the session belongs to
	begins bool           // it can wait in line for a phone
	starts bool           // it can end another session of the client's
}

// name words what the client can do next as a request, and its body. Waiting has no route of its
// own: what is settled by a person is waited for with its question.
func (q request) name(n *usecase.Next) *result.Next {
	if n == nil {
		return nil
	}
	body := result.Arguments(n)
	delete(body, "session_id")
	session, none := "/v1/sessions/"+n.SessionID, map[string]any{}
	to := func(line string, body map[string]any) *result.Next {
		return &result.Next{Tool: line, Arguments: body, Why: n.Why}
	}
	switch n.Verb {
	case usecase.ToRepeat:
		return result.Repeat(n, q.line, q.body)
	case usecase.ToStart:
		return to("POST /v1/sessions", body)
	case usecase.ToContinue:
		return to("POST "+session+"/continue", body)
	case usecase.ToStop:
		return to("POST "+session+"/stop", none)
	case usecase.ToListSessions:
		return to("GET /v1/sessions", none)
	case usecase.ToListQuestions:
		return to("GET /v1/inquiries", none)
	case usecase.ToAnswer:
		return to("POST /v1/inquiries/{id}/reply", none)
	case usecase.ToListPhones:
		return to("GET /v1/models", none)
	}
	switch { // it is waited for
	case n.QuestionID != "":
		return to("GET /v1/inquiries/"+n.QuestionID+"?wait_seconds=60", none)
	case n.Since != nil:
		return to("POST "+session+"/continue", none)
	}
	return to("GET "+session, none)
}

const maxKey = 200 // bytes of an Idempotency-Key

// owner is whom the sessions belong to that the viewer begins: a browser's are the local
// operator's.
func (v viewer) owner() string {
	if v.page {
		return ""
	}
	return v.name
}

// caller is who the viewer is in the audit. The word of a program may be a model's; from the page,
// or with a person's token, it is a person's.
func (v viewer) caller() runs.Actor {
	who := runs.Actor{Channel: v.channel(), Authority: inquiry.AuthorityClientModel, Name: v.name}
	if v.all {
		who.Authority = inquiry.AuthorityHumanToken
	}
	return who
}

// useCase is a use case with the arguments of a request.
type useCase func(context.Context, *usecase.Call) (*usecase.Outcome, error)

// call carries out a use case for the viewer. progress is called when something has happened, and
// now and then; nil wants nothing. An error that is a *refused says how the use case was refused.
func (s *Server) call(ctx context.Context, v viewer, q request, do useCase, progress func()) (
	*usecase.Outcome, error) {
	ctx, end := s.untilClosing(ctx)
	defer end()
	waits := s.opts.Waits.Of(progress != nil)
	c := &usecase.Call{Client: q.client, By: v.caller(), Usual: waits.Default,
		Most: waits.Most(progress != nil)}
	if progress != nil {
		c.Report = &usecase.Reporter{Heartbeat: waits.Heartbeat,
			Send: func(context.Context, usecase.Progress) { progress() }}
	}
	out, err := do(ctx, c)
	switch {
	case err == nil:
		return out, nil
	case errors.Is(context.Cause(ctx), errClosing):
		return nil, errClosing
	case ctx.Err() != nil: // nobody waits for it any more
		return nil, context.Cause(ctx)
	}
	remedy := s.opts.Tasks.After(ctx, c, err, q.begins, q.starts)
	return nil, &refused{err, s.opts.Results.Refuse(err, remedy, q.name)}
}

// refused is a use case that could not be carried out, with the object that says so.
type refused struct {
	err  error
	body result.Result
}

func (r *refused) Error() string { return r.err.Error() }
func (r *refused) Unwrap() error { return r.err }

// startSession begins a session with a task.
func (s *Server) startSession(w http.ResponseWriter, r *http.Request, v viewer) error {
	body, err := argumentsOf(r)
	if err != nil {
		return err
	}
	q := request{line: "POST /v1/sessions", body: body, client: v.owner(), begins: true,
		starts: body["supersede"] == nil}
	out, err := s.callWaiting(w, r, v, q, func(ctx context.Context, c *usecase.Call) (
		*usecase.Outcome, error) {
		var a usecase.Start
		if err := s.arguments("Start", body, &a); err != nil {
			return nil, err
		}
		return s.opts.Tasks.Start(ctx, c, a)
	})
	if err == nil {
		w.Header().Set("Location", "/v1/sessions/"+out.Status.Session.ID)
	}
	return s.outcome(w, http.StatusCreated, q, out, err)
}

// arguments reads the body of a request by its schema.
func (s *Server) arguments(schemaName string, body map[string]any, to any) error {
	if _, err := schema.Read(s.opts.Requests[schemaName], body, to); err != nil {
		return runs.Coded(runs.InvalidArgument, err)
	}
	return nil
}

// goOn makes a handler that answers a session's question, or goes on with it.
func (s *Server) goOn(w http.ResponseWriter, r *http.Request, v viewer) error {
	return s.inSession(w, r, v, "/continue", func(body map[string]any) useCase {
		return func(ctx context.Context, c *usecase.Call) (*usecase.Outcome, error) {
			var a usecase.Continue
			if err := s.arguments("Continue", body, &a); err != nil {
				return nil, err
			}
			return s.opts.Tasks.Continue(ctx, c, a)
		}
	})
}

// say says something to a session's run.
func (s *Server) say(w http.ResponseWriter, r *http.Request, v viewer) error {
	return s.inSession(w, r, v, "/message", func(body map[string]any) useCase {
		return func(ctx context.Context, c *usecase.Call) (*usecase.Outcome, error) {
			var a usecase.Message
			if err := s.arguments("Message", body, &a); err != nil {
				return nil, err
			}
			return s.opts.Tasks.Message(ctx, c, a)
		}
	})
}

// inSession carries out a use case for the session of the path, with the body as its arguments.
func (s *Server) inSession(w http.ResponseWriter, r *http.Request, v viewer, what string,
	do func(body map[string]any) useCase) error {
	x, err := s.records.session(r, v)
	if err != nil {
		return err
	}
	body, err := argumentsOf(r)
	if err != nil {
		return err
	}
	if given, is := body["session_id"]; is && given != x.ID {
		return badRequest("session_id is in the path, and the body has another one")
	}
	delete(body, "session_id")
	q := request{line: "POST /v1/sessions/" + x.ID + what, body: body, client: x.Client,
		begins: what == "/continue"}
	arguments := maps.Clone(body)
	arguments["session_id"] = x.ID
	out, err := s.callWaiting(w, r, v, q, do(arguments))
	return s.outcome(w, http.StatusOK, q, out, err)
}

// callWaiting carries out a use case that may wait, in one of the places for that.
func (s *Server) callWaiting(w http.ResponseWriter, r *http.Request, v viewer, q request,
	do useCase) (*usecase.Outcome, error) {
	leave, err := s.takePlace(w, v)
	if err != nil {
		return nil, err
	}
	defer leave()
	out, err := s.call(r.Context(), v, q, do, nil)
	if _, is := errors.AsType[*refused](err); err != nil && !is {
		return nil, err
	}
	if gone := s.auth.recheck(r, v); gone != nil {
		return nil, gone
	}
	return out, err
}

// answerStanding answers with how the session stands.
func (s *Server) answerStanding(w http.ResponseWriter, r *http.Request, v viewer,
	x store.Session) error {
	q := request{client: x.Client}
	out, err := s.call(r.Context(), v, q, s.look(x.ID), nil)
	return s.outcome(w, http.StatusOK, q, out, err)
}

// look finds out how a session stands, without waiting.
func (s *Server) look(id string) useCase {
	return func(ctx context.Context, c *usecase.Call) (*usecase.Outcome, error) {
		return s.opts.Tasks.Wait(ctx, c, usecase.Wait{SessionID: id, Seconds: new(0.0)})
	}
}

// outcome answers with the result object; of a use case that was refused with the status that its
// code stands for.
func (s *Server) outcome(w http.ResponseWriter, status int, q request, out *usecase.Outcome,
	err error) error {
	var body result.Result
	if no, is := errors.AsType[*refused](err); is {
		status, body, err = codes[codeInTable(no.body.Error.Code)].status, no.body, nil
	} else if err == nil {
		body, err = s.opts.Results.Show(out, q.name)
	}
	if err != nil {
		return err
	}
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return s.answer(w, status, b)
}

// answer sends a body that is JSON already. The request may have waited for long.
func (s *Server) answer(w http.ResponseWriter, status int, body json.RawMessage) error {
	deadline := time.Now().Add(s.opts.WriteTimeout)
	_ = http.NewResponseController(w).SetWriteDeadline(deadline)
	return send(w, status, body)
}

// argumentsOf reads a body that is a JSON object, or none, and the key of the header.
func argumentsOf(r *http.Request) (map[string]any, error) {
	b, err := bodyOf(r)
	if err != nil {
		return nil, err
	}
	arguments := map[string]any{}
	if len(b) > 0 {
		if err := decodeStrict(b, &arguments); err != nil {
			return nil, badRequest("the body is not what is expected here: %w", err)
		}
	}
	key, err := keyOf(r)
	if err != nil || key == "" {
		return arguments, err
	}
	if given, is := arguments["idempotency_key"]; is && given != key {
		return nil, badRequest("the header Idempotency-Key and idempotency_key differ")
	}
	arguments["idempotency_key"] = key
	return arguments, nil
}

// keyOf is the request's Idempotency-Key, or "".
func keyOf(r *http.Request) (string, error) {
	all := r.Header.Values("Idempotency-Key")
	if len(all) == 0 {
		return "", nil
	}
	if len(all) > 1 || all[0] == "" || len(all[0]) > maxKey {
		return "", refuse("INVALID_ARGUMENT", fmt.Errorf(
			"the header Idempotency-Key is one key of at most %d bytes", maxKey))
	}
	return all[0], nil
}
