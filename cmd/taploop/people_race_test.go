//go:build unix

package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
)

// prompted is the last thing that the model was asked whose words match.
func (k *crashHarness) prompted(pattern string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	re := regexp.MustCompile(pattern)
	for i := len(k.prompts) - 1; i >= 0; i-- {
		if re.MatchString(k.prompts[i]) {
			return k.prompts[i]
		}
	}
	return ""
}

// attempt is one of many answers, and what became of it.
type attempt struct {
	channel, text string
	taken         bool
	winner        string // the answer that was first, as the loser was told
}

func TestTwoHundredAnswersThroughFiveChannelsHaveOneWinner(t *testing.T) {
	t.Parallel()
	k := newCrashHarness(t, 1)
	q := k.awaitQuestion(1)
	ann, status := k.browser(k.url, k.link())
	require.Equal(t, 200, status)
	_, direct := k.folder() // as the command line answers, without a process for each
	ways := []func(*attempt){
		k.replyOverMCP(q), k.replyOverHTTP(newHTTPClient(t, k.url, k.token), q),
		k.replyOverHTTP(ann, q), replyThroughStore(t, direct, q), k.replyOverMCP(q),
	}
	names := []string{"mcp", "http", "page", "command_line", "mcp"}
	bids := make([]attempt, 200)
	start := make(chan struct{})
	var all sync.WaitGroup
	// The server is halted until the requests to it have arrived, so that none is over before the
	// others are there.
	require.NoError(t, k.cmd.Process.Signal(syscall.SIGSTOP))
	for i := range bids {
		b, offer := &bids[i], ways[i%5]
		b.channel, b.text = names[i%5], fmt.Sprintf("answer 1; by replier %d.", i)
		if i < 4 {
			offer, b.channel = k.replyByCommand(q), "command_line"
		}
		all.Go(func() {
			if b.channel == "command_line" {
				<-start
			}
			offer(b)
		})
	}
	pause(time.Second)
	require.NoError(t, k.cmd.Process.Signal(syscall.SIGCONT))
	close(start)
	all.Wait()

	settled, err := k.store.Questions.Get(t.Context(), q.ID)
	require.NoError(t, err)
	first := settled.Resolution.Response.Reveal()
	won := 0
	for _, b := range bids {
		if b.taken {
			won++
			require.Equal(t, b.text, first)
			require.Equal(t, b.channel, settled.Resolution.Channel)
			continue
		}
		require.Equal(t, first, b.winner, "a loser through %s is told who won", b.channel)
	}
	require.Equal(t, 1, won)
	k.follow(k.call("ask_agent_wait", map[string]any{"session_id": k.session}))
	for _, p := range k.prompts {
		for _, b := range bids {
			require.True(t, b.taken || !strings.Contains(p, b.text),
				"the model was shown another answer")
		}
	}
	require.NotEmpty(t, k.prompted(regexp.QuoteMeta(first)))
	entries, err := k.store.Audit.List(t.Context(), store.AuditFilter{QuestionID: q.ID})
	require.NoError(t, err)
	require.Len(t, entries, 3, "one answer is stored, and applied once: %+v", entries)
	require.Len(t, k.wire.touches(), 1)
}

func (k *crashHarness) replyOverMCP(q inquiry.Question) func(*attempt) {
	return func(b *attempt) {
		s, err := k.try(k.testEnv.t.Context(), "ask_agent_continue",
			map[string]any{"session_id": k.session, "reply_from_client": b.text,
				"question_id": q.ID, "wait_seconds": 0})
		switch {
		case err != nil:
			b.winner = err.Error()
		case !s.raw.IsError:
			b.taken = true
		case s.Error.Winner != nil:
			b.winner = s.Error.Winner.Answer
		}
	}
}

func (k *crashHarness) replyOverHTTP(v *httpClient, q inquiry.Question) func(*attempt) {
	return func(b *attempt) {
		status, body := v.answer(q.ID, b.text)
		if b.taken = status == 200; b.taken {
			return
		}
		if w, ok := body["winner"].(map[string]any); ok && status == 409 {
			b.winner, _ = w["response"].(string)
		}
	}
}

func replyThroughStore(t testing.TB, direct *inquiry.Broker, q inquiry.Question) func(*attempt) {
	return func(b *attempt) {
		_, err := direct.Resolve(t.Context(), q.ID,
			inquiry.Reply{Response: b.text, Channel: "command_line", Authority: "local_operator"})
		var lost *inquiry.SettledError
		if b.taken = err == nil; errors.As(err, &lost) {
			b.winner = lost.Question.Resolution.Response.Reveal()
		}
	}
}

func (k *crashHarness) replyByCommand(q inquiry.Question) func(*attempt) {
	return func(b *attempt) {
		_, errs, code := k.run("reply", q.ID, b.text)
		b.taken = code == 0
		if code == exitNotCompleted {
			b.winner = regexp.MustCompile(`answer 1; by replier \d+\.`).FindString(errs)
		}
	}
}

