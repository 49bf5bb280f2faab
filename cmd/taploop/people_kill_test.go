//go:build unix

package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/app/simulation"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
)

// tapAfterAnswerScript is a task in which the model asks a question, taps a place of its own for
// the answer, and asks the next one, n times. It taps only when it is shown the answer, and not
// when it learns that the tap may have happened already.
func tapAfterAnswerScript(n int) string {
	var s strings.Builder
	rule := func(when, action, summary string) {
		s.WriteString(modelRule(when, action, "round "+summary))
	}
	ask := func(i int) (string, string) {
		if i > n {
			return "COMPLETE\\treturn:all answered", "over"
		}
		return fmt.Sprintf("INFO\\tvalue:Question %d?", i), fmt.Sprintf("%d asked", i)
	}
	for i := 1; i <= n; i++ {
		action, summary := ask(i + 1)
		rule(fmt.Sprintf(`\[round %d tapped\]`, i), action, summary)
		rule(fmt.Sprintf(`(?s)\[round %d asked\].*interrupted during the last action`, i), action,
			summary)
		rule(fmt.Sprintf(`(?s)answer %d;.*\[round %d asked\]`, i, i),
			fmt.Sprintf("CLICK\\tpoint:%d,%d", 300+i*5, 500), fmt.Sprintf("%d tapped", i))
	}
	action, summary := ask(1)
	rule("Answer every round", action, summary)
	return s.String()
}

// crashHarness is a server that is killed again and again, and its people.
type crashHarness struct {
	*testEnv
	*clientProcess
	rnd     *rand.Rand
	token   string
	store   *store.Store
	session string
	n       int

	mu      sync.Mutex
	prompts []string // what the model was asked
}

func newCrashHarness(t *testing.T, n int) *crashHarness {
	return crashHarnessWith(t, n,
		tapAfterAnswerScript(n))
}

func crashHarnessWith(t *testing.T, n int, script string, env ...string) *crashHarness {
	return crashHarnessOn(t, demoTask, "Answer every round", n, script, env...)
}

// crashHarnessOn sets a task of the phone up and starts a run with that goal; "" is the task's own.
func crashHarnessOn(t *testing.T, taskID, goal string, n int, script string,
	env ...string) *crashHarness {
	seed, err := strconv.ParseUint(os.Getenv("TAPLOOP_TEST_SEED"), 10, 64)
	if err != nil {
		seed = rand.Uint64()
	}
	t.Logf("the same moments again: TAPLOOP_TEST_SEED=%d", seed)
	env = append(env, "TAPLOOP_LOOP_MAX_STEPS=1000", "TAPLOOP_QUESTIONS_PER_RUN=200",
		"TAPLOOP_LOOP_SETTLE_TIMEOUT=300ms")
	b := newTestEnv(t, taskID, script, env...)
	k := &crashHarness{testEnv: b, rnd: rand.New(rand.NewPCG(seed, 0)), n: n,
		token: b.token("laptop")}
	b.env = append(b.env, "TAPLOOP_MODEL_BASE_URL="+k.model(t)+"/v1")
	k.store, _ = b.folder()
	k.restart()
	k.session = k.call("ask_agent_start_new_task",
		map[string]any{"task": cmp.Or(goal, b.task.Goal), "wait_seconds": 0,
			"max_steps": 1000}).SessionID
	return k
}

