//go:build unix

package main

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
)

// guardedScript opens a field, asks for codes and types each of them, at most n, until a question
// is refused. When it is told that the typing was interrupted it goes on to the next one.
func guardedScript(n int) string {
	var s strings.Builder
	rule := func(when, action, summary string) {
		s.WriteString(modelRule(when, action, summary))
	}
	ask := func(i int) (action, summary string) {
		return fmt.Sprintf("INFO\\tvalue:Question %d?\\tsecret:true", i),
			fmt.Sprintf("code %d asked", i)
	}
	rule("the other side chose not to answer", "COMPLETE\\treturn:all typed", "over")
	for i := 1; i <= n; i++ {
		action, summary := ask(i + 1)
		rule(fmt.Sprintf(`\[code %d typed\]`, i), action, summary)
		rule(fmt.Sprintf(`(?s)\[code %d asked\].*interrupted during the last action`, i), action,
			summary)
		rule(fmt.Sprintf(`\[code %d asked\]`, i), "TYPE\\tvalue:{{secret}}\\tclear:true",
			fmt.Sprintf("code %d typed", i))
	}
	action, summary := ask(1)
	rule(`\[shop-login 7/10\]`, action, summary)
	return s.String()
}

func TestAKillBeforeAnAcceptedSecretWasTypedDoesNotLoseIt(t *testing.T) {
	t.Parallel()
	wanted := rounds(4, 10) // kills that come in time
	most := 3*wanted + 10   // codes for them
	k := crashHarnessOn(t, "shop-login", "", most, guardedScript(most))
	h := &leakScan{t: t, found: map[string][]byte{}}
	var codes, cores []string
	var whole time.Duration // from when an answer is accepted until it is typed
	inTime := 0
	for i := 1; inTime < wanted; i++ {
		require.Less(t, i, most, "too many kills came too late")
		q := k.awaitQuestion(i)
		code, core := newCode()
		codes, cores = append(codes, code), append(cores, core)
		k.giveSecret(q, code)
		began := time.Now()
		if i == 1 {
			k.wire.sent.await(t, "("+core+")")
			whole = time.Since(began)
			continue
		}
		pause(time.Duration(k.rnd.Int64N(int64(whole) * 3 / 4)))
		k.kill()
		early := !strings.Contains(k.wire.sent.String(), core)
		h.add("log", []byte(k.stderr.String()))
		k.restart()
		require.Equal(t, inquiry.Answered, k.unchanged(q).Status)
		k.awaitQuestion(i + 1)
		if k.typed(i, core) && early {
			inTime++
		}
	}
	t.Logf("typed %v after it was accepted; %d of %d kills came before", whole, inTime,
		len(codes)-1)
	k.declineToEnd(k.awaitQuestion(len(codes) + 1))
	for i := range cores {
		k.typed(i+1, cores[i])
	}
	k.scanForLeaks(h, codes, cores)
}

// declineToEnd refuses a question, after which the run ends well.
func (k *crashHarness) declineToEnd(q inquiry.Question) {
	t := k.testEnv.t
	t.Helper()
	status, body := newHTTPClient(t, k.url, k.token).send("POST", "/v1/inquiries/"+q.ID+"/reply",
		`{"type":"decline"}`)
	require.Equal(t, 200, status, "%v", body)
	s := k.follow(k.call("ask_agent_wait", map[string]any{"session_id": k.session}))
	require.Equal(t, store.Completed, s.State, "%s", s.words)
}

// giveSecret gives a code over HTTP, where it is accepted.
func (k *crashHarness) giveSecret(q inquiry.Question, code string) {
	k.testEnv.t.Helper()
	require.True(k.testEnv.t, q.Secret)
	status, body := k.post(k.testEnv.t.Context(), q.ID, code, "r1")
	require.Equal(k.testEnv.t, 200, status, "%v", body)
}

// typed reports whether the model was sure of the phone having got the code, which then was typed
// once; else it was at most once.
func (k *crashHarness) typed(i int, core string) bool {
	t := k.testEnv.t
	t.Helper()
	times := strings.Count(k.wire.sent.String(), core)
	asked, interrupted := fmt.Sprintf(`\[code %d asked\]`, i), "interrupted during the last action"
	if k.prompted("(?s)"+interrupted+".*"+asked+"|"+asked+".*"+interrupted) != "" {
		require.LessOrEqual(t, times, 1, "code %d", i)
		return false
	}
	require.Equal(t, 1, times, "code %d", i)
	return true
}

// scanForLeaks checks that no code is in any file, log or prompt, and that what is no secret is
// found in all of them.
func (k *crashHarness) scanForLeaks(h *leakScan, codes, cores []string) {
	t := k.testEnv.t
	h.files(k.dir) // while the server has them open
	require.NoError(t, k.cmd.Process.Signal(syscall.SIGTERM))
	require.Zero(t, k.ends(), "%s", k.stderr)
	h.files(k.dir)
	h.add("log", []byte(k.stderr.String()))
	for _, p := range k.prompts {
		h.add("prompts", []byte(p))
	}
	for i := range codes {
		require.Empty(t, h.places(codes[i]))
		require.Empty(t, h.places(cores[i]))
	}
	found := strings.Join(h.places("Question 2?"), "\n")
	for _, place := range []string{"prompts", "/data/taploop/taploop.db "} {
		require.Contains(t, found, place)
	}
	require.Contains(t, string(h.found["log"]), "listening on")
}
