package tools_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/tools"
)

// rightsOf are those of the principals of these tests.
func rightsOf(name string) usecase.Rights {
	return map[string]usecase.Rights{
		"boss": {All: true, Decides: true},
		"lead": {Decides: true, Tenants: []string{"ci", "ben"}},
		"kim":  {Decides: true, Tenants: []string{"ci"}},
		"ann":  {Decides: true},
	}[name]
}

// strangers see nothing of ben's: stdio, a program, a person, and a person with another tenant.
var strangers = []string{"", "bot", "ann", "kim"}

// property is what a client has, and what of it may not be met by others.
type property struct {
	sessions, questions []string
	words               []string // that only its owner knows
}

// bens begins what ben has: a session that waits for him with a phone, one that has ended, one that
// is paused, and a question without a session.
func (w *fixture) bens() (p property) {
	ben := w.as("ben")
	begin := func(task, serial string) answer {
		a, err := w.try(ben, "ask_agent_start_new_task", in{"task": task, "device_id": serial}, nil)
		require.NoError(w.t, err)
		p.sessions = append(p.sessions, a.SessionID)
		p.words = append(p.words, a.SessionID, a.RunID)
		if a.Question != nil {
			p.questions = append(p.questions, a.Question.ID)
			p.words = append(p.words, a.Question.ID)
		}
		return a
	}
	begin("benswords", "A")
	paused := begin("benswords ask", "A")
	_, err := w.try(ben, "ask_agent_stop", in{"session_id": paused.SessionID, "mode": "pause"}, nil)
	require.NoError(w.t, err)
	begin("benswords ask", "A")
	w.askAs(ben, "send_inquiry", in{"prompt": "benswords?", "wait_seconds": 0}, nil)
	list, err := w.manager.Broker().List(w.t.Context(), inquiry.Filter{Client: new("ben")})
	require.NoError(w.t, err)
	for _, q := range list {
		p.questions = append(p.questions, q.ID)
	}
	p.words = append(append(p.words, "benswords", `"ben"`), p.questions...)
	return p
}

// state is all that is stored of it.
func (p property) state(w *fixture) (all []any) {
	sessions, err := w.store.Sessions(w.t.Context(), store.Filter{Owners: store.Owners{"ben"}})
	require.NoError(w.t, err)
	for _, x := range sessions {
		all = append(all, x.Session, *x.Latest)
	}
	for _, id := range p.questions {
		q, err := w.manager.Broker().Get(w.t.Context(), id)
		require.NoError(w.t, err)
		all = append(all, q.Status, q.Resolution, q.ExpiresAt)
	}
	return append(all, w.phones.touches("A"))
}

// unmet holds what somebody was sent against what belongs to ben. What the request has named may
// come back.
func (p property) unmet(t *testing.T, sent, got string) {
	t.Helper()
	for _, word := range p.words {
		if !strings.Contains(sent, word) {
			require.NotContains(t, got, word, "%s", sent)
		}
	}
}

// value draws a value for an argument, from what is ben's where it is an id.
func (p property) value(r *rand.Rand, name string, schema map[string]any) any {
	pick := func(ids []string) any {
		id := ids[r.IntN(len(ids))]
		if r.IntN(3) == 0 {
			return id[:6]
		}
		return id
	}
	if values, is := schema["enum"].([]any); is {
		return values[r.IntN(len(values))]
	}
	switch {
	case strings.HasSuffix(name, "session_id"):
		return pick(p.sessions)
	case strings.HasSuffix(name, "question_id"):
		return pick(p.questions)
	case name == "device_id":
		return "AB"[r.IntN(2):][:1]
	case name == "wait_seconds":
		return 0
	}
	switch schema["type"] {
	case "boolean":
		return r.IntN(2) == 0
	case "integer", "number":
		return 1
	case "array":
		return []any{}
	case "object":
		return in{}
	}
	return []any{"yes", "red", "tap"}[r.IntN(3)]
}

// draw makes arguments of a tool.
func (p property) draw(r *rand.Rand, tool listed) in {
	arguments := in{}
	properties, _ := tool.Input["properties"].(map[string]any)
	required, _ := tool.Input["required"].([]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		often := strings.HasSuffix(name, "_id") || name == "wait_seconds"
		if slices.Contains(required, any(name)) || r.IntN(4) == 0 || often && r.IntN(4) > 0 {
			schema, _ := properties[name].(map[string]any)
			arguments[name] = p.value(r, name, schema)
		}
	}
	return arguments
}

// everyTool lists the tools under every name that they have.
func (w *fixture) everyTool() []listed {
	_, all := w.list("schemas=full")
	_, older := w.list("compat=gelab&schemas=full")
	for _, tool := range older {
		if !slices.ContainsFunc(all, func(l listed) bool { return l.Name == tool.Name }) {
			all = append(all, tool)
		}
	}
	return all
}

// owned is the fixture with rights, and what is ben's.
func (w *fixture) owned() property {
	w.topts.Rights, w.topts.SkillTools, w.topts.Goals = rightsOf, true, true
	w.phones.add("B")
	w.restart()
	return w.bens()
}

