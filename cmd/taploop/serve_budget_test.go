//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"
	"github.com/tiktoken-go/tokenizer"
)

// sixSteps is a script of six steps, with as many words as a model makes of each.
func sixSteps() (script string) {
	const think = "The clock shows the list of alarms, the switch of the one at 6:00 is on the " +
		"right side of its row. I have to open the alarm first to see on which days it rings."
	for i := 6; i >= 1; i-- {
		action := fmt.Sprintf(`CLICK\tpoint:%d,%d`, 100*i, 100*i)
		when := fmt.Sprintf(`\[six steps, step %d of 6`, i-1)
		switch i {
		case 6:
			action = `COMPLETE\treturn:The alarm at 6:00 rings on weekdays, ` +
				`the one at 8:15 is gone.`
		case 1:
			when = "only these six steps"
		}
		script += fmt.Sprintf("- when: '%s'\n  reply: \"<THINK> %s </THINK>\\n"+
			"explain:Tap the alarm at 6:00 to open it\\taction:%s\\t"+
			"summary:[six steps, step %d of 6] The clock is open, the alarms are in view\"\n",
			when, think, action, i)
	}
	return script
}

// counter counts tokens of o200k.
func counter(t *testing.T) func(string) int {
	o200k, err := tokenizer.Get(tokenizer.O200kBase)
	require.NoError(t, err)
	return func(s string) int {
		n, err := o200k.Count(s)
		require.NoError(t, err)
		return n
	}
}

// What a real server lists, with its configuration's own words, is cheap, unless all is wanted.
func TestTheListOfToolsIsCheap(t *testing.T) {
	tokens := counter(t)
	eachTransport(t, func(t *testing.T, w route) {
		for args, bounds := range map[string][2]int{"brief": {1500, 3000},
			"inquiry,captions": {2500, 4500}, "full": {15_000, 30_000}} {
			list, err := newTestEnv(t, demoTask, "").open(w, "--schemas", args).c.ListTools(
				t.Context(), listTools)
			require.NoError(t, err)
			b, err := json.Marshal(list)
			require.NoError(t, err)
			require.Greater(t, tokens(string(b)), bounds[0])
			require.LessOrEqual(t, tokens(string(b)), bounds[1])
		}
	})
}

// A result costs the calling model little, and a task costs as many decisions as it has steps.
func TestSixStepsAreCheap(t *testing.T) {
	tokens := counter(t)
	eachTransport(t, func(t *testing.T, w route) {
		for _, c := range []struct {
			arguments        map[string]any
			asked            int64 // the model
			text, structured int   // tokens
			pictures         int
		}{
			{map[string]any{}, 6, 220, 250, 0},
			{map[string]any{"detail": "summary"}, 6, 100, 250, 0},
			{map[string]any{"detail": "pictures"}, 6, 250, 250, 6},
			{map[string]any{"enable_intermediate_image_caption": true,
				"enable_final_image_caption": true}, 12, 550, 250, 0},
		} {
			env := newTestEnv(t, demoTask, sixSteps())
			env.env = append(env.env, "TAPLOOP_LOOP_ASK_EARLY=off")
			s := env.open(w, "--schemas", "brief")
			arguments := map[string]any{"task": "Take only these six steps."}
			maps.Copy(arguments, c.arguments)
			st := s.follow(s.call("ask_agent_start_new_task", arguments))
			st = s.call("ask_agent_wait", map[string]any{"session_id": st.SessionID})
			require.EqualValues(t, "TASK_COMPLETED_SUCCESSFULLY", st.Reason, st.words)
			require.Equal(t, 6, st.Global)
			require.Equal(t, c.asked, env.asked.Load(), "%v", c.arguments)
			pictures := 0
			for _, block := range st.raw.Content {
				if _, is := block.(mcp.ImageContent); is {
					pictures++
				}
			}
			require.Equal(t, c.pictures, pictures)
			b, err := json.Marshal(st.raw.StructuredContent)
			require.NoError(t, err)
			structured := string(b)
			require.LessOrEqual(t, tokens(st.words), c.text, st.words)
			require.LessOrEqual(t, tokens(structured), c.structured, structured)
			require.NotContains(t, st.words+structured, "base64")
			require.True(t, strings.HasPrefix(st.words, "The task is done, after 6 steps."))
		}
	})
}

// Clients that know structured content get the object once, those that do not get it as text.
func TestOnlyOlderClientsGetTheObjectAsText(t *testing.T) {
	t.Parallel()
	for version, blocks := range map[era]int{"2024-11-05": 2, "2025-03-26": 2, "2025-06-18": 1,
		legacy: 1, modern: 1} {
		t.Run(string(version), func(t *testing.T) {
			t.Parallel()
			for _, http := range []bool{false, true} {
				s := newTestEnv(t, demoTask, "").open(route{http, version})
				for _, got := range []toolResult{s.call("list_connected_devices", nil),
					s.refused("SESSION_NOT_FOUND", "ask_agent_wait",
						map[string]any{"session_id": "nosuch"})} {
					require.Len(t, got.raw.Content, blocks, got.words)
					first, _, _ := strings.Cut(got.words, "\n")
					require.Regexp(t, `^(Phones that can be reached: 1\.|Not done: .* `+
						`\(SESSION_NOT_FOUND\)\.)$`, first)
					if blocks == 1 {
						continue
					}
					object, err := json.Marshal(got.raw.StructuredContent)
					require.NoError(t, err)
					require.JSONEq(t, string(object), got.raw.Content[1].(mcp.TextContent).Text)
				}
			}
		})
	}
}
