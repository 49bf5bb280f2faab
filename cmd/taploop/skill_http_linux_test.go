package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Programs list skills over HTTP and repeat them. What is wrong or missing is refused before the
// phone is touched, with what would be right; a skill that was removed is not there any more.
func TestASkillIsRepeatedOverHTTP(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	file := filepath.Join(b.dir, "data", "taploop", "skills", "open-it.yaml")
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	require.NoError(t, writeFile(file, `
name: open-it
description: opens an app
task: Open {{app}}
params:
  type: object
  properties: {app: {type: string, minLength: 1}, times: {type: integer, default: 1}}
  required: [app]
  additionalProperties: false
steps:
- {say: open it, action: {verb: AWAKE, app: "{{app}}"}}
ends: {}
answer: "{{app}} is open, {{times}}"
`))
	s, token := b.openAs("laptop", legacy)
	v := newHTTPClient(t, s.url, token)
	status, body := v.send("GET", "/v1/skills", "")
	require.Equal(t, 200, status)
	listed := body["skills"].([]any)[0].(map[string]any)
	require.Equal(t, "open-it", listed["name"])
	require.Equal(t, []any{"app"}, listed["params"].(map[string]any)["required"])

	const run = "/v1/skills/open-it/run"
	for _, c := range []struct {
		path, sends string
		status      int
		says        string
	}{
		{run, `{}`, 400, "missing properties"},
		{run, `{"params":{"app":""}}`, 400, "minLength"},
		{run, `{"params":{"app":7}}`, 400, `want "string"`},
		{run, `{"params":{"app":"Notes","times":1.5}}`, 400, "/properties/times"},
		{run, `{"params":{"app":"Notes","tmies":1}}`, 400, "no parameter"},
		{run, `{"params":["Notes"]}`, 400, "want an object"},
		{run, `{"params":{"app":"Notes"},"heal":"never"}`, 400, "heal"},
		{run, `{"params":{"app":"Notes"},"name":"other"}`, 400, "has another one"},
		{run, `{"params":`, 400, ""},
		{"/v1/skills/other/run", `{}`, 404, "no skill"},
		{"/v1/skills/..%2Fx/run", `{}`, 400, "no name of a skill"},
	} {
		status, body := v.send("POST", c.path, c.sends)
		require.Equal(t, c.status, status, "%s %s: %v", c.path, c.sends, body)
		require.Contains(t, fmt.Sprint(body), c.says, c.sends)
		require.Empty(t, b.wire.touches())
	}
	status, body = v.send("POST", run, `{"params":{"app":"Notes","times":2},"wait_seconds":40}`)
	require.Equal(t, 201, status, "%v", body)
	require.Equal(t, "Notes is open, 2", body["answer"], "%v", body)
	require.EqualValues(t, 0, body["skill"].(map[string]any)["model_calls"])
	require.NoError(t, os.Remove(file))
	status, body = v.send("POST", run, `{"params":{"app":"Notes"}}`)
	require.Equal(t, 404, status, "%v", body)
	_, body = v.send("GET", "/v1/skills", "")
	require.Empty(t, body["skills"])
}
