package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
)

// Whoever finds the question of a run that was killed learns of that, and what can be done: here
// with a server, which goes on with it, and with none.
func TestWhatAKilledRunAskedIsToldAsLeftBehind(t *testing.T) {
	t.Parallel()
	for _, served := range []bool{true, false} {
		b := newTestEnv(t, demoTask, asksToAllow)
		list := func() inquiry.Question {
			all := b.questions()
			require.Len(t, all, 1)
			require.Equal(t, inquiry.KindApproval, all[0].Kind)
			return all[0]
		}
		var events <-chan sseEvent
		if served {
			_, url := b.serve()
			ann, status := b.browser(url, b.link())
			require.Equal(t, 200, status)
			events = ann.listen()
		}
		p, _, _, screen := b.atTerminal(120, []string{"LC_ALL=" + langs["en"]}, "run", "Allow it")
		screen.await(t, asked)
		q := list()
		require.False(t, q.LeftBehind)
		const ended = "the program that ran it has ended"
		said := func(lang string, args ...string) string {
			t.Helper()
			b.env = append(b.env, "LC_ALL="+langs[lang])
			out, errs, code := b.run(args...)
			require.Zero(t, code, "%s", errs)
			return out + errs
		}
		require.NotContains(t, said("en", "inquiries"), ended)
		if served {
			until(t, events, func(h sseEvent) bool { return h.name == "inquiry.created" })
		}
		p.kill()

		if served {
			until(t, events, func(h sseEvent) bool {
				return h.name == "inquiry.drafted" && strings.Contains(h.data, `"left_behind":true`)
			})
		}
		require.True(t, list().LeftBehind)
		require.Contains(t, said("en", "inquiries"), ended)
		require.Contains(t, said("en", "inquiries", q.ID), fmt.Sprintf("%s; after the answer a "+
			"server goes on with it, or: taploop continue %s\n", ended, q.SessionID))
		require.Contains(t, said("zh", "inquiries", q.ID),
			"运行它的程序已结束；回答之后由服务器继续，或运行：taploop continue "+q.SessionID)
		require.Contains(t, said("en", "reply", q.ID, "--approve"), "taploop continue "+q.SessionID)
		if !served {
			b.run("continue", q.SessionID)
		}
		b.wire.sent.await(t, `(?s)(input tap.*input tap)`)
	}
}
