//go:build unix

package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
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
		traces := newTranscript() // spans have their names as plain text
		collector := httptest.NewServer(http.HandlerFunc(
			func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(traces, r.Body) }))
		defer collector.Close()
		b := newTestEnv(t, demoTask, "", "TAPLOOP_LOG_FORMAT=json",
			"OTEL_EXPORTER_OTLP_ENDPOINT="+collector.URL, "OTEL_BSP_SCHEDULE_DELAY=10")
		s := b.open(w)
		asked := s.asks(b.task.Goal)
		_, said, code := b.run("reply", asked.Question.ID, "42")
		require.Zero(t, code, said)
		s.follow(s.call("ask_agent_wait", map[string]any{"session_id": asked.SessionID}))
		// what is told of a question, and of a phone, is told beside the run
		for _, line := range []string{`"state":"COMPLETED"`, "question asked", "question settled"} {
			s.stderr.await(t, line)
		}
		if w.http {
			s.stderr.await(t, "phone came")
		}
		log := s.stderr.String()

		call := logged(t, log, "call")[0]
		require.Equal(t, "ask_agent_start_new_task", call["tool"])
		require.Equal(t, asked.SessionID, call["session"])
		require.Equal(t, asked.Device.ID, call["serial"])
		require.NotEmpty(t, call["request"])
		require.IsType(t, 0.0, call["took_ms"])
		require.Len(t, logged(t, log, "run started"), 2, "once before, once after the answer")
		for _, about := range []string{"run started", "step", "question asked", "run ended"} {
			line := logged(t, log, about)[0]
			require.Equal(t, call["request"], line["request"], about)
			require.Equal(t, call["run"], line["run"], about)
		}
		ends := logged(t, log, "run ended")
		require.Len(t, ends, 2)
		require.Equal(t, asked.Question.ID, ends[0]["question"])
		require.Equal(t, "TASK_COMPLETED_SUCCESSFULLY", ends[1]["reason"])
		for _, about := range []string{"run started", "run ended", "step", "question asked",
			"question settled"} {
			for _, line := range logged(t, log, about) {
				require.Equal(t, asked.SessionID, line["session"], about)
				require.Equal(t, asked.Device.ID, line["serial"], about)
			}
		}
		require.Equal(t, asked.Question.ID, logged(t, log, "question asked")[0]["question"])
		settled := logged(t, log, "question settled")[0]
		require.Equal(t, "command_line", settled["channel"])
		if w.http {
			require.Equal(t, asked.Device.ID, logged(t, log, "phone came")[0]["serial"])
			for line := range strings.Lines(log[:strings.LastIndex(log, "\n")+1]) {
				require.True(t, json.Valid([]byte(line)), line)
			}
		}
		require.NotContains(t, log, b.task.Goal)
		require.NotContains(t, log, asked.Question.Text)

		for _, of := range []string{"execute_tool CLICK", "chat [a-z]", "waiting_reply", "completed"} {
			traces.await(t, of)
		}
		require.NotContains(t, traces.String(), b.task.Goal)
		require.NotContains(t, traces.String(), asked.Question.Text)
	})
}

