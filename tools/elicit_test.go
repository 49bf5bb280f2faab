package tools_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
)

func TestAQuestionIsAskedInAForm(t *testing.T) {
	inBothEras(t, these(accepts(in{"choice": "blue"}),
		accepts(in{"choice": "red", "answer": " green "})),
		func(t *testing.T, w *fixture, r *reader) {
			touches := w.phones.touches("A")

			a := w.withProgress("p", "ask_agent_start_new_task",
				in{"task": "tap ask tap ask", "reply_mode": "elicit"})

			require.Equal(t, done, a.code(), a.text)
			require.Equal(t, "done blue green", *a.Answer)
			require.Equal(t, "tap ask tap ask", a.Task)
			require.Equal(t, touches+2, w.phones.touches("A"), "nothing was begun twice")
			all := w.call("list_sessions", nil).structured["sessions"].([]any)
			require.Len(t, all, 1)
			forms := r.shown()
			require.Len(t, forms, 2)
			require.Contains(t, forms[0].Message, "question 1?")
			require.Contains(t, forms[0].Message, `"tap ask tap ask"`)
			schema := forms[0].RequestedSchema.(in)
			require.Equal(t, "object", schema["type"])
			require.Equal(t, []any{"red", "blue"}, schema["properties"].(in)["choice"].(in)["enum"])
			require.Equal(t, "string", schema["properties"].(in)["answer"].(in)["type"])
			require.NotContains(t, schema, "required", "either will do")
			q, err := w.manager.Broker().List(t.Context(), inquiry.Filter{SessionID: a.SessionID})
			require.NoError(t, err)
			require.Equal(t, "elicit", q[0].Resolution.Channel)
			require.Equal(t, "client_ui", q[0].Resolution.Authority)
		})
}

func TestProgressGoesOnWhileAFormIsShown(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		r := &reader{answers: []answering{func(context.Context,
			mcp.ElicitationParams) (*mcp.ElicitationResult, error) {
			time.Sleep(25 * time.Second)
			return acts("accept", in{"choice": "blue"})(nil, mcp.ElicitationParams{})
		}}}
		w.pipe(eras[0], r)
		a := w.withProgress("p", "ask_agent_start_new_task",
			in{"task": "tap ask tap", "reply_mode": "elicit", "wait_seconds": 45})
		require.Equal(t, done, a.code())
		got, metas := w.progressed("p")
		i := slices.Index(got, "the question is shown in a form")
		require.Greater(t, i, slices.Index(got, "the agent asks: question 1?"))
		require.Equal(t, []string{"the question is shown in a form",
			"the question is settled: answered by elicit"}, got[i+1:i+3])
		types := []any{}
		for _, m := range metas {
			if m["type"] != nil {
				types = append(types, m["type"])
			}
		}
		require.Equal(t, []any{"INQUIRY", "INQUIRY_RESOLVED"}, types, "each once")
	})
}

func TestAFormThatIsDeclinedIsARefusal(t *testing.T) {
	inBothEras(t, these(acts("decline", nil)), func(t *testing.T, w *fixture, _ *reader) {
		a := w.start("ask", in{"reply_mode": "elicit"})
		require.Equal(t, done, a.code())
		q, err := w.manager.Broker().List(t.Context(), inquiry.Filter{SessionID: a.SessionID})
		require.NoError(t, err)
		require.Equal(t, inquiry.Refused, q[0].Status)
	})
}

func TestAFormThatIsClosedPassesTheQuestionOn(t *testing.T) {
	inBothEras(t, these(acts("cancel", nil)), func(t *testing.T, w *fixture, r *reader) {
		a := w.start("ask", in{"reply_mode": "elicit -> pass_to_client"})
		require.Equal(t, asks, a.code())
		require.Equal(t, "ask_agent_continue", a.Next.Tool)
		require.Equal(t, asks, w.call("ask_agent_wait", in{"session_id": a.SessionID}).code())
		require.Len(t, r.shown(), 1, "it is not shown again")
		require.Equal(t, "done red",
			*w.call("ask_agent_continue",
				in{"session_id": a.SessionID, "reply_from_client": "red"}).Answer)
	})
}

