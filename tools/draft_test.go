package tools_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
)

// drafts has a model draft this answer to the only open question, once there is one.
func (w *fixture) drafts(after time.Duration, answer string) {
	time.Sleep(after)
	list, err := w.manager.Broker().List(w.t.Context(), inquiry.Filter{Status: inquiry.Pending})
	require.NoError(w.t, err)
	for _, q := range list {
		require.NoError(w.t, w.manager.Broker().Suggest(w.t.Context(), q.ID,
			inquiry.Suggestion{Answer: answer, By: "fast"}))
	}
}

// withDrafts is inForms at a server with drafts.
func withDrafts(t *testing.T, answers func(r *reader) []answering,
	test func(t *testing.T, w *fixture, r *reader)) {
	for _, version := range eras {
		t.Run(version, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				r := &reader{gone: make(chan struct{})}
				defer close(r.gone)
				r.answers = answers(r)
				w.topts.ReplyMode, w.topts.Drafts = "elicit -> pass_to_client", true
				w.pipe(version, r)
				test(t, w, r)
			})
		})
	}
}

func TestADraftFillsAFormIn(t *testing.T) {
	for _, c := range []struct {
		args   in
		draft  string
		field  string
		value  any
		answer in
	}{
		{in{"prompt": "which?"}, "violet", "answer", "violet", in{"answer": "violet"}},
		{in{"prompt": "which?", "options": []any{"red", "blue"}}, "blue", "choice", "blue",
			in{"choice": "blue"}},
		{in{"prompt": "which?", "options": []any{"red", "blue"}}, "green", "answer", "green",
			in{"answer": "green"}},
		{in{"prompt": "the table", "fields": []any{in{"name": "seats", "type": "number"}}},
			`{"seats": 3}`, "seats", 3.0, in{"seats": 3.0}},
	} {
		withDrafts(t, these(accepts(c.answer)), func(t *testing.T, w *fixture, r *reader) {
			go w.drafts(time.Second, c.draft)
			a := w.ask("send_inquiry", c.args)
			require.Equal(t, "answered", a.says(), a.text)
			require.Equal(t, "fast", a.Settled.Unedited)
			require.Len(t, r.shown(), 1)
			require.Contains(t, r.shown()[0].Message, "a draft of the model fast")
			fields := r.shown()[0].RequestedSchema.(in)["properties"].(in)
			require.Equal(t, c.value, fields[c.field].(in)["default"])
		})
	}
}

// A form cannot change, so it waits a little; a draft that does not come does not hold it up.
func TestAFormDoesNotWaitLongForItsDraft(t *testing.T) {
	withDrafts(t, these(accepts(in{"answer": "red"})), func(t *testing.T, w *fixture, r *reader) {
		began := time.Now()
		a := w.ask("send_inquiry", in{"prompt": "which?"})
		require.Less(t, time.Since(began), 7*time.Second, "its reader takes 3 s")
		require.Equal(t, "answered", a.says(), a.text)
		require.Empty(t, a.Settled.Unedited)
		require.NotContains(t, r.shown()[0].RequestedSchema.(in)["properties"].(in)["answer"],
			"default")
	})
}

func TestTheCallerSeesTheDraft(t *testing.T) {
	for _, version := range eras {
		t.Run(version, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				w.topts.Drafts = true
				w.pipe(version, nil)
				go w.drafts(2*time.Second, "violet")
				a := w.start("ask tap")
				require.Equal(t, "violet", a.Question.Draft)
				require.Equal(t, "fast", a.Question.DraftOf)
				require.Contains(t, a.text, `the model fast drafted "violet"`)
				w.call("ask_agent_continue", in{"session_id": a.SessionID,
					"reply_from_client": "violet"})
				settled, err := w.manager.Broker().Get(t.Context(), a.Question.ID)
				require.NoError(t, err)
				require.Equal(t, "fast", settled.Resolution.Unedited)
			})
		})
	}
}

// Nobody waits long for a draft that does not come, nor at all for one that may not.
func TestTheCallerDoesNotWaitLongForADraft(t *testing.T) {
	for task, most := range map[string]time.Duration{"ask tap": 5 * time.Second,
		"asksecret tap": 2 * time.Second} {
		t.Run(task, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				w.topts.Drafts = true
				w.pipe(eras[0], nil)
				began := time.Now()
				a := w.start(task)
				require.Less(t, time.Since(began), most, task)
				require.Equal(t, "WAITING_REPLY INFO_ACTION_NEEDS_REPLY", a.code())
				require.Empty(t, a.Question.Draft)
			})
		})
	}
}
