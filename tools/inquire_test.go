package tools_test

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/tools/result"
)

// asked is what send_inquiry and answer_question returned.
type asked struct {
	answer
	ID       string               `json:"question_id"`
	Status   inquiry.Status       `json:"status"`
	Answer   *string              `json:"answer"`
	Values   map[string]any       `json:"values"`
	Settled  *result.Winner       `json:"resolution"`
	Replayed bool                 `json:"replayed"`
	Notes    []string             `json:"notes"`
	Question *result.OpenQuestion `json:"question"`
	Next     *result.Next         `json:"next"`
	Failure  *result.Failure      `json:"error"`
}

func (w *fixture) ask(tool string, arguments in) asked {
	return w.askAs(w.t.Context(), tool, arguments, nil)
}

func (w *fixture) askAs(ctx context.Context, tool string, arguments in, token any) asked {
	w.t.Helper()
	a, err := w.try(ctx, tool, arguments, token)
	require.NoError(w.t, err)
	out := asked{answer: a}
	require.NoError(w.t, json.Unmarshal(encode(w.t, a.structured), &out))
	return out
}

// says is the status, or the code of a call that was not carried out.
func (a asked) says() string {
	if a.raw.IsError {
		return a.Failure.Code
	}
	return string(a.Status)
}

func (w *fixture) settle(id string, r inquiry.Reply) {
	w.t.Helper()
	_, err := w.manager.Broker().Resolve(w.t.Context(), id, r)
	require.NoError(w.t, err)
}

var fromPage = inquiry.Reply{Response: "yes, blue", Channel: "page", Authority: "human_token",
	By: "Ann"}

func TestAnInquiryWaitsForItsAnswer(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		began := time.Now()
		a := w.ask("send_inquiry", in{"prompt": "which colour?", "context": "the new door",
			"options": []any{"red", "blue"}})

		require.Equal(t, "pending", a.says())
		require.Equal(t, 25*time.Second, time.Since(began), "its budget")
		require.Nil(t, a.Answer)
		require.Equal(t, "the new door", a.Question.Context)
		require.Equal(t, []string{"red", "blue"}, a.Question.Options)
		require.True(t, a.Question.FreeText)
		require.Equal(t, inquiry.KindInquiry, a.Question.Kind)
		require.WithinDuration(t, began.Add(10*time.Minute), a.Question.AttentionUntil, 0)
		require.Equal(t, &result.Next{Tool: "send_inquiry", Arguments: in{"question_id": a.ID},
			Why: "nobody has answered yet"}, a.Next)
		require.Contains(t, a.text, "do not ask again")
		go func() { time.Sleep(7 * time.Second); w.settle(a.ID, fromPage) }()
		began = time.Now()

		b := w.ask(a.Next.Tool, a.Next.Arguments)

		require.Equal(t, 7*time.Second, time.Since(began), "it returns with the answer")
		require.Equal(t, "answered", b.says())
		require.Equal(t, "yes, blue", *b.Answer)
		require.Equal(t, "Ann", b.Settled.By)
		require.Equal(t, "page", b.Settled.Channel)
		require.Equal(t, "human_token", b.Settled.Authority)
		require.Nil(t, b.Question)
		require.Nil(t, b.Next)
		require.Contains(t, b.text, "Ann through page")
		stored, err := w.manager.Broker().Get(t.Context(), a.ID)
		require.NoError(t, err)
		require.False(t, stored.AppliedAt.IsZero(), "it is noted that the asker has it")
		require.Equal(t, *b.Answer, *w.ask("send_inquiry", in{"question_id": a.ID}).Answer,
			"it can be read again")
	})
}

func TestAnAnswerOutlivesTheServerThatAsked(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		question := in{"prompt": "go on?", "idempotency_key": "k", "wait_seconds": 0}
		a := w.ask("send_inquiry", question)
		w.restart()
		require.Equal(t, a.Question,
			w.ask("send_inquiry", in{"question_id": a.ID,
				"wait_seconds": 0}).Question, "the same, to the second")
		w.settle(a.ID, fromPage)
		w.restart()
		for _, arguments := range []in{question, {"question_id": a.ID}} {
			b := w.ask("send_inquiry", arguments)
			require.Equal(t, a.ID, b.ID)
			require.Equal(t, "yes, blue", *b.Answer)
		}
	})
}

