package inquiry_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/inquirytest"
)

// passed is the channels of a question whose refusal goes to a model.
var passed = map[inquiry.Type]string{inquiry.TypeDecline: "model:fast"}

func agents(text string) inquiry.Reply {
	return inquiry.Reply{Response: text, Channel: inquiry.ChannelModel,
		Authority: inquiry.AuthorityAgent, By: "fast"}
}

func refusal(id string) inquiry.Reply {
	return inquiry.Reply{ID: id, Type: inquiry.TypeDecline, Response: "not me",
		Channel: inquiry.ChannelPage, Authority: inquiry.AuthorityHumanToken, By: "Ann",
		Resume: []byte(`{"steps":3}`)}
}

// Whatever a server allows: no model answers, drafts or is asked for a secret, an action's approval
// or an act of a person's.
func TestNoModelEverDecidesForPeople(t *testing.T) {
	settings := 0
	for _, kind := range []inquiry.Kind{inquiry.KindInfo, inquiry.KindInquiry, inquiry.KindApproval,
		inquiry.KindTakeover} {
		for _, severity := range []inquiry.Severity{"", inquiry.Routine, inquiry.Sensitive,
			inquiry.Critical} {
			for bits := range 32 {
				secret, only, programs := bits&1 > 0, bits&2 > 0, bits&4 > 0
				onTimeout, words := inquiry.OnTimeout("model:fast"), "which?"
				if bits&8 > 0 {
					onTimeout = inquiry.AskModel
				}
				if bits&16 > 0 {
					words = "Which password did they send you?"
				}
				if kind == inquiry.KindApproval { // which is refused with others
					onTimeout, secret = inquiry.Pause, false
				}
				q := inquiry.Question{Kind: kind, Text: words, Secret: secret,
					OnTimeout: onTimeout, Fallback: passed}
				if kind == inquiry.KindApproval {
					q.Body = &inquiry.Approval{Severity: severity, PeopleOnly: only,
						ActionRequests: []inquiry.ActionRequest{{Name: "CLICK"}},
						ReviewConfigs: []inquiry.ReviewConfig{{ActionName: "CLICK",
							AllowedDecisions: inquiry.DecisionTypes}}}
				}
				if kind == inquiry.KindInfo {
					q.Body = &inquiry.Ask{FreeText: true, Personal: only}
				}
				if kind == inquiry.KindTakeover {
					q.Body = &inquiry.Takeover{PeopleOnly: only}
				}
				b := inquiry.NewBroker(&inquirytest.Memory{},
					&inquiry.Options{ProgramsDecide: programs})
				q, err := b.Open(t.Context(), q)
				require.NoError(t, err)
				settings++
				if !secret && (kind == inquiry.KindInfo && !only || kind == inquiry.KindInquiry) {
					require.NoError(t, q.ForModels())
					continue
				}
				require.Error(t, q.ForModels())
				for _, r := range []inquiry.Reply{agents("yes"), {Type: inquiry.TypeDone,
					Authority: inquiry.AuthorityAgent}, {Type: inquiry.TypeDecline,
					Authority: inquiry.AuthorityAgent}, {Type: inquiry.TypeDecisions,
					Authority: inquiry.AuthorityAgent,
					Decisions: []inquiry.Decision{{Type: inquiry.Approve}}}} {
					_, err = b.Resolve(t.Context(), q.ID, r)
					require.ErrorIs(t, err, q.ForModels())
				}
				err = b.Suggest(t.Context(), q.ID, inquiry.Suggestion{Answer: "yes", By: "fast"})
				require.ErrorIs(t, err, q.ForModels())
				_, err = b.Resolve(t.Context(), q.ID, refusal(""))
				require.NoError(t, err)
				q, err = b.Get(t.Context(), q.ID)
				require.NoError(t, err)
				require.False(t, q.Open(), "a refusal is not passed on: %+v", q)
				require.Nil(t, q.Deferred)
				require.Nil(t, q.Suggestion)
			}
		}
	}
	require.Equal(t, 512, settings)
}

func TestAModelsAnswerThatIsACodeIsNotTaken(t *testing.T) {
	b := inquiry.NewBroker(&inquirytest.Memory{}, nil)
	q, err := b.Open(t.Context(), inquiry.Question{
		Text: "Please enter the code on the phone, then say done."})
	require.NoError(t, err)
	require.NoError(t, q.ForModels())
	_, err = b.Resolve(t.Context(), q.ID, agents("482913"))
	require.ErrorIs(t, err, inquiry.ErrSecret)
	require.ErrorIs(t, b.Suggest(t.Context(), q.ID, inquiry.Suggestion{Answer: "482913"}),
		inquiry.ErrSecret)
	q, err = b.Get(t.Context(), q.ID)
	require.NoError(t, err)
	require.True(t, q.Open())
}

// refused is a broker with a question that Ann has refused to answer.
func refused(t *testing.T) (*inquiry.Broker, inquiry.Question, *inquiry.Subscription) {
	b := inquiry.NewBroker(&inquirytest.Memory{}, nil)
	q, err := b.Open(t.Context(), inquiry.Question{Text: "which?", Fallback: passed,
		OnTimeout: inquiry.GoOn, Routing: inquiry.Routing{Channel: "elicit", Router: "one"}})
	require.NoError(t, err)
	events := b.Subscribe()
	t.Cleanup(events.Close)
	res, err := b.Resolve(t.Context(), q.ID, refusal("r1"))
	require.NoError(t, err)
	return b, res.Question, events
}

