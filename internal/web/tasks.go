package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"time"

	"github.com/taploop/taploop/internal/store"
)

// Tasks carries out what requests want of runs. Arguments and results are those of the MCP tools,
// and so are the checks.
type Tasks interface {
	// Do calls a tool. An error says that ctx has ended; why a call could not be carried out is in
	// its result.
	Do(ctx context.Context, c TaskCall) (TaskResult, error)
}

// TaskCall is one call of a tool.
type TaskCall struct {
	Tool      string
	Arguments map[string]any
	Client    string // whom sessions belong to
	By        Person
	Progress  func() // called when something has happened, and now and then; nil wants nothing
	// Names is the request that does what a tool does, for results that name a call.
	Names func(tool string, arguments map[string]any) (request string, body map[string]any)
}

// TaskResult is what came of a call.
type TaskResult struct {
	Body json.RawMessage // the result object
	Code string          // why the call could not be carried out; "" when it was
}

// The tools that requests call.
const (
	startTool    = "ask_agent_start_new_task"
	continueTool = "ask_agent_continue"
	messageTool  = "ask_agent_message"
	waitTool     = "ask_agent_wait"
	phonesTool   = "list_connected_devices"
	stopTool     = "ask_agent_stop"
	sessionsTool = "list_sessions"
	pendingTool  = "list_pending_questions"
	answerTool   = "answer_question"
)

// requestFor is the request that does what a tool does, and its body. Waiting has no route of its
// own: what is settled by a person is waited for with its question.
func requestFor(tool string, arguments map[string]any) (string, map[string]any) {
	none, body := map[string]any{}, maps.Clone(arguments)
	delete(body, "session_id")
	question := arguments["question_id"]
	switch session := fmt.Sprint("/v1/sessions/", arguments["session_id"]); {
	case tool == startTool:
		return "POST /v1/sessions", body
	case tool == continueTool:
		return "POST " + session + "/continue", body
	case tool == messageTool:
		return "POST " + session + "/message", body
	case tool == stopTool:
		return "POST " + session + "/stop", none
	case tool == waitTool && question != nil:
		return fmt.Sprintf("GET /v1/inquiries/%v?wait_seconds=60", question), none
	case tool == waitTool && arguments["since_step"] != nil:
		return "POST " + session + "/continue", none
	case tool == waitTool:
		return "GET " + session, none
	case tool == sessionsTool:
		return "GET /v1/sessions", none
	case tool == pendingTool:
		return "GET /v1/inquiries", none
	case tool == answerTool:
		return "POST /v1/inquiries/{id}/reply", none
	case tool == phonesTool:
		return "GET /v1/models", none
	}
	return tool, arguments
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

// call carries out a tool for the viewer.
func (s *Server) call(ctx context.Context, v viewer, client, tool string, arguments map[string]any,
	progress func()) (TaskResult, error) {
	ctx, end := s.untilClosing(ctx)
	defer end()
	out, err := s.opts.Tasks.Do(ctx, TaskCall{Tool: tool, Arguments: arguments, Client: client,
		By: v.actor(), Progress: progress, Names: requestFor})
	if err != nil && errors.Is(context.Cause(ctx), errClosing) {
		err = errClosing
	}
	return out, err
}

// startSession begins a session with a task.
func (s *Server) startSession(w http.ResponseWriter, r *http.Request, v viewer) error {
	arguments, err := argumentsOf(r)
	if err != nil {
		return err
	}
	out, err := s.callWaiting(w, r, v, v.owner(), startTool, arguments)
	if err != nil {
		return err
	}
	var begun struct {
		ID string `json:"session_id"`
	}
	if out.Code == "" && json.Unmarshal(out.Body, &begun) == nil {
		w.Header().Set("Location", "/v1/sessions/"+begun.ID)
		return s.answer(w, http.StatusCreated, out.Body)
	}
	return s.outcome(w, out)
}

// inSession makes a handler that calls a tool for the session of the path.
func (s *Server) inSession(tool string) handler {
	return func(w http.ResponseWriter, r *http.Request, v viewer) error {
		x, err := s.records.session(r, v)
		if err != nil {
			return err
		}
		arguments, err := argumentsOf(r)
		if err != nil {
			return err
		}
		if given, is := arguments["session_id"]; is && given != x.ID {
			return badRequest("session_id is in the path, and the body has another one")
		}
		arguments["session_id"] = x.ID
		out, err := s.callWaiting(w, r, v, x.Client, tool, arguments)
		if err != nil {
			return err
		}
		return s.outcome(w, out)
	}
}

// callWaiting calls a tool that may wait, in one of the places for that.
func (s *Server) callWaiting(w http.ResponseWriter, r *http.Request, v viewer, client, tool string,
	arguments map[string]any) (TaskResult, error) {
	leave, err := s.takePlace(w, v)
	if err != nil {
		return TaskResult{}, err
	}
	defer leave()
	out, err := s.call(r.Context(), v, client, tool, arguments, nil)
	if err == nil {
		err = s.auth.recheck(r, v)
	}
	return out, err
}

// answerStanding answers with how the session stands, as a tool would.
func (s *Server) answerStanding(w http.ResponseWriter, r *http.Request, v viewer,
	x store.Session) error {
	out, err := s.call(r.Context(), v, x.Client, waitTool,
		map[string]any{"session_id": x.ID, "wait_seconds": 0}, nil)
	if err != nil {
		return err
	}
	return s.outcome(w, out)
}

// outcome answers with the result object; its error has the code that the status stands for.
func (s *Server) outcome(w http.ResponseWriter, out TaskResult) error {
	status := http.StatusOK
	if out.Code != "" {
		status = codes[codeInTable(out.Code)].status
	}
	return s.answer(w, status, out.Body)
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