// A request over HTTP is followed by its id to the end of the run, and the one that answers from
// there.
func TestARequestIsFollowedThroughTheLog(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "", "TAPLOOP_LOG_FORMAT=json")
	token := b.token("laptop")
	p, url := b.serve()
	base := strings.TrimSuffix(url, "/mcp") + "/v1/"
	status, said, begun := post(t, base+"sessions", jsonOf(t, map[string]any{"task": b.task.Goal,
		"wait_seconds": 20}), bearer(token))
	require.Equal(t, 201, status, said)
	var asked struct {
		SessionID string `json:"session_id"`
		Question  struct {
			ID string `json:"question_id"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(said), &asked))
	require.NotEmpty(t, asked.Question.ID, said)
	status, said, answered := post(t, base+"inquiries/"+asked.Question.ID+"/reply",
		`{"response":"42"}`, bearer(token))
	require.Equal(t, 200, status, said)
	p.stderr.await(t, `"state":"COMPLETED"`)
	p.stderr.await(t, "question settled")
	log := p.stderr.String()
	for at, header := range []http.Header{begun, answered} {
		id := header.Get("X-Request-Id")
		seen := map[string]bool{}
		for _, about := range []string{"request", "run started", "step", "run ended",
			"question asked", "question settled"} {
			for _, line := range logged(t, log, about) {
				if line["request"] != id {
					continue
				}
				seen[about] = true
				require.Equal(t, asked.SessionID, line["session"], about)
				require.NotEmpty(t, line["run"], about)
				if about != "request" || at == 0 {
					require.NotEmpty(t, line["serial"], about)
				}
			}
		}
		want := map[string]bool{"request": true, "run started": true, "step": true,
			"run ended": true, []string{"question asked", "question settled"}[at]: true}
		require.Equal(t, want, seen, log)
	}
}

// A run that goes on by itself after a restart has a request too, and who takes one over that rests
// is told by the line of its end.
func TestWhatGoesOnByItselfOrIsTakenOverIsFollowedThroughTheLog(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "", "TAPLOOP_LOG_FORMAT=json")
	token, thinks := b.token("laptop"), b.holdAt("2/8")
	killed, url := b.serve()
	status, said, _ := post(t, strings.TrimSuffix(url, "/mcp")+"/v1/sessions", jsonOf(t,
		map[string]any{"task": b.task.Goal, "wait_seconds": 0, "detached_ok": true}), bearer(token))
	require.Equal(t, 201, status, said)
	var begun struct {
		SessionID string `json:"session_id"`
	}
	require.NoError(t, json.Unmarshal([]byte(said), &begun))
	thinks.await(t)
	killed.kill()
	thinks.open()
	p, url := b.serve()
	p.stderr.await(t, `"state":"WAITING_REPLY"`)
	p.stderr.await(t, "question asked") // beside the run
	paused := logged(t, p.stderr.String(), "run ended")[0]
	require.Equal(t, "SERVER_RESTARTED", paused["reason"], "told before what comes after it")
	require.NotEmpty(t, paused["request"])
	resumed := logged(t, p.stderr.String(), "run resumed after the restart")
	require.Len(t, resumed, 1)
	require.NotEmpty(t, resumed[0]["request"])
	for _, about := range []string{"run started", "step", "question asked", "run ended"} {
		lines := logged(t, p.stderr.String(), about)
		require.NotEmpty(t, lines, about)
		for _, line := range lines {
			if line["reason"] == paused["reason"] {
				continue
			}
			require.Equal(t, resumed[0]["request"], line["request"], about)
		}
	}

	at := strings.TrimSuffix(url, "/mcp") + "/v1/sessions/" + begun.SessionID
	for _, ends := range [][2]string{{"/takeover", "WAITING_TAKEOVER"}, {"/stop", "CANCELLED"}} {
		how, state := ends[0], ends[1]
		status, said, by := post(t, at+how, "", bearer(token))
		require.Equal(t, 200, status, said)
		p.stderr.await(t, `"state":"`+state+`"`)
		lines := logged(t, p.stderr.String(), "run ended")
		require.Equal(t, by.Get("X-Request-Id"), lines[len(lines)-1]["request"], state)
	}
}

func TestAServerSaysWhetherItIsReady(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "", "TAPLOOP_LOG_LEVEL=error")
	p, url := b.serve()
	base := strings.TrimSuffix(url, "/mcp")
	_, said, code := b.run("token", "create", "--name", "client")
	require.Zero(t, code, said)
	status, text := get(t, base+"/healthz", nil)
	require.Equal(t, 200, status, "without a token, as probes have none")
	require.JSONEq(t, `{"ok":true}`, text)
	at := "http.addr=" + strings.TrimPrefix(base, "http://")
	_, said, code = b.run("serve", "--health", "--set", at)
	require.Zero(t, code, said)
	_, said, code = b.run("serve", "--health", "--set", "http.addr=127.0.0.1:1")
	require.Equal(t, exitError, code)
	require.Contains(t, said, "no server answers")
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

func TestABackupOfAServerThatRunsIsRestoredElsewhere(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	s := b.open(route{true, legacy})
	asked := s.asks(b.task.Goal)
	file := filepath.Join(t.TempDir(), "backup.tar")
	out, said, code := b.run("backup", file)
	require.Zero(t, code, said)
	require.Regexp(t, `^backed up, and read back: 1 session, \d+ steps, \d+ pictures, 1 question, `,
		out)
	_, said, code = b.run("restore", file)
	require.Equal(t, exitError, code)
	require.Contains(t, said, "a program is using the data folder")

	elsewhere := filepath.Join(t.TempDir(), "data")
	b.env = append(b.env, "TAPLOOP_DATA_DIR="+elsewhere)
	out, said, code = b.run("restore", file)
	require.Zero(t, code, said)
	require.Regexp(t, `^restored: 1 session, `, out)
	require.Contains(t, said, "what was going on is paused")
	open := b.questions()
	require.Len(t, open, 1)
	require.Equal(t, asked.Question.ID, open[0].ID)
	_, said, code = b.run("restore", file)
	require.Equal(t, exitError, code)
	require.Contains(t, said, "--replace")

	_, said, code = b.run("audit", "prune", "--before", "0s")
	require.Zero(t, code, said)
	require.Contains(t, said, "deleted 0 lines", "the question is open")
	list := b.audit()
	require.EqualValues(t, "pruned", list[len(list)-1].Event)
	_, said, code = b.run("audit", "prune", "--before", "2999-01-01")
	require.Equal(t, exitUsage, code, said)
}

func TestAServerDeletesWhatIsOldSoonAfterItsStart(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "", "TAPLOOP_RETENTION_SESSIONS=90x")
	_, said, code := b.run("serve")
	require.Equal(t, exitUsage, code)
	require.Contains(t, said, "retention.sessions is 90x (from TAPLOOP_RETENTION_SESSIONS)")
	require.Contains(t, said, "want an age such as 90d")
	b.env = append(b.env, "TAPLOOP_RETENTION_SESSIONS=", "TAPLOOP_RETENTION_DISK=1B")
	_, said, code = b.run("run", b.task.Goal)
	require.Equal(t, exitWaiting, code, said)
	_, said, code = b.run("stop", b.questions()[0].SessionID)
	require.Zero(t, code, said)
	p, _ := b.serve()
	p.stderr.await(t, `msg="deleted what is old" sessions=0 pictures=[1-9]`)
}

func TestPeopleOutsideAreToldHowRunsEnd(t *testing.T) {
	t.Parallel()
	b, o := newTestEnv(t, "note-groceries", ""), newNotifyReceiver(t)
	b.notifies(o, "  events: [run.*]\n")
	s, _ := b.openAs("laptop", modern)
	begun := s.start(b.task.Goal)
	s.follow(begun)
	p := b.gets(o.hooks)
	require.Equal(t, "run.completed", p.field(t, "type"))
	require.Equal(t, begun.SessionID, p.field(t, "session_id"))
	require.NotContains(t, p.body, "answer")
	require.NotContains(t, p.body, "Groceries")
	require.Regexp(t, `^msg_[0-9a-f]{32}_run_completed$`, p.id)
	push := b.gets(o.ntfy)
	require.Contains(t, push.header.Get("Title"), "=?utf-8?b?")
	require.Contains(t, push.body, "TASK_COMPLETED_SUCCESSFULLY")
	require.Empty(t, o.hooks)

	_, said, code := b.run("serve", "--set", "notify.events=run.finished")
	require.Equal(t, exitUsage, code)
	require.Contains(t, said, "want an event, or a pattern of some, of run.completed")
}

func TestAStreamOfATokenEndsWhenTheTokenDoes(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	_, url := b.serve()
	out, said, code := b.run("token", "create", "--name", "short", "--expires", "5s", "--rate",
		"100/m")
	require.Zero(t, code, said)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
		strings.TrimSuffix(url, "/mcp")+"/v1/events", nil)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(out))
	resp, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer resp.Body.Close()
	require.Equal(t, 200, resp.StatusCode)
	_, err = io.ReadAll(resp.Body) // ends with the token
	require.NoError(t, err)
	status, text := get(t, url, map[string]string{"Authorization": "Bearer " +
		strings.TrimSpace(out)})
	require.Equal(t, 401, status)
	require.Contains(t, text, "the token has expired")
	out, said, code = b.run("token", "list")
	require.Zero(t, code, said)
	require.Regexp(t, `(?m)^short .* expired 20\d\d-.* 100/m `, out)
	_, said, code = b.run("token", "create", "--expires", "soon")
	require.Equal(t, exitUsage, code)
	require.Contains(t, said, "write an age such as 30d")
}
