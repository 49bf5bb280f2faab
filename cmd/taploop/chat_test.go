//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
)

// described sends requests and holds them and their answers against the server's own description.
type described struct {
	*httpClient
	doc validator.Validator
}

func newDescribed(t testing.TB, v *httpClient) *described {
	t.Helper()
	resp := v.open("GET", "/v1/openapi.json", "")
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	doc, err := libopenapi.NewDocument(text)
	require.NoError(t, err)
	valid, errs := validator.NewValidator(doc)
	require.Empty(t, errs)
	ok, problems := valid.ValidateDocument()
	require.True(t, ok, "%v", problems)
	return &described{v, valid}
}

// does sends a request as described, and wants an answer as described.
func (d *described) does(method, path, body string, key string) (int, map[string]any) {
	d.t.Helper()
	r, err := http.NewRequestWithContext(d.t.Context(), method, d.base+path,
		strings.NewReader(body))
	require.NoError(d.t, err)
	r.Header = d.header.Clone()
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	resp, err := http.DefaultClient.Do(r)
	require.NoError(d.t, err)
	text, err := io.ReadAll(resp.Body)
	require.NoError(d.t, err)
	require.NoError(d.t, resp.Body.Close())
	resp.Body = io.NopCloser(bytes.NewReader(text))
	r.Body = io.NopCloser(strings.NewReader(body))
	if resp.StatusCode < 300 {
		ok, problems := d.doc.ValidateHttpRequest(r)
		require.True(d.t, ok, "%s %s %s: %v", method, path, body, problems)
		r.Body = io.NopCloser(strings.NewReader(body))
	}
	ok, problems := d.doc.ValidateHttpResponse(r, resp)
	require.True(d.t, ok, "%s %s gives %d %s: %v", method, path, resp.StatusCode, text, problems)
	require.NotContains(d.t, string(text), "ask_agent", "it names calls of MCP")
	var m map[string]any
	require.NoError(d.t, json.Unmarshal(text, &m), "%s", text)
	return resp.StatusCode, m
}

// sees fetches what is no JSON, or never ends, and wants it as described.
func (d *described) sees(path, kind string) {
	d.t.Helper()
	resp := d.open("GET", path, "")
	require.Equal(d.t, 200, resp.StatusCode, path)
	require.True(d.t, strings.HasPrefix(resp.Header.Get("Content-Type"), kind), path)
	begun := make([]byte, 512)
	n, err := io.ReadAtLeast(resp.Body, begun, 1)
	require.NoError(d.t, err)
	require.NoError(d.t, resp.Body.Close())
	resp.Body = io.NopCloser(bytes.NewReader(begun[:n]))
	ok, problems := d.doc.ValidateHttpRequest(resp.Request)
	require.True(d.t, ok, "%s: %v", path, problems)
	ok, problems = d.doc.ValidateHttpResponse(resp.Request, resp)
	require.True(d.t, ok, "%s: %v", path, problems)
}

