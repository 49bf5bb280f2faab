package model_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/model"
)

const (
	onlyOne = `{"error":{"code":"invalid_request_error","message":"` + "`temperature` and `top_p`" +
		` cannot both be specified for this model. Please use only one.",` +
		`"type":"invalid_request_error","param":null}}`
	unknownName = `[{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name ` +
		`\"frequency_penalty\": Cannot find field.","status":"INVALID_ARGUMENT"}}]`
	notSupported = `{"code":"Client specified an invalid argument","error":"Argument not ` +
		`supported on this model: frequencyPenalty"}`
)

func TestWhatAnEndpointRefusesInItsOwnWordsIsLeftOutFromThenOn(t *testing.T) {
	for name, tc := range map[string]struct{ body, left string }{
		"one of two":           {onlyOne, "top_p"},
		"an unknown name":      {unknownName, "frequency_penalty"},
		"a name in camel case": {notSupported, "frequency_penalty"},
		"a code without a name": {`{"error":{"message":"Unsupported parameter: 'top_p'",` +
			`"code":"unsupported_parameter"}}`, "top_p"},
	} {
		t.Run(name, func(t *testing.T) {
			e := serve(t, page{status: 400, body: tc.body}, saying("ok"))
			c := client(t, e.URL, model.Options{
				Temperature: ptr(0.1), TopP: ptr(0.95), FrequencyPenalty: ptr(0.5), MaxTokens: 99,
			})
			for range 2 {
				_, err := ask(t, c)
				require.NoError(t, err)
			}
			seen := e.requests()
			require.Len(t, seen, 3, "two for the first call, one for the second")
			require.Contains(t, seen[0].body, tc.left)
			want := seen[0].body
			delete(want, tc.left)
			require.Equal(t, want, seen[1].body, "nothing else is left out")
			require.Equal(t, want, seen[2].body)
		})
	}
}

func TestAnEndpointThatDoesNotKnowOneCallAtATimeIsAskedWithoutThat(t *testing.T) {
	for body, status := range map[string]int{
		`{"error":{"message":"Unknown parameter: 'parallel_tool_calls'.","code":` +
			`"unknown_parameter","param":"parallel_tool_calls"}}`: 400,
		`{"error":{"message":"Unrecognized request argument supplied: parallel_tool_calls"}}`: 400,
		`{"error":{"message":"parallel_tool_calls: Extra inputs are not permitted"}}`:         400,
		`{"detail":[{"type":"extra_forbidden","loc":["body","parallel_tool_calls"],` +
			`"msg":"Extra inputs are not permitted"}]}`: 422,
		`{"error":{"message":"'parallel_tool_calls' is only allowed when 'tools' are ` +
			`specified."}}`: 400,
	} {
		e := serve(t, page{status: status, body: body}, saying("ok"))
		_, err := client(t, e.URL, model.Options{}).Complete(t.Context(), model.Request{
			Messages: []model.Message{{Role: "user", Parts: []model.Part{{Text: "x"}}}},
			Tools:    []model.Tool{{Name: "tap"}}})
		require.NoError(t, err, body)
		require.Contains(t, e.requests()[0].body, "parallel_tool_calls")
		require.NotContains(t, e.requests()[1].body, "parallel_tool_calls")
	}
}

func TestARefusalOfWhatWasNotSentIsNotAskedAgain(t *testing.T) {
	for _, body := range []string{onlyOne, unknownName, notSupported} {
		e := serve(t, page{status: 400, body: body})
		_, err := ask(t, client(t, e.URL, model.Options{
			Temperature: ptr(0.1), FrequencyPenalty: ptr(0.0),
			Extra: map[string]any{"top_p": 0.5},
		}))
		require.ErrorContains(t, err, "HTTP 400")
		require.Contains(t, hint.Of(err), "`model.extra: {NAME: null}`")
		require.Len(t, e.requests(), 1)
	}
}

