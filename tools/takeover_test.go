package tools_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/device/devicetest"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/tools"
)

func TestAClientHandsThePhoneBack(t *testing.T) {
	for _, c := range []struct {
		name  string
		reply in
		typ   inquiry.Type
	}{
		{"done", in{"reply_type": "done"}, inquiry.TypeDone},
		{"in words", in{"reply_from_client": "done"}, inquiry.TypeDone},
		{"could not", in{"reply_type": "could_not", "reply_from_client": "no code came"},
			inquiry.TypeCouldNot},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				a := w.start("askhand tap")
				require.Equal(t, "WAITING_TAKEOVER TAKEOVER_NEEDED", a.code())
				require.Equal(t, inquiry.KindTakeover, a.Question.Kind)
				require.False(t, a.Question.Secret)
				require.Contains(t, a.text, `reply_type "could_not"`)
				require.Equal(t, "ask_agent_continue", a.Next.Tool)

				b := w.call("ask_agent_continue", with(in{"session_id": a.SessionID}, c.reply))

				require.Equal(t, "COMPLETED TASK_COMPLETED_SUCCESSFULLY", b.code())
				q, err := w.manager.Broker().Get(t.Context(), a.Question.ID)
				require.NoError(t, err)
				require.Equal(t, c.typ, q.Resolution.Type)
			})
		})
	}
}

func TestAPhoneIsHandedBackInAForm(t *testing.T) {
	inBothEras(t, these(accepts(in{"outcome": "It is done", "remark": "logged in"}),
		accepts(in{"outcome": "It could not be done"})),
		func(t *testing.T, w *fixture, r *reader) {
			a := w.withProgress("p", "ask_agent_start_new_task",
				in{"task": "askhand askhand", "reply_mode": "elicit"})

			require.Equal(t, done, a.code(), a.text)
			require.Equal(t, "done logged in no reason was given", *a.Answer)
			enum := r.shown()[0].RequestedSchema.(in)["properties"].(in)["outcome"].(in)["enum"]
			require.Equal(t, []any{"It is done", "It could not be done", "No answer in time"}, enum)
		})
}

// A client of gelab-zero knows of no take-over: to it the agent asks.
func TestAClientOfTheReferenceIsAskedInItsOwnWords(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.end()
		w.topts.Compat = tools.CompatGelab
		w.begin()
		a := w.call("ask_agent", in{"task": "askhand", "device_id": "A"})
		require.Equal(t, "INFO_ACTION_NEEDS_REPLY", string(a.Reason))
		b := w.call("ask_agent", in{"task": "askhand", "device_id": "A",
			"session_id": a.SessionID, "reply_from_client": "done"})
		require.Equal(t, "TASK_COMPLETED_SUCCESSFULLY", string(b.Reason))
	})
}

func TestAClientTakesThePhoneOver(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		a := w.call("ask_agent_start_new_task", in{"task": "forever", "wait_seconds": 3})
		require.Equal(t, "RUNNING STILL_RUNNING", a.code())
		b := w.call("ask_agent_stop", in{"session_id": a.SessionID, "mode": "takeover"})
		require.Equal(t, "WAITING_TAKEOVER TAKEOVER_NEEDED", b.code())
		touched := w.phones.touches("A")
		c := w.call("ask_agent_wait", in{"session_id": a.SessionID, "wait_seconds": 20})
		require.Equal(t, "WAITING_TAKEOVER TAKEOVER_NEEDED", c.code())
		require.Equal(t, touched, w.phones.touches("A"))
	})
}

func TestAClientTakesNoPhoneFromAPerson(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		a := w.call("ask_agent_start_new_task", in{"task": "forever", "wait_seconds": 3})
		_, err := w.manager.Stop(t.Context(), runs.StopRequest{SessionID: a.SessionID,
			Mode: runs.Takeover, By: runs.Actor{Authority: inquiry.AuthorityHumanToken}})
		require.NoError(t, err)
		b := w.call("ask_agent_start_new_task", in{"task": "another"})
		require.Equal(t, "DEVICE_BUSY", b.Error.Code)
		require.NotContains(t, b.text, "supersede")
		require.NotContains(t, b.text, "ask_agent_stop")
		b = w.call("ask_agent_start_new_task", in{"task": "another", "supersede": true})
		require.Equal(t, "DECISION_FORBIDDEN", b.Error.Code)
		b = w.call("ask_agent_stop", in{"session_id": a.SessionID})
		require.Equal(t, "DECISION_FORBIDDEN", b.Error.Code)
	})
}

