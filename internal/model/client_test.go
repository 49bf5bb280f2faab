package model_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/jpeg"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/model"
)

func TestParametersReachTheEndpointZeroIncludedButForThePenalty(t *testing.T) {
	e := serve(t, saying("ok"))
	c := client(t, e.URL+"/v1", model.Options{
		Name: "gelab", Temperature: ptr(0.0), TopP: ptr(0.95), FrequencyPenalty: ptr(0.0),
		MaxTokens: 4096,
		Extra: map[string]any{
			"top_k": 20, "chat_template_kwargs": map[string]any{"enable_thinking": false},
		},
	})
	_, err := ask(t, c)
	require.NoError(t, err)
	require.JSONEq(
		t,
		`{"model":"gelab","messages":[{"role":"user","content":"hello"}],"stream":false,
		"temperature":0,"top_p":0.95,"max_tokens":4096,"top_k":20,
		"chat_template_kwargs":{"enable_thinking":false}}`,
		e.requests()[0].raw,
	)
	require.Equal(t, "Bearer "+secretKey, e.requests()[0].header.Get("Authorization"))
	require.Equal(t, "application/json", e.requests()[0].header.Get("Content-Type"))
}

func TestWhatIsNotSetIsNotSent(t *testing.T) {
	e := serve(t, saying("ok"))
	c, err := model.New(&model.Options{BaseURL: e.URL})
	require.NoError(t, err)
	defer c.Close()
	_, err = ask(t, c)
	require.NoError(t, err)
	require.JSONEq(
		t,
		`{"model":"gelab-zero-4b-preview","messages":[{"role":"user","content":"hello"}],`+
			`"stream":false}`,
		e.requests()[0].raw,
	)
	require.NotContains(t, e.requests()[0].header, "Authorization")
}

func TestARequestsOwnParametersWinOverTheClientsAndExtraOverBoth(t *testing.T) {
	e := serve(t, saying("ok"))
	c := client(t, e.URL, model.Options{
		Temperature: ptr(0.1), TopP: ptr(0.9), MaxTokens: 10,
		Extra: map[string]any{"top_p": nil, "seed": 7, "max_tokens": 5},
	})
	r := asking("x")
	r.Temperature, r.MaxTokens = ptr(0.0), 256
	_, err := c.Complete(t.Context(), r)
	require.NoError(t, err)
	body := e.requests()[0].body
	require.Equal(t, 0.0, body["temperature"])
	require.Equal(t, 5.0, body["max_tokens"])
	require.Equal(t, 7.0, body["seed"])
	require.NotContains(t, body, "top_p")
}

func TestTheBaseURLIsKeptAsGiven(t *testing.T) {
	for given, want := range map[string]string{
		"": "/chat/completions", "/": "/chat/completions",
		"/v1": "/v1/chat/completions", "/v1/": "/v1/chat/completions",
		"/v1beta/openai//": "/v1beta/openai/chat/completions",
	} {
		e := serve(t, saying("ok"))
		_, err := ask(t, client(t, e.URL+given, model.Options{}))
		require.NoError(t, err)
		require.Equal(t, want, e.requests()[0].path, "base URL ending %q", given)
	}
}

func TestNamesOfHostedReasoningModelsAreNotRefusedByTheClient(t *testing.T) {
	for _, name := range []string{
		"o1", "o1-mini", "o3-mini", "o4-mini", "gpt-5", "gpt-5-mini", "gpt-6-sol", "gpt-6.1-sol",
		"text-davinci-003",
	} {
		e := serve(t, saying("ok"))
		c := client(t, e.URL, model.Options{
			Name: name, Temperature: ptr(0.1), TopP: ptr(0.95), FrequencyPenalty: ptr(0.5),
			MaxTokens: 99,
		})
		_, err := ask(t, c)
		require.NoError(t, err, name)
		require.Equal(t, name, e.requests()[0].body["model"])
		require.Equal(t, 99.0, e.requests()[0].body["max_tokens"])
	}
}