func TestARefusalIsPassedOnToAModel(t *testing.T) {
	b, q, events := refused(t)
	require.True(t, q.Open())
	require.Equal(t, "Ann", q.Deferred.By)
	require.Equal(t, inquiry.Routing{Channel: "model:fast", Since: q.Deferred.At, Router: "one",
		Resume: `{"steps":3}`}, q.Routing)
	e, err := events.Next(t.Context())
	require.NoError(t, err)
	require.Equal(t, inquiry.Overdue, e.Type, "whoever asks models is told")

	require.NoError(t, b.Sweep(t.Context(), time.Now().Add(time.Hour)))
	res, err := b.Resolve(t.Context(), q.ID, refusal("r1"))
	require.NoError(t, err)
	require.True(t, res.Replayed)
	require.True(t, res.Question.Open(), "silence settles nothing while a model is asked")
	other := refusal("r1")
	other.Response = "never"
	_, err = b.Resolve(t.Context(), q.ID, other)
	require.ErrorIs(t, err, inquiry.ErrReplyIDReused)

	res, err = b.Resolve(t.Context(), q.ID, agents("red"))
	require.NoError(t, err)
	require.Equal(t, inquiry.Answered, res.Question.Status)
	require.Equal(t, "the model fast", res.Question.Resolution.Who())
	require.JSONEq(t, `{"steps":3}`, string(res.Question.Resolution.Resume))
	res, err = b.Resolve(t.Context(), q.ID, refusal("r1"))
	require.NoError(t, err)
	require.True(t, res.Replayed, "it counted as far as it could")
}

func TestWhereTheModelHasNoAnswerTheRefusalCounts(t *testing.T) {
	for name, end := range map[string]func(b *inquiry.Broker, id string) error{
		"at once": func(b *inquiry.Broker, id string) error {
			return b.SettleDeferred(t.Context(), id)
		},
		"a second person refuses": func(b *inquiry.Broker, id string) error {
			_, err := b.Resolve(t.Context(), id, refusal("r2"))
			return err
		},
		"nobody was there to ask it": func(b *inquiry.Broker, id string) error {
			return b.Sweep(t.Context(), time.Now().Add(25*time.Hour))
		},
	} {
		b, q, _ := refused(t)
		require.NoError(t, end(b, q.ID), name)
		q, err := b.Get(t.Context(), q.ID)
		require.NoError(t, err)
		require.Equal(t, inquiry.Refused, q.Status, name)
		require.Equal(t, "not me", q.Resolution.Response.Reveal(), name)
		require.Equal(t, "Ann", q.Resolution.By, name)
	}
}

func TestADraftIsKeptOnceAndMarkedWhenItIsSentAsItIs(t *testing.T) {
	for _, c := range []struct {
		response, authority, unedited string
	}{{"red ", inquiry.AuthorityHumanToken, "fast"}, {"RED", inquiry.AuthorityClientUI, "fast"},
		{"blue", inquiry.AuthorityHumanToken, ""}, {"red", inquiry.AuthorityAgent, ""}} {
		b := inquiry.NewBroker(&inquirytest.Memory{}, nil)
		events := b.Subscribe()
		q, err := b.Open(t.Context(), inquiry.Question{Text: "which?",
			Body: &inquiry.Ask{Options: []string{"red", "blue"}}})
		require.NoError(t, err)
		draft := inquiry.Suggestion{Answer: "Red", By: "fast"}
		require.Error(t, b.Suggest(t.Context(), q.ID, inquiry.Suggestion{Answer: "green"}))
		require.NoError(t, b.Suggest(t.Context(), q.ID, draft))
		require.NoError(t, b.Suggest(t.Context(), q.ID, inquiry.Suggestion{Answer: "blue"}),
			"the first one stays")
		for _, want := range []inquiry.EventType{inquiry.Created, inquiry.Drafted} {
			e, err := events.Next(t.Context())
			require.NoError(t, err)
			require.Equal(t, want, e.Type)
		}
		res, err := b.Resolve(t.Context(), q.ID, inquiry.Reply{Response: c.response,
			Authority: c.authority, Channel: inquiry.ChannelPage})
		require.NoError(t, err)
		require.Equal(t, &inquiry.Suggestion{Answer: "red", By: "fast"}, res.Question.Suggestion)
		require.Equal(t, c.unedited, res.Question.Resolution.Unedited, c)
		require.NoError(t, b.Suggest(t.Context(), q.ID, draft), "it is too late, which is fine")
		events.Close()
	}
}

// What is personal, people answer: no program and no model of a client does, in whatever words.
func TestOnlyAPersonAnswersWhatIsPersonal(t *testing.T) {
	for authority, may := range map[string]bool{inquiry.AuthorityClientUI: true,
		inquiry.AuthorityHumanToken: true, inquiry.AuthorityLocalOperator: true,
		inquiry.AuthorityClientModel: false, inquiry.AuthorityToken: false, "": false} {
		for typ, says := range map[inquiry.Type]string{inquiry.TypeAnswer: "Yes",
			inquiry.TypeDecline: "", inquiry.TypeDelegate: ""} {
			b := inquiry.NewBroker(&inquirytest.Memory{}, &inquiry.Options{ProgramsDecide: true})
			q, err := b.Open(t.Context(), inquiry.Question{Kind: inquiry.KindInfo,
				Text: "May the model do it?", Body: &inquiry.Ask{Personal: true}})
			require.NoError(t, err)
			require.True(t, q.ForPeople())
			_, err = b.Resolve(t.Context(), q.ID, inquiry.Reply{Type: typ, Response: says,
				Channel: inquiry.ChannelHTTP, Authority: authority})
			if may {
				require.NoError(t, err, authority)
				continue
			}
			refusal, _ := inquiry.RefusalOf(err)
			require.Equal(t, inquiry.CodeForbidden, refusal.Code, "%s %v", authority, err)
		}
	}
}
