package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/web"
)

// bodies are what requests bring that name a session or a question in their body.
var bodies = map[string]string{
	"POST /v1/inquiries/{id}/reply":   `{"response":"large"}`,
	"POST /v1/chat/completions":       `{"messages":[{"role":"user","content":"x"}],"metadata":%q}`,
	"POST /v1/devices/{id}/input":     `{"type":"key","key":"back"}`,
	"POST /v1/sessions":               `[]`, // of no session
	"POST /v1/skills/{name}/run":      `[]`,
	"POST /v1/sessions/{id}/continue": `{"reply_from_client":"large"}`,
	"POST /v1/sessions/{id}/message":  `{"text":"x"}`,
}

// requestFor is a request of the route about this question, its session, and its client's phone.
func requestFor(t *testing.T, route string, q inquiry.Question) (method, path, body string) {
	method, pattern, _ := strings.Cut(route, " ")
	ids := map[string]string{"inquiries": q.ID, "answers": q.ID, "sessions": q.SessionID,
		"devices": "A", "models": "taploop"}
	collection, _, _ := strings.Cut(strings.TrimPrefix(pattern, "/v1/"), "/")
	path = strings.NewReplacer("{id}", ids[collection], "{model}", "taploop",
		"{name}", "note", "{frame}", q.Frame, "{index}", "1").Replace(pattern)
	require.NotContains(t, path, "{", "%s: say here what its path names", route)
	require.NotContains(t, path, "//", "%s: say here what its path names", route)
	body = bodies[route]
	body = strings.Replace(body, "%q", `{"session_id":"`+q.SessionID+`"}`, 1)
	if body == "" && method == "POST" && !strings.Contains(pattern, "{id}") {
		body = "{}"
	}
	return method, path, body
}

func TestEveryRouteKeepsATokenToItsTenants(t *testing.T) {
	g := newRig(t, nil)
	remembered := inquiry.Question{Text: "a secret of ben", Body: &inquiry.Ask{
		Options: []string{"large", "small"}}}
	foreign := g.waiting("ben", remembered)
	answered := g.waiting("ben", inquiry.Question{Text: "another of ben", Body: remembered.Body})
	answer := `{"response":"large","remember":"always"}`
	require.Equal(t, 200, g.post("/v1/inquiries/"+answered.ID+"/reply", g.boss, answer).status)
	own := g.waiting("ann", inquiry.Question{Text: "of ann", Body: remembered.Body})
	g.hands.holder.Store("ben")
	g.hands.taken.Store(true)
	for _, route := range g.web.Routes() {
		if route == "GET /v1/events" || route == "POST /ui/logout" {
			continue // a stream, below; of a browser
		}
		for i, q := range []inquiry.Question{foreign, answered, foreign, answered} {
			method, path, body := requestFor(t, route, q)
			who := []string{g.kim, g.kim, g.ann, g.ann}[i] // a person and a program
			a := g.send(method, path, who, body, nil)
			for _, leak := range []string{"of ben", q.SessionID, q.ID, `"ben"`} {
				if !strings.Contains(path, leak) { // the request itself has named it
					require.NotContains(t, a.text, leak, "%s: %d", route, a.status)
				}
			}
			if who == g.ann && strings.Contains(a.text, "NOT_A_PERSON") {
				continue // a program may not do it with any session
			}
			if strings.Contains(body+path, q.SessionID) || strings.Contains(path, q.ID) {
				require.Equal(t, 404, a.status, "%s: %s", route, a.text)
			}
			if strings.Contains(path, "/devices/") {
				require.Equal(t, 409, a.status, "%s: %s", route, a.text)
			}
		}
	}
	g.untouched(foreign)
	require.Empty(t, g.hands.kinds)

	for _, path := range []string{"/v1/inquiries", "/v1/sessions", "/v1/sessions/" + own.SessionID,
		"/v1/sessions/" + own.SessionID + "/steps", "/v1/inquiries/" + own.ID} {
		a := g.get(path, g.kim)
		require.Equal(t, 200, a.status, "%s: %s", path, a.text)
		require.Contains(t, a.text, own.SessionID, path)
	}
	a := g.post("/v1/inquiries/"+own.ID+"/reply", g.kim, `{"response":"small"}`)
	require.Equal(t, 200, a.status, a.text)
	require.Contains(t, a.text, `"human_token"`)
}

func TestAPersonsStreamTellsOfTheirTenantsAlone(t *testing.T) {
	g := newRig(t, alone)
	foreign, own := g.waiting("ben", inquiry.Question{}), g.waiting("ann", inquiry.Question{})
	s := g.listen(g.kim, "")
	first := s.want("snapshot").data
	require.Contains(t, first, own.ID)
	require.NotContains(t, first, foreign.ID)
	for i, client := range []string{"ben", "kim", "nobody", "ann"} {
		_, err := g.broker.Open(t.Context(), inquiry.Question{Client: client,
			Text: fmt.Sprint("number ", i)})
		require.NoError(t, err)
	}
	require.Contains(t, s.want("inquiry.created").data, "number 1")
	require.Contains(t, s.want("inquiry.created").data, "number 3")
}