// model is that of the environment, with a record of what it is asked.
func (k *crashHarness) model(t *testing.T) string {
	target, err := url.Parse(strings.TrimSuffix(k.sim.Model.BaseURL, "/v1"))
	require.NoError(t, err)
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ErrorHandler = func(http.ResponseWriter, *http.Request, error) {} // clients are killed
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		k.mu.Lock()
		k.prompts = append(k.prompts, string(body))
		k.mu.Unlock()
		k.life.beat()
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// restart starts a server and connects to it.
func (k *crashHarness) restart() {
	p, url := k.serve()
	k.clientProcess = &clientProcess{p, connect(k.testEnv.t, modern, over(k.testEnv.t, url,
		bearer(k.token))), url}
}

// awaitQuestion waits for the question, and goes on with a run that a kill has paused.
func (k *crashHarness) awaitQuestion(i int) inquiry.Question {
	t := k.testEnv.t
	t.Helper()
	for {
		s := k.call("ask_agent_wait", map[string]any{"session_id": k.session})
		switch {
		case s.State == store.Paused:
			k.call("ask_agent_continue", map[string]any{"session_id": k.session})
		case s.State == store.WaitingReply && s.Question != nil:
			q, err := k.store.Questions.Get(t.Context(), s.Question.ID)
			require.NoError(t, err)
			if q.Text == fmt.Sprintf("Question %d?", i) {
				return q
			}
			require.False(t, q.Open(), "question %d is open, and %q is waited for", i, q.Text)
		case s.Reason == "STILL_RUNNING":
		default:
			require.FailNow(t, "the run is not as it should be", "%s", s.words)
		}
	}
}

// replyChannels are ways to answer.
var replyChannels = []string{"mcp", "http", "command_line"}

// reply reports whether it was told that the answer is taken.
func (k *crashHarness) reply(ctx context.Context, channel string, q inquiry.Question,
	text string) (taken bool) {
	id := "of " + text
	switch channel {
	case "mcp":
		s, err := k.try(ctx, "ask_agent_continue",
			map[string]any{"session_id": k.session, "reply_from_client": text, "question_id": q.ID,
				"reply_id": id, "wait_seconds": 0})
		return err == nil && !s.raw.IsError
	case "http":
		status, _ := k.post(ctx, q.ID, text, id)
		return status == http.StatusOK
	default:
		program, err := exec.LookPath("taploop")
		require.NoError(k.testEnv.t, err)
		c := exec.CommandContext(ctx, program, "reply", q.ID, text, "--reply-id", id)
		c.Env, c.Dir = k.env, k.dir
		return c.Run() == nil
	}
}

// post answers over HTTP; status 0 is no answer.
func (k *crashHarness) post(ctx context.Context, id, text, replyID string) (status int,
	body map[string]any) {
	b, err := json.Marshal(map[string]string{"response": text, "reply_id": replyID})
	require.NoError(k.testEnv.t, err)
	r, err := http.NewRequestWithContext(ctx, "POST",
		strings.TrimSuffix(k.url, "/mcp")+"/v1/inquiries/"+id+"/reply", bytes.NewReader(b))
	require.NoError(k.testEnv.t, err)
	r.Header.Set("Authorization", "Bearer "+k.token)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil
	}
	defer resp.Body.Close()
	if json.NewDecoder(resp.Body).Decode(&body) != nil {
		return 0, nil
	}
	return resp.StatusCode, body
}

// verify checks what the rounds have left behind.
func (k *crashHarness) verify(questions []inquiry.Question) {
	t := k.testEnv.t
	for i, q := range questions {
		entries, err := k.store.Audit.List(t.Context(), store.AuditFilter{QuestionID: q.ID})
		require.NoError(t, err)
		story := make([]string, len(entries))
		for j, e := range entries {
			story[j] = string(e.Event)
		}
		require.Equal(t, []string{"asked", "answered", "applied"}, story, "question %d", i+1)
		require.Equal(t, fmt.Sprintf("answer %d;", i+1), entries[1].Answer)
	}
	unknown, shown := map[string]bool{}, map[string]bool{}
	interrupted := regexp.MustCompile(`\[round (\d+) asked\].*interrupted during the last action`)
	answered := regexp.MustCompile(`answer (\d+);.*\[round (\d+) asked\]`)
	for _, p := range k.prompts {
		if m := interrupted.FindStringSubmatch(p); m != nil {
			unknown[m[1]] = true
		}
		if m := answered.FindStringSubmatch(p); m != nil {
			shown[m[2]] = true
		}
	}
	require.Len(t, shown, len(questions), "the model was shown every answer")
	count := map[string]int{}
	for _, m := range regexp.MustCompile(`input tap \d+ \d+`).FindAllString(k.wire.sent.String(),
		-1) {
		count[m]++
		require.Equal(t, 1, count[m], "%s again", m)
	}
	require.LessOrEqual(t, len(count), len(questions))
	require.GreaterOrEqual(t, len(count)+len(unknown), len(questions),
		"no tap is left out but those whose outcome is unknown")
	t.Logf("%d questions, %d taps, %d with an unknown outcome, %d prompts", len(questions),
		len(count), len(unknown), len(k.prompts))
}