func TestAnAnswerThatDoesNotFitIsAskedForAgain(t *testing.T) {
	inBothEras(t, these(accepts(in{"answer": "  "}), accepts(in{"answer": "\x00"}), accepts(in{}),
		accepts(in{"answer": "violet"})), func(t *testing.T, w *fixture, r *reader) {
		a := w.start("ask", in{"reply_mode": "elicit"})
		require.Equal(t, done, a.code())
		require.Equal(t, "done violet", *a.Answer)
		forms := r.shown()
		require.Len(t, forms, 4)
		require.NotContains(t, forms[0].Message, "does not fit")
		require.Contains(t, forms[1].Message, "does not fit: the answer is empty")
		require.Contains(t, forms[2].Message, "NUL")
	})
}

func TestAClientThatNeverFitsIsNotAskedForEver(t *testing.T) {
	inBothEras(t, these(accepts(in{"answer": " "})), func(t *testing.T, w *fixture, r *reader) {
		a := w.start("ask", in{"reply_mode": "elicit -> pass_to_client"})
		require.Equal(t, asks, a.code())
		require.Len(t, r.shown(), 5)
	})
}

func TestAClientWithoutFormsIsNotAskedInThem(t *testing.T) {
	for _, version := range eras {
		t.Run(version, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				w.pipe(version, nil)
				before := w.facts()
				for _, tool := range []string{"ask_agent_start_new_task", "ask_agent"} {
					a := w.call(tool, in{"task": "ask", "reply_mode": "elicit"})
					require.Equal(t, "INVALID_ARGUMENT", a.code())
					require.Contains(t, a.Error.Hint, "elicit -> pass_to_client")
				}
				require.Equal(t, before, w.facts(), "nothing was begun")
				a := w.start("ask", in{"reply_mode": "elicit -> pass_to_client"})
				require.Equal(t, asks, a.code())
				require.Equal(t, "ask_agent_continue", a.Next.Tool)
			})
		})
	}
}

func TestASecretIsNotAskedForInAForm(t *testing.T) {
	inBothEras(t, these(accepts(in{"answer": "hush"})), func(t *testing.T, w *fixture, r *reader) {
		a := w.start("asksecret", in{"reply_mode": "elicit -> pass_to_client"})
		require.Equal(t, asks, a.code())
		require.Empty(t, r.shown())
	})
}

func TestAFormIsClosedWhenAnotherChannelWins(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		r := &reader{gone: make(chan struct{})}
		defer close(r.gone)
		r.answers = []answering{r.leaves}
		w.pipe(eras[0], r)
		id := w.start("ask tap", in{"reply_mode": "elicit", "wait_seconds": 0}).SessionID
		go func() {
			time.Sleep(20 * time.Second)
			w.settle(w.only(id).ID, fromPage)
		}()
		began := time.Now()
		a := w.call("ask_agent_wait", in{"session_id": id})
		require.Equal(t, done, a.code())
		require.Equal(t, "done yes, blue", *a.Answer)
		require.Less(t, time.Since(began), 25*time.Second)
		require.Len(t, r.shown(), 1)
		require.Equal(t, []any{"the question was settled in another way"}, w.closings())
	})
}

// only is the open question of the session.
func (w *fixture) only(id string) inquiry.Question {
	list, err := w.manager.Broker().List(context.Background(),
		inquiry.Filter{SessionID: id, Status: inquiry.Pending})
	require.NoError(w.t, err)
	require.Len(w.t, list, 1)
	return list[0]
}

