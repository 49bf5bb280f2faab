package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/terminal"
	"github.com/taploop/taploop/tools/result"
)

func TestTheWholeTripOfAQuestion(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		a := w.start("tap ask tap")
		require.Equal(t, asks, a.code())
		require.Equal(t, "question 1?", a.Question.Text)
		require.Equal(t, a.Question.ID, a.Question.InquiryID)
		require.Equal(t, []string{"red", "blue"}, a.Question.Options)
		require.Equal(t, 1, a.Question.Round)
		require.Equal(t, 2, a.Local)
		require.Contains(t, a.text, `"question 1?"`)
		require.Contains(t, a.text, `"red", "blue"`)

		b := w.call("ask_agent_continue", in{"session_id": a.SessionID, "reply_from_client": "red"})

		require.Equal(t, done, b.code())
		require.Equal(t, "done red", *b.Answer)
		require.Equal(t, "red", b.Reply)
		require.NotContains(t, b.structured, "task", "reply_from_client stands in its place")
		require.Equal(t, 2, b.Local, "counts this call")
		require.Equal(t, 4, b.Global, "counts the session")
		last := w.policy.last()
		require.Equal(t, "tap ask tap", last.Task, "the model is shown the original task")
		require.Equal(t, []actions.Exchange{{Question: "question 1?", Answer: "red",
			Outcome: actions.Answered}}, last.Exchanges)
	})
}

// What a former task ended with is not told as the action of one that has made no step.
func TestATaskWithoutStepsHasNoFinalAction(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		a := w.start("tap")
		require.Equal(t, done, a.code())
		require.Contains(t, a.structured, "final_action")

		b := w.call("ask_agent_continue", in{"session_id": a.SessionID, "task": "tap tap",
			"wait_seconds": 0})

		require.Equal(t, 0, b.Local)
		require.NotContains(t, b.structured, "final_action")
		b = w.call("ask_agent_wait", in{"session_id": a.SessionID})
		require.Equal(t, 3, b.Local)
		require.Contains(t, b.structured, "final_action")
	})
}

func TestTheBeginningOfAQuestionsIDIsEnough(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		a := w.start("ask ask")
		b := w.call("ask_agent_continue", in{"session_id": a.SessionID,
			"question_id": a.Question.ID[:8], "reply_from_client": "red"})
		require.Equal(t, asks, b.code(), b.text)
		c := w.call("answer_question", in{"question_id": b.Question.ID[:8], "response": "blue"})
		require.Empty(t, c.Error, c.text)
		d := w.call("ask_agent_wait", in{"session_id": a.SessionID,
			"question_id": b.Question.ID[:8]})
		require.Equal(t, "done red blue", *d.Answer, d.text)
	})
}

func TestTwentyQuestionsInARow(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		a := w.start(strings.TrimSpace(strings.Repeat("ask ", 20)), in{"max_steps": 1})
		for i := 1; i <= 20; i++ {
			require.Equal(t, asks, a.code())
			require.Equal(t, fmt.Sprintf("question %d?", i), a.Question.Text)
			require.Equal(t, i, a.Question.Round)
			require.Equal(t, i, a.Global)
			if i == 10 {
				w.restart()
			}
			a = w.call("ask_agent_continue",
				in{"session_id": a.SessionID, "reply_from_client": fmt.Sprint("answer ", i),
					"max_steps": 2})
		}
		require.Equal(t, done, a.code())
		require.Contains(t, *a.Answer, "answer 1 answer 2 answer 3")
		require.Contains(t, *a.Answer, "answer 19 answer 20")
	})
}

func TestAnAnswerThatCameTwiceCountsOnce(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		id := w.start("ask tap tap").SessionID
		reply := in{"session_id": id, "reply_from_client": "red", "reply_id": "r1"}
		first := w.call("ask_agent_continue", reply)
		require.Equal(t, done, first.code())
		require.False(t, first.Replayed)
		require.NotContains(t, first.structured, "replayed")
		touches := w.phones.touches("A")

		again := w.call("ask_agent_continue", reply)

		require.Equal(t, done, again.code(), "the same success")
		require.True(t, again.Replayed, "which is said")
		require.Equal(t, "red", again.Reply)
		require.Equal(t, touches, w.phones.touches("A"))
		other := w.call("ask_agent_continue",
			in{"session_id": id, "reply_from_client": "blue", "reply_id": "r1"})
		require.Equal(t, "INVALID_ARGUMENT", other.code(), "the same id with another answer")
		require.Equal(t, &result.Next{Tool: "ask_agent_wait", Arguments: in{"session_id": id},
			Why: "it shows how the run ended"}, other.Next)
		require.Contains(t, other.Error.Hint, "ask_agent_wait")
	})
}

