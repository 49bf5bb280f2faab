package scripted_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/taploop/taploop/internal/model/scripted"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func handler(t *testing.T, yaml string) *scripted.Handler {
	t.Helper()
	s, err := scripted.Parse([]byte(yaml))
	require.NoError(t, err)
	return scripted.NewHandler(s)
}

// user is the JSON of a request whose last user message says the text.
func user(text string) string {
	b, _ := json.Marshal(map[string]any{"model": "m", "messages": []any{
		map[string]any{"role": "user", "content": "an older turn"},
		map[string]any{"role": "assistant", "content": nil},
		map[string]any{
			"role": "user", "content": []any{map[string]any{"type": "text", "text": text}},
		},
		map[string]any{"role": "assistant", "content": "a beginning"},
	}})
	return string(b)
}

func post(h http.Handler, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w,
		httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(body)))
	return w
}

type completion struct {
	ID      string
	Object  string
	Model   string
	Choices []struct {
		Message struct {
			Content          *string
			ReasoningContent string `json:"reasoning_content"`
			ToolCalls        []struct {
				ID, Type string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
		FinishReason string `json:"finish_reason"`
	}
	Usage struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
		Total      int `json:"total_tokens"`
	}
	Error struct{ Message, Type, Code string }
}

func decode(t *testing.T, w *httptest.ResponseRecorder) completion {
	t.Helper()
	require.Equal(t, "application/json", w.Header().Get("Content-Type"))
	var c completion
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &c), w.Body.String())
	return c
}

// says posts the text and returns the reply's.
func says(t *testing.T, h http.Handler, text string) string {
	t.Helper()
	w := post(h, user(text))
	require.Equal(t, 200, w.Code, w.Body.String())
	return *decode(t, w).Choices[0].Message.Content
}

func TestTheFirstRuleThatMatchesAndMayAnswers(t *testing.T) {
	h := handler(t, `
rules:
  - {when: 'alarm', times: 2, reply: first}
  - {when: '(?s)alarm.*now', reply: second}
  - {when: '^$', reply: silence}
  - {when: 'older', reply: wrong, times: 1}
  - {when: '(?i)OTHER', reply: other}
`)
	require.Equal(t, "first", says(t, h, "an alarm"))
	require.Equal(t, "other", says(t, h, "Other"))
	require.Equal(t, "first", says(t, h, "an alarm"))
	require.Equal(t, "second", says(t, h, "an alarm\nright now"))
	require.Equal(t, "silence", says(t, h, ""))
	require.Equal(t, 400, post(h, user("an alarm")).Code,
		"the first is used up and the second does not match")
	require.Equal(t, "first",
		says(t, handler(t, "rules: [{when: alarm, times: 1, reply: first}]"), "alarm"),
		"another handler counts anew")
}

func TestARequestWithoutARuleIsRefusedWithTheScriptAndTheText(t *testing.T) {
	w := post(handler(t, "rules: [{when: alarm, reply: a}]"),
		user("open \"Notes\" "+strings.Repeat("x", 5000)+" the end"))
	require.Equal(t, 400, w.Code)
	c := decode(t, w)
	require.Equal(t, "invalid_request_error", c.Error.Type)
	require.Contains(t, c.Error.Message, `script has no rule for this: "open \"Notes\" xxx`)
	require.Contains(t, c.Error.Message, `xxx the end"`)
	require.Less(t, len(c.Error.Message), 3000)
}

func TestWhatTheExpressionCaughtGoesIntoTheReply(t *testing.T) {
	h := handler(t, `
rules:
  - when: 'size (?P<size>.+)\.|colour (?P<colour>.+)\.'
    reply: "type ${size}${colour} for $${size} $size $$"
    reasoning: they said ${size}
    tool_calls:
      - {name: type_text, arguments: {text: '${size}', n: 2}}
`)
	w := post(h, user(`size "XL" \ ${colour} 大.`))
	c := decode(t, w)
	m := c.Choices[0].Message
	require.Equal(t, `type "XL" \ ${colour} 大 for ${size} $size $$`, *m.Content)
	require.Equal(t, `they said "XL" \ ${colour} 大`, m.ReasoningContent)
	require.JSONEq(t, `{"text":"\"XL\" \\ ${colour} 大","n":2}`, m.ToolCalls[0].Function.Arguments)
	require.Equal(t, "type_text", m.ToolCalls[0].Function.Name)
	require.Equal(t, "tool_calls", c.Choices[0].FinishReason)
	require.Equal(t, "type red for ${size} $size $$", says(t, h, "colour red."))
}