func TestAFormDoesNotOutliveTheCall(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		r := &reader{gone: make(chan struct{})}
		defer close(r.gone)
		r.answers = []answering{r.leaves, accepts(in{"choice": "red"})}
		w.pipe(eras[0], r)
		began := time.Now()
		a := w.start("ask tap", in{"reply_mode": "elicit"})
		require.Equal(t, 25*time.Second, time.Since(began), "its budget")
		require.Equal(t, asks, a.code())
		require.Equal(t, "ask_agent_wait", a.Next.Tool, "the next call shows it again")
		require.Contains(t, a.text, "in a form")
		require.Equal(t, []any{"the time for this form is over; the question is still open"},
			w.closings())
		look := w.call("ask_agent_wait", in{"session_id": a.SessionID, "wait_seconds": 0})
		require.Equal(t, asks, look.code())
		require.Len(t, r.shown(), 1, "who only looks shows nothing")
		b := w.call(a.Next.Tool, with(a.Next.Arguments, in{"question_id": a.Question.ID}))
		require.Equal(t, done, b.code())
		require.Equal(t, "done red", *b.Answer)
	})
}

func TestAFormHasItsTurn(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		r := &reader{gone: make(chan struct{})}
		defer close(r.gone)
		r.answers = []answering{r.leaves}
		w.pipe(eras[0], r)
		began := time.Now()
		a := w.start("ask tap", in{"reply_mode": "elicit (20s) -> pass_to_client"})
		require.Equal(t, asks, a.code())
		require.Equal(t, "ask_agent_continue", a.Next.Tool)
		require.Less(t, time.Since(began), 30*time.Second)
		require.Equal(t, []any{"the time for this form is over; the question is still open"},
			w.closings())
	})
}

func TestAFormWhoseTurnComesLaterIsShown(t *testing.T) {
	inBothEras(t, these(accepts(in{"choice": "red"})), func(t *testing.T, w *fixture, r *reader) {
		a := w.start("ask tap", in{"reply_mode": "pass_to_client (15s) -> elicit"})
		require.Equal(t, asks, a.code())
		require.Empty(t, r.shown())
		b := w.call("ask_agent_wait", in{"session_id": a.SessionID, "question_id": a.Question.ID})
		require.Equal(t, done, b.code(), b.text)
		require.Equal(t, "done red", *b.Answer)
	})
}

func TestAFormIsClosedWhenTheRunIsPaused(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		r := &reader{gone: make(chan struct{})}
		defer close(r.gone)
		r.answers = []answering{r.leaves}
		w.pipe(eras[0], r)
		id := w.start("ask tap", in{"reply_mode": "elicit", "wait_seconds": 0}).SessionID
		waiting := make(chan answer, 1)
		go func() { waiting <- w.call("ask_agent_wait", in{"session_id": id}) }()
		time.Sleep(5 * time.Second)
		require.Len(t, r.shown(), 1)
		began := time.Now()
		require.Equal(t, paused, w.call("ask_agent_stop",
			in{"session_id": id, "mode": "pause"}).code())
		require.Equal(t, paused, (<-waiting).code())
		require.Equal(t, []any{"the run does not wait for the answer any more"}, w.closings())
		require.Less(t, time.Since(began), time.Second)
	})
}

func TestAClientThatFailsToShowAFormPassesOn(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		r := &reader{answers: []answering{func(context.Context,
			mcp.ElicitationParams) (*mcp.ElicitationResult, error) {
			return nil, errors.New("no window")
		}}}
		w.pipe(eras[0], r)
		require.Equal(t, asks, w.start("ask", in{"reply_mode": "elicit -> pass_to_client"}).code())
	})
}

// raw makes a call of the newer protocol as the client is given it, without showing a form.
func (w *fixture) raw(tool string, arguments in, state string, responses in) *mcp.CallToolResult {
	w.t.Helper()
	params := in{"name": tool, "arguments": arguments,
		"_meta": in{"io.modelcontextprotocol/protocolVersion": mcp.ProtocolVersion20260728,
			"io.modelcontextprotocol/clientCapabilities": in{"elicitation": in{}}}}
	if state != "" {
		params["requestState"] = state
	}
	if responses != nil {
		params["inputResponses"] = in{"question": responses}
	}
	w.calls++
	resp, err := w.client.GetTransport().SendRequest(w.t.Context(),
		transport.JSONRPCRequest{JSONRPC: "2.0",
			ID: mcp.NewRequestId(fmt.Sprint("raw ",
				w.calls)), Method: "tools/call", Params: params})
	require.NoError(w.t, err)
	require.Nil(w.t, resp.Error)
	out, err := mcp.ParseCallToolResult(&resp.Result)
	require.NoError(w.t, err)
	return out
}