func TestWhoAnswersASettledQuestionLearnsWhoWas(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		a := w.start("ask tap tap tap tap tap")
		_, err := w.manager.Broker().Resolve(t.Context(), a.Question.ID,
			inquiry.Reply{Response: "blue", Channel: "page", Authority: "human_token", By: "Ann"})
		require.NoError(t, err)

		late := w.call("ask_agent_continue",
			in{"session_id": a.SessionID, "reply_from_client": "red", "question_id": a.Question.ID})

		require.Equal(t, "QUESTION_ALREADY_RESOLVED", late.code())
		require.NotNil(t, late.Error.Winner, late.text)
		require.Equal(t, inquiry.Answered, late.Error.Winner.Status)
		require.Equal(t, "Ann", late.Error.Winner.By)
		require.Equal(t, "page", late.Error.Winner.Channel)
		require.Equal(t, "blue", late.Error.Winner.Answer)
		end := w.wait(a.SessionID)
		require.Equal(t, done, end.code(), end.text)
		require.Equal(t, "done blue", *end.Answer)
	})
}

func TestAnAnswerToAnOlderQuestionGetsTheCurrentOne(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		first := w.start("ask ask")
		second := w.call("ask_agent_continue",
			in{"session_id": first.SessionID, "reply_from_client": "red"})
		before := w.facts()

		a := w.call("ask_agent_continue",
			in{"session_id": first.SessionID, "reply_from_client": "blue",
				"question_id": first.Question.ID})

		require.Equal(t, "QUESTION_SUPERSEDED", a.code())
		require.Equal(t, second.Question.ID, a.Question.ID, "the current one comes along")
		require.Equal(t, before, w.facts())
		a = w.call("ask_agent_continue",
			in{"session_id": first.SessionID, "reply_from_client": "blue", "question_id": "nosuch"})
		require.Equal(t, "NO_OPEN_QUESTION", a.code())
	})
}

func TestManyAnswersAtOnceHaveOneWinner(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		id := w.start("ask").SessionID
		codes := make(chan string, 20)
		for i := range 20 {
			go func() {
				a, err := w.try(t.Context(), "ask_agent_continue",
					in{"session_id": id, "reply_from_client": fmt.Sprint("answer ", i)}, nil)
				if err != nil {
					codes <- err.Error()
					return
				}
				codes <- a.code()
			}()
		}
		count := map[string]int{}
		for range 20 {
			count[<-codes]++
		}
		require.Equal(t, 1, count[done], "%v", count)
		require.Equal(t, 20,
			count[done]+count["QUESTION_ALREADY_RESOLVED"]+count["NO_OPEN_QUESTION"], "%v", count)
	})
}

func TestASecretAnswerIsTypedAndShownNowhere(t *testing.T) {
	const secret = "483920-hush"
	bubble(t, func(t *testing.T, w *fixture) {
		a := w.start("asksecret typesecret tap")
		require.Contains(t, a.text, "(a secret: at the inbox page or this machine's terminal "+
			"your user can give it without any model seeing it)")
		require.True(t, a.Question.Secret)
		front := "com.android.notes"
		w.phones.phone("A").Set(frontIs(front))

		b := w.call("ask_agent_continue",
			in{"session_id": a.SessionID, "reply_from_client": secret, "reply_id": "r"})

		require.Equal(t, done, b.code())
		require.Equal(t, inquiry.Masked, b.Reply)
		require.Equal(t, secret, w.phones.phone("A").Text(), "it was typed")
		again := w.call("ask_agent_continue",
			in{"session_id": a.SessionID, "reply_from_client": secret, "reply_id": "r"})
		late := w.call("ask_agent_continue",
			in{"session_id": a.SessionID, "reply_from_client": "x", "question_id": a.Question.ID})
		for _, r := range []answer{b, again, late, w.wait(a.SessionID),
			w.call("list_sessions", nil)} {
			require.NotContains(t, r.wire, secret)
		}
		require.Equal(t, inquiry.Masked, again.Reply)
		require.Equal(t, inquiry.Masked, late.Error.Winner.Answer)
	})
}

func TestTheReplyModeSaysWhoAnswers(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.end()
		console := &console{lines: []string{"from the console"}}
		w.fopts.Asking.Console, w.fopts.Asking.Answerer = terminal.New(console, "en"), answerer{}
		w.begin()
		for mode, want := range map[string]string{"manual_reply": "done from the console",
			"auto_reply": "done a model's answer", "no_reply": "done "} {
			a := w.start("ask", in{"reply_mode": mode})
			require.Equal(t, done, a.code(), mode)
			require.Equal(t, want, *a.Answer, mode)
		}
		a := w.start("tap ask", in{"reply_mode": "no_reply", "max_steps": 1})
		require.Equal(t, "PAUSED MAX_STEPS_REACHED", a.code())
		a = w.call("ask_agent_continue", in{"session_id": a.SessionID})
		require.Equal(t, "done ", *a.Answer, "the mode stays when a call leaves it out")
	})
}

func TestTheConfiguredReplyModeIsTheDefault(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.end()
		w.topts.ReplyMode = channel.NoReply
		w.begin()
		require.Equal(t, done, w.start("ask").code())
		require.Equal(t, asks, w.start("ask", in{"reply_mode": "pass_to_client"}).code())
	})
}