func TestAPersonDecidesForTheirTenantsAndForNobodyElse(t *testing.T) {
	g := newRig(t, nil)
	foreign, own := g.waiting("ben", about(inquiry.Critical)),
		g.waiting("ann", about(inquiry.Critical))
	approve := `{"type":"decisions","decisions":[{"type":"approve"}]}`
	path := "/v1/inquiries/" + own.ID + "/reply"
	require.Equal(t, 403, g.post(path, g.ann, approve).status, "a program's token")
	require.Equal(t, 404, g.post("/v1/inquiries/"+foreign.ID+"/reply", g.kim, approve).status)
	a := g.post(path, g.kim, approve)
	require.Equal(t, 200, a.status, a.text)
	audit, err := g.store.Audit.List(t.Context(), store.AuditFilter{QuestionID: own.ID})
	require.NoError(t, err)
	for _, e := range audit {
		if e.Event == store.AuditAnswered {
			require.Equal(t, []string{"kim", inquiry.AuthorityHumanToken},
				[]string{e.By, e.Authority})
		}
	}
}

func TestPeopleGiveLeaveForWhatTheySee(t *testing.T) {
	g := newRig(t, func(o *web.Options) {
		o.AppOf = func(_ context.Context, name string) (string, error) {
			if name == "Timmers" {
				return "", errors.New("near names: timers")
			}
			return strings.Replace(name, "Timers", "com.timers", 1), nil
		}
	})
	q := about(inquiry.Sensitive)
	q.App, inquiry.As[inquiry.Approval](q).Target = "com.mail", `com.mail CLICK "Send"`
	q = g.waiting("ann", q)
	var shown struct{ Leaves []json.RawMessage }
	require.NoError(t, json.Unmarshal([]byte(g.get("/v1/inquiries/"+q.ID, g.kim).text), &shown))
	require.Len(t, shown.Leaves, 3, "this button, the session, the app")
	require.NotContains(t, g.get("/v1/inquiries/"+g.waiting("ann", about(inquiry.Critical)).ID,
		g.kim).text, "leaves")
	covers := func(client string) (n int) {
		list, err := g.store.Grants.List(t.Context(), store.Owners{client})
		require.NoError(t, err)
		for _, grant := range list {
			if grant.IsFor(client) {
				n++
			}
		}
		return n
	}
	for i, leave := range shown.Leaves {
		require.Equal(t, 403, g.post("/v1/grants", g.ann, string(leave)).status, "a program")
		a := g.post("/v1/grants", g.kim, strings.Replace(string(leave), "{",
			`{"times":3,"minutes":1,`, 1))
		require.Equal(t, 200, a.status, a.text)
		require.Equal(t, []int{i + 1, 0}, []int{covers("ann"), covers("ben")}, a.text)
	}
	for body, want := range map[string]string{
		`{"scope":"everything"}`:                 "unknown scope",
		`{"scope":"all","times":-1}`:             "times",
		`{"scope":"all","minutes":1441}`:         "minutes",
		`{"scope":"all","for":["ben"]}`:          "unknown field",
		`{"scope":"server"}`:                     "has no name",
		`{"scope":"all","times":3,"target":1}`:   "target",
		`{"scope":"tool","name":"post/*"}`:       "is a pattern",
		`{"scope":"session","name":"nobody's0"}`: "does not exist",
		`{"scope":"app","name":"Timmers"}`:       "near names: timers",
	} {
		a := g.post("/v1/grants", g.kim, body)
		require.GreaterOrEqual(t, a.status, 400, body)
		require.Less(t, a.status, 500, a.text)
		require.Contains(t, a.text, want, body)
	}
	a := g.post("/v1/grants", g.kim, `{"scope":"app","name":"Timers"}`)
	require.Contains(t, a.text, `"name":"com.timers"`, "as on the phones")
	a = g.post("/v1/grants/end", g.kim, `{"scope":"app","name":"Timers"}`)
	require.Contains(t, a.text, `"name":"com.timers"`)
	foreign := g.waiting("ben", about(inquiry.Sensitive))
	a = g.post("/v1/grants", g.kim, `{"scope":"session","name":"`+foreign.SessionID+`"}`)
	require.Equal(t, 404, a.status, "it is nothing that she sees")
	a = g.post("/v1/grants", g.boss, `{"scope":"all","times":1}`)
	require.Equal(t, 200, a.status, a.text)
	require.Equal(t, []int{4, 1}, []int{covers("ann"), covers("ben")}, "an operator's is for all")
	a = g.post("/v1/grants/end", g.kim, `{"scope":"all"}`)
	require.Equal(t, 200, a.status, a.text)
	require.Equal(t, 1, covers("ben"), "what is for everybody is not hers to end")
}
