package web_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/internal/web"
	"github.com/taploop/taploop/tools/schema"
)

// The agents are a model to talk to: they are handed a goal, what they ask is shown and answered,
// and the next goal goes on in their session.
func TestAConversationWithTheAgents(t *testing.T) {
	g := newRig(t, func(o *web.Options) { o.Goals = true })
	models := g.get("/v1/models", g.ann)
	require.Contains(t, models.text, `"taploop-host"`)
	require.Equal(t, 200, g.get("/v1/models/taploop-host", g.ann).status)

	waits := g.waiting("ann", inquiry.Question{Text: "Which city?"})
	asked, err := g.broker.Open(t.Context(), inquiry.Question{Kind: inquiry.KindInquiry, Client: "ann",
		SessionID: waits.SessionID, Text: "Which city?", OnTimeout: inquiry.Pause,
		Body: &inquiry.Ask{Options: []string{"Bonn", "Ulm"}, FreeText: true}})
	require.NoError(t, err)
	id := waits.SessionID
	going := stands(id, store.Running, agentloop.StillRunning, nil)
	asks := going
	asks.asked = []inquiry.Question{asked}
	done := stands(id, store.Completed, agentloop.TaskCompleted, nil)
	done.status.Run.Answer = "It is in Ulm."

	g.tasks.next = []outcome{going, asks}
	say := func(words string) answer {
		return g.post("/v1/chat/completions", g.ann, `{"model":"taploop-host",`+
			`"metadata":{"session_id":"`+id+`","question_id":"`+asked.ID+`"},`+
			`"messages":[{"role":"user","content":"`+words+`"}]}`)
	}
	a := g.post("/v1/chat/completions", g.ann,
		`{"model":"taploop-host","messages":[{"role":"user","content":"find a hotel"}]}`)
	require.Equal(t, 200, a.status, a.text)
	require.Contains(t, a.text, "Which city?")
	require.Contains(t, a.text, "Bonn / Ulm")
	require.Contains(t, a.text, `"finish_reason":"stop"`)
	require.Contains(t, a.text, `"model":"taploop-host"`)
	require.Equal(t, usecase.Delegate{Goal: "find a hotel", Seconds: new(0.0)}, g.tasks.calls[0])

	g.tasks.next = []outcome{asks, going, done}
	a = say("Ulm")
	require.Equal(t, 200, a.status, a.text)
	require.Contains(t, a.text, "It is in Ulm.")
	settled, err := g.broker.Get(t.Context(), asked.ID)
	require.NoError(t, err)
	require.Equal(t, "Ulm", settled.Resolution.Response.Reveal())
	require.Equal(t, "ann", settled.Resolution.By)
	require.Equal(t, inquiry.AuthorityClientModel, settled.Resolution.Authority,
		"the words of a program may be a model's")

	g.tasks.next = []outcome{done, done}
	a = g.post("/v1/chat/completions", g.ann, `{"model":"taploop-host",`+
		`"metadata":{"session_id":"`+id+`"},"messages":[{"role":"user","content":"and a flight"}]}`)
	require.Equal(t, 200, a.status, a.text)
	last := g.tasks.calls[len(g.tasks.calls)-1]
	require.Equal(t, usecase.Continue{SessionID: id, Task: "and a flight",
		Running: usecase.Running{Seconds: new(0.0)}}, last)

	g.tasks.noPhones = errors.New("no ADB server is listening")
	require.Contains(t, g.get("/v1/models", g.ann).text, `"taploop-host"`, "it needs no phone")
	g = newRig(t, nil)
	require.NotContains(t, g.get("/v1/models", g.ann).text, "taploop-host")
	g.tasks.noPhones = errors.New("no ADB server is listening")
	require.Equal(t, 500, g.get("/v1/models", g.ann).status)
}

func TestASessionIsBegunWithAGoal(t *testing.T) {
	g := newRig(t, func(o *web.Options) {
		o.Requests = map[string]*schema.Schema{"Delegate": {Type: "object",
			PropertyOrder: []string{"goal", "wait_seconds"}, Required: []string{"goal"},
			Properties: map[string]*schema.Schema{
				"goal":         {Type: "string", MaxLength: new(100)},
				"wait_seconds": {Type: "number", Minimum: new(0.0), Maximum: new(60.0)}}}}
	})
	g.tasks.next = []outcome{stands("s", store.Running, agentloop.StillRunning, nil)}
	a := g.post("/v1/sessions", g.ann, `{"goal":"find a hotel","wait_seconds":0}`)
	require.Equal(t, 201, a.status, a.text)
	require.Equal(t, usecase.Delegate{Goal: "find a hotel", Seconds: new(0.0)}, g.tasks.calls[0])
	a = g.post("/v1/sessions", g.ann, `{"goal":"find a hotel","task":"tap"}`)
	require.Equal(t, 400, a.status, a.text)
	require.Contains(t, a.text, "no argument")
}

// Why phones cannot be listed is not that one is not there.
func TestPhonesThatCannotBeListedSayWhy(t *testing.T) {
	g := newRig(t, nil)
	for code, err := range map[string]error{"INTERNAL": errors.New("a bug"),
		"STORE_UNAVAILABLE": store.ErrLocked,
		"ADB_UNREACHABLE":   runs.Refuse(runs.ADBUnreachable, "start it", "no ADB server is listening")} {
		g.tasks.noPhones = err
		a := g.get("/v1/devices", g.boss)
		require.Contains(t, a.text, `"code":"`+code+`"`)
		require.NotEqual(t, 404, a.status)
	}
}