// again is a call that is made again, with the answer to a form.
func (w *fixture) again(tool string, arguments in, state string, responses in) answer {
	w.t.Helper()
	return w.read(tool, w.raw(tool, arguments, state, responses))
}

// forged is a state with other words, and as much of the mark as is said.
func forged(t *testing.T, state string, mark int, shown string) string {
	raw, err := base64.RawURLEncoding.DecodeString(state)
	require.NoError(t, err)
	require.Contains(t, string(raw[32:]), `"shown":1`)
	return base64.RawURLEncoding.EncodeToString(append(raw[:mark:mark],
		strings.ReplaceAll(string(raw[32:]), `"shown":1`, shown)...))
}

func TestTheAnswerThatComesBackIsTakenForItsOwnQuestionOnly(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		start := in{"task": "ask tap", "reply_mode": "elicit", "max_steps": 1000}
		w.pipe(eras[1], &reader{answers: []answering{acts("cancel", nil)}})
		got := w.raw("ask_agent_start_new_task", start, "", nil)
		require.Equal(t, mcp.ResultTypeInputRequired, got.ResultType)
		state := got.RequestState
		require.NotEmpty(t, state)
		require.Contains(t, got.InputRequests, "question")
		yes := in{"action": "accept", "content": in{"choice": "red"}}
		id := w.call("list_sessions",
			nil).structured["sessions"].([]any)[0].(in)["session_id"].(string)
		w.phones.add("B")
		other := w.start("ask", in{"device_id": "B"}).SessionID
		before := w.facts()
		for name, a := range map[string]answer{
			"no state": w.again("ask_agent_start_new_task", start, "", yes),
			"nonsense": w.again("ask_agent_start_new_task", start, "nonsense", yes),
			"made by oneself": w.again("ask_agent_start_new_task", start,
				forged(t, state, 0, `"shown":1`), yes),
			"changed": w.again("ask_agent_start_new_task", start,
				forged(t, state, 32, `"shown":0`), yes),
			"short": w.again("ask_agent_start_new_task", start, state[:20], yes),
		} {
			require.Equal(t, "INVALID_ARGUMENT", a.code(), name)
		}
		for name, a := range map[string]answer{
			"another session": w.again("ask_agent_wait", in{"session_id": other}, state, yes),
			"another tool":    w.again("ask_agent_wait", in{"session_id": id}, state, yes),
			"the older name":  w.again("ask_agent", start, state, yes),
			"another task": w.again("ask_agent_start_new_task",
				with(maps.Clone(start), in{"task": "another task"}), state, yes),
			"a phone that is not there": w.again("ask_agent_start_new_task",
				with(maps.Clone(start), in{"device_id": "nope"}), state, yes),
			"fewer steps": w.again("ask_agent_start_new_task",
				with(maps.Clone(start), in{"max_steps": 999}), state, yes),
			"something to keep": w.again("ask_agent_start_new_task",
				with(maps.Clone(start), in{"extra_info": in{"a": 1}}), state, yes),
			"nothing": w.again("ask_agent_start_new_task", in{"task": "x"}, state, yes),
		} {
			require.Equal(t, "INVALID_ARGUMENT", a.code(), name)
			require.Contains(t, a.Error.Message, "requestState belongs to another call", name)
			require.Contains(t, a.Error.Hint, "same tool", name)
		}
		w.topts.Principal = func(context.Context) string { return "bob" }
		w.pipe(eras[1], &reader{answers: []answering{acts("cancel", nil)}})
		require.Equal(t, "QUESTION_NOT_FOUND",
			w.again("ask_agent_start_new_task", start, state, yes).code(), "of somebody else")
		require.Equal(t, before, w.facts())
		w.topts.Principal = func(context.Context) string { return "" }
		w.pipe(eras[1], &reader{answers: []answering{acts("cancel", nil)}})

		a := w.again("ask_agent_start_new_task", with(maps.Clone(start), in{"max_steps": "1000",
			"wait_seconds": 7, "device_id": nil, "queue": false}), state, yes)

		require.Equal(t, done, a.code(), "the same in other words, but for the wait: %s", a.text)
		require.Equal(t, id, a.SessionID)
		require.False(t, a.Replayed)
		twice := w.again("ask_agent_start_new_task", start, state, yes)
		require.Equal(t, done, twice.code())
		require.True(t, twice.Replayed, "the client's retry")
		require.NotContains(t, twice.text, "came too late")
		late := w.again("ask_agent_start_new_task", start, state,
			in{"action": "accept", "content": in{"choice": "blue"}})
		require.Equal(t, done, late.code())
		require.Contains(t, late.text, "came too late")
		require.False(t, late.Replayed)
		require.Equal(t, "done red", *late.Answer)
		synctest.Wait()
	})
}

