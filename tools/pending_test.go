package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/tools/result"
)

func TestQuestionsOfOthersAreLikeNone(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		mine := w.ask("send_inquiry", in{"prompt": "mine?", "wait_seconds": 0})
		session := w.start("ask")
		bob := w.as("bob")
		require.Zero(t, w.pending(bob, in{}).Total)
		for _, id := range []string{mine.ID, session.Question.ID, "nosuch"} {
			for _, a := range []asked{
				w.askAs(bob, "send_inquiry", in{"question_id": id}, nil),
				w.askAs(bob, "answer_question", in{"question_id": id, "response": "x"}, nil),
			} {
				require.Equal(t, "QUESTION_NOT_FOUND", a.says())
				require.NotContains(t, a.wire, "mine?")
			}
		}
		for tool, arguments := range map[string]in{"send_inquiry": {"prompt": "x?",
			"session_id": session.SessionID},
			"list_pending_questions": {"session_id": session.SessionID}} {
			require.Equal(t, "SESSION_NOT_FOUND", w.askAs(bob, tool, arguments, nil).says())
		}
		require.Equal(t, 2, w.pending(t.Context(), in{}).Total)
	})
}

func TestAClientAsksOnlySoMuch(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		for i := range 100 {
			require.Equal(t, "pending",
				w.ask("send_inquiry",
					in{"prompt": fmt.Sprint("question ", i), "idempotency_key": fmt.Sprint(i),
						"wait_seconds": 0}).says())
		}
		require.Equal(t, "pending",
			w.ask("send_inquiry", in{"prompt": "question 7", "idempotency_key": "7",
				"wait_seconds": 0}).says(), "it was asked before")
		a := w.ask("send_inquiry", in{"prompt": "one more", "wait_seconds": 0})
		require.Equal(t, "QUESTION_LIMIT", a.says())
		require.Equal(t, "pending",
			w.askAs(w.as("bob"), "send_inquiry", in{"prompt": "one more", "wait_seconds": 0},
				nil).says())
		w.ask("answer_question", in{"question_id": w.pending(t.Context(), in{}).Questions[0].ID,
			"response": "x"})
		require.Equal(t, "pending",
			w.ask("send_inquiry", in{"prompt": "one more", "wait_seconds": 0}).says())
	})
}

// pending is what list_pending_questions returns.
func (w *fixture) pending(ctx context.Context, arguments in) (out struct {
	Questions []*result.OpenQuestion `json:"questions"`
	Total     int                    `json:"total"`
	Notes     []string               `json:"notes"`
	answer
}) {
	w.t.Helper()
	a, err := w.try(ctx, "list_pending_questions", arguments, nil)
	require.NoError(w.t, err)
	require.False(w.t, a.raw.IsError, a.text)
	require.NoError(w.t, json.Unmarshal(encode(w.t, a.structured), &out))
	out.answer = a
	return out
}

func TestTheOpenQuestionsAreListed(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.end()
		w.topts.BaseURL = "http://127.0.0.1:8731/"
		w.topts.Channels = []string{"page", "command_line"}
		w.begin()
		session := w.start("tap ask")
		free := w.ask("send_inquiry", in{"prompt": "one?", "wait_seconds": 0})
		tied := w.ask("send_inquiry",
			in{"prompt": "two?", "session_id": session.SessionID, "wait_seconds": 0})

		all := w.pending(t.Context(), in{})

		require.Equal(t, 3, all.Total)
		require.Equal(t, []string{session.Question.ID, free.ID, tied.ID},
			[]string{all.Questions[0].ID, all.Questions[1].ID, all.Questions[2].ID})
		require.Equal(t, session.SessionID, all.Questions[0].SessionID)
		require.Empty(t, all.Questions[1].SessionID)
		require.Equal(t, session.SessionID, all.Questions[2].SessionID)
		require.Equal(t, "http://127.0.0.1:8731/v1/inquiries/"+free.ID+"/reply",
			all.Questions[1].ReplyURL)
		require.Equal(t, "http://127.0.0.1:8731/ui#question="+free.ID, all.Questions[1].PageURL)
		require.Equal(t, []inquiry.Channel{{Name: "pass_to_client"}, {Name: "page"},
			{Name: "command_line"}}, all.Questions[1].Channels)
		require.Equal(t, all.Questions[0].ReplyURL, session.Question.ReplyURL,
			"in the result of a run, too")
		require.Contains(t, all.text, "answer_question")
		require.Equal(t, 2, w.pending(t.Context(), in{"session_id": session.SessionID}).Total)
		one := w.pending(t.Context(), in{"limit": 1})
		require.Len(t, one.Questions, 1)
		require.Equal(t, 3, one.Total)
	})
}