func TestManyCallsUnderOneKeyAskOnce(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		ids := make([]string, 20)
		var wg sync.WaitGroup
		for i := range ids {
			wg.Go(func() {
				ids[i] = w.ask("send_inquiry",
					in{"prompt": "go on?", "idempotency_key": "k", "wait_seconds": 1}).ID
			})
		}
		wg.Wait()
		require.Len(t, slices.Compact(ids), 1)
		other := w.ask("send_inquiry", in{"prompt": "stop?", "idempotency_key": "k"})
		require.Equal(t, "INVALID_ARGUMENT", other.says())
		foreign := w.askAs(w.as("bob"), "send_inquiry",
			in{"prompt": "stop?", "idempotency_key": "k", "wait_seconds": 0}, nil)
		require.Equal(t, "pending", foreign.says(), "keys of somebody else are other keys")
		require.NotEqual(t, ids[0], foreign.ID)
	})
}

func TestAFormIsAnsweredFieldByField(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		form := []any{
			in{"name": "who", "type": "text", "label": "Who comes?"},
			in{"name": "day", "type": "choice", "options": []any{"Mon", "Tue"}, "default": "Mon"},
			in{"name": "meals", "type": "choices", "options": []any{"lunch", "dinner"},
				"optional": true},
			in{"name": "paid", "type": "yes_no"},
			in{"name": "seats", "type": "number", "min": 1, "max": 9.5},
			in{"name": "until", "type": "date", "optional": true},
		}
		a := w.ask("send_inquiry", in{"prompt": "the table", "fields": form, "wait_seconds": 0})
		require.Equal(t, "pending", a.says(), a.text)
		require.Len(t, a.Question.Fields, 6)
		require.Equal(t, "Mon", a.Question.Fields[1].Default)
		require.InDelta(t, 9.5, *a.Question.Fields[4].Max, 0)

		bad := w.ask("answer_question",
			in{"question_id": a.ID,
				"values": in{"who": "Ann", "day": "Fri", "paid": true, "seats": 12,
					"until": "soon"}})

		require.Equal(t, "INVALID_ARGUMENT", bad.says())
		for _, name := range []string{"day", "seats", "until"} {
			require.Contains(t, bad.Failure.Message, strconv.Quote(name))
		}
		require.NotContains(t, bad.Failure.Message, `"who"`)
		require.Contains(t, bad.Failure.Hint, "still open")
		require.Equal(t, "pending",
			w.ask("send_inquiry", in{"question_id": a.ID, "wait_seconds": 0}).says())
		values := in{"who": "Ann", "day": "Tue", "meals": []any{"dinner"}, "paid": false,
			"seats": 2.5, "until": "2026-01-31"}
		require.Equal(t, "answered",
			w.ask("answer_question", in{"question_id": a.ID, "values": values}).says())
		got := w.ask("send_inquiry", in{"question_id": a.ID})
		require.Equal(t, values, got.Values)
		require.JSONEq(t, string(encode(t, values)), *got.Answer)
	})
}

func TestADraftIsAnsweredWithTheWholeText(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		a := w.ask("send_inquiry", in{"prompt": "is this fine?", "draft": "# Plan\n\n- rest\n",
			"wait_seconds": 0})
		require.Equal(t, "# Plan\n\n- rest\n", a.Question.Draft)
		w.settle(a.ID, inquiry.Reply{Response: "# Plan\n\n- work\n", Channel: "page"})
		require.Equal(t, "# Plan\n\n- work\n",
			*w.ask("send_inquiry", in{"question_id": a.ID}).Answer)
	})
}

