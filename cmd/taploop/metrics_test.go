//go:build unix

package main

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheMetricsTellWhereTheTimeOfStepsWent(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "", "TAPLOOP_HTTP_METRICS=true")
	s := b.open(route{true, legacy})
	url := strings.TrimSuffix(s.url, "/mcp") + "/metrics"
	asked := s.asks(b.task.Goal)
	status, text := get(t, url, nil)
	require.Equal(t, 200, status)
	require.Regexp(t, `(?m)^taploop_steps_total [1-9]\d*$`, text)
	for _, part := range []string{"settle", "decide", "model", "intent", "touch", "done"} {
		require.Regexp(t,
			`(?m)^taploop_step_seconds_sum\{part="`+part+`"\} \d*\.?\d*[1-9e]`, text)
		require.Regexp(t, `(?m)^taploop_step_seconds_bucket\{part="`+part+
			`",le="\+Inf"\} [1-9]`, text)
	}
	require.Regexp(t, `(?m)^taploop_model_seconds_count [1-9]`, text)
	require.Regexp(t, `(?m)^taploop_model_tokens_total\{kind="prompt"\} \d+$`, text)
	require.Regexp(t, `(?m)^taploop_runs\{state="waiting_reply"\} 1$`, text)
	require.Regexp(t, `(?m)^taploop_questions_open 1$`, text)
	require.Regexp(t, `(?m)^taploop_question_oldest_seconds \d`, text)
	require.Regexp(t, `(?m)^taploop_phones\{state="device"\} 1$`, text)
	require.Regexp(t, `(?m)^taploop_store_bytes [1-9]`, text)
	require.Regexp(t, `(?m)^taploop_disk_free_bytes [1-9]`, text)
	require.Regexp(t, `(?m)^taploop_http_requests_total\{route="/mcp",code="200"\} [1-9]`, text)
	require.NotContains(t, text, b.task.Goal)
	for _, kind := range []string{"taploop_step_seconds histogram", "taploop_runs gauge",
		"taploop_model_seconds histogram", "taploop_steps_total counter"} {
		require.Contains(t, text, "# TYPE "+kind+"\n")
	}
	for _, series := range []string{`runs_ended_total{outcome="completed"}`,
		`phone_faults_total{kind="disconnected"}`, `answers_total{channel="page"}`,
		`step_seconds_count{part="again"}`} {
		require.Contains(t, text, "\ntaploop_"+series+" 0\n", "there before it counts")
	}
	_, said, code := b.run("reply", asked.Question.ID, "42")
	require.Zero(t, code, said)
	s.follow(s.call("ask_agent_wait", map[string]any{"session_id": asked.SessionID}))
	_, text = get(t, url, nil)
	require.Regexp(t, `(?m)^taploop_answers_total\{channel="command_line"\} 1$`, text)
	require.Regexp(t, `(?m)^taploop_runs_ended_total\{outcome="completed"\} 1$`, text)
	require.Regexp(t, `(?m)^taploop_questions_open 0$`, text)
	require.Regexp(t, `(?m)^taploop_runs\{state="running"\} 0$`, text)

	_, said, code = b.run("farm", "cordon", asked.Device.ID)
	require.Zero(t, code, said)
	_, text = get(t, url, nil)
	require.Regexp(t, `(?m)^taploop_phones\{state="device"\} 0$`, text)
	require.Regexp(t, `(?m)^taploop_phones\{state="cordoned"\} 1$`, text)

	status, _ = get(t, url, map[string]string{"Host": "evil.example"})
	require.Equal(t, 403, status)
	status, _ = get(t, url, map[string]string{"Origin": "https://evil.example"})
	require.Equal(t, 403, status)
	token, said, code := b.run("token", "create", "--name", "prometheus")
	require.Zero(t, code, said)
	status, text = get(t, url, nil)
	require.Equal(t, 401, status, text)
	bearer := "Bearer " + strings.TrimSpace(token)
	status, _ = get(t, url, map[string]string{"Authorization": bearer})
	require.Equal(t, 200, status)
}

func TestThereAreNoMetricsUnlessTheyAreWanted(t *testing.T) {
	_, url := newTestEnv(t, demoTask, "").serve()
	status, text := get(t, strings.TrimSuffix(url, "/mcp")+"/metrics", nil)
	require.Equal(t, 404, status, text)
}

func get(t *testing.T, url string, header map[string]string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	for name, value := range header {
		r.Header.Set(name, value)
	}
	if host := header["Host"]; host != "" {
		r.Host = host
	}
	resp, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(body)
}