func TestListsAndAnswersStaySmall(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		long, options := strings.Repeat("词", 3000), []any{}
		for i := range 20 {
			options = append(options, fmt.Sprint(strings.Repeat("x", 490), i))
		}
		for i := range 45 {
			w.ask("send_inquiry", in{"prompt": fmt.Sprint(i, long), "options": options,
				"wait_seconds": 0})
		}
		all := w.pending(t.Context(), in{"limit": 100})
		require.Less(t, len(all.wire), 100_000)
		require.NotEmpty(t, all.Notes)
		require.Equal(t, 45, all.Total)
		require.Greater(t, len(all.Questions), 40)
		draft := w.ask("send_inquiry",
			in{"prompt": "edit", "draft": strings.Repeat("词", 20_000), "wait_seconds": 0})
		require.Equal(t, "pending", draft.says())
		require.Less(t, len(draft.wire), 100_000)
		edited := strings.Repeat("文", 20_000)
		require.Equal(t, "answered",
			w.ask("answer_question", in{"question_id": draft.ID, "response": edited}).says())
		read, calls := "", 0
		next := &result.Next{Tool: "send_inquiry", Arguments: in{"question_id": draft.ID}}
		for ; next != nil && calls < 5; calls++ {
			got := w.ask(next.Tool, next.Arguments)
			require.Less(t, len(got.wire), 100_000)
			read += *got.Answer
			if next = got.Next; next != nil {
				require.Contains(t, got.text, "answer_from")
				require.Contains(t, got.Notes[0], "20000 characters")
			}
		}
		require.Equal(t, edited, read, "nothing of an answer is lost")
		require.Equal(t, 2, calls)
		late := w.ask("answer_question", in{"question_id": draft.ID, "response": "x"})
		require.Equal(t, "QUESTION_ALREADY_RESOLVED", late.says())
		require.Less(t, len(late.wire), 20_000)
	})
}

func TestAnAnswerToTheAgentOnThePhone(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		a := w.start("ask tap")

		b := w.ask("answer_question",
			in{"question_id": a.Question.ID, "response": "red", "reply_id": "r"})

		require.Equal(t, "answered", b.says())
		require.Equal(t, "client_model", b.Settled.Authority)
		require.Equal(t, &result.Next{Tool: "ask_agent_wait",
			Arguments: in{"session_id": a.SessionID}, Why: "the run goes on with the answer"},
			b.Next)
		require.Contains(t, b.text, "ask_agent_wait")
		end := w.wait(a.SessionID)
		require.Equal(t, "done red", *end.Answer)
		late := w.ask("answer_question", in{"question_id": a.Question.ID, "response": "blue"})
		require.Equal(t, "QUESTION_ALREADY_RESOLVED", late.says())
		require.Equal(t, "red", late.Failure.Winner.Answer)
		require.Contains(t, late.Failure.Hint, a.SessionID)
		require.True(t, w.ask("answer_question",
			in{"question_id": a.Question.ID, "response": "red", "reply_id": "r"}).Replayed)
		other := w.ask("answer_question",
			in{"question_id": a.Question.ID, "response": "blue", "reply_id": "r"})
		require.Equal(t, "INVALID_ARGUMENT", other.says(), "the same id with another answer")
		require.Equal(t, "ask_agent_wait", other.Next.Tool)
		require.Equal(t, "INVALID_ARGUMENT",
			w.ask("send_inquiry", in{"question_id": a.Question.ID}).says(), "it is waited for by "+
				"its session")
	})
}

