package web

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"

	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/tools/result"
)

// tasks starts, steers and stops runs.
type tasks struct{ *core }

// request is a request about runs, with what a result may say of it.
type request struct {
	line   string         // its method and path
	body   map[string]any // nil when it cannot be sent again
	client string         // whom the session belongs to
	begins bool           // it can wait in line for a phone
	starts bool           // it can end another session of the client's
}

// name words what the client can do next as a request, and its body. Waiting has no route of its
// own: a run that a person must let go on is waited for with its question.
func (q request) name(n *usecase.Next) *result.Next {
	if n == nil {
		return nil
	}
	body := result.Arguments(n)
	delete(body, "session_id")
	session, none := "/v1/sessions/"+n.SessionID, map[string]any{}
	to := func(line string, body map[string]any) *result.Next {
		return result.Call(n, line, body)
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
	case n.Question != nil:
		return to("GET /v1/inquiries/"+n.Question.ID+"?wait_seconds=60", none)
	case n.Since != nil:
		return to("POST "+session+"/continue", none)
	}
	return to("GET "+session, none)
}

// useCase is a use case with the arguments of a request.
type useCase func(context.Context, *usecase.Call) (*usecase.Outcome, error)

// usualSteps is how many steps a request may take that does not say.
const usualSteps = 20

// call carries out a use case for the viewer. progress is called when something has happened, and
// now and then, unless it is nil. An error that is a *refused says how the use case was refused.
func (s *tasks) call(ctx context.Context, v viewer, q request, do useCase, progress func()) (
	*usecase.Outcome, error) {
	ctx, end := s.untilClosing(ctx)
	defer end()
	waits := s.opts.Waits.Of(progress != nil)
	c := &usecase.Call{Client: q.client, By: v.caller(), Usual: waits.Default,
		Most: waits.Most(progress != nil), Steps: usualSteps}
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
	case ctx.Err() != nil: // the client is gone
		return nil, context.Cause(ctx)
	}
	return nil, s.refused(ctx, c, q, err)
}

// refused is a use case that could not be carried out, with the object that says so.
type refused struct {
	err  error
	body result.Result
}

func (r *refused) Error() string { return r.err.Error() }

func (r *refused) Unwrap() error { return r.err }

// refusal is the error alone, in words that name no argument and no request.
func (r *refused) refusal() *refusal {
	code := r.body.Error.Code
	return &refusal{code: codeInTable(code), name: code, err: r.err}
}

// refused is the refusal of a use case, as an object with what helps the client.
func (s *tasks) refused(ctx context.Context, c *usecase.Call, q request, err error) *refused {
	remedy := s.opts.Tasks.After(ctx, c, err, q.begins, q.starts)
	return &refused{err, s.opts.Results.Refuse(err, remedy, q.name)}
}

// startSession begins a session with a task on a phone, or with a goal of agents.
func (s *tasks) startSession(w http.ResponseWriter, r *http.Request, v viewer) error {
	body, err := argumentsOf(r)
	if err != nil {
		return err
	}
	q := request{line: "POST /v1/sessions", body: body, client: v.owner(), begins: true,
		starts: body["supersede"] == nil}
	do := with(s, "Start", body, s.opts.Tasks.Start)
	if body["goal"] != nil {
		do = with(s, "Delegate", body, s.opts.Tasks.Delegate)
	}
	out, err := s.callWaiting(w, r, v, q, do)
	if err == nil {
		w.Header().Set("Location", "/v1/sessions/"+out.Status.Session.ID)
	}
	return s.outcome(w, http.StatusCreated, q, out, err)
}

// with is a use case with the body of a request as its arguments, read by their schema.
func with[A any](s *tasks, schema string, body map[string]any,
	do func(context.Context, *usecase.Call, A) (*usecase.Outcome, error)) useCase {
	return func(ctx context.Context, c *usecase.Call) (*usecase.Outcome, error) {
		var a A
		if _, err := result.Read(s.opts.Requests[schema], body, &a); err != nil {
			return nil, err
		}
		return do(ctx, c, a)
	}
}

// goOn answers a session's question, or continues the session.
func (s *tasks) goOn(w http.ResponseWriter, r *http.Request, v viewer, x store.Session) error {
	return s.inSession(w, r, v, x, "/continue", func(body map[string]any) useCase {
		return with(s, "Continue", body, s.opts.Tasks.Continue)
	})
}

// say says something to a session's run.
func (s *tasks) say(w http.ResponseWriter, r *http.Request, v viewer, x store.Session) error {
	return s.inSession(w, r, v, x, "/message", func(body map[string]any) useCase {
		return with(s, "Message", body, s.opts.Tasks.Message)
	})
}

// inSession carries out a use case for a session, with the body as its arguments.
func (s *tasks) inSession(w http.ResponseWriter, r *http.Request, v viewer, x store.Session,
	what string, do func(body map[string]any) useCase) error {
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
func (s *tasks) callWaiting(w http.ResponseWriter, r *http.Request, v viewer, q request,
	do useCase) (*usecase.Outcome, error) {
	held, leave, err := s.takePlace(w, r, v)
	if err != nil {
		return nil, err
	}
	defer leave()
	out, err := s.call(held, v, q, do, nil)
	if _, is := errors.AsType[*refused](err); err != nil && !is {
		return nil, err
	}
	if gone := s.auth.recheck(r, v); gone != nil {
		return nil, gone
	}
	return out, err
}

// stop makes a handler that stops a session's run and answers with its state after that. The body
// is not needed.
func (s *tasks) stop(mode runs.StopMode) sessionHandler {
	return func(w http.ResponseWriter, r *http.Request, v viewer, x store.Session) error {
		if r.ContentLength != 0 {
			if err := receive(r, new(struct{})); err != nil {
				return err
			}
		}
		// The run is stopped even if the client is gone by now.
		ctx := context.WithoutCancel(r.Context())
		q := request{client: x.Client}
		c := &usecase.Call{Client: x.Client, By: v.actor()}
		out, err := s.opts.Tasks.Stop(ctx, c, usecase.Stop{SessionID: x.ID, Mode: mode})
		if mode == runs.Takeover && runs.CodeOf(err) == runs.RunInProgress {
			r.Body, r.ContentLength = http.NoBody, 0 // the machine that carries the run out can
			if done, failed := s.forward(w, r, v, x.Serial); done || failed != nil {
				return failed
			}
		}
		if err != nil {
			return s.outcome(w, 0, q, nil, s.refused(ctx, c, q, err))
		}
		return s.outcome(w, http.StatusOK, q, out, nil)
	}
}

// look finds out how a session stands, without waiting.
func (s *tasks) look(id string) useCase {
	return func(ctx context.Context, c *usecase.Call) (*usecase.Outcome, error) {
		return s.opts.Tasks.Wait(ctx, c, usecase.Wait{SessionID: id, Seconds: new(0.0)})
	}
}

// outcome answers with the result object; of a use case that was refused with the status that its
// code stands for.
func (s *tasks) outcome(w http.ResponseWriter, status int, q request, out *usecase.Outcome,
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
