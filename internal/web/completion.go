package web

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/mcp/wire"
	"github.com/taploop/taploop/internal/runs"
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
	model := cmp.Or(t.Model, anyPhone)
	return completion{ID: "chatcmpl-" + t.now.Run.ID, Created: time.Now().Unix(), Object: object,
		Model: model, Agent: agentInfo{"taploop", t.now.Run.ID}}
}

// finish is why the answer ends: with "length" there is more to come.
func (t *chatTurn) finish() *string {
	why := "stop"
	if going(t.now) && t.now.Question == nil {
		why = "length"
	}
	return &why
}

func (t *chatTurn) usage() *chatUsage {
	u := t.now.Usage
	return &chatUsage{u.PromptTokens, u.CompletionTokens, u.PromptTokens + u.CompletionTokens}
}

// data is an event without a name.
func data(v any) []byte {
	b, _ := json.Marshal(v) // these types cannot fail
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
	case status == http.StatusTooManyRequests:
		kind = "rate_limit_error"
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