func TestRepliesHaveTheFormOfARealEndpoint(t *testing.T) {
	h := handler(
		t,
		"rules:\n  - {when: long, reply: cut, finish_reason: length}\n  - {when: think, "+
			"reasoning: only}\n  - {when: call, tool_calls: [{name: back}]}\n  - {reply: hello}\n",
	)
	w := post(h, user("x"))
	c := decode(t, w)
	require.Equal(t, "chat.completion", c.Object)
	require.Equal(t, "m", c.Model)
	require.Equal(t, "stop", c.Choices[0].FinishReason)
	require.True(t, strings.HasPrefix(c.ID, "chatcmpl-"))
	require.Equal(t, c.ID, decode(t, post(h, user("x"))).ID, "the same again has the same id")
	require.Equal(t, c.Usage, decode(t, post(h, user("x"))).Usage)
	require.Equal(t, c.Usage.Prompt+c.Usage.Completion, c.Usage.Total)
	require.Equal(t, "length", decode(t, post(h, user("long"))).Choices[0].FinishReason)
	require.Equal(t, "only", decode(t, post(h, user("think"))).Choices[0].Message.ReasoningContent)
	call := decode(t, post(h, user("call"))).Choices[0].Message
	require.Nil(t, call.Content)
	require.Equal(t, "{}", call.ToolCalls[0].Function.Arguments)
	require.Greater(t, decode(t, post(h, user(strings.Repeat("word ", 400)))).Usage.Prompt,
		c.Usage.Prompt+400)
}

func dataURL(t *testing.T, format string, w, h int) string {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	img.Set(0, 0, color.White)
	var b bytes.Buffer
	if format == "png" {
		require.NoError(t, png.Encode(&b, img))
	} else {
		require.NoError(t, jpeg.Encode(&b, img, nil))
	}
	return "data:image/" + format + ";base64," + base64.StdEncoding.EncodeToString(b.Bytes())
}

func withImage(url string) string {
	return fmt.Sprintf(
		`{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"a"},`+
			`{"type":"image_url","image_url":{"url":%q}},{"type":"text","text":"b"}]}]}`,
		url,
	)
}

func TestRequestsAreCheckedAsARealEndpointDoes(t *testing.T) {
	h := handler(t, "rules: [{reply: a}]")
	good := dataURL(t, "jpeg", 200, 200)
	head := len("data:image/jpeg;base64,")
	cut := head + (len(good)-head-16)&^3
	message := func(content string) string {
		return `{"model":"m","messages":[{"role":"user","content":` + content + `}]}`
	}
	for name, tc := range map[string]struct {
		body string
		want string
		code int
	}{
		"no JSON":    {"hello", "could not parse the JSON body", 400},
		"nothing":    {"", "could not parse the JSON body", 400},
		"two values": {message(`"x"`) + "{}", "could not parse the JSON body", 400},
		"a list":     {"[]", "could not parse the JSON body", 400},
		"no model": {
			`{"messages":[{"role":"user","content":"x"}]}`, "you must provide a model parameter",
			400,
		},
		"a model of nothing": {
			`{"model":"","messages":[{"role":"user","content":"x"}]}`,
			"you must provide a model parameter", 400,
		},
		"a model that is 5": {`{"model":5}`, "invalid request", 400},
		"no messages":       {`{"model":"m"}`, "messages: a list of at least one", 400},
		"empty messages": {
			`{"model":"m","messages":[]}`, "messages: a list of at least one", 400,
		},
		"a wrong role": {
			`{"model":"m","messages":[{"role":"bot","content":"x"}]}`, `messages[0]: role: "bot"`,
			400,
		},
		"no content": {
			`{"model":"m","messages":[{"role":"user"}]}`, "messages[0]: content is required", 400,
		},
		"content of a number": {message("5"), "neither a string nor a list", 400},
		"an unknown part":     {message(`[{"type":"audio"}]`), `content[0]: type "audio"`, 400},
		"a part without URL": {
			message(`[{"type":"image_url"}]`), `content[0]: type "image_url"`, 400,
		},
		"a stream": {
			`{"model":"m","stream":true,"messages":[{"role":"user","content":"x"}]}`,
			"whole replies only", 400,
		},
		"a web address": {
			withImage("https://example.com/a.jpg"),
			"messages[0]: content[1]: image_url: want a data:image/jpeg", 400,
		},
		"no base64": {withImage("data:image/jpeg;base64,###"), "is not base64", 400},
		"no picture": {
			withImage("data:image/jpeg;base64,aGVsbG8="), "the data is no picture", 400,
		},
		"another kind": {
			withImage(strings.Replace(good, "jpeg", "png", 1)),
			"the data is jpeg, not what data:image/png says", 400,
		},
		"half a picture": {withImage(good[:cut]), "the data is no picture", 400},
		"a good one":     {withImage(good), "", 200},
		"a good PNG":     {withImage(dataURL(t, "png", 8, 8)), "", 200},
		"plain content":  {message(`"x"`), "", 200},
	} {
		t.Run(name, func(t *testing.T) {
			w := post(h, tc.body)
			require.Equal(t, tc.code, w.Code, w.Body.String())
			require.Contains(t, decode(t, w).Error.Message, tc.want)
		})
	}
	require.Equal(t, 413, post(h, strings.Repeat(" ", 33<<20)).Code)
}

