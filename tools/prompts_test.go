package tools_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"
	"github.com/tiktoken-go/tokenizer"

	"github.com/taploop/taploop/internal/usecase"
)

func TestEveryPromptIsWholeInBothLanguages(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		list, err := w.client.ListPrompts(t.Context(), mcp.ListPromptsRequest{})
		require.NoError(t, err)
		require.Len(t, list.Prompts, 5)
		for _, p := range list.Prompts {
			get := mcp.GetPromptRequest{}
			get.Params.Name = p.Name
			if p.Arguments[0].Required {
				_, err := w.client.GetPrompt(t.Context(), get)
				require.ErrorContains(t, err, "is missing", p.Name)
			}
			for lang, word := range map[string]string{"en": " the ", "zh": "。"} {
				get.Params.Arguments = map[string]string{"lang": lang}
				for _, a := range p.Arguments {
					if a.Name != "lang" {
						get.Params.Arguments[a.Name] = "a \"b\"\n{{task}} 😀"
					}
				}
				got, err := w.client.GetPrompt(t.Context(), get)
				require.NoError(t, err)
				words := got.Messages[0].Content.(mcp.TextContent).Text
				require.Contains(t, words, word, p.Name)
				require.Contains(t, words, "😀")
				require.NotContains(t, strings.ReplaceAll(words, `{{task}}`, ""), "{{", p.Name)
			}
			get.Params.Arguments["lang"] = "fr"
			_, err = w.client.GetPrompt(t.Context(), get)
			require.ErrorContains(t, err, "want en or zh")
		}
	})
}

// A prompt is read whole by the model, in every conversation that begins with it.
func TestPromptsSayWhatTheyAreForAndCostLittle(t *testing.T) {
	o200k, err := tokenizer.Get(tokenizer.O200kBase)
	require.NoError(t, err)
	says := map[string]map[string][]string{
		"ask_for_intent": {
			"en": {"with the tool send_inquiry", "Never ask in the text", "guess nothing"},
			"zh": {"必须用工具 send_inquiry", "绝不要在回复的文字里提问", "不要猜测"}},
		"gather_information": {
			"en": {"with your tools and not from me", "Analyse", "Verify", "ask_agent_start_new_task"},
			"zh": {"而不是向我询问", "分析", "核实", "ask_agent_start_new_task"}},
		"five_steps": {
			"en": {"1. Analyse", "2. Clarify", "3. Retrieve", "4. Verify", "5. Answer", "send_inquiry"},
			"zh": {"1. 分析", "2. 澄清", "3. 检索", "4. 核实", "5. 回答", "send_inquiry"}},
		"hand_over_phone_task": {"en": {"ask_agent_start_new_task"}, "zh": {"ask_agent_wait"}},
		"after_no_answer": {
			"en": {"A refusal is an answer", "make the call again", "Silence is neither"},
			"zh": {"拒绝也是一种回答", "工具调用", "沉默既不是同意也不是拒绝"}},
	}
	bubble(t, func(t *testing.T, w *fixture) {
		for _, name := range slices.Sorted(maps.Keys(says)) {
			for lang, wanted := range says[name] {
				get := mcp.GetPromptRequest{}
				get.Params.Name = name
				get.Params.Arguments = map[string]string{"lang": lang}
				if name != "after_no_answer" { // it needs no session of a phone
					get.Params.Arguments = map[string]string{"lang": lang, "goal": "x",
						"topic": "x", "task": "x"}
				}
				got, err := w.client.GetPrompt(t.Context(), get)
				require.NoError(t, err, name)
				words := got.Messages[0].Content.(mcp.TextContent).Text
				for _, s := range wanted {
					require.Contains(t, words, s, name)
				}
				require.NotContains(t, words, "session_id", name)
				n, err := o200k.Count(words)
				require.NoError(t, err)
				require.LessOrEqual(t, n, 330, "%s %s", name, lang)
			}
		}
	})
}

// resource reads one, as a client does.
func (w *fixture) resource(uri string) (mcp.ResourceContents, error) {
	read := mcp.ReadResourceRequest{}
	read.Params.URI = uri
	got, err := w.client.ReadResource(w.t.Context(), read)
	if err != nil {
		return nil, err
	}
	return got.Contents[0], nil
}