func TestWhatSilenceLeadsTo(t *testing.T) {
	for name, c := range map[string]struct {
		more   in
		status string
		answer any
		says   string
		at     time.Duration
	}{
		"it stays open": {in{}, "pending", nil, "wait on", 10 * time.Minute},
		"it goes on without": {in{"on_timeout": "continue_without_answer"}, "timed_out", nil,
			"neither consent nor refusal", 10 * time.Minute},
		"the default is taken": {in{"on_timeout": "default_answer", "default_answer": "no"},
			"timed_out", "no", "as agreed beforehand", 10 * time.Minute},
		"the form's defaults are taken": {in{"on_timeout": "default_answer",
			"fields": []any{in{"name": "n", "type": "number", "default": 3}}}, "timed_out",
			`{"n":3}`, "as agreed beforehand", 10 * time.Minute},
		"never sooner than in 30 s": {in{"on_timeout": "continue_without_answer",
			"timeout_seconds": 0}, "timed_out", nil, "", 30 * time.Second},
		"never later than in a day": {in{"on_timeout": "continue_without_answer",
			"timeout_seconds": 10_000_000}, "timed_out", nil, "", 24 * time.Hour},
		"at the time that is set": {in{"on_timeout": "continue_without_answer",
			"timeout_seconds": 90.5}, "timed_out", nil, "", 90500 * time.Millisecond},
		"a default alone is no order": {in{"default_answer": "no"}, "pending", nil, "",
			10 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				a := w.ask("send_inquiry", with(in{"prompt": "go on?", "wait_seconds": 0}, c.more))
				require.Equal(t, "pending", a.says(), a.text)
				require.Equal(t, c.at, a.Question.AttentionUntil.Sub(a.Question.AskedAt))
				require.NoError(t, w.manager.Broker().Sweep(t.Context(),
					time.Now().Add(c.at-time.Second)))
				require.Equal(t, "pending",
					w.ask("send_inquiry", in{"question_id": a.ID, "wait_seconds": 0}).says())
				require.NoError(t, w.manager.Broker().Sweep(t.Context(), time.Now().Add(c.at)))

				b := w.ask("send_inquiry", in{"question_id": a.ID, "wait_seconds": 0})

				require.Equal(t, c.status, b.says())
				if c.answer == nil {
					require.Nil(t, b.Answer)
				} else {
					require.Equal(t, c.answer, *b.Answer)
				}
				require.Contains(t, b.text, c.says)
			})
		})
	}
}

func TestARefusalIsTold(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		a := w.ask("send_inquiry", in{"prompt": "your age?", "wait_seconds": 0})
		require.Equal(t, "refused",
			w.ask("answer_question", in{"question_id": a.ID, "decline": true}).says())
		b := w.ask("send_inquiry", in{"question_id": a.ID})
		require.Equal(t, "refused", b.says())
		require.Nil(t, b.Answer)
		require.Contains(t, b.text, "do not ask this again")
	})
}

func TestASecretInquiryTellsNobodyTheSecret(t *testing.T) {
	const secret = "hush-hush-4711"
	bubble(t, func(t *testing.T, w *fixture) {
		question := in{"prompt": "the code?", "secret": true, "idempotency_key": "k",
			"wait_seconds": 0}
		a := w.ask("send_inquiry", question)
		require.True(t, a.Question.Secret)
		reply := in{"question_id": a.ID, "response": secret, "reply_id": "r"}
		all := []asked{w.ask("answer_question", reply), w.ask("answer_question", reply),
			w.ask("send_inquiry", question),
			w.ask("answer_question",
				in{"question_id": a.ID, "response": "x"}), w.ask("list_pending_questions", in{})}
		require.Equal(t, "answered", all[0].says())
		require.Equal(t, inquiry.Masked, *all[2].Answer)
		require.True(t, all[1].Replayed)
		require.Equal(t, inquiry.Masked, all[3].Failure.Winner.Answer)
		for _, x := range all {
			require.NotContains(t, x.wire, secret)
		}
		stored, err := w.manager.Broker().Get(t.Context(), a.ID)
		require.NoError(t, err)
		require.Empty(t, stored.Resolution.Response.Reveal(),
			"it is erased: nobody is going to read it")
		other := w.ask("send_inquiry",
			in{"prompt": "the other code?", "secret": true, "wait_seconds": 0})
		w.settle(other.ID, inquiry.Reply{Response: secret, Channel: "page"})
		synctest.Wait()
		stored, err = w.manager.Broker().Get(t.Context(), other.ID)
		require.NoError(t, err)
		require.Empty(t, stored.Resolution.Response.Reveal(), "also when nobody asks for it")
	})
}

func TestWhetherAnInquiryIsSecretIsTheCallersToSayElseItsWords(t *testing.T) {
	for name, c := range map[string]struct {
		asks   in
		answer string
		secret bool
	}{
		"by its words": {in{"prompt": "What is the password?"}, "hunter2", true},
		"said to be":   {in{"prompt": "What is it?", "secret": true}, "hunter2", true},
		"said not to be": {in{"prompt": "What is the password?", "secret": false}, "hunter2",
			false},
		"a hand-over": {in{"prompt": "Log in with the password, then say done."}, "done",
			false},
		"acknowledged":     {in{"prompt": "What is the password?"}, "done", false},
		"acknowledged, zh": {in{"prompt": "密码?", "secret": true}, "好了", false},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				question := with(c.asks, in{"idempotency_key": "k", "wait_seconds": 0})
				a := w.ask("send_inquiry", question)
				w.ask("answer_question", in{"question_id": a.ID, "response": c.answer})
				got := w.ask("send_inquiry", question)
				require.Equal(t, c.secret, *got.Answer == inquiry.Masked)
				require.Equal(t, !c.secret, *got.Answer == c.answer)
			})
		})
	}
}

