//go:build unix

package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/store"
)

// A client that began without a token is shut out by the first one. With the new token it goes on
// where it was, in a server that runs all the while.
func TestATokenTakesOverWhatWasBegunWithoutOne(t *testing.T) {
	t.Parallel()
	for _, e := range []era{modern, legacy} {
		t.Run(string(e), func(t *testing.T) {
			t.Parallel()
			b := newTestEnv(t, demoTask, "")
			s := b.open(route{http: true, era: e})
			asked := s.asks(b.task.Goal)
			inquired := s.call("send_inquiry", map[string]any{"prompt": "Which colour?",
				"wait_seconds": 0, "idempotency_key": "k"})

			out, errs, code := b.run("token", "create", "--name", "laptop")
			require.Zero(t, code, "%s", errs)
			require.Contains(t, errs, "1 open session and 1 open question, begun without a token, "+
				"cannot be reached over HTTP any more")
			require.Contains(t, errs, "\n  "+asked.SessionID+"\n")
			require.Contains(t, errs, "taploop token adopt laptop")
			token := strings.TrimSpace(out)
			_, errs, code = b.run("token", "adopt", "laptop")
			require.Zero(t, code, "%s", errs)
			require.Contains(t, errs, "1 open session and 1 open question")

			res, err := http.Post(s.url, "application/json", strings.NewReader(handshake))
			require.NoError(t, err)
			require.NoError(t, res.Body.Close())
			require.Equal(t, http.StatusUnauthorized, res.StatusCode)
			other := connect(t, e, over(t, s.url, bearer(b.token("other"))))
			refused, err := other.try(t.Context(), "ask_agent_wait",
				map[string]any{"session_id": asked.SessionID})
			require.NoError(t, err)
			require.Contains(t, refused.words, "SESSION_NOT_FOUND")

			mine := &clientProcess{s.process, connect(t, e, over(t, s.url, bearer(token))), s.url}
			again := mine.call("send_inquiry", map[string]any{"prompt": "Which colour?",
				"wait_seconds": 0, "idempotency_key": "k"})
			require.Equal(t, inquired.words, again.words, "the same question")
			mine.call("answer_question", map[string]any{"response": "red",
				"question_id": b.questions()[1].ID})
			done := mine.follow(mine.call("ask_agent_continue", map[string]any{
				"session_id": asked.SessionID, "reply_from_client": b.task.Reply}))
			require.Equal(t, store.Completed, done.State, "%s", done.words)
			b.done(tripTouches)
			var adopted []string
			for _, entry := range b.audit() {
				if entry.Event == store.AuditAdopted {
					adopted = append(adopted, entry.SessionID+" "+entry.Text)
				}
			}
			require.Equal(t, []string{asked.SessionID + " laptop", " laptop"}, adopted)

			_, errs, code = b.run("token", "create", "--name", "third", "--adopt")
			require.Zero(t, code, "%s", errs)
			require.Contains(t, errs, "without a token: 0 open sessions")
			_, errs, code = b.run("token", "create", "--name", "fourth")
			require.Zero(t, code, "%s", errs)
			require.NotContains(t, errs, "begun without")
		})
	}
}
