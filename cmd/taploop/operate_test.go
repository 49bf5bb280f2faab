//go:build unix

package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// logged are the lines of a log in JSON with that message.
func logged(t *testing.T, log, message string) (list []map[string]any) {
	t.Helper()
	for line := range strings.Lines(log) {
		var m map[string]any
		if json.Unmarshal([]byte(line), &m) == nil && m["msg"] == message {
			list = append(list, m)
		}
	}
	return list
}

func TestAServerLogsWhatHappensAndNoWordsOfIt(t *testing.T) {
	eachTransport(t, func(t *testing.T, w route) {
		b := newTestEnv(t, demoTask, "", "TAPLOOP_LOG_FORMAT=json")
		s := b.open(w)
		asked := s.asks(b.task.Goal)
		_, said, code := b.run("reply", asked.Question.ID, "42")
		require.Zero(t, code, said)
		s.follow(s.call("ask_agent_wait", map[string]any{"session_id": asked.SessionID}))
		s.stderr.await(t, `"state":"COMPLETED"`)
		log := s.stderr.String()

		call := logged(t, log, "call")[0]
		require.Equal(t, "ask_agent_start_new_task", call["tool"])
		require.Equal(t, asked.SessionID, call["session"])
		require.Equal(t, asked.Device.ID, call["serial"])
		require.NotEmpty(t, call["request"])
		require.Len(t, logged(t, log, "run started"), 2, "once before, once after the answer")
		ends := logged(t, log, "run ended")
		require.Len(t, ends, 2)
		require.Equal(t, asked.Question.ID, ends[0]["question"])
		require.Equal(t, "TASK_COMPLETED_SUCCESSFULLY", ends[1]["reason"])
		for _, line := range ends {
			require.Equal(t, asked.SessionID, line["session"])
			require.Equal(t, asked.Device.ID, line["serial"])
		}
		require.Equal(t, asked.Question.ID, logged(t, log, "question asked")[0]["question"])
		settled := logged(t, log, "question settled")[0]
		require.Equal(t, "command_line", settled["channel"])
		if w.http {
			require.Equal(t, asked.Device.ID, logged(t, log, "phone came")[0]["serial"])
		}
		require.NotContains(t, log, b.task.Goal)
		require.NotContains(t, log, asked.Question.Text)
	})
}

func TestAServerSaysWhetherItIsReady(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "", "TAPLOOP_LOG_LEVEL=error")
	p, url := b.serve()
	base := strings.TrimSuffix(url, "/mcp")
	_, _, code := b.run("token", "create", "--name", "client")
	require.Zero(t, code)
	status, text := get(t, base+"/healthz", nil)
	require.Equal(t, 200, status, "without a token, as probes have none")
	require.JSONEq(t, `{"ok":true}`, text)
	var ready struct {
		OK     bool
		Checks map[string]struct {
			OK   bool
			Says string
		}
	}
	status, text = get(t, base+"/readyz", nil)
	require.Equal(t, 200, status, text)
	require.NoError(t, json.Unmarshal([]byte(text), &ready))
	require.True(t, ready.OK)
	require.Len(t, ready.Checks, 3)
	require.NotContains(t, p.stderr.String(), "level=INFO")

	b.env = append(b.env, "TAPLOOP_ADB_SERVER=127.0.0.1:1")
	_, url = b.serve()
	status, text = get(t, strings.TrimSuffix(url, "/mcp")+"/readyz", nil)
	require.Equal(t, 503, status, text)
	require.NoError(t, json.Unmarshal([]byte(text), &ready))
	require.False(t, ready.OK)
	require.False(t, ready.Checks["adb"].OK)
	require.Equal(t, "the ADB server does not answer", ready.Checks["adb"].Says)
	require.True(t, ready.Checks["store"].OK)
	require.NotContains(t, text, "127.0.0.1", "anybody may read it")
}

func TestALogIsConfigured(t *testing.T) {
	b := newTestEnv(t, demoTask, "", "TAPLOOP_LOG_LEVEL=loud")
	_, said, code := b.run("serve")
	require.Equal(t, exitUsage, code)
	require.Contains(t, said, `log.level is "loud" (from TAPLOOP_LOG_LEVEL)`)
}