func TestAnAnswerToAQuestionThatIsGoneIsToldWhatThereIsToDo(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		expired := w.start("ask tap")
		time.Sleep(25 * time.Hour)
		for tool, arguments := range map[string]in{
			"answer_question": {"question_id": expired.Question.ID, "response": "red"},
			"ask_agent_continue": {"session_id": expired.SessionID,
				"question_id": expired.Question.ID, "reply_from_client": "red"},
		} {
			late := w.ask(tool, arguments)
			require.Equal(t, "QUESTION_ALREADY_RESOLVED", late.says(), tool)
			require.Equal(t, inquiry.Expired, late.Failure.Winner.Status, tool)
			require.Contains(t, late.Failure.Hint, "ended", tool)
			require.Contains(t, late.Failure.Hint, "task", tool)
			require.NotContains(t, late.Failure.Hint, "what winner says", tool)
		}

		w.phones.add("B")
		stopped := w.start("ask tap", in{"device_id": "B"})
		w.call("ask_agent_stop", in{"session_id": stopped.SessionID})
		late := w.ask("answer_question", in{"question_id": stopped.Question.ID, "response": "red"})
		require.Equal(t, inquiry.Withdrawn, late.Failure.Winner.Status)
		require.Contains(t, late.Failure.Hint, "has ended since (CANCELLED)")
		again := w.call("ask_agent_continue", in{"session_id": expired.SessionID, "task": "tap"})
		require.Equal(t, done, again.code(), "the hint can be followed")
	})
}

func TestAnAnswerThatCannotBeTaken(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		a := w.ask("send_inquiry", in{"prompt": "which?", "options": []any{"red", "blue"},
			"free_text": false, "wait_seconds": 0})
		gone := w.ask("send_inquiry",
			in{"prompt": "quick!", "on_timeout": "continue_without_answer", "timeout_seconds": 30,
				"wait_seconds": 0})
		for _, arguments := range []in{{}, {"values": in{"a": 1}},
			{"response": "x", "values": in{}}, {"decline": true,
				"values": in{}}, {"response": "green"}} {
			b := w.ask("answer_question", with(in{"question_id": a.ID}, arguments))
			require.Equal(t, "INVALID_ARGUMENT", b.says(), "%v", arguments)
			require.NotEmpty(t, b.Failure.Hint)
			if arguments["response"] == "green" {
				require.Equal(t, &result.Next{Tool: "answer_question",
					Arguments: in{"question_id": a.ID}, Why: "add an answer that fits"}, b.Next)
			}
		}
		require.Equal(t, 2, w.pending(t.Context(), in{}).Total)
		time.Sleep(time.Minute)
		late := w.ask("answer_question", in{"question_id": gone.ID, "response": "here"})
		require.Equal(t, "QUESTION_ALREADY_RESOLVED", late.says())
		require.Equal(t, inquiry.TimedOut, late.Failure.Winner.Status)
		require.Equal(t, "answered",
			w.ask("answer_question", in{"question_id": a.ID, "response": "BLUE"}).says())
		require.Equal(t, "blue", *w.ask("send_inquiry", in{"question_id": a.ID}).Answer)

		own := in{"question_id": w.ask("send_inquiry", in{"prompt": "which?",
			"wait_seconds": 0}).ID, "response": "red", "reply_id": "r"}
		require.Equal(t, "answered", w.ask("answer_question", own).says())
		own["response"] = "blue"
		reused := w.ask("answer_question", own)
		require.Equal(t, "INVALID_ARGUMENT", reused.says())
		require.Equal(t, &result.Next{Tool: "send_inquiry",
			Arguments: in{"question_id": own["question_id"]},
			Why:       "it shows how the question was settled"}, reused.Next)
	})
}

func TestAChannelWhoseTurnIsOverIsNotShown(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.fopts.Asking.Channels = []string{"inbox"}
		w.restart()
		// the client shows no forms
		passed := w.start("ask", in{"reply_mode": "elicit (60s) -> pass_to_client"})
		require.Equal(t, []inquiry.Channel{{Name: "pass_to_client", Asks: true}, {Name: "inbox"}},
			passed.Question.Channels)
		require.Equal(t, passed.Question.Channels, w.pending(t.Context(),
			in{}).Questions[0].Channels)

		w.phones.add("B")
		timed := w.start("ask", in{"device_id": "B",
			"reply_mode": "pass_to_client (60s) -> elicit"})
		require.Equal(t, []string{"pass_to_client", "elicit", "inbox"},
			names(timed.Question.Channels))
		require.True(t, timed.Question.Channels[0].Asks)
		time.Sleep(61 * time.Second)
		after := w.pending(t.Context(), in{"session_id": timed.SessionID}).Questions[0].Channels
		require.Equal(t, []inquiry.Channel{{Name: "pass_to_client"}, {Name: "elicit", Asks: true},
			{Name: "inbox"}}, after, "the client may always answer")
	})
}

func names(channels []inquiry.Channel) (list []string) {
	for _, d := range channels {
		list = append(list, d.Name)
	}
	return list
}