func TestWhatIsStoredCanBeReadAsResources(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		id := w.start("tap").SessionID
		w.wait(id)
		at := "taploop://sessions/" + id
		for uri, want := range map[string]string{"taploop://sessions": id, at: "COMPLETED",
			at + "/steps": "CLICK", at + "/trajectory": "<html"} {
			got, err := w.resource(uri)
			require.NoError(t, err, uri)
			require.Contains(t, got.(mcp.TextResourceContents).Text, want, uri)
		}
		got, err := w.resource(at)
		require.NoError(t, err)
		require.Contains(t, got.(mcp.TextResourceContents).Text, `"device_wm_size":[`)
		got, err = w.resource(at + "/steps")
		require.NoError(t, err)
		require.Contains(t, got.(mcp.TextResourceContents).Text, `{"global_step_idx":1,`)
		require.Contains(t, got.(mcp.TextResourceContents).Text, `"frame":"`+at+`/frames/1"`)
		frame, err := w.resource(at + "/frames/1")
		require.NoError(t, err)
		require.NotEmpty(t, frame.(mcp.BlobResourceContents).Blob)
		for _, uri := range []string{at + "/frames/9", "taploop://sessions/nosuch",
			"taploop://sessions/nosuch/steps"} {
			_, err := w.resource(uri)
			require.ErrorContains(t, err, "not found", uri)
		}
		w.topts.Principal = func(context.Context) string { return "somebody else" }
		w.disconnect()
		w.connect()
		_, err = w.resource(at)
		require.ErrorContains(t, err, "not found", "it is not theirs")
		w.topts.Principal = nil
		w.topts.Privacy = usecase.PrivacyCaptions
		w.disconnect()
		w.connect()
		for _, uri := range []string{at + "/frames/1", at + "/trajectory"} {
			_, err = w.resource(uri)
			require.ErrorContains(t, err, "private", uri)
		}
		got, err = w.resource(at + "/steps")
		require.NoError(t, err)
		require.NotContains(t, got.(mcp.TextResourceContents).Text, "frames/")
	})
}

func TestPhonesAndSessionsAreCompleted(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		id := w.start("tap").SessionID
		complete := func(ref any, name, begun string) []string {
			got, err := w.complete(ref, name, begun)
			require.NoError(t, err)
			return got.Completion.Values
		}
		prompt := mcp.PromptReference{Type: "ref/prompt", Name: "hand_over_phone_task"}
		require.Equal(t, []string{"A"}, complete(prompt, "device_id", "A"))
		require.Empty(t, complete(prompt, "device_id", "x"))
		require.Equal(t, []string{"zh"}, complete(prompt, "lang", "z"))
		resource := mcp.ResourceReference{Type: "ref/resource",
			URI: "taploop://sessions/{session_id}"}
		require.Equal(t, []string{id}, complete(resource, "session_id", id[:3]))
	})
}

func (w *fixture) complete(ref any, name, begun string) (*mcp.CompleteResult, error) {
	r := mcp.CompleteRequest{}
	r.Params.Ref = ref
	r.Params.Argument.Name, r.Params.Argument.Value = name, begun
	return w.client.Complete(w.t.Context(), r)
}

func TestWhatAClientWroteWrongHasTheCodeForThat(t *testing.T) {
	inBothEras(t, these(), func(t *testing.T, w *fixture, r *reader) {
		for name, given := range map[string]map[string]string{"gather_information": nil,
			"ask_for_intent": {"lang": "fr"}} {
			get := mcp.GetPromptRequest{}
			get.Params.Name, get.Params.Arguments = name, given
			_, err := w.client.GetPrompt(t.Context(), get)
			require.ErrorIs(t, err, mcp.ErrInvalidParams, name)
		}
		for _, ref := range []any{mcp.PromptReference{Type: "ref/prompt", Name: "after_no_answer"},
			mcp.PromptReference{Type: "ref/prompt", Name: "nosuch"},
			mcp.ResourceReference{Type: "ref/resource", URI: "taploop://sessions/{session_id}"},
			mcp.ResourceReference{Type: "ref/resource", URI: "x://{device_id}"}} {
			_, err := w.complete(ref, "device_id", "A")
			require.ErrorIs(t, err, mcp.ErrInvalidParams, ref)
		}
		notFound := mcp.ErrResourceNotFound
		if w.client.ProtocolVersion() == mcp.ProtocolVersion20260728 {
			notFound = mcp.ErrInvalidParams
		}
		_, err := w.resource("taploop://sessions/nosuch")
		require.ErrorIs(t, err, notFound)
		w.topts.Privacy = usecase.PrivacyCaptions
		w.disconnect()
		w.pipe(w.client.ProtocolVersion(), r)
		_, err = w.resource("taploop://sessions/any/trajectory")
		require.ErrorIs(t, err, notFound)
		require.ErrorContains(t, err, "private")
	})
}
