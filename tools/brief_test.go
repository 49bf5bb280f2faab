package tools_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"
	"github.com/tiktoken-go/tokenizer"

	"github.com/taploop/taploop/internal/usecase"
)

// briefly is what the start of a task returns that is not of the declared schema, which is not
// listed either.
func (w *fixture) briefly(query string, arguments in) (a answer) {
	w.t.Helper()
	req := mcp.CallToolRequest{}
	req.Params.Name, req.Params.Arguments = start, arguments
	raw, err := w.client.CallTool(w.at(query), req)
	require.NoError(w.t, err)
	require.NoError(w.t, json.Unmarshal(encode(w.t, raw.StructuredContent), &a.structured))
	require.NoError(w.t, json.Unmarshal(encode(w.t, raw.StructuredContent), &a.Result))
	a.raw, a.text = raw, w.said(raw)
	return a
}

// What a model gets of ten steps beside the text, in tokens of o200k.
func TestABriefResultIsCheap(t *testing.T) {
	o200k, err := tokenizer.Get(tokenizer.O200kBase)
	require.NoError(t, err)
	bubble(t, func(t *testing.T, w *fixture) {
		for task, keys := range map[string][]string{
			strings.Repeat("tap ", 9): {"answer", "global_step_idx", "next", "question",
				"session_id", "state", "stop_reason"},
			strings.Repeat("tap ", 9) + "ask": {"answer", "global_step_idx", "next", "question",
				"session_id", "state", "stop_reason"},
			strings.Repeat("tap ", 9) + "giveup": {"answer", "global_step_idx", "next", "question",
				"session_id", "state", "stop_reason"},
		} {
			a := w.briefly("schemas=brief", in{"task": task})
			w.call("ask_agent_stop", in{"session_id": a.SessionID})
			require.Equal(t, 10, a.Global)
			require.Equal(t, keys, slices.Sorted(maps.Keys(a.structured)), a.code())
			n, err := o200k.Count(string(encode(t, a.structured)))
			require.NoError(t, err)
			require.LessOrEqual(t, n, 250, "%s", encode(t, a.structured))
			require.Contains(t, a.text, "\n10. ", "the text has the steps")
		}
	})
}

func TestWhoeverAsksForMoreGetsTheWholeResult(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		for query, more := range map[string]in{"schemas=full": {}, "schemas=captions": {},
			"schemas=inquiry,gelab": {}, "compat=gelab&schemas=brief": {},
			"schemas=brief":   {"detail": "steps"},
			"schemas=inquiry": {"enable_intermediate_logs": true}} {
			a, err := w.try(w.at(query), start, with(in{"task": "tap"}, more), nil)
			require.NoError(t, err)
			require.Equal(t, []int{1}, indexes(a.Logs), query)
			require.NotNil(t, a.Timing, query)
		}
		a := w.briefly("schemas=inquiry", in{"task": ""})
		require.Equal(t, []string{"answer", "error", "next", "question"},
			slices.Sorted(maps.Keys(a.structured)))
	})
}

// Each rare argument is in a list that costs little.
func TestEveryArgumentIsInAGroup(t *testing.T) {
	o200k, err := tokenizer.Get(tokenizer.O200kBase)
	require.NoError(t, err)
	bubble(t, func(t *testing.T, w *fixture) {
		_, brief := w.list("schemas=brief")
		_, full := w.list("schemas=full")
		_, all := w.list("schemas=inquiry,captions,gelab")
		for i, tool := range full {
			require.ElementsMatch(t, slices.Collect(maps.Keys(tool.Input["properties"].(in))),
				slices.Collect(maps.Keys(all[i].Input["properties"].(in))), tool.Name)
		}
		properties := func(list []listed, tool string) in {
			i := slices.IndexFunc(list, func(l listed) bool { return l.Name == tool })
			return list[i].Input["properties"].(in)
		}
		require.Subset(t, properties(brief, "send_inquiry"),
			[]string{"draft", "default_answer", "on_timeout"})
		for group, has := range map[string]struct {
			tool, argument, lacks string
		}{
			"inquiry":  {"ask_agent_continue", "decisions", "queue"},
			"captions": {start, "enable_final_image_caption", "supersede"},
			"gelab":    {start, "supersede", "reply_id"},
		} {
			_, list := w.list("schemas=" + group)
			require.Contains(t, properties(list, has.tool), has.argument)
			require.NotContains(t, properties(list, has.tool), has.lacks)
			n, err := o200k.Count(w.sent("schemas=" + group))
			require.NoError(t, err)
			require.LessOrEqual(t, n, 4000, group)
		}
	})
	for _, args := range []any{usecase.Start{}, usecase.Continue{}, usecase.Inquire{}} {
		for _, f := range reflect.VisibleFields(reflect.TypeOf(args)) {
			require.NotEqual(t, "no", f.Tag.Get("listed"), f.Name)
		}
	}
}

func TestKeysOfAnAddressThatAreNotKnownAreTold(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		for _, tool := range []string{start, "list_sessions", "send_inquiry"} {
			a, err := w.try(w.at("replymode=elicit&Schema=full&utm=1"), tool,
				map[string]in{start: {"task": "tap"},
					"send_inquiry": {"prompt": "go on?", "wait_seconds": 0}}[tool], nil)
			require.NoError(t, err)
			require.False(t, a.raw.IsError, a.text)
			require.Contains(t, a.text, `these are not known, and ignored: "Schema" (did you `+
				`mean schemas?), "replymode" (did you mean reply_mode?), "utm"`)
		}
		require.NotContains(t, w.start("tap").text, "not known")
		a, err := w.try(w.at("lang=zh&utm=1"), start, in{"task": "ask"}, nil)
		require.NoError(t, err)
		require.Contains(t, a.text, "未知")
		require.Contains(t, a.last, "ask_agent_continue", "the next call is last all the same")
	})
}