func TestParametersThatTheEndpointDoesNotTakeAreLeftOutFromThenOn(t *testing.T) {
	e := serve(t,
		page{
			status: 400,
			body: `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported ` +
				`with this ` +
				`model.","type":"invalid_request_error","param":"max_tokens",` +
				`"code":"unsupported_parameter"}}`,
		},
		page{
			status: 400,
			body: `{"error":{"message":"Unsupported value: 'temperature' does not support 0.1 ` +
				`with this model."}}`,
		},
		saying("ok"))
	c := client(t, e.URL, model.Options{Temperature: ptr(0.1), MaxTokens: 99})
	for range 2 {
		_, err := ask(t, c)
		require.NoError(t, err)
	}
	seen := e.requests()
	require.Len(t, seen, 4, "three for the first call, one for the second")
	for _, s := range seen[2:] {
		require.NotContains(t, s.body, "temperature")
		require.NotContains(t, s.body, "max_tokens")
		require.Equal(t, 99.0, s.body["max_completion_tokens"])
	}
}

func TestOneToolIsCalledAtATimeWhereTheEndpointCanBeTold(t *testing.T) {
	e := serve(t, saying("ok"), page{status: 400, body: `{"error":{"message":"Unsupported ` +
		`parameter: 'parallel_tool_calls' is not supported with this model."}}`}, saying("ok"))
	c := client(t, e.URL, model.Options{})
	tools := model.Request{Messages: []model.Message{{Role: "user",
		Parts: []model.Part{{Text: "x"}}}}, Tools: []model.Tool{{Name: "tap"}}}
	_, err := ask(t, c)
	require.NoError(t, err)
	_, err = c.Complete(t.Context(), tools)
	require.NoError(t, err)
	seen := e.requests()
	require.Len(t, seen, 3)
	require.NotContains(t, seen[0].body, "parallel_tool_calls", "there are no tools")
	require.Equal(t, false, seen[1].body["parallel_tool_calls"])
	require.NotContains(t, seen[2].body, "parallel_tool_calls")
	require.Contains(t, seen[2].body, "tools")
	tools.Parallel = true
	e = serve(t, saying("ok"))
	_, err = client(t, e.URL, model.Options{}).Complete(t.Context(), tools)
	require.NoError(t, err)
	require.Equal(t, true, e.requests()[0].body["parallel_tool_calls"])
}

func TestAnEndpointThatRefusesForeverIsNotAskedForever(t *testing.T) {
	e := serve(t, page{
		status: 400,
		body:   `{"error":{"message":"no","param":"temperature","code":"unsupported_value"}}`,
	})
	c := client(t, e.URL, model.Options{
		Temperature: ptr(0.1), Extra: map[string]any{"temperature": 0.3},
	})
	_, err := ask(t, c)
	require.ErrorContains(t, err, "HTTP 400: no")
	require.Len(t, e.requests(), 2)
}

func TestPicturesGoAsDataURLsInTheOrderOfTheParts(t *testing.T) {
	var pic bytes.Buffer
	require.NoError(t, jpeg.Encode(&pic, image.NewRGBA(image.Rect(0, 0, 8, 8)), nil))
	e := serve(t, saying("ok"))
	_, err := client(
		t, e.URL, model.Options{},
	).Complete(
		t.Context(),
		model.Request{Messages: []model.Message{
			{Role: "system", Parts: []model.Part{{Text: "be brief"}}},
			{
				Role: "assistant", Parts: []model.Part{{Text: ""}},
			}, // a reply that was empty, asked again: nothing to send
			{
				Role:  "user",
				Parts: []model.Part{{Text: "a<b>&c\n屏幕"}, {JPEG: pic.Bytes()}, {}, {Text: "after"}},
			},
		}},
	)
	require.NoError(t, err)
	require.Equal(t, []any{
		map[string]any{"role": "system", "content": "be brief"},
		map[string]any{"role": "user", "content": []any{
			map[string]any{"type": "text", "text": "a<b>&c\n屏幕"},
			map[string]any{
				"type": "image_url",
				"image_url": map[string]any{
					"url": "data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(
						pic.Bytes(),
					),
				},
			},
			map[string]any{"type": "text", "text": "after"},
		}},
	}, e.requests()[0].body["messages"])
}

func TestRequestsThatCannotBeMeantAreRefusedBeforeTheyAreSent(t *testing.T) {
	e := serve(t, saying("ok"))
	c := client(t, e.URL, model.Options{})
	user := func(parts ...model.Part) []model.Message {
		return []model.Message{{Role: "user", Parts: parts}}
	}
	for want, r := range map[string]model.Request{
		"nothing to ask":        {},
		"no message has a text": {Messages: user(model.Part{})},
		`message 1: role "bot"`: {Messages: []model.Message{{Role: "bot"}}},
		"part 1 has a text and a pi": {
			Messages: user(model.Part{Text: "x", JPEG: []byte{0xff, 0xd8}}),
		},
		`no JPEG: it starts "\x89PN`: {
			Messages: user(model.Part{JPEG: []byte("\x89PNG\r\n\x1a\n and more")}),
		},
		"temperature of 3": {
			Messages: user(model.Part{Text: "x"}), Temperature: ptr(3.0),
		},
	} {
		_, err := c.Complete(t.Context(), r)
		require.ErrorContains(t, err, want)
	}
	require.Empty(t, e.requests())
}