func TestPathsAndMethods(t *testing.T) {
	h := handler(t, "rules: [{reply: a}]")
	do := func(method, path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(user("x"))))
		return w
	}
	for _, tc := range []struct {
		method, path string
		code         int
	}{
		{"POST", "/v1/chat/completions", 200},
		{"POST", "/chat/completions", 200},
		{"POST", "/any/prefix/chat/completions", 200},
		{"GET", "/v1/chat/completions", 405},
		{"POST", "/v1/models", 405},
		{"POST", "/v1/completions", 404},
	} {
		require.Equal(t, tc.code, do(tc.method, tc.path).Code, "%s %s", tc.method, tc.path)
	}
	require.Equal(t, http.MethodPost, do("GET", "/v1/chat/completions").Header().Get("Allow"))
	var list struct{ Data []struct{ ID string } }
	require.NoError(t, json.Unmarshal(do("GET", "/v1/models").Body.Bytes(), &list))
	require.Equal(t, []struct{ ID string }{{"scripted"}}, list.Data)
}

func TestFaultsOfTheScript(t *testing.T) {
	h := handler(
		t,
		"rules:\n  - {when: 'busy (?P<who>.*)', status: 429, reply: 'slow down "+
			"${who}'}\n  - {when: dead, status: 503}\n",
	)
	w := post(h, user("busy bee"))
	require.Equal(t, 429, w.Code)
	require.Equal(t, "slow down bee", decode(t, w).Error.Message)
	w = post(h, user("dead"))
	require.Equal(t, 503, w.Code)
	require.Equal(t, "Service Unavailable", decode(t, w).Error.Message)
}

func TestTheObserverSeesRequestsWithTheirPictures(t *testing.T) {
	h := handler(t, "rules: [{when: nothing, reply: a}, {when: a, reply: b}]")
	var seen []*scripted.Request
	h.Observe = func(r *scripted.Request) { seen = append(seen, r) }
	require.Equal(t, 200, post(h, withImage(dataURL(t, "jpeg", 20, 10))).Code)
	require.Equal(t, 400, post(h, user("zzz")).Code)
	require.Equal(t, 400, post(h, "broken").Code)
	require.Len(t, seen, 2)
	require.Equal(t, "a\nb", seen[0].Asked())
	require.Equal(t, image.Pt(20, 10), seen[0].Messages[0].Images[0].Bounds().Size())
	require.Equal(t, []int{2, 0}, []int{seen[0].Rule, seen[1].Rule})
	require.Equal(t, withImage(dataURL(t, "jpeg", 20, 10)), string(seen[0].Body))
}

func TestADelayIsKeptAndEndsWithItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := handler(t, "rules: [{reply: a, delay: 90s}]")
		start := time.Now()
		require.Equal(t, 200, post(h, user("x")).Code)
		require.Equal(t, 90*time.Second, time.Since(start))

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start = time.Now()
		w := httptest.NewRecorder()
		h.ServeHTTP(
			w,
			httptest.NewRequest("POST", "/chat/completions",
				strings.NewReader(user("x"))).WithContext(
				ctx,
			),
		)
		require.Equal(t, time.Second, time.Since(start))
		require.Equal(t, 503, w.Code)
	})
}

func TestCloseWaitsForTheRequestThatIsBeingAnswered(t *testing.T) {
	h := handler(t, "rules: [{reply: a, delay: 1h}]")
	inside := make(chan struct{})
	h.Observe = func(*scripted.Request) { close(inside) }
	s, err := scripted.Start(t.Context(), "127.0.0.1:0", h)
	require.NoError(t, err)
	got := make(chan error, 1)
	go func() {
		resp, err := http.Post(s.BaseURL+"/chat/completions", "application/json",
			strings.NewReader(user("x")))
		if err == nil {
			var b []byte
			if b, err = io.ReadAll(resp.Body); err == nil &&
				!strings.Contains(string(b), "is closing") {
				err = fmt.Errorf("answered %s: %s", resp.Status, b)
			}
			_ = resp.Body.Close()
		}
		got <- err
	}()
	<-inside
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	require.NoError(t, <-got)
	_, err = http.Get(s.BaseURL + "/models")
	require.Error(t, err, "nobody listens any more")
	http.DefaultClient.CloseIdleConnections()
}

func TestTheServerEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s, err := scripted.Start(ctx, "", handler(t, "rules: [{reply: a}]"))
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(s.BaseURL, "http://127.0.0.1:"))
	cancel()
	require.NoError(t, s.Close())
}