func TestNoToolMeetsWhatIsAnothers(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		p := w.owned()
		before := p.state(w)
		for _, tool := range w.everyTool() {
			for _, who := range strangers {
				for seed := range uint64(12) {
					arguments := p.draw(rand.New(rand.NewPCG(seed, 1)), tool)
					sent := fmt.Sprintf("%s as %q: %v", tool.Name, who, arguments)
					ctx, cancel := context.WithTimeout(w.as(who), 10*time.Minute)
					a, err := w.try(ctx, tool.Name, arguments, nil)
					cancel()
					require.NoError(t, err, sent)
					p.unmet(t, sent, a.wire)
				}
				require.Equal(t, before, p.state(w), "%s as %q", tool.Name, who)
			}
		}
	})
}

// addresses are those of every resource about ben's.
func (p property) addresses(w *fixture) (all []string) {
	templates, err := w.client.ListResourceTemplates(w.t.Context(),
		mcp.ListResourceTemplatesRequest{})
	require.NoError(w.t, err)
	for _, id := range p.sessions {
		for _, r := range templates.ResourceTemplates {
			all = append(all, strings.NewReplacer("{session_id}", id, "{step}", "1").
				Replace(r.URITemplate.Raw()))
		}
	}
	require.Len(w.t, all, len(p.sessions)*4)
	return all
}

// reads is what somebody gets of a resource: its content, or why not.
func (w *fixture) reads(who, uri string) (text string, err error) {
	var request mcp.ReadResourceRequest
	request.Params.URI = uri
	got, err := w.client.ReadResource(w.as(who), request)
	if err != nil {
		return err.Error(), err
	}
	return string(encode(w.t, got.Contents)), nil
}

// offered is what somebody is offered without a name: listed resources, and ends of an id.
func (w *fixture) offered(who string) string {
	listed, err := w.client.ListResources(w.as(who), mcp.ListResourcesRequest{})
	require.NoError(w.t, err)
	var r mcp.CompleteRequest
	r.Params.Ref = mcp.ResourceReference{Type: "ref/resource", URI: "taploop://sessions/{session_id}"}
	r.Params.Argument.Name = "session_id"
	ends, err := w.client.Complete(w.as(who), r)
	require.NoError(w.t, err)
	content, err := w.reads(who, "taploop://sessions")
	require.NoError(w.t, err)
	return string(encode(w.t, listed.Resources)) + string(encode(w.t, ends.Completion)) + content
}

func TestNoResourceShowsWhatIsAnothers(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		p := w.owned()
		of := tools.New(&w.topts)
		for _, uri := range p.addresses(w) {
			for _, who := range strangers {
				got, err := w.reads(who, uri)
				require.Error(t, err, uri)
				p.unmet(t, uri, got)
				require.Error(t, of.MaySubscribe(w.as(who), uri), uri)
			}
			for _, who := range []string{"ben", "lead", "boss"} {
				got, err := w.reads(who, uri)
				frame := strings.Contains(uri, "/frames/") // not each has a screen
				require.True(t, err == nil || frame, "%s as %s: %s", uri, who, got)
				subscribed := of.MaySubscribe(w.as(who), uri)
				require.True(t, subscribed == nil || frame, "%s as %s: %v", uri, who, subscribed)
			}
		}
		for _, who := range strangers {
			p.unmet(t, who, w.offered(who))
		}
		for _, who := range []string{"ben", "lead", "boss"} {
			for _, id := range p.sessions {
				require.Equal(t, 3+2, strings.Count(w.offered(who), id), "listed, offered, read")
			}
		}
	})
}

// What a token sees through the tools is what it sees on the page and over HTTP.
func TestPeopleMeetTheirTenantsSessionsThroughTools(t *testing.T) {
	for _, who := range []string{"ben", "lead", "boss"} {
		t.Run(who, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				p := w.owned()
				call := func(tool string, arguments in) answer {
					a, err := w.try(w.as(who), tool, arguments, nil)
					require.NoError(t, err)
					require.False(t, a.raw.IsError, "%s: %s", tool, a.text)
					return a
				}
				for _, id := range p.sessions {
					require.Contains(t, call("list_sessions", in{}).wire, id)
					waited := call("ask_agent_wait", in{"session_id": id, "wait_seconds": 0})
					require.Equal(t, id, waited.SessionID)
				}
				for _, id := range p.questions {
					require.Contains(t, call("list_pending_questions", in{}).wire, id)
				}
				held := call("list_connected_devices", in{}).wire
				require.Contains(t, held, p.sessions[2], "who has the phone")
				newest := call("ask_agent_continue", in{"device_id": "A",
					"reply_from_client": "red"})
				require.Equal(t, p.sessions[2], newest.SessionID)
				require.Equal(t, "SESSION_NOT_FOUND", w.wait(p.sessions[2]).code(), "stdio")
				call("ask_agent_stop", in{"session_id": p.sessions[1]})
				x, err := w.store.Session(t.Context(), p.sessions[2])
				require.NoError(t, err)
				require.Equal(t, "ben", x.Client, "whoever goes on with it")
			})
		})
	}
}
