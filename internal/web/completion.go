package web

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/mcp/wire"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/usecase"
)

// completion is an answer in the form of OpenAI's chat completions, or a chunk of one.
type completion struct {
	ID      string       `json:"id"`
	Created int64        `json:"created"`
	Object  string       `json:"object"`
	Model   string       `json:"model"`
	Choices []chatChoice `json:"choices"`
	Usage   *chatUsage   `json:"usage,omitempty"`
	Agent   agentInfo    `json:"agent_info"`
}

type chatChoice struct {
	Index   int        `json:"index"`
	Delta   *chatDelta `json:"delta,omitempty"`
	Message *chatDelta `json:"message,omitempty"`
	Finish  *string    `json:"finish_reason"`
}

type chatDelta struct {
	Role    string      `json:"role,omitempty"`
	Content *string     `json:"content,omitempty"`
	Extra   *chatosData `json:"chatos_additional_data,omitempty"`
}

// chatosData is how OpenLM's inquiry service passes a question on in a chunk: the notification of
// MCP, whole, as a text.
type chatosData struct {
	Notification string `json:"mcp_progress_notification_data"`
}

type agentInfo struct {
	Name string `json:"name"`
	Run  string `json:"run_id"`
}

type chatUsage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

// inquiryNotice is the notification that tells of a question; the keys and their order are those of
// OpenLM's inquiry service.
type inquiryNotice struct {
	Method  string       `json:"method"`
	Params  noticeParams `json:"params"`
	Version string       `json:"jsonrpc"`
}

type noticeParams struct {
	Meta struct {
		Question string `json:"question"`
		ID       string `json:"inquiryId"`
		Type     string `json:"type"`
	} `json:"meta"`
	Token    int     `json:"progressToken"`
	Progress float64 `json:"progress"`
	Total    *int    `json:"total"`
	Message  *string `json:"message"`
	Method   string  `json:"method"`
}

func noticeOf(n *runs.Status) *chatosData {
	out := inquiryNotice{Method: "notifications/progress", Version: "2.0"}
	out.Params.Method, out.Params.Token = out.Method, 1
	out.Params.Progress = float64(n.Local)
	out.Params.Meta.Question, out.Params.Meta.ID = n.Question.Text, n.Question.ID
	out.Params.Meta.Type = "INQUIRY"
	b, _ := json.Marshal(out) // nothing in it can fail
	return &chatosData{string(b)}
}

// made is a completion without its choices.
func (t *chatTurn) made(object string) completion {
	model := t.Model
	if model == "" {
		model = anyPhone
	}
	return completion{ID: "chatcmpl-" + t.now.Run.ID, Created: time.Now().Unix(), Object: object,
		Model: model, Agent: agentInfo{"taploop", t.now.Run.ID}}
}

// finish is why the answer ends: with "length" there is more to come.
func (t *chatTurn) finish() *string {
	why := "stop"
	if going(t.now) {
		why = "length"
	}
	return &why
}

func (t *chatTurn) usage() *chatUsage {
	u := t.now.Usage
	return &chatUsage{u.PromptTokens, u.CompletionTokens, u.PromptTokens + u.CompletionTokens}
}

// whole answers at once, when the run asks something, rests or has ended, or patience is over.
func (t *chatTurn) whole(ctx context.Context, w http.ResponseWriter) error {
	if err := t.begin(ctx); err != nil {
		return err
	}
	var said strings.Builder
	said.WriteString(t.first())
	err := t.follow(ctx, func(line string) error {
		said.WriteString(line)
		return nil
	})
	if err != nil && !errors.Is(err, errPatience) {
		return err
	}
	said.WriteString("\n" + t.last())
	out := t.made("chat.completion")
	out.Usage = t.usage()
	words := said.String()
	message := &chatDelta{Role: "assistant", Content: &words}
	if t.now.Question != nil {
		message.Extra = noticeOf(&t.now)
	}
	out.Choices = []chatChoice{{Message: message, Finish: t.finish()}}
	body, err := json.Marshal(out)
	if err != nil {
		return err
	}
	return t.s.answer(w, http.StatusOK, body)
}

