package model_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/model"
)

// reply is a completion with the members of its choice and of itself.
func reply(choice, beside string) page {
	return page{header: map[string]string{"Retry-After": "0"},
		body: fmt.Sprintf(`{"object":"chat.completion","choices":[{"index":0,%s}]%s}`, choice,
			beside)}
}

func said(finish string) string {
	return fmt.Sprintf(`"message":{"content":"type: send 15"},"finish_reason":%s`, finish)
}

// chunk is one of a stream, with an end unless that is "".
func chunk(delta, finish string) string {
	end := "null"
	if finish != "" {
		end = `"` + finish + `"`
	}
	return fmt.Sprintf(`{"object":"chat.completion.chunk","choices":[{"index":0,"delta":%s,`+
		`"finish_reason":%s}]}`, delta, end)
}

// chunk1 ends a second choice.
const chunk1 = `{"choices":[{"index":1,"delta":{"content":"b"},"finish_reason":"stop"}]}`

func TestChunksInABodyAreJoinedToTheReplyThatTheyAre(t *testing.T) {
	chunks := []string{chunk(`{"role":"assistant","content":"","reasoning":"be"}`, ""),
		chunk(`{"content":"I owe you 10","reasoning":"cause"}`, ""), chunk(`{"content":"0"}`, ""),
		chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"tap","arguments":"{\"x\""}}]}`,
			""),
		chunk(`{"tool_calls":[{"index":1,"id":"b","function":{"name":"home","arguments":null}},`+
			`{"index":0,"function":{"arguments":": 1}"}}]}`, ""),
		chunk(`{"tool_calls":[{"index":1,"id":"b","function":{"name":"home","arguments":"{}"}}]}`,
			""),
		chunk(`{"tool_calls":[{"index":1,"id":"c","function":{"name":"home","arguments":"{}"}}]}`,
			"tool_calls"),
		`{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}`}
	for name, body := range map[string]string{
		"in lines":                strings.Join(chunks, "\n") + "\n",
		"one after the other":     strings.Join(chunks, ""),
		"as events":               "data: " + strings.Join(chunks, "\n\ndata: ") + "\n\ndata: [DONE]\n",
		"with a mark of order":    "\ufeff" + strings.Join(chunks, "\r\n"),
		"as events with comments": ": hold on\n\nevent: a\nid: 1\ndata:" + strings.Join(chunks, "\r\n\r\nevent: a\r\ndata:"),
	} {
		t.Run(name, func(t *testing.T) {
			r, err := ask(t, client(t, serve(t, page{body: body}).URL, model.Options{}))
			require.NoError(t, err)
			require.Equal(t, model.Response{Text: "I owe you 100", Reasoning: "because",
				FinishReason: "tool_calls", Usage: model.Usage{PromptTokens: 3, CompletionTokens: 4},
				ToolCalls: []model.ToolCall{{ID: "a", Name: "tap", Arguments: `{"x": 1}`},
					{ID: "b", Name: "home", Arguments: "{}"}, {ID: "c", Name: "home", Arguments: "{}"}},
				Attempts: 1, Model: "m"}, r)
		})
	}
	r, err := ask(t, client(t, serve(t, page{body: chunk(`{"content":"a"}`, "length") +
		chunk(`{}`, "stop")}).URL, model.Options{}))
	require.NoError(t, err)
	require.True(t, r.Truncated())
}

func TestAReplyThatWasBrokenOffIsTriedAgainAndNeverAReply(t *testing.T) {
	for name, bad := range map[string]page{
		"an end in error":           reply(said(`"error"`), ""),
		"an end in capitals":        reply(said(`"NETWORK_ERROR"`), ""),
		"out of resources":          reply(said(`"insufficient_system_resource"`), ""),
		"aborted":                   reply(said(`"abort"`), ""),
		"a word that nobody knows":  reply(said(`"vanished"`), ""),
		"an error in the choice":    reply(said(`"stop"`)+`,"error":{"message":"died"}`, ""),
		"an error beside the reply": reply(said(`"stop"`), `,"error":{"message":"died"}`),
	} {
		t.Run(name, func(t *testing.T) {
			e := serve(t, bad, saying("ok"))
			r, err := ask(t, client(t, e.URL, model.Options{}))
			require.NoError(t, err)
			require.Equal(t, "ok", r.Text)

			e = serve(t, bad)
			_, err = ask(t, client(t, e.URL, model.Options{}))
			var me *model.Error
			require.ErrorAs(t, err, &me)
			require.Equal(t, model.ServerFault, me.Kind)
			require.Len(t, e.requests(), 3)
		})
	}
	for name, parts := range map[string][]string{
		"a chunk alone":            {chunk(`{"content":"type: send 15"}`, "")},
		"a chunk, and no last one": {chunk(`{"content":"type"}`, ""), chunk(`{"content":": "}`, "")},
		"a chunk, and half a one":  {chunk(`{"content":"type"}`, ""), `{"choices":[{"delta"`},
		"chunks before an error": {chunk(`{"content":"type"}`, ""),
			`{"error":{"message":"died"}}`},
		"a whole chunk before an error": {chunk(`{"content":"type"}`, "stop"),
			`{"error":{"message":"died"}}`},
		"a call in a chunk before an error": {chunk(`{"tool_calls":[{"index":0,"id":"1",`+
			`"function":{"name":"tap","arguments":"{}"}}]}`, ""), `{"error":"died"}`},
		"a message as a chunk": {`{"object":"chat.completion.chunk","choices":[{` +
			`"message":{"content":"half"},"finish_reason":null}]}`},
		"an error behind the reply":   {reply(said(`"stop"`), "").body, `{"error":"died"}`},
		"a fault behind the reply":    {reply(said(`"stop"`), "").body, `{"code":1,"msg":"died"}`},
		"another reply behind it":     {reply(said(`"stop"`), "").body, saying("tap").body},
		"something behind the reply":  {reply(said(`"stop"`), "").body, "<html>died</html>"},
		"an error and a good end":     {chunk(`{"content":"a"}`, "error"), chunk(`{}`, "stop")},
		"half an error behind it":     {reply(said(`"stop"`), "").body, `{"error":{"mess`},
		"chunks of two, one unended":  {chunk(`{"content":"a"}`, ""), chunk1},
		"chunks that the end is in":   {`{"choices":[{"delta":{"content":"a","finish":"stop"}}]}`},
		"events without a last chunk": {"data: " + chunk(`{"content":"a"}`, "") + "\n\ndata: [DONE]"},
	} {
		for _, between := range []string{"", "\n"} {
			t.Run(name, func(t *testing.T) {
				e := serve(t, page{body: strings.Join(parts, between),
					header: map[string]string{"Retry-After": "0"}}, saying("ok"))
				r, err := ask(t, client(t, e.URL, model.Options{}))
				require.NoError(t, err)
				require.Equal(t, "ok", r.Text)
			})
		}
	}
	e := serve(t, reply(`"message":{"content":""},"finish_reason":"error"`,
		`,"error":{"code":502,"message":"Upstream overloaded"}`))
	_, err := ask(t, client(t, e.URL, model.Options{}))
	require.ErrorContains(t, err, "Upstream overloaded", "the endpoint's own words")
}

func TestAReplyThatAFilterWithheldIsNoReplyAndNotAskedForAgain(t *testing.T) {
	for _, finish := range []string{"content_filter", "sensitive", "SAFETY", "refusal"} {
		for _, words := range []string{"", "tap 5"} {
			e := serve(t, reply(fmt.Sprintf(`"message":{"content":%q},"finish_reason":%q`, words,
				finish), ""))
			_, err := ask(t, client(t, e.URL, model.Options{}))
			var me *model.Error
			require.ErrorAs(t, err, &me, finish)
			require.Equal(t, model.Withheld, me.Kind)
			require.Contains(t, hint.Of(err), "content filter")
			require.Len(t, e.requests(), 1)
		}
	}
}

func TestAReplyThatALimitCutOffSaysSo(t *testing.T) {
	for _, finish := range []string{"length", "max_tokens", "MAX_TOKENS", "model_length",
		"model_context_window_exceeded"} {
		r, err := ask(t, client(t, serve(t, reply(said(`"`+finish+`"`), "")).URL, model.Options{}))
		require.NoError(t, err)
		require.True(t, r.Truncated(), finish)
	}
}

func TestWhatNobodyNeedsOfAReplyMayBeAnything(t *testing.T) {
	const message = `"message":{"role":"assistant","content":"tap"`
	for name, good := range map[string]page{
		"no end":                     reply(message+`}`, ""),
		"an end that is null":        reply(message+`},"finish_reason":null`, ""),
		"an end that is a number":    reply(message+`},"finish_reason":1`, ""),
		"an end that is true":        reply(message+`},"finish_reason":true`, ""),
		"an end of another family":   reply(message+`},"finish_reason":"end_turn"`, ""),
		"an end token":               reply(message+`},"finish_reason":"eos"`, ""),
		"usage in fractions":         reply(message+`}`, `,"usage":{"prompt_tokens":10.0}`),
		"usage in texts":             reply(message+`}`, `,"usage":{"prompt_tokens":"10"}`),
		"usage of details":           reply(message+`}`, `,"usage":{"prompt_tokens":10,"x":[]}`),
		"no calls, as an object":     reply(message+`,"tool_calls":{}}`, ""),
		"no calls, as false":         reply(message+`,"tool_calls":false}`, ""),
		"a refusal that is false":    reply(message+`,"refusal":false}`, ""),
		"a refusal that is a number": reply(message+`,"refusal":{"a":1}}`, ""),
		"an error that is null":      reply(message+`},"error":null`, `,"error":null`),
		"content as a part": reply(`"message":{"content":{"type":"text","text":"tap"}}`,
			""),
		"content in parts": reply(`"message":{"content":[{"text":"t"},7,{"text":"ap"}]}`,
			""),
		"a delta": reply(`"delta":{"content":"tap"},"message":null,"finish_reason":"stop"`,
			""),
		"an empty choice before it": reply(`"message":{"content":""}},{`+message+`}`, ""),
		"ids and times of any type": reply(message+`},"logprobs":3`, `,"id":4,"created":"now"`),
	} {
		t.Run(name, func(t *testing.T) {
			e := serve(t, good)
			r, err := ask(t, client(t, e.URL, model.Options{}))
			require.NoError(t, err)
			require.Equal(t, "tap", r.Text)
			require.Len(t, e.requests(), 1)
			if strings.HasPrefix(name, "usage") {
				require.Equal(t, 10, r.Usage.PromptTokens)
			}
		})
	}
	for _, usage := range []string{`[]`, `"much"`, `{"prompt_tokens":-1}`, `{"prompt_tokens":true}`,
		`{"prompt_tokens":1e999}`} {
		r, err := ask(t, client(t, serve(t, reply(message+`}`, `,"usage":`+usage)).URL,
			model.Options{}))
		require.NoError(t, err, usage)
		require.Zero(t, r.Usage.PromptTokens, usage)
	}
}

func TestAToolCallIsReadWhateverItsIDAndItsListAre(t *testing.T) {
	const call = `"function":{"name":"tap","arguments":{"x":1}}`
	for _, calls := range []string{`[{"id":1,` + call + `}]`, `[{"id":"1",` + call + `}]`,
		`{"id":1,` + call + `}`} {
		r, err := ask(t, client(t, serve(t,
			reply(`"message":{"content":null,"tool_calls":`+calls+`}`,
				"")).URL, model.Options{}))
		require.NoError(t, err)
		require.Equal(t, []model.ToolCall{{ID: "1", Name: "tap", Arguments: `{"x":1}`}},
			r.ToolCalls)
	}
}

func TestARefusalIsTakenForWhatItIs(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		kind   model.ErrorKind
		hint   string
		tries  int
	}{
		{400, `{"error":{"code":"1301","message":"输入内容可能包含不安全或敏感内容"}}`,
			model.Withheld, "content filter", 1},
		{400, `{"error":{"code":"data_inspection_failed","message":"Not allowed."}}`,
			model.Withheld, "content filter", 1},
		{400, `{"error":{"message":"Content Exists Risk"}}`, model.Withheld, "content filter", 1},
		{400, `{"message":"The decoder prompt (length 9134) is longer than the maximum model ` +
			`length of 8192."}`, model.TooLong, "longer context", 1},
		{200, `{"error":"Model does not support images."}`, model.BadReply, "takes pictures", 1},
		{500, `{"error":{"message":"this model is missing data required for image input"}}`,
			model.ServerFault, "takes pictures", 1},
		{200, `{"code":40001,"msg":"\u4f59\u989d\u4e0d\u8db3 Z"}`, model.RateLimited,
			"nothing left", 1},
		{200, `{"base_resp":{"status_code":1008,"status_msg":"insufficient balance Z"},` +
			`"choices":null}`, model.RateLimited, "nothing left", 1},
		{200, `{"detail":"field required Z"}`, model.BadReply, "OpenAI-compatible", 3},
		{200, `{"choices":[],"error":{"message":"content_filter hit Z"}}`, model.Withheld,
			"content filter", 3},
		{408, `{"error":{"message":"request timeout"}}`, model.Rejected, "try again", 3},
		{425, `{"error":{"message":"too early"}}`, model.Rejected, "try again", 3},
		{451, `{"error":{"message":"unavailable in your region"}}`, model.Rejected,
			"this region", 1},
		{429, `{"error":{"message":"\u4f59\u989d\u4e0d\u8db3"}}`, model.RateLimited,
			"nothing left", 1},
		{402, `{"error":{"message":"Insufficient credits"}}`, model.RateLimited,
			"nothing left", 1},
		{429, `{"error":{"message":"Your credit balance is too low"}}`, model.RateLimited,
			"nothing left", 1},
		{403, `{"error":{"code":"unsupported_country_region_territory","message":"Country, ` +
			`region, or territory not supported"}}`, model.Rejected, "region", 1},
		{403, `{"error":{"message":"forbidden"}}`, model.Unauthorized, "API_KEY", 1},
		{429, `{"error":{"code":"1113","message":"余额不足,请充值"}}`, model.RateLimited,
			"nothing left", 1},
		{429, `{"errors":{"message":"You have exceeded today's quota."}}`, model.RateLimited,
			"account's limits", 3},
	} {
		e := serve(t, page{status: c.status, body: c.body,
			header: map[string]string{"Retry-After": "0"}})
		_, err := ask(t, client(t, e.URL, model.Options{}))
		var me *model.Error
		require.ErrorAs(t, err, &me, c.body)
		require.Equal(t, c.kind, me.Kind, c.body)
		require.Contains(t, hint.Of(err), c.hint, c.body)
		require.Len(t, e.requests(), c.tries, c.body)
		require.NotContains(t, me.Message, "{", "words, and no JSON: %s", c.body)
		require.Equal(t, strings.Contains(c.body, "Z"), strings.Contains(me.Message, "Z"),
			me.Message)
	}
}

func TestComplaintsInAListAreToldAlsoUnder200(t *testing.T) {
	_, err := ask(t, client(t, serve(t, page{header: map[string]string{"Retry-After": "0"},
		body: `{"detail":[{"loc":["body","x"],"msg":"field required"}]}`}).URL, model.Options{}))
	require.ErrorContains(t, err, "field required")
}
