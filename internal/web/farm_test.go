package web_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/web"
)

// yard is a farm that notes what is wanted of it.
type yard struct {
	wanted []string
	refuse error
}

func (y *yard) note(what string) error {
	if y.refuse == nil {
		y.wanted = append(y.wanted, what)
	}
	return y.refuse
}

func (y *yard) State(ctx) (any, error) { return map[string]any{"workers": y.wanted}, nil }

func (y *yard) Drain(_ ctx, worker string) error { return y.note("drain " + worker) }

func (y *yard) Cordon(_ ctx, phone string, off bool) error {
	if off {
		phone += " off"
	}
	return y.note("cordon " + phone)
}

func (y *yard) Requeue(_ ctx, id string) (store.Run, error) {
	return store.Run{}, y.note("requeue " + id)
}

func (y *yard) Away(ctx, string) (string, error) { return "", nil }

func (y *yard) Sign(text string) []byte { return []byte(text) }

func TestPeopleWhoSeeAllChangeTheMachines(t *testing.T) {
	y := &yard{}
	g := newRig(t, func(o *web.Options) { o.Farm = y })
	bodies := map[string]string{"drain": `{"worker":"berlin"}`,
		"cordon": `{"device_id":"A","off":true}`, "requeue": `{"session_id":"s1"}`}
	done := map[string]string{"drain": "drain berlin", "cordon": "cordon A off",
		"requeue": "requeue s1"}
	for route, body := range bodies {
		path := "/v1/farm/" + route
		for token, code := range map[string]int{"": http.StatusUnauthorized,
			"nope": http.StatusUnauthorized, g.ann: http.StatusForbidden,
			g.kim: http.StatusForbidden} {
			require.Equal(t, code, g.post(path, token, body).status, "%s %s", route, token)
		}
		for _, wrong := range []string{"", "[]", `{"worker":1}`, `{"other":"x"}`, body + body} {
			a := g.post(path, g.boss, wrong)
			require.Equal(t, http.StatusBadRequest, a.status, "%s %s: %s", route, wrong, a.text)
		}
		require.Equal(t, http.StatusMethodNotAllowed, g.send("GET", path, g.boss, "", nil).status)
		require.Empty(t, y.wanted)

		a := g.post(path, g.boss, body)
		require.Equal(t, http.StatusOK, a.status, "%s", a.text)
		require.JSONEq(t, `{"workers":["`+done[route]+`"]}`, a.text)
		y.wanted = nil

		y.refuse = runs.Refuse(runs.DeviceNotFound, "name one of: A, B", "there is none")
		a = g.post(path, g.boss, body)
		require.Equal(t, http.StatusNotFound, a.status, "%s", a.text)
		require.Contains(t, a.text, "DEVICE_NOT_FOUND")
		require.Contains(t, a.text, "name one of: A, B", "what helps is told")
		y.refuse = nil
	}
	require.Equal(t, http.StatusForbidden, g.send("GET", "/v1/farm", g.kim, "", nil).status)
	require.Equal(t, http.StatusOK, g.send("GET", "/v1/farm", g.boss, "", nil).status)
}