// unchanged checks that a question is the one that it was.
func (k *crashHarness) unchanged(q inquiry.Question) inquiry.Question {
	t := k.testEnv.t
	t.Helper()
	now, err := k.store.Questions.Get(t.Context(), q.ID)
	require.NoError(t, err)
	require.Equal(t, []time.Time{q.AskedAt, q.AttentionUntil, q.ExpiresAt},
		[]time.Time{now.AskedAt, now.AttentionUntil, now.ExpiresAt})
	require.Equal(t, q.Text, now.Text)
	return now
}

func TestAKillWhileAQuestionWaitsLosesNothing(t *testing.T) {
	t.Parallel()
	n := rounds(6, 25)
	k := newCrashHarness(t, n)
	var questions []inquiry.Question
	for i := 1; i <= n; i++ {
		q := k.awaitQuestion(i)
		questions = append(questions, q)
		pause(time.Duration(k.rnd.IntN(60)) * time.Millisecond)
		k.kill()
		k.restart()
		require.True(t, k.unchanged(q).Open())
		require.Equal(t, q.ID, k.awaitQuestion(i).ID, "the client is told of the same question")
		require.True(t, k.reply(t.Context(), replyChannels[k.rnd.IntN(3)], q,
			fmt.Sprintf("answer %d;", i)))
	}
	k.follow(k.call("ask_agent_wait", map[string]any{"session_id": k.session}))
	k.verify(questions)
}

func TestAKillWhileAnAnswerIsAppliedAppliesItOnceAndRepeatsNoTouch(t *testing.T) {
	t.Parallel()
	n := rounds(6, 25)
	k := newCrashHarness(t, n+1)
	// So that a touch takes its time.
	require.NoError(t, k.sim.ADB.SetLatency(simulation.DefaultSerial, 10*time.Millisecond))
	q := k.awaitQuestion(1)
	questions := []inquiry.Question{q}
	began := time.Now()
	require.True(t, k.reply(t.Context(), "http", q, "answer 1;"))
	first := time.Since(began) // until an answer is accepted
	next := k.awaitQuestion(2)
	whole := time.Since(began) // until the next question
	lost := 0
	for i := 2; i <= n+1; i++ {
		q := next
		questions = append(questions, q)
		text, channel, moment := fmt.Sprintf("answer %d;", i), replyChannels[k.rnd.IntN(3)],
			k.rnd.IntN(3)
		if moment == 0 {
			channel = replyChannels[k.rnd.IntN(2)] // those through the server that is killed
		}
		taken := make(chan bool, 1)
		go func() { taken <- k.reply(t.Context(), channel, q, text) }()
		switch moment {
		case 0: // while the answer is accepted
			pause(time.Duration(k.rnd.Int64N(2 * int64(first))))
		case 1: // while the run goes on with it
			pause(time.Duration(k.rnd.Int64N(int64(whole))))
		default: // while the phone is touched
			k.wire.sent.await(t, fmt.Sprintf(`(?s)((?:input tap.*?){%d})`, len(k.wire.touches())+1))
			pause(time.Duration(k.rnd.IntN(20)) * time.Millisecond)
		}
		k.kill()
		accepted := <-taken
		k.restart()
		now := k.unchanged(q)
		if accepted {
			require.Equal(t, inquiry.Answered, now.Status,
				"an answer was taken through %s and is lost", channel)
		}
		if now.Open() {
			lost++
			require.True(t, k.reply(t.Context(), channel, q, text), "it can be sent again")
		}
		if i <= n {
			next = k.awaitQuestion(i + 1)
		}
	}
	for {
		s := k.call("ask_agent_wait", map[string]any{"session_id": k.session})
		if s.State == store.Completed {
			break
		}
		require.Contains(t, []store.State{store.Running, store.Paused, store.WaitingReply},
			s.State, "%s", s.words)
		if s.State == store.Paused {
			k.call("ask_agent_continue", map[string]any{"session_id": k.session})
		}
	}
	t.Logf("an answer is taken in %v and leads to the next question in %v", first, whole)
	t.Logf("%d of %d kills came before it was taken", lost, n)
	k.verify(questions)
}

// pause lets time pass, for a kill at a moment of its own.
func pause(d time.Duration) { <-time.After(d) }