func TestRepliesAreReadInAllTheirForms(t *testing.T) {
	long := strings.Repeat("thinking ", 100)
	for name, tc := range map[string]struct {
		body string
		want model.Response
	}{
		"reasoning_content": {
			`{"model":"m1","choices":[{"message":{"content":"a","reasoning_content":"because"},` +
				`"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":4}}`,
			model.Response{
				Text: "a", Reasoning: "because", FinishReason: "stop",
				Usage: model.Usage{PromptTokens: 3, CompletionTokens: 4},
			},
		},
		"reasoning, as newer vLLM and OpenRouter say it, without usage": {
			`{"choices":[{"message":{"content":"a","reasoning":"` + long +
				`","reasoning_content":null},"finish_reason":"stop"}]}`,
			model.Response{Text: "a", Reasoning: long, FinishReason: "stop"},
		},
		"usage of null and no finish_reason": {
			`{"choices":[{"message":{"content":"a"},"finish_reason":null}],"usage":null}`,
			model.Response{Text: "a"},
		},
		"usage below zero": {
			`{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}],` +
				`"usage":{"prompt_tokens":-5,"completion_tokens":2}}`,
			model.Response{
				Text: "a", FinishReason: "stop",
				Usage: model.Usage{CompletionTokens: 2},
			},
		},
		"content in parts": {
			`{"choices":[{"message":{"content":["",{"type":"text","text":"a"},{"type":"text",` +
				`"text":"b"}]},"finish_reason":"stop"}]}`,
			model.Response{Text: "ab", FinishReason: "stop"},
		},
		"a refusal": {
			`{"choices":[{"message":{"content":null,"refusal":"I will ` +
				`not"},"finish_reason":"stop"}]}`,
			model.Response{Text: "I will not", FinishReason: "stop"},
		},
		"tool calls": {
			`{"choices":[{"message":{"content":null,"tool_calls":[{"id":"c1","type":"function",` +
				`"function":{"name":"tap","arguments":"{\"x\": ` +
				`1}"}}]},"finish_reason":"tool_calls"}]}`,
			model.Response{
				FinishReason: "tool_calls",
				ToolCalls:    []model.ToolCall{{ID: "c1", Name: "tap", Arguments: `{"x": 1}`}},
			},
		},
		"a tool call whose arguments are no text": {
			`{"choices":[{"message":{"tool_calls":[{"id":"c1","function":{"name":"tap",` +
				`"arguments":{"x": 1}}},{"function":{"name":"home","arguments":null}}]}}]}`,
			model.Response{ToolCalls: []model.ToolCall{
				{ID: "c1", Name: "tap", Arguments: `{"x": 1}`}, {Name: "home"}}},
		},
		"blanks in front, as some routers keep a line alive": {
			"\n\n   \n" + `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}` + "\n",
			model.Response{Text: "a", FinishReason: "stop"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := ask(t, client(t, serve(t, page{body: tc.body}).URL, model.Options{}))
			require.NoError(t, err)
			tc.want.Attempts, tc.want.Model = 1, "m"
			require.Equal(t, tc.want, r)
		})
	}
}

func TestAReplyThatTheTokenLimitCutOffSaysSo(t *testing.T) {
	r, err := ask(t, client(t, serve(t, page{
		body: `{"choices":[{"message":{"content":"","reasoning":"so ` +
			`I"},"finish_reason":"length"}]}`,
	}).URL, model.Options{}))
	require.NoError(t, err)
	require.True(t, r.Truncated())
	r, err = ask(t, client(t, serve(t, saying("whole")).URL, model.Options{}))
	require.NoError(t, err)
	require.False(t, r.Truncated())
}

func TestModelsAreListed(t *testing.T) {
	e := serve(t, page{body: `{"object":"list","data":[{"id":"a"},{"id":"b"}]}`})
	names, err := client(t, e.URL+"/v1", model.Options{}).Models(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b"}, names)
	require.Equal(t, "/v1/models", e.requests()[0].path)
}