func jsonOf(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

// A whole task over REST: started, refused twice, steered, answered, and all as described.
func TestATaskIsDoneOverREST(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	s, token := b.openAs("laptop", modern)
	d := newDescribed(t, newHTTPClient(t, s.url, token))
	start := jsonOf(t, map[string]any{"task": b.task.Goal, "wait_seconds": 20})
	status, begun := d.does("POST", "/v1/sessions", start, "k1")
	require.Equal(t, 201, status)
	require.Equal(t, "WAITING_REPLY", begun["state"])
	at := "/v1/sessions/" + begun["session_id"].(string)
	require.Equal(t, map[string]any{"tool": "POST " + at + "/continue",
		"arguments": map[string]any{
			"question_id": begun["question"].(map[string]any)["question_id"]},
		"why": "the agent asks something that only your user can answer; " +
			"add reply_from_client with your user's own answer"}, begun["next"])
	status, again := d.does("POST", "/v1/sessions", start, "k1")
	require.Equal(t, 201, status)
	require.Equal(t, begun["session_id"], again["session_id"], "the same call is the same session")

	for body, want := range map[string]int{`{"task":""}`: 400, `{"task":"x","max":1}`: 400,
		`{"task":"x","device_id":"none"}`: 404, jsonOf(t, map[string]any{"task": "x"}): 409,
		`[]`: 400, `{"task":"x"`: 400} {
		status, refused := d.does("POST", "/v1/sessions", body, "")
		require.Equal(t, want, status, "%s: %v", body, refused)
		require.NotEmpty(t, refused["error"].(map[string]any)["mend"])
	}
	for path, want := range map[string]int{at + "/message": 400, at + "/continue": 200,
		"/v1/sessions/nosuch/continue": 404} {
		status, got := d.does("POST", path, "{}", "")
		require.Equal(t, want, status, "%v", got)
	}
	for range 2 {
		status, said := d.does("POST", at+"/message", `{"text":"be quick","mode":"note"}`, "m1")
		require.Equal(t, 200, status, "%v", said)
		require.Equal(t, "WAITING_REPLY", said["state"])
	}
	status, paused := d.does("POST", at+"/pause", "", "")
	require.Equal(t, 200, status)
	require.Equal(t, "PAUSED", paused["state"])
	isSeenAndTouchedAsDescribed(b, d, s.url, at)
	status, asks := d.does("POST", at+"/continue", `{"wait_seconds":20}`, "")
	require.Equal(t, 200, status, "%v", asks)
	require.Equal(t, "WAITING_REPLY", asks["state"], "the phone was handed back: it asks anew")
	status, done := d.does("POST", at+"/continue",
		jsonOf(t, map[string]any{"reply_from_client": "42", "wait_seconds": 20}), "k2")
	require.Equal(t, 200, status, "%v", done)
	require.Equal(t, "COMPLETED", done["state"], "%v", done)
	require.NotEmpty(t, done["answer"])
	b.done(tripTouches)
	status, late := d.does("POST", at+"/message", `{"text":"wait"}`, "")
	require.Equal(t, 409, status)
	require.Equal(t, "RUN_ENDED", late["error"].(map[string]any)["code"])
	var said int
	for _, e := range b.audit("--session", begun["session_id"].(string)) {
		if e.Event == "said" {
			said++
		}
	}
	require.Equal(t, 1, said, "it was sent twice under one key")
	for _, path := range []string{"/v1/sessions", at, at + "/steps", "/v1/inquiries",
		"/v1/inquiries/" + begun["question"].(map[string]any)["question_id"].(string)} {
		status, _ := d.does("GET", path, "", "")
		require.Equal(t, 200, status)
	}
}

// isSeenAndTouchedAsDescribed takes the phone over from a session, touches it once, and hands it
// back.
func isSeenAndTouchedAsDescribed(b *testEnv, d *described, url, at string) {
	out, _, code := b.run("token", "create", "--name", "ann", "--person",
		"--for", "laptop")
	require.Zero(b.t, code)
	ann := &described{newHTTPClient(b.t, url, strings.TrimSpace(out)), d.doc}
	_, steps := d.does("GET", at+"/steps", "", "")
	step := steps["steps"].([]any)[0].(map[string]any)
	d.sees(step["screenshot_url"].(string), "image/jpeg")
	d.sees("/v1/events", "text/event-stream")
	live := "/v1/devices/sandbox-1/live"
	status, refused := ann.does("GET", live, "", "")
	require.Equal(b.t, 409, status, "a paused run leaves the phone to others")
	require.Equal(b.t, "NOTHING_TO_TAKE_OVER", refused["error"].(map[string]any)["code"])

	touch := `{"type":"key","key":"wakeup"}`
	status, refused = ann.does("POST", "/v1/devices/sandbox-1/input", touch, "")
	require.Equal(b.t, 409, status)
	require.Equal(b.t, "NOTHING_TO_TAKE_OVER", refused["error"].(map[string]any)["code"])
	status, taken := ann.does("POST", at+"/takeover", "", "")
	require.Equal(b.t, 200, status, "%v", taken)
	ann.sees(live, "multipart/x-mixed-replace")
	status, _ = ann.does("POST", "/v1/devices/sandbox-1/input", touch, "")
	require.Equal(b.t, 200, status)
	status, _ = ann.does("POST", "/v1/devices/sandbox-1/input", `{"type":"dance"}`, "")
	require.Equal(b.t, 400, status)
	for _, how := range []string{"/stop", "/pause"} {
		status, refused = d.does("POST", at+how, "", "")
		require.Equal(b.t, 403, status, "%v", refused)
		require.Equal(b.t, "DECISION_FORBIDDEN", refused["error"].(map[string]any)["code"])
	}
	question := taken["question"].(map[string]any)["question_id"].(string)
	status, back := ann.does("POST", "/v1/inquiries/"+question+"/reply", `{"type":"done"}`, "")
	require.Equal(b.t, 200, status, "%v", back)
}

// chunk is one of a streamed chat completion.
type chunk struct {
	ID      string
	Choices []struct {
		Delta struct {
			Content string
			Extra   map[string]string `json:"chatos_additional_data"`
		}
		Finish string `json:"finish_reason"`
	}
	Agent map[string]string `json:"agent_info"`
	raw   string
	at    time.Time
}

// talks sends a streamed turn, and gives its chunks.
func (v *httpClient) talks(messages ...map[string]string) (list []chunk) {
	v.t.Helper()
	resp := v.open("POST", "/v1/chat/completions", jsonOf(v.t, map[string]any{"model": "taploop",
		"stream": true, "messages": messages}))
	require.Equal(v.t, 200, resp.StatusCode)
	require.Equal(v.t, "text/event-stream", resp.Header.Get("Content-Type"))
	scan := bufio.NewScanner(resp.Body)
	for scan.Scan() {
		text, is := strings.CutPrefix(scan.Text(), "data: ")
		if !is || text == "[DONE]" {
			continue
		}
		c := chunk{raw: text, at: time.Now()}
		require.NoError(v.t, json.Unmarshal([]byte(text), &c), text)
		list = append(list, c)
	}
	require.NoError(v.t, scan.Err())
	return list
}

func says(list []chunk) (words string) {
	for _, c := range list {
		words += c.Choices[0].Delta.Content
	}
	return words
}

func TestAConversationDrivesAPhone(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	s, token := b.openAs("laptop", modern)
	v := newHTTPClient(t, s.url, token)
	d := newDescribed(t, v)
	status, models := d.does("GET", "/v1/models", "", "")
	require.Equal(t, 200, status)
	require.Len(t, models["data"], 2)
	status, _ = d.does("GET", "/v1/models/nosuch", "", "")
	require.Equal(t, 404, status)

	ask := map[string]string{"role": "user", "content": b.task.Goal}
	first := v.talks(ask)
	words := says(first)
	require.Regexp(t, `^\[//\]: # \(taploop \w+\)\n\n1\. `, words)
	require.Contains(t, words, "Which size do you wear?")
	question := b.questions()[0]
	var golden string
	for _, c := range first {
		if c.Choices[0].Delta.Extra != nil {
			golden = c.raw
		}
		require.Equal(t, "chatcmpl-"+question.RunID, c.ID)
		require.Equal(t, map[string]string{"name": "taploop", "run_id": question.RunID}, c.Agent)
	}
	var frame struct {
		Choices []struct {
			Delta map[string]map[string]string `json:"delta"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(golden), &frame))
	require.JSONEq(t, `{"method":"notifications/progress","params":{"meta":{"question":`+
		jsonOf(t, question.Text)+`,"inquiryId":"`+question.ID+`","type":"INQUIRY"},`+
		`"progressToken":1,"progress":4,"total":null,"message":null,`+
		`"method":"notifications/progress"},"jsonrpc":"2.0"}`,
		frame.Choices[0].Delta["chatos_additional_data"]["mcp_progress_notification_data"])
	require.Equal(t, "stop", first[len(first)-1].Choices[0].Finish)

	body := jsonOf(t, map[string]any{"model": "taploop", "messages": []map[string]string{ask,
		{"role": "assistant", "content": words}, {"role": "user", "content": "42"}}})
	for range 2 { // as clients do whose connection has broken
		status, done := d.does("POST", "/v1/chat/completions", body, "k")
		require.Equal(t, 200, status, "%v", done)
		choice := done["choices"].([]any)[0].(map[string]any)
		message := choice["message"].(map[string]any)["content"]
		require.Contains(t, message, "taploop "+question.SessionID)
		require.NotContains(t, message, "settled")
	}
	b.done(tripTouches)

	for name, c := range map[string]struct {
		status int
		body   string
	}{
		"no mark": {400, `{"model":"taploop","messages":[{"role":"user","content":"a"},` +
			`{"role":"assistant","content":"b"},{"role":"user","content":"c"}]}`},
		"no words":    {400, `{"model":"taploop","messages":[{"role":"user","content":" "}]}`},
		"no messages": {400, `{"model":"taploop","messages":[]}`},
		"a picture": {400, `{"model":"taploop","messages":[{"role":"user",` +
			`"content":[{"type":"image_url"}]}]}`},
		"no such phone": {404, `{"model":"x","messages":[{"role":"user","content":"a"}]}`},
		"no session": {404, `{"model":"taploop","metadata":{"session_id":"nosuch"},` +
			`"messages":[{"role":"user","content":"a"}]}`},
		"garbage": {400, `{`},
	} {
		status, refused := d.does("POST", "/v1/chat/completions", c.body, "")
		require.Equal(t, c.status, status, "%s: %v", name, refused)
	}
	other := newHTTPClient(t, s.url, b.token("other"))
	resp := other.open("POST", "/v1/chat/completions", body)
	require.Equal(t, 404, resp.StatusCode, "another token does not get into the session")
	resp = newHTTPClient(t, s.url, "").open("POST", "/v1/chat/completions", body)
	require.Equal(t, 401, resp.StatusCode)
}

// A client that goes away in the middle stops nothing, and its conversation goes on where the run
// is by then. Another conversation that began with the same words is another one.
func TestAConversationOutlivesItsClient(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	s, token := b.openAs("laptop", modern)
	v := newHTTPClient(t, s.url, token)
	ask := map[string]string{"role": "user", "content": b.task.Goal}
	request := map[string]any{"model": "taploop", "stream": true,
		"messages": []map[string]string{ask}}
	resp := v.open("POST", "/v1/chat/completions", jsonOf(t, request))
	words, lines := "", bufio.NewScanner(resp.Body)
	for !strings.Contains(words, "1. ") {
		require.True(t, lines.Scan(), "the stream ended: %v", lines.Err())
		var c chunk
		if text, is := strings.CutPrefix(lines.Text(), "data: "); is {
			require.NoError(t, json.Unmarshal([]byte(text), &c))
			words += c.Choices[0].Delta.Content
		}
	}
	require.NoError(t, resp.Body.Close())

	var question inquiry.Question
	require.Eventually(t, func() bool {
		if list := b.questions(); len(list) == 1 {
			question = list[0]
			return true
		}
		return false
	}, patience, 10*time.Millisecond, "the run went on to its question")
	require.Contains(t, words, "(taploop "+question.SessionID)

	resp = v.open("POST", "/v1/chat/completions", jsonOf(t, request))
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, 409, resp.StatusCode, "%s", text)
	require.Contains(t, string(text), "DEVICE_BUSY", "it is not taken for the first one")

	said := []map[string]string{ask, {"role": "assistant", "content": words},
		{"role": "user", "content": "42"}}
	seen := says(v.talks(said...))
	require.Contains(t, seen, "Which size do you wear?")
	require.NotContains(t, seen, "in your size", "42 was no answer to what nobody had seen")
	done := says(v.talks(append(said, map[string]string{"role": "assistant", "content": seen},
		map[string]string{"role": "user", "content": "42"})...))
	require.Contains(t, done, "(taploop "+question.SessionID)
	require.Contains(t, done, "in your size")
	b.done(tripTouches)
	again := says(v.talks(ask))
	require.Contains(t, again, "(taploop ")
	require.NotContains(t, again, question.SessionID, "another conversation of the same words")
}