// stream answers chunk by chunk. A client that goes away detaches, and its run goes on for a while.
func (t *chatTurn) stream(ctx context.Context, l *listener) error {
	if err := t.begin(ctx); err != nil {
		return err
	}
	l.w.Header().Set("Content-Type", "text/event-stream")
	l.w.Header().Set("X-Accel-Buffering", "no")
	say := func(words string) error { return t.chunk(l, &chatDelta{Content: &words}, nil) }
	first := t.first()
	if err := t.chunk(l, &chatDelta{Role: "assistant", Content: &first}, nil); err != nil {
		return err
	}
	err := t.follow(ctx, func(line string) error {
		if err := t.s.auth.recheck(l.r, l.v); err != nil {
			return err
		}
		if line == "" {
			return l.send(wire.AppendComment(nil, "the run goes on"))
		}
		return say(line)
	})
	if err != nil {
		return err
	}
	if t.now.Question != nil {
		if err := t.chunk(l, &chatDelta{Extra: noticeOf(&t.now)}, nil); err != nil {
			return err
		}
	}
	if err := say("\n" + t.last()); err != nil {
		return err
	}
	if err := t.chunk(l, &chatDelta{}, t.finish()); err != nil {
		return err
	}
	if t.Options.Usage {
		out := t.made("chat.completion.chunk")
		out.Choices, out.Usage = []chatChoice{}, t.usage()
		if err := l.send(data(out)); err != nil {
			return err
		}
	}
	return l.send(wire.AppendEvent(nil, wire.Event{Data: []byte("[DONE]")}))
}

// chunk sends one choice.
func (t *chatTurn) chunk(l *listener, d *chatDelta, finish *string) error {
	out := t.made("chat.completion.chunk")
	out.Choices = []chatChoice{{Delta: d, Finish: finish}}
	return l.send(data(out))
}

// data is an event without a name.
func data(v any) []byte {
	b, _ := json.Marshal(v) // nothing of ours can fail
	return wire.AppendEvent(nil, wire.Event{Data: b})
}

// openAIError is a refusal in the form of OpenAI's errors.
func openAIError(f *refusal) map[string]any {
	kind := "invalid_request_error"
	switch status := codes[f.code].status; {
	case status == http.StatusUnauthorized:
		kind = "authentication_error"
	case status == http.StatusForbidden:
		kind = "permission_error"
	case status >= 500:
		kind = "server_error"
	}
	message := f.Error()
	if remedy := f.hint(); remedy != "" {
		message += " (" + remedy + ")"
	}
	return map[string]any{"error": map[string]any{"message": message, "type": kind,
		"param": nil, "code": cmp.Or(f.name, f.code)}}
}

// spokenInOpenAI reports whether what answers at a path has OpenAI's form.
func spokenInOpenAI(path string) bool {
	return path == chatPath || path == "/v1/models" || strings.HasPrefix(path, "/v1/models/")
}

// chatModel is a phone in the form of OpenAI's models.
type chatModel struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	Owner   string `json:"owned_by"`
}

// models are the phones that take tasks, behind the one that stands for the only one.
func (s *Server) models(r *http.Request, v viewer) ([]chatModel, error) {
	var phones []usecase.Phone
	q := request{line: "GET /v1/models", body: map[string]any{}, client: v.owner()}
	_, err := s.call(r.Context(), v, q, func(ctx context.Context, c *usecase.Call) (
		out *usecase.Outcome, err error) {
		phones, err = s.opts.Tasks.ListPhones(ctx, c, false)
		return nil, err
	}, nil)
	if no, is := errors.AsType[*refused](err); is {
		f := no.body.Error
		return nil, &refusal{code: codeInTable(f.Code), name: f.Code, err: errors.New(f.Message)}
	}
	if err != nil {
		return nil, err
	}
	list := []chatModel{{anyPhone, "model", 0, "taploop"}}
	for _, p := range phones {
		if p.Usable {
			list = append(list, chatModel{p.Serial, "model", 0, "taploop"})
		}
	}
	return list, nil
}

func (s *Server) listModels(w http.ResponseWriter, r *http.Request, v viewer) error {
	list, err := s.models(r, v)
	if err != nil {
		return err
	}
	return send(w, http.StatusOK, map[string]any{"object": "list", "data": list})
}

func (s *Server) getModel(w http.ResponseWriter, r *http.Request, v viewer) error {
	list, err := s.models(r, v)
	if err != nil {
		return err
	}
	for _, m := range list {
		if m.ID == r.PathValue("model") {
			return send(w, http.StatusOK, m)
		}
	}
	return refuse("model_not_found", fmt.Errorf("there is no phone %q", r.PathValue("model")))
}