// What a person has taken over no call hands back, and no call is told to.
func TestAClientIsToldThatAPersonHasThePhone(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		person := runs.Actor{Authority: inquiry.AuthorityHumanToken}
		stop := func(id string, mode runs.StopMode) {
			_, err := w.manager.Stop(t.Context(),
				runs.StopRequest{SessionID: id, Mode: mode, By: person})
			require.NoError(t, err)
		}
		id := w.call("ask_agent_start_new_task", in{"task": "forever", "wait_seconds": 3}).SessionID
		require.False(t, w.call("get_screenshot", in{}).raw.IsError)
		stop(id, runs.Takeover)
		seen := w.call("get_screenshot", in{})
		require.Equal(t, "DEVICE_BUSY", seen.code(), "a person may be typing a secret")
		require.Contains(t, seen.text, "a person has phone")
		require.NotContains(t, seen.wire, `"image"`)
		for name, a := range map[string]answer{
			"wait":     w.call("ask_agent_wait", in{"session_id": id, "wait_seconds": 0}),
			"continue": w.call(resume, in{"session_id": id, "wait_seconds": 0}),
		} {
			require.Contains(t, a.text, "A person has taken the phone over", name)
			require.Contains(t, a.text, "hands it back there, not you: at the inbox page or this", name)
			require.Contains(t, a.text, "call ask_agent_wait with", name)
			require.NotContains(t, a.text, "ask_agent_continue", name)
			require.NotContains(t, a.text, "reply_", name)
			require.Empty(t, doorsOf(a.Question.Channels), name)
		}
		listed := w.pending(t.Context(), in{})
		require.Contains(t, listed.text, "your user settles this, and no call of yours does")
		require.NotContains(t, listed.text, "answer_question")
		require.Empty(t, doorsOf(listed.Questions[0].Channels))
		b := w.call(resume, in{"session_id": id, "task": "another"})
		require.Equal(t, "RUN_IN_PROGRESS", b.Error.Code)
		require.NotContains(t, b.text, "ask_agent_stop", "only a person ends it")

		stop(id, runs.Pause)
		b = w.call("ask_agent_wait", in{"session_id": id, "wait_seconds": 0})
		require.Equal(t, "PAUSED USER_PAUSED", b.code())
		require.Contains(t, b.text, "hands it back there, not you")
		require.NotContains(t, b.text, "reply_")
	})
}

func TestAClientIsToldWhoHandedThePhoneBack(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		a := w.start("askhand tap")
		_, err := w.manager.Broker().Resolve(t.Context(), a.Question.ID, inquiry.Reply{
			Type: inquiry.TypeCouldNot, Response: "no code came", Channel: inquiry.ChannelPage,
			By: "kitchen", Authority: inquiry.AuthorityHumanToken})
		require.NoError(t, err)
		b := w.call("ask_agent_wait", in{"session_id": a.SessionID, "since_step": 1})
		require.Equal(t, done, b.code())
		require.Equal(t, []string{`the phone was handed back by kitchen through page: ` +
			`"It could not be done" "no code came"`}, b.Notes)
	})
	inBothEras(t, these(accepts(in{"outcome": "It is done"})),
		func(t *testing.T, w *fixture, r *reader) {
			a := w.withProgress("p", start, in{"task": "askhand", "reply_mode": "elicit"})
			require.Equal(t, []string{
				`the phone was handed back by your user in a form: "It is done"`}, a.Notes)
		})
}

// doorsOf are the names of the channels.
func doorsOf(list []inquiry.Channel) (names []string) {
	for _, c := range list {
		names = append(names, c.Name)
	}
	return names
}

// Where nothing is to be seen, or the phone is locked, a person is asked, and the run goes on with
// a screen that it may see.
func TestAScreenThatTheAgentMayNotSeeIsHandedOver(t *testing.T) {
	no, yes := new(false), new(true)
	for name, c := range map[string]struct {
		blocks, opens devicetest.Change
		asks          string
	}{
		"secure": {devicetest.Change{Secure: yes}, devicetest.Change{Secure: no},
			"forbids pictures"},
		"locked": {devicetest.Change{Locked: yes, PIN: yes}, devicetest.Change{Locked: no},
			"The phone is locked."},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				w.end()
				w.fopts.HandOver = true
				w.begin()
				w.phones.phone("A").Set(c.blocks)
				a := w.start("tap")
				require.Equal(t, "WAITING_TAKEOVER TAKEOVER_NEEDED", a.code(), a.text)
				require.Contains(t, a.Question.Text, c.asks)
				touched := w.phones.touches("A")

				w.phones.phone("A").Set(c.opens)
				b := w.call("ask_agent_continue",
					in{"session_id": a.SessionID, "reply_type": "done"})

				require.Equal(t, "COMPLETED TASK_COMPLETED_SUCCESSFULLY", b.code(), b.text)
				require.Equal(t, touched+1, w.phones.touches("A"))
			})
		})
	}
}