func TestAnAnswerInAFormOutlivesTheServerThatAsked(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		nobody := &reader{answers: []answering{acts("cancel", nil)}}
		w.pipe(eras[1], nobody)
		start := in{"task": "tap ask tap", "reply_mode": "elicit"}
		state := w.raw("ask_agent_start_new_task", start, "", nil).RequestState
		touches := w.phones.touches("A")
		w.restart()
		w.pipe(eras[1], nobody)

		a := w.again("ask_agent_start_new_task", start, state,
			in{"action": "accept", "content": in{"choice": "red"}})

		require.Equal(t, done, a.code(), a.text)
		require.Equal(t, "done red", *a.Answer)
		require.Equal(t, touches+1, w.phones.touches("A"), "nothing was done twice")
		require.Equal(t, 4, a.Delta, "all steps of the call, those before the question included")
	})
}

// Consents and takeovers reach the user of a client that shows forms, whatever its model has asked
// for. What the form does not settle is passed to the client, and a program's user has no form.
func TestConsentsAreAskedInFormsWhoeverChoseTheMode(t *testing.T) {
	for _, mode := range []string{"", "pass_to_client", "auto_reply", "no_reply",
		"elicit -> pass_to_client"} {
		t.Run(mode, func(t *testing.T) {
			inBothEras(t, func(*reader) []answering {
				return []answering{accepts(in{"decision": "approve"})}
			}, func(t *testing.T, w *fixture, r *reader) {
				w.gate = asking{"critical"}
				start := in{"task": "tap"}
				if mode != "" {
					start["reply_mode"] = mode
				}
				before := w.phones.touches("A")
				a := w.withProgress("p", "ask_agent_start_new_task", start)
				if strings.HasPrefix(mode, "auto") { // which this server has no model for
					require.Equal(t, "INVALID_ARGUMENT", a.code(), a.text)
					return
				}
				require.Equal(t, done, a.code(), a.text)
				require.Len(t, r.shown(), 1)
				require.Equal(t, before+1, w.phones.touches("A"))
			})
		})
	}
}

func TestAConsentThatAFormDoesNotSettleIsPassedToTheClient(t *testing.T) {
	inBothEras(t, func(*reader) []answering { return []answering{acts("cancel", nil)} },
		func(t *testing.T, w *fixture, r *reader) {
			w.gate = asking{"critical"}
			a := w.withProgress("p", "ask_agent_start_new_task", in{"task": "tap"})
			require.Equal(t, "WAITING_APPROVAL ACTION_NEEDS_APPROVAL", a.code(), a.text)
			require.Len(t, r.shown(), 1)
			require.Contains(t, a.text, "the inbox page or this machine's terminal")
		})
}