func TestWhatARestartLeaves(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		asked := w.start("ask tap")
		w.phones.add("B")
		moving := w.start("forever",
			in{"device_id": "B", "wait_seconds": 3.5, "idempotency_key": "k"})
		w.restart()
		touches := w.phones.touches("B")

		a := w.call("ask_agent_wait", in{"session_id": moving.SessionID})
		require.Equal(t, "PAUSED SERVER_RESTARTED", a.code())
		require.Equal(t, "ask_agent_continue", a.Next.Tool)
		b := w.call("ask_agent_wait", in{"session_id": asked.SessionID})
		require.Equal(t, asks, b.code())
		require.Equal(t, asked.Question, b.Question, "the same question, to the second")
		same := w.call("ask_agent_start_new_task",
			in{"task": "forever", "device_id": "B", "idempotency_key": "k"})
		require.Equal(t, moving.SessionID, same.SessionID, "a key outlives the server")
		require.Equal(t, touches, w.phones.touches("B"), "nothing was done twice")

		require.Equal(t, done, w.call("ask_agent_continue",
			in{"session_id": asked.SessionID, "reply_from_client": "red"}).code())
		a = w.call("ask_agent_continue", in{"session_id": moving.SessionID, "wait_seconds": 3})
		require.Equal(t, still, a.code())
		require.Greater(t, a.Global, moving.Global, "step numbers go on")
	})
}

func TestAnotherClientGoesOnWithWhatOneBegan(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		a := w.start("ask")
		other := w.second()

		b := other.call("ask_agent_continue",
			in{"session_id": a.SessionID, "reply_from_client": "red"})

		require.Equal(t, done, b.code())
	})
}

func TestAKeyStartsOnce(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		first := w.start("tap tap tap", in{"idempotency_key": "k", "wait_seconds": 0})
		second := w.start("tap tap tap", in{"idempotency_key": "k"})
		require.Equal(t, first.SessionID, second.SessionID)
		require.Equal(t, done, second.code(), "it joined the run")
		require.Equal(t, 3, w.phones.touches("A"))
		other := w.call("ask_agent_start_new_task", in{"task": "tap", "idempotency_key": "k"})
		require.Equal(t, "INVALID_ARGUMENT", other.code())
		foreign, err := w.try(w.as("bob"), "ask_agent_start_new_task",
			in{"task": "tap", "idempotency_key": "k"}, nil)
		require.NoError(t, err)
		require.NotEqual(t, first.SessionID, foreign.SessionID,
			"keys of somebody else are other keys")
	})
}

func TestWhatSteersOrHidesInAnAnswerDoesNotReachTheModel(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		a := w.start("ask tap")
		b := w.call(resume, in{"session_id": a.SessionID,
			"reply_from_client": "gr\u202e\u200been\nor \u2066both\tof them"})
		require.Equal(t, done, b.code())
		require.Equal(t, "green\nor both\tof them", w.policy.last().Exchanges[0].Answer)

		c := w.start("ask tap")
		_, err := w.manager.Broker().Resolve(t.Context(), c.Question.ID,
			inquiry.Reply{Response: "\x1b]0;x\a\u009bblue", Channel: "page"})
		require.NoError(t, err)
		require.Equal(t, done, w.wait(c.SessionID).code())
		require.Equal(t, "]0;xblue", w.policy.last().Exchanges[0].Answer)
	})
}

func TestAnInquiryWithHiddenCharactersIsTheSameUnderItsKey(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		question := in{"prompt": "which?", "options": []any{"r\u202eed", "blue"},
			"idempotency_key": "k", "wait_seconds": 0}
		a := w.ask("send_inquiry", question)
		require.Equal(t, []string{"red", "blue"}, a.Question.Options)
		require.Equal(t, a.ID, w.ask("send_inquiry", question).ID)
		b := w.ask("answer_question", in{"question_id": a.ID, "response": "r\u202eed"})
		require.Equal(t, "red", *b.Answer)
	})
}

// A question for a secret is not the same that asks for words that may be shown.
func TestAKeyIsNotForTheSameQuestionWithASecret(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		question := in{"prompt": "which?", "idempotency_key": "k", "wait_seconds": 0}
		w.ask("send_inquiry", question)
		question["secret"] = true
		require.Equal(t, "INVALID_ARGUMENT", w.call("send_inquiry", question).code())
	})
}

func TestSentencesShowWhatAPersonWrote(t *testing.T) {
	const words = `<b> & "c" > d`
	bubble(t, func(t *testing.T, w *fixture) {
		a := w.ask("send_inquiry", in{"prompt": words, "wait_seconds": 0})
		b := w.ask("answer_question", in{"question_id": a.ID, "response": words})
		w.start("tap " + words)
		for _, said := range []string{a.text, b.text, w.call("list_sessions", in{}).text} {
			require.Contains(t, said, `<b> & \"c\" > d`)
		}
		w.disconnect()
		w.connectAs("2025-03-26") // gets the object as a text, too
		blocks := fmt.Sprint(w.call("list_sessions", in{}).raw.Content)
		require.Equal(t, 2, strings.Count(blocks, `<b> & \"c\" > d`), blocks)
	})
}
