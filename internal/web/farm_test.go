package web_test

import (
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/web"
)

// yard is a farm of two machines that notes what is wanted of it.
type yard struct {
	mu     sync.Mutex
	wanted []string
	by     store.AuditEntry // the last one
	refuse error
	alone  bool // the store is this machine's own
	away   bool // the other machine is not there
}

func (y *yard) note(what string) error {
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.refuse == nil {
		y.wanted = append(y.wanted, what)
	}
	return y.refuse
}

// last reports whether what was wanted, and undo was not since.
func (y *yard) last(what, undo string) (is bool) {
	for _, w := range y.noted() {
		is = w == what || is && w != undo
	}
	return is
}

func (y *yard) noted() []string {
	y.mu.Lock()
	defer y.mu.Unlock()
	return slices.Clone(y.wanted)
}

// goes has the other machine die, or brings it back.
func (y *yard) goes(away bool) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.away = away
}

func (y *yard) State(ctx) (any, error) {
	type object = map[string]any
	phone := func(id string) object {
		return object{"device_id": id, "state": "device", "cordoned": y.cordoned(id)}
	}
	here := object{"id": "w1", "name": "kitchen", "role": "both", "drained": false,
		"at": time.Now(), "phones": []object{phone("A"), phone("B")}}
	if y.alone {
		here["id"] = ""
		return object{"workers": []object{here}, "waiting": 0}, nil
	}
	berlin := object{"id": "w2", "name": "berlin", "role": "worker", "drained": y.last("drain w2", ""),
		"at": time.Now().Add(-time.Minute), "phones": []object{phone("C")}}
	all := object{"workers": []object{berlin, here}, "waiting": 2, "wanted": y.noted()}
	y.mu.Lock()
	defer y.mu.Unlock()
	berlin["gone"] = y.away
	return all, nil
}

func (y *yard) cordoned(phone string) bool {
	return y.last("cordon "+phone, "cordon "+phone+" off")
}

func (y *yard) Drain(_ ctx, worker string, by store.AuditEntry) error {
	return y.says(by, y.note("drain "+worker))
}

func (y *yard) Cordon(_ ctx, phone string, off bool, by store.AuditEntry) error {
	if off {
		phone += " off"
	}
	return y.says(by, y.note("cordon "+phone))
}

func (y *yard) Requeue(_ ctx, id string, by store.AuditEntry) error {
	return y.says(by, y.note("requeue "+id))
}

// says notes who wants what was asked for.
func (y *yard) says(by store.AuditEntry, err error) error {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.by = by
	return err
}

func (y *yard) Away(ctx, string) (string, error) { return "", nil }

func (y *yard) Lend(ctx, string, string) (io.ReadWriteCloser, error) { panic("to whom?") }

func (y *yard) Sign(text string) []byte { return []byte(text) }

func TestPeopleWhoSeeAllChangeTheMachines(t *testing.T) {
	y := &yard{}
	g := newRig(t, func(o *web.Options) { o.Farm = y })
	bodies := map[string]string{"drain": `{"worker":"berlin","why":"an upgrade"}`,
		"cordon":  `{"device_id":"A","off":true,"why":"an upgrade"}`,
		"requeue": `{"session_id":"s1","why":"an upgrade"}`}
	done := map[string]string{"drain": "drain berlin", "cordon": "cordon A off",
		"requeue": "requeue s1"}
	for route, body := range bodies {
		path := "/v1/farm/" + route
		for token, code := range map[string]int{"": http.StatusUnauthorized,
			"nope": http.StatusUnauthorized, g.ann: http.StatusForbidden,
			g.kim: http.StatusForbidden} {
			a := g.post(path, token, body)
			require.Equal(t, code, a.status, "%s %s", route, token)
			require.NotContains(t, a.text, "shown", "it is done, and not shown")
		}
		for _, wrong := range []string{"", "[]", `{"worker":1}`, `{"other":"x"}`, body + body} {
			a := g.post(path, g.boss, wrong)
			require.Equal(t, http.StatusBadRequest, a.status, "%s %s: %s", route, wrong, a.text)
		}
		require.Equal(t, http.StatusMethodNotAllowed, g.send("GET", path, g.boss, "", nil).status)
		require.Empty(t, y.wanted)

		a := g.post(path, g.boss, body)
		require.Equal(t, http.StatusOK, a.status, "%s", a.text)
		require.Contains(t, a.text, `"wanted":["`+done[route]+`"]`)
		y.wanted = nil
		require.Equal(t, store.AuditEntry{Channel: inquiry.ChannelHTTP, By: "boss",
			Authority: inquiry.AuthorityHumanToken, Text: "an upgrade"}, y.by)

		y.refuse = runs.Refuse(runs.DeviceNotFound, "name one of: A, B", "there is none")
		a = g.post(path, g.boss, body)
		require.Equal(t, http.StatusNotFound, a.status, "%s", a.text)
		require.Contains(t, a.text, "DEVICE_NOT_FOUND")
		require.Contains(t, a.text, "name one of: A, B", "what helps is told")
		y.refuse = nil
	}
	require.Equal(t, http.StatusForbidden, g.send("GET", "/v1/farm", g.kim, "", nil).status)
	y.wanted = []string{"cordon A"}
	g.tasks.yard = y
	require.Contains(t, g.get("/v1/devices", g.boss).text, `"cordoned":true`)
	require.NotContains(t, g.get("/v1/devices", g.kim).text, "cordoned")
	require.Equal(t, http.StatusOK, g.send("GET", "/v1/farm", g.boss, "", nil).status)
}
