package tools_test

import (
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/inquirytest/vote"
)

// inForms is inBothEras at a server that asks in forms.
func inForms(t *testing.T, answers func(r *reader) []answering,
	test func(t *testing.T, w *fixture, r *reader)) {
	for _, version := range eras {
		t.Run(version, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				r := &reader{gone: make(chan struct{})}
				defer close(r.gone)
				r.answers = answers(r)
				w.topts.ReplyMode, w.topts.Channels = "elicit -> pass_to_client", []string{"page"}
				w.pipe(version, r)
				test(t, w, r)
			})
		})
	}
}

func TestAnInquiryIsShownInAForm(t *testing.T) {
	inForms(t, these(accepts(in{"answer": "violet"})), func(t *testing.T, w *fixture, r *reader) {
		a := w.askAs(t.Context(), "send_inquiry",
			in{"prompt": "which?", "context": "the door", "options": []any{"red", "blue"},
				"session_id": w.start("tap").SessionID}, "p")
		require.Equal(t, "answered", a.says(), a.text)
		require.Equal(t, "violet", *a.Answer)
		require.Equal(t, "client_ui", a.Settled.Authority)
		require.Len(t, r.shown(), 1)
		require.Equal(t, "the door\n\nwhich?", r.shown()[0].Message)
		all, err := w.manager.Broker().List(t.Context(), inquiry.Filter{})
		require.NoError(t, err)
		require.Len(t, all, 1, "it was asked once")
		require.Equal(t, []inquiry.Channel{{Name: "elicit"}, {Name: "pass_to_client"},
			{Name: "page"}},
			all[0].Channels)
	})
}

func TestAFormOfSeveralFieldsIsShownAsOne(t *testing.T) {
	bad, good := in{"day": "Mon", "seats": 99.0, "note": ""}, in{"day": "Mon", "seats": 3.0,
		"note": "", "until": "", "paid": true}
	inForms(t, these(accepts(bad), accepts(good)), func(t *testing.T, w *fixture, r *reader) {
		a := w.ask("send_inquiry", in{"prompt": "the table",
			"fields": []any{in{"name": "day", "type": "choice", "options": []any{"Mon", "Tue"}},
				in{"name": "seats", "type": "number", "max": 9}, in{"name": "note", "type": "text",
					"optional": true},
				in{"name": "until", "type": "date", "optional": true}, in{"name": "paid",
					"type": "yes_no"}}})
		require.Equal(t, "answered", a.says(), a.text)
		require.Equal(t, in{"day": "Mon", "seats": 3.0, "paid": true}, a.Values)
		forms := r.shown()
		require.Len(t, forms, 2)
		require.Contains(t, forms[1].Message, `"seats": it is 99`)
		require.Contains(t, forms[1].Message, `"paid"`)
		require.Equal(t, []any{"Mon", "Tue"},
			forms[0].RequestedSchema.(in)["properties"].(in)["day"].(in)["enum"])
	})
}

func TestAKindThatOnlyATestHasIsAnsweredInAFormAndByACall(t *testing.T) {
	inForms(t, these(accepts(in{"outcome": "nay", "remark": "too late"})), func(t *testing.T,
		w *fixture, r *reader) {
		b := w.manager.Broker()
		first, err := b.Get(t.Context(),
			w.ask("send_inquiry", in{"prompt": "x?", "wait_seconds": 0}).ID)
		require.NoError(t, err)
		open := func() string {
			q, err := b.Open(t.Context(), inquiry.Question{Client: first.Client,
				Channels: first.Channels, Text: "Agreed?", Body: &vote.Vote{Motion: "tea"}})
			require.NoError(t, err)
			return q.ID
		}
		a := w.ask("send_inquiry", in{"question_id": open()})
		require.Equal(t, "answered", a.says(), a.text)
		require.Equal(t, "nay: too late", *a.Answer)
		require.Contains(t, r.shown()[0].RequestedSchema.(in)["properties"].(in)["outcome"].(in)["enum"],
			"aye")
		require.Contains(t, r.shown()[0].Message, "motion: \"tea\"")
		a = w.ask("answer_question", in{"question_id": open(), "response": "aye"})
		require.Equal(t, "answered", a.says(), a.text)
	})
}

