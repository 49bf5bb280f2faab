package tools_test

import (
	"context"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/usecase"
)

func TestEveryPromptIsWholeInBothLanguages(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		list, err := w.client.ListPrompts(t.Context(), mcp.ListPromptsRequest{})
		require.NoError(t, err)
		require.Len(t, list.Prompts, 4)
		for _, p := range list.Prompts {
			get := mcp.GetPromptRequest{}
			get.Params.Name = p.Name
			_, err := w.client.GetPrompt(t.Context(), get)
			require.ErrorContains(t, err, "is missing", p.Name)
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
		for name, given := range map[string]map[string]string{"after_no_answer": nil,
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