func TestAnEndpointWithoutToolsIsToldHowToDoWithoutThem(t *testing.T) {
	for _, body := range []string{
		`{"error":{"message":"registry.ollama.ai/library/gpt-oss does not support tools"}}`,
		`{"error":{"message":"registry.ollama.ai/library/llama3.2-vision:11b does not support ` +
			`tools","type":"invalid_request_error"}}`,
		`{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice ` +
			`and --tool-call-parser to be set","type":"BadRequestError","code":400}`,
	} {
		e := serve(t, page{status: 400, body: body})
		_, err := ask(t, client(t, e.URL, model.Options{}))
		var me *model.Error
		require.ErrorAs(t, err, &me)
		require.Equal(t, model.Rejected, me.Kind)
		require.Equal(t, "set model.dialect to general, which needs no tools", hint.Of(err), body)
		require.Len(t, e.requests(), 1)
	}
}

func TestARefusalOfToolsIsKnownByItsWords(t *testing.T) {
	for status, bodies := range map[int]map[string]bool{
		400: {
			`{"error":{"message":"x does not support tools"}}`:                               true,
			`{"error":{"message":"deepseek-reasoner does not support Function Calling"}}`:    true,
			`{"error":{"message":"Function calling is not enabled for models/gemma-3-27b"}}`: true,
			"{\"error\":{\"message\":\"`tool calling` is not supported with this model\"}}":  true,
			`{"error":{"message":"Unsupported parameter: 'tools' is not supported."}}`:       true,
			`{"error":{"message":"Unrecognized request argument supplied: tools"}}`:          true,
			`{"error":{"message":"--enable-auto-tool-choice and --tool-call-parser"}}`:       true,
			`{"error":{"message":"Invalid schema for function 'tap': x is not permitted"}}`:  false,
			`{"error":{"message":"Invalid 'tools[0].function.name': not supported"}}`:        false,
			`{"error":{"message":"tools.0.input_schema: Extra inputs are not permitted"}}`:   false,
			`{"error":{"message":"Unknown parameter: 'tools[0].strict'."}}`:                  false,
			`{"error":{"message":"the model does not support image input"}}`:                 false,
			`{"error":{"message":"prompt is too long: 9 tokens, tools are not supported"}}`:  false,
			`{"error":{"message":"images and tools"}}`:                                       false,
			`{"error":{"message":"x does not support tool_choice"}}`:                         false,
		},
		404: {
			`{"error":{"message":"No endpoints found that support tool use."}}`: true,
			`{"error":{"message":"model \"toolmaster\" not found"}}`:            false,
			`<html><title>tools</title></html>`:                                 false,
		},
		422: {
			`{"detail":[{"type":"extra_forbidden","loc":["body","tools"],"msg":"no"}]}`:  true,
			`{"detail":[{"type":"missing","loc":["body","tools",0,"name"],"msg":"no"}]}`: false,
		},
		500: {
			`{"error":{"message":"tools param requires --jinja flag"}}`: true,
			`{"error":{"message":"the tools crashed"}}`:                 false,
		},
		401: {`{"error":{"message":"this key does not support tools"}}`: false},
		429: {`{"error":{"message":"the quota does not support tools"}}`: false},
	} {
		for body, want := range bodies {
			e := serve(t, page{status: status, body: body})
			_, err := ask(t, client(t, e.URL, model.Options{Retries: -1}))
			var me *model.Error
			require.ErrorAs(t, err, &me)
			require.Equal(t, want, me.NoTools(), body)
		}
	}
}

func TestTheHintNamesTheGroupOfSettingsThatWasAskedWith(t *testing.T) {
	e := serve(t, page{status: 400, body: `{"error":"no such field: top_k"}`})
	_, err := ask(t, client(t, e.URL, model.Options{Env: "TAPLOOP_CAPTION_"}))
	require.Contains(t, hint.Of(err), "`caption.extra: {NAME: null}`")
}

func TestANullInExtraLeavesAnyParameterOut(t *testing.T) {
	e := serve(t, saying("ok"))
	_, err := ask(t, client(t, e.URL, model.Options{
		Temperature: ptr(0.1), TopP: ptr(0.95), FrequencyPenalty: ptr(0.5), MaxTokens: 99,
		Extra: map[string]any{
			"temperature": nil, "top_p": nil, "frequency_penalty": nil, "max_tokens": nil,
		},
	}))
	require.NoError(t, err)
	require.JSONEq(t, `{"model":"m","messages":[{"role":"user","content":"hello"}],"stream":false}`,
		e.requests()[0].raw)
}