func TestADraftIsEditedInAForm(t *testing.T) {
	inForms(t, these(accepts(in{"answer": "# Other\n"})), func(t *testing.T, w *fixture,
		r *reader) {
		a := w.ask("send_inquiry", in{"prompt": "fine?", "draft": "# Plan\n"})
		require.Equal(t, "# Other\n", *a.Answer)
		require.Equal(t, "# Plan\n",
			r.shown()[0].RequestedSchema.(in)["properties"].(in)["answer"].(in)["default"])
	})
}

func TestAnInquiryWhoseFormIsClosedStaysOpen(t *testing.T) {
	inForms(t, these(acts("cancel", nil)), func(t *testing.T, w *fixture, r *reader) {
		began := time.Now()
		a := w.ask("send_inquiry", in{"prompt": "go on?"})
		require.Equal(t, "pending", a.says())
		require.GreaterOrEqual(t, time.Since(began), 25*time.Second, "it waits for others")
		require.Equal(t, "pending", w.ask(a.Next.Tool, a.Next.Arguments).says())
		require.Len(t, r.shown(), 1, "it is not shown again")
		w.settle(a.ID, fromPage)
		require.Equal(t, "yes, blue", *w.ask(a.Next.Tool, a.Next.Arguments).Answer)
	})
}

func TestAnInquiryThatIsDeclinedInAFormIsRefused(t *testing.T) {
	inForms(t, these(acts("decline", nil)), func(t *testing.T, w *fixture, _ *reader) {
		require.Equal(t, "refused", w.ask("send_inquiry", in{"prompt": "go on?"}).says())
	})
}

func TestWhatIsNotShownInAForm(t *testing.T) {
	inForms(t, these(accepts(in{"answer": "x"})), func(t *testing.T, w *fixture, r *reader) {
		secret := w.ask("send_inquiry",
			in{"prompt": "the code?", "secret": true, "wait_seconds": 1})
		require.Equal(t, []inquiry.Channel{{Name: "pass_to_client"}, {Name: "page"}},
			secret.Question.Channels)
		require.Equal(t, "pending",
			w.ask("send_inquiry", in{"prompt": "go on?", "wait_seconds": 0}).says())
		require.Empty(t, r.shown())
	})
}

func TestAnInquirysFormIsClosedWhenAnotherChannelWins(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		r := &reader{gone: make(chan struct{})}
		defer close(r.gone)
		r.answers = []answering{r.leaves}
		w.topts.ReplyMode = "elicit"
		w.pipe(eras[0], r)
		id := w.ask("send_inquiry", in{"prompt": "go on?", "wait_seconds": 0}).ID
		go func() { time.Sleep(10 * time.Second); w.settle(id, fromPage) }()
		began := time.Now()
		a := w.askAs(t.Context(), "send_inquiry", in{"question_id": id}, "p")
		require.Equal(t, "yes, blue", *a.Answer)
		require.Equal(t, 10*time.Second, time.Since(began))
		require.Len(t, r.shown(), 1)
		var types []any
		for _, n := range w.notifications() {
			if n.Method == "notifications/cancelled" {
				require.Equal(t, "the question was settled in another way",
					n.Params.AdditionalFields["reason"])
			} else if n.Params.Meta["type"] != nil {
				types = append(types, n.Params.Meta["type"])
			}
		}
		require.Equal(t, []any{"INQUIRY", "INQUIRY_RESOLVED"}, types)
	})
}

func TestTheAnswerToAnInquiryDoesNotComeBackThroughAnotherTool(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.topts.ReplyMode = "elicit"
		w.pipe(eras[1], &reader{answers: []answering{acts("cancel", nil)}})
		session := w.start("tap").SessionID
		arguments := in{"prompt": "go on?", "session_id": session}
		got := w.raw("send_inquiry", arguments, "", nil)
		require.Equal(t, mcp.ResultTypeInputRequired, got.ResultType)
		yes := in{"action": "accept", "content": in{"answer": "yes"}}
		require.Equal(t, "INVALID_ARGUMENT",
			w.again("ask_agent_wait", in{"session_id": session}, got.RequestState, yes).code())
		require.Equal(t, 1, w.pending(t.Context(), in{}).Total)
		w.again("send_inquiry", arguments, got.RequestState, yes)
		require.Zero(t, w.pending(t.Context(), in{}).Total)
	})
}
