package web_test

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
)

// byToken are requests about a question and its session, by the rows of the page about tokens.
var byToken = map[string]func(g *rig, token string, q inquiry.Question) answer{
	"start, continue, wait for, stop runs": func(g *rig, token string, q inquiry.Question) answer {
		return g.post("/v1/sessions/"+q.SessionID+"/stop", token, "")
	},
	"see sessions, steps and pictures": func(g *rig, token string, q inquiry.Question) answer {
		return g.get("/v1/sessions/"+q.SessionID+"/steps", token)
	},
	"answer questions of models": func(g *rig, token string, q inquiry.Question) answer {
		return g.post("/v1/inquiries/"+q.ID+"/reply", token, `{"response":"small"}`)
	},
	"decide about actions that wait (the guard), over HTTP": func(g *rig, token string,
		q inquiry.Question) answer {
		q = g.waiting(g.ownerOf(q), about(inquiry.Critical))
		return g.post("/v1/inquiries/"+q.ID+"/reply", token,
			`{"type":"decisions","decisions":[{"type":"approve"}]}`)
	},
	"take a phone over, for a person": func(g *rig, token string, q inquiry.Question) answer {
		return g.post("/v1/sessions/"+q.SessionID+"/takeover", token, "")
	},
	"see a phone live, and touch it while it is taken over": func(g *rig, token string,
		q inquiry.Question) answer {
		g.hands.holder.Store(g.ownerOf(q))
		g.hands.taken.Store(true)
		touched := g.post("/v1/devices/A/input", token, `{"type":"key","key":"home"}`)
		r, err := http.NewRequestWithContext(g.t.Context(), "GET", g.http.URL+"/v1/devices/A/live", nil)
		require.NoError(g.t, err)
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		live, err := http.DefaultClient.Do(r)
		require.NoError(g.t, err)
		require.NoError(g.t, live.Body.Close())
		require.Equal(g.t, touched.status, live.StatusCode)
		return touched
	},
}

func (g *rig) ownerOf(q inquiry.Question) string {
	x, err := g.store.Session(g.t.Context(), q.SessionID)
	require.NoError(g.t, err)
	return x.Client
}

// What docs/tokens.md says a token may do is what it may do over HTTP, and no more.
func TestThePageAboutTokensIsTrue(t *testing.T) {
	page, err := os.ReadFile("../../docs/tokens.md")
	require.NoError(t, err)
	rows := map[string][]string{}
	for line := range strings.Lines(string(page)) {
		if cells := strings.Split(line, " | "); len(cells) == 5 {
			rows[strings.TrimPrefix(cells[0], "| ")] = cells[1:]
		}
	}
	for _, beside := range []string{"may", "---", "the same over MCP, in the arguments of a tool",
		"the same over MCP, in a form of its client", "`/metrics`", "`/healthz`, `/readyz`"} {
		require.Contains(t, rows, beside)
		delete(rows, beside)
	}
	require.Len(t, rows, len(byToken))
	g := newRig(t, nil)
	for what, try := range byToken {
		require.Contains(t, rows, what)
		says := rows[what]
		require.Equal(t, 401, try(g, "", g.waiting("ann", inquiry.Question{})).status, what)
		for i, who := range []struct{ name, token, lets string }{
			{"ann", g.ann, "kim"}, {"kim", g.kim, "ann"}, {"boss", g.boss, "ann"}} {
			reach := "no"
			for j, owner := range []string{who.name, who.lets, "ben"} {
				a := try(g, who.token, g.waiting(owner, inquiry.Question{}))
				if a.status < 400 {
					reach = []string{"its own", "its own and those of `--for`", "all"}[j]
				} else {
					require.Contains(t, []int{403, 404, 409}, a.status, "%s: %s", what, a.text)
				}
			}
			said := strings.TrimSuffix(strings.TrimSpace(says[i+1]), " |")
			said, _, _ = strings.Cut(strings.ReplaceAll(said, ";", ","), ",")
			require.Equal(t, said, reach, "%s by %s", what, who.name)
		}
	}
}