func TestWhatCannotBeAskedIsRefused(t *testing.T) {
	t.Parallel()
	field := func(more in) in {
		return in{"prompt": "x?", "fields": []any{with(in{"name": "a", "type": "text"}, more)}}
	}
	for name, c := range map[string]struct {
		arguments in
		says      string
	}{
		"nothing": {in{}, "prompt is missing"},
		"options and a draft": {in{"prompt": "x?", "options": []any{"a"}, "draft": "b"},
			"do not go together"},
		"options and a form": {with(field(in{}), in{"options": []any{"a"}}), "do not go together"},
		"a form and a draft": {with(field(in{}), in{"draft": "b"}), "do not go together"},
		"an option that is no text": {in{"prompt": "x?", "options": []any{"a", in{}}},
			"options[1] is an object"},
		"an option that is empty": {in{"prompt": "x?", "options": []any{" "}},
			"options[0] is empty"},
		"too many options": {in{"prompt": "x?",
			"options": slices.Repeat([]any{"a"}, 51)}, "51 items"},
		"a field that is no object": {in{"prompt": "x?", "fields": []any{"a"}},
			"fields[0] is a text"},
		"a field without a name": {in{"prompt": "x?", "fields": []any{in{"type": "text"}}},
			"fields[0]: name is missing"},
		"a field of no type": {field(in{"type": "colour"}),
			"fields[0]: type is \"colour\""},
		"a field with a strange key":  {field(in{"html": "x"}), "there is no argument \"html\""},
		"a field with a strange name": {field(in{"name": "a b"}), "a b"},
		"two fields of one name": {in{"prompt": "x?",
			"fields": []any{in{"name": "a", "type": "text"}, in{"name": "a", "type": "date"}}},
			"two fields are named"},
		"a choice of nothing": {field(in{"type": "choice"}), "0 options"},
		"a default that does not fit": {field(in{"type": "number", "default": "many"}),
			"default does not fit"},
		"a default that is missing": {in{"prompt": "x?", "on_timeout": "default_answer"},
			"there is none"},
		"a default that is no option": {in{"prompt": "x?", "options": []any{"a"},
			"free_text": false, "on_timeout": "default_answer", "default_answer": "b"},
			"none of the options"},
		"defaults that are not all": {with(field(in{}), in{"on_timeout": "default_answer"}), "a"},
		"a secret form":             {with(field(in{}), in{"secret": true}), "secret"},
		"an escape sequence":        {in{"prompt": "x\x1b[2J?"}, "control character"},
		"a question and its id": {in{"prompt": "x?", "question_id": "y"},
			"both question_id and prompt"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				before := w.facts()
				a := w.ask("send_inquiry", with(in{"wait_seconds": 0}, c.arguments))
				require.Equal(t, "INVALID_ARGUMENT", a.says(), a.text)
				require.Contains(t, a.Failure.Message, c.says)
				require.Contains(t, a.text, "Try: ")
				require.Equal(t, before, w.facts())
			})
		})
	}
}

func TestAnInquiryIsToldWhileItIsWaitedFor(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.end()
		w.topts.BaseURL = "http://127.0.0.1:8731"
		w.begin()
		id := w.ask("send_inquiry", in{"prompt": "go\non?", "wait_seconds": 0}).ID
		go func() { time.Sleep(15 * time.Second); w.settle(id, fromPage) }()

		a := w.askAs(t.Context(), "send_inquiry", in{"question_id": id}, "p")

		require.Equal(t, "answered", a.says())
		got, metas := w.progressed("p")
		require.Equal(t, []string{"asked: go on?", "waiting for an answer",
			"the question is settled: answered by Ann through page"}, got)
		url := "http://127.0.0.1:8731/v1/inquiries/" + id + "/reply"
		require.Equal(t, []map[string]any{
			{"type": "INQUIRY", "inquiryId": id, "question_id": id, "question": "go\non?",
				"kind": inquiry.KindInquiry, "reply_url": url},
			{"type": "INQUIRY_RESOLVED", "inquiryId": id, "question_id": id,
				"status": inquiry.Answered, "reply_url": url,
				"resolution": map[string]any{"type": inquiry.TypeAnswer, "channel": "page",
					"authority": "human_token", "by": "Ann"}},
		}, slices.DeleteFunc(metas, isNil))
	})
}