// deadlineScript asks one question after the other, whatever the answers are.
func deadlineScript(n int) string {
	var s strings.Builder
	for i := n; i >= 0; i-- {
		action, when := fmt.Sprintf("INFO\\tvalue:Question %d?", i+1),
			fmt.Sprintf(`\[round %d asked\]`, i)
		if i == n {
			action = "COMPLETE\\treturn:all asked"
		}
		if i == 0 {
			when = "Answer every round"
		}
		s.WriteString(modelRule(when, action, fmt.Sprintf("round %d asked", i+1)))
	}
	return s.String()
}

func TestTheModelGetsAnAnswerAtTheDeadlineIfAndOnlyIfHTTPSaidSo(t *testing.T) {
	t.Parallel()
	n := rounds(8, 20)
	k := crashHarnessWith(t, n, deadlineScript(n), "TAPLOOP_QUESTIONS_ATTENTION=2s",
		"TAPLOOP_QUESTIONS_ON_TIMEOUT=continue_without_answer")
	counts := map[int]int{}
	for i := 1; i <= n; i++ {
		q := k.awaitQuestion(i)
		text := fmt.Sprintf("answer %d;", i)
		switch i {
		case 1: // at once, so that it is seen that an answer can be in time
		case 2: // and that one can be too late
			pause(time.Until(q.AttentionUntil) + 50*time.Millisecond)
		default:
			pause(time.Until(q.AttentionUntil) + time.Duration(k.rnd.IntN(8)-4)*time.Millisecond)
		}
		status, body := k.post(t.Context(), q.ID, text, text)
		require.Contains(t, []int{200, 410}, status, "%v", body)
		counts[status]++
		if i < n {
			k.awaitQuestion(i + 1)
		} else {
			k.follow(k.call("ask_agent_wait", map[string]any{"session_id": k.session}))
		}
		prompt := k.prompted(fmt.Sprintf(`\[round %d asked\]`, i))
		require.NotEmpty(t, prompt)
		require.Equal(t, status == 200, strings.Contains(prompt, text),
			"HTTP %d, and the model was asked %s", status, prompt)
		require.Equal(t, status == 410, strings.Contains(prompt,
			fmt.Sprintf(`To your question \"Question %d?\" no reply came in time`, i)), "%s",
			prompt)
	}
	t.Logf("%v", counts)
	require.Len(t, counts, 2, "both are seen")
}

func TestAnAnswerAgainstAStopIsTakenOrTooLateAndTheRunEndsEitherWay(t *testing.T) {
	t.Parallel()
	n := rounds(8, 20)
	k := crashHarnessWith(t, 1, tapAfterAnswerScript(1))
	counts := map[int]int{}
	for i := 1; i <= n; i++ {
		q := k.awaitQuestion(1)
		status := make(chan int, 1)
		head, first := time.Duration(k.rnd.IntN(6)-3)*time.Millisecond, make(chan struct{})
		if i > 2 {
			close(first)
		}
		go func() {
			if i == 2 { // after the stop, so that it is seen that an answer can be too late
				<-first
			}
			pause(head)
			got, _ := k.post(t.Context(), q.ID, "answer 1;", fmt.Sprint("r", i))
			status <- got
			if i == 1 {
				close(first)
			}
		}()
		if i == 1 { // after the answer, so that it is seen that one can be in time
			<-first
		}
		pause(-head)
		stopped := k.call("ask_agent_stop", map[string]any{"session_id": k.session})
		if i == 2 {
			close(first)
		}
		touches := len(k.wire.touches())
		got := <-status
		counts[got]++
		require.Contains(t, []store.State{store.Cancelled, store.Completed}, stopped.State,
			"%s", stopped.words)

		entries, err := k.store.Audit.List(t.Context(), store.AuditFilter{QuestionID: q.ID})
		require.NoError(t, err)
		settled, err := k.store.Questions.Get(t.Context(), q.ID)
		require.NoError(t, err)
		switch got {
		case 200:
			require.Equal(t, inquiry.Answered, settled.Status)
		case 410:
			require.Equal(t, inquiry.Withdrawn, settled.Status)
			require.Zero(t, settled.AppliedAt, "nobody was given the answer")
		default:
			require.FailNow(t, "an answer against a stop", "HTTP %d", got)
		}
		resolved := 0
		for _, e := range entries {
			if e.Event == store.AuditAnswered || e.Event == store.AuditWithdrawn {
				resolved++
			}
		}
		require.Equal(t, 1, resolved, "%+v", entries)
		k.session = k.call("ask_agent_start_new_task",
			map[string]any{"task": "Answer every round", "wait_seconds": 0}).SessionID
		k.awaitQuestion(1)
		require.Len(t, k.wire.touches(), touches, "after a stop the phone is left alone")
	}
	t.Logf("%v", counts)
	require.Len(t, counts, 2, "both are seen")
}
