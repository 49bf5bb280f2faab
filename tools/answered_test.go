package tools_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/terminal"
)

func TestAResultSaysWhoAnsweredInTheClientsPlace(t *testing.T) {
	for name, c := range map[string]struct {
		mode    string
		silence inquiry.OnTimeout
		want    string
	}{
		"a model": {"auto_reply", "",
			`the agent's question "question 1?" was answered by a model, ` +
				`not by your user: "a model's answer"`},
		"a model after a silence": {"pass_to_client", inquiry.AskModel,
			`was answered by a model, not by your user: "a model's answer"`},
		"somebody at the console": {"manual_reply", "",
			`the agent's question "question 1?" was answered by console: "from the console"`},
		"nobody, as it was meant": {"no_reply", "",
			`the agent's question "question 1?" was put to nobody (reply_mode no_reply)`},
		"nobody in time": {"pass_to_client", inquiry.GoOn,
			`nobody answered the agent's question "question 1?" in time, and the agent went on`},
		"nobody at the console": {"manual_reply (1s) -> no_reply", "",
			`nobody answered the agent's question "question 1?" in time`},
		"the client, which knows it": {"pass_to_client", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				w.end()
				w.fopts.Asking.Console = terminal.New(&console{lines: []string{"from the console"}}, "en")
				w.fopts.Asking.Answerer = answerer{}
				w.fopts.OnTimeout = c.silence
				w.begin()
				a := w.start("ask tap", in{"reply_mode": c.mode})
				switch {
				case c.want == "":
					a = w.call("ask_agent_continue",
						in{"session_id": a.SessionID, "reply_from_client": "red"})
				case a.code() != done: // nobody gives it attention
					time.Sleep(2 * time.Hour)
					a = w.wait(a.SessionID)
				}
				require.Equal(t, done, a.code(), a.text)
				if c.want == "" {
					require.Empty(t, a.Notes)
					return
				}
				require.Len(t, a.Notes, 1)
				require.Contains(t, a.Notes[0], c.want)
				require.Contains(t, a.text, c.want)
				require.Len(t, w.wait(a.SessionID).Notes, 1,
					"as long as the steps are those of the result")
				require.Empty(t, w.call("ask_agent_wait",
					in{"session_id": a.SessionID, "since_step": 2}).Notes)
				next := w.call("ask_agent_continue", in{"session_id": a.SessionID, "task": "tap"})
				require.Equal(t, done, next.code())
				require.Empty(t, next.Notes, "another run")
			})
		})
	}
}

func TestAnAnswerThroughAnotherChannelIsToldToWhoWaits(t *testing.T) {
	for want, r := range map[string]inquiry.Reply{
		`was answered by Ann through page: "blue \"now\""`: {Response: "blue \"now\"", By: "Ann"},
		`was left unanswered on purpose by Ann through page`: {Type: inquiry.TypeDecline,
			By: "Ann"},
	} {
		t.Run(want, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				a := w.start("ask tap tap tap")
				r.Channel, r.Authority = "page", "human_token"
				_, err := w.manager.Broker().Resolve(t.Context(), a.Question.ID, r)
				require.NoError(t, err)
				a = w.call("ask_agent_wait", in{"session_id": a.SessionID, "since_step": a.Global})
				require.Len(t, a.Notes, 1)
				require.Contains(t, a.Notes[0], want)
			})
		})
	}
}

func TestASecretThatSomebodyElseGaveIsMaskedInTheNote(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		a := w.start("asksecret tap")
		_, err := w.manager.Broker().Resolve(t.Context(), a.Question.ID,
			inquiry.Reply{Response: "483920-hush", Channel: "page", Authority: "human_token"})
		require.NoError(t, err)
		a = w.wait(a.SessionID)
		require.Equal(t, done, a.code())
		require.Contains(t, a.text, `"[secret]"`)
		require.NotContains(t, a.wire, "483920-hush")
	})
}

// chatty answers in many words of the worst kind.
type chatty struct{}

func (chatty) Reply(context.Context, string, string, []string, *screen.Frame) (string, error) {
	return strings.Repeat("\"\\<\n", 500), nil
}

func TestManyAnswersOfAModelDoNotFillTheResult(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.end()
		w.fopts.Asking.Answerer = chatty{}
		w.begin()
		a := w.start("verbose "+strings.Repeat("ask ", 11), in{"reply_mode": "auto_reply"})
		require.Equal(t, done, a.code())
		require.Contains(t, a.Notes[0], "3 earlier questions")
		require.Less(t, len(a.wire), 100_000)
	})
}