func TestAnInquiryThatIsCalledOffStaysOpen(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error, 1)
		go func() {
			_, err := w.try(ctx, "send_inquiry", in{"prompt": "go on?", "idempotency_key": "k"},
				"p")
			failed <- err
		}()
		time.Sleep(5 * time.Second)
		cancel()
		require.Error(t, <-failed)
		require.Equal(t, 1, w.pending(t.Context(), in{}).Total)
		w.settle(w.pending(t.Context(), in{}).Questions[0].ID, fromPage)
		require.Equal(t, "yes, blue",
			*w.ask("send_inquiry", in{"prompt": "go on?", "idempotency_key": "k"}).Answer)
	})
}

// An inquiry that belongs to a session is no question of its run.
func TestAnInquiryLeavesTheRunAlone(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		a := w.start("tap ask")
		q := w.ask("send_inquiry", in{"prompt": "which?", "session_id": a.SessionID,
			"wait_seconds": 0})
		require.Equal(t, "NO_OPEN_QUESTION",
			w.call("ask_agent_continue",
				in{"session_id": a.SessionID, "question_id": q.ID,
					"reply_from_client": "x"}).code())
		require.Equal(t, a.Question.ID,
			w.call("ask_agent_wait", in{"session_id": a.SessionID}).Question.ID)
		w.settle(q.ID, fromPage)
		require.Equal(t, asks, w.call("ask_agent_wait", in{"session_id": a.SessionID}).code())
		require.Equal(t, "done red",
			*w.call("ask_agent_continue",
				in{"session_id": a.SessionID, "reply_from_client": "red"}).Answer)
		require.Equal(t, "answered", w.ask("send_inquiry", in{"question_id": q.ID}).says())
	})
}

// What was refused, or what nobody answered, is not put to anybody again in the same words for a
// while: the call gets what came of it.
func TestAnInquiryThatWasInVainIsNotPutAgainAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		for status, how := range map[inquiry.Status]inquiry.Reply{
			inquiry.Refused:  {Type: inquiry.TypeDecline, Authority: inquiry.AuthorityHumanToken},
			inquiry.TimedOut: {Type: inquiry.TypeTimeout, Authority: inquiry.AuthorityHumanToken},
		} {
			put := func(words string, more ...in) asked {
				return w.ask("send_inquiry", with(in{"prompt": words, "wait_seconds": 0,
					"on_timeout": "continue_without_answer"}, more...))
			}
			first := put("Shall I book the 9:30 train?")
			w.settle(first.ID, how)
			again := put("shall I book the 9:30 train")
			require.Equal(t, first.ID, again.ID)
			require.Equal(t, string(status), again.says())
			require.Nil(t, again.Next, "there is nothing to wait for")
			require.NotEqual(t, first.ID, put("Shall I book the 10:30 train?").ID)
			require.NotEqual(t, first.ID, put("Shall I book the 9:30 train?",
				in{"options": []any{"yes", "no"}}).ID, "with other choices")
			for _, other := range []in{{"context": "For Anna."}, {"idempotency_key": "k" + first.ID},
				{"default_answer": "yes"}, {"on_timeout": "pause"}, {"draft": "Dear Tom"},
				{"draft": "Dear Anna"}, {"options": []any{"yes", "no"}, "free_text": false},
				{"fields": []any{in{"name": "seat", "type": "number", "min": 1}}},
				{"fields": []any{in{"name": "seat", "type": "number", "min": 2}}}} {
				a := put("Shall I book the 9:30 train?", other)
				require.Equal(t, "pending", a.says(), "%v", other)
				w.settle(a.ID, how)
			}
			b := w.askAs(w.as("bob"), "send_inquiry",
				in{"prompt": "Shall I book the 9:30 train?", "wait_seconds": 0}, nil)
			require.Equal(t, "pending", b.says(), "somebody else's")
			time.Sleep(11 * time.Minute)
			require.Equal(t, "pending", put("Shall I book the 9:30 train?").says(), "later")
			time.Sleep(time.Hour)
		}
	})
}
