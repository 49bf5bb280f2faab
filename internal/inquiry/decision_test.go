package inquiry_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/golden"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/inquirytest"
)

// judge is a broker that takes every edit but one to a BAD action.
func judge(opts inquiry.Options) *inquiry.Broker {
	opts.CheckEdit = func(_ inquiry.ActionRequest, e inquiry.EditedAction) error {
		if e.Name == "BAD" {
			return errors.New("there is no action BAD")
		}
		return nil
	}
	return inquiry.NewBroker(new(inquirytest.Memory), &opts)
}

// approval is a question about one tap, and everything may be decided.
func approval() inquiry.Question {
	return inquiry.Question{Kind: inquiry.KindApproval, Text: "may it tap?",
		Body: &inquiry.Approval{ActionRequests: []inquiry.ActionRequest{{Name: "CLICK",
			Args: map[string]any{"x": 1.0}}},
			ReviewConfigs: []inquiry.ReviewConfig{{ActionName: "CLICK",
				AllowedDecisions: inquiry.DecisionTypes}}},
	}
}

func decide(list ...inquiry.Decision) inquiry.Reply {
	return inquiry.Reply{Type: inquiry.TypeDecisions, Decisions: list,
		Channel: inquiry.ChannelPage, Authority: inquiry.AuthorityHumanToken}
}

// TestConversations has interrupts and their answers in the shapes of LangChain's human-in-the-loop
// middleware.
func TestConversations(t *testing.T) {
	golden.Run(t, "testdata/decisions", func(t *testing.T, c *golden.Case) {
		q := inquiry.Question{Kind: inquiry.KindApproval, Text: "may it?"}
		require.NoError(t, json.Unmarshal([]byte(c.Section(t, "interrupt.json")), &q))
		var resume struct {
			Decisions []inquiry.Decision `json:"decisions"`
		}
		require.NoError(t, json.Unmarshal([]byte(c.Section(t, "resume.json")), &resume))
		b := judge(inquiry.Options{})
		q = ask(t, b, q)

		res, err := b.Resolve(t.Context(), q.ID, decide(resume.Decisions...))

		if err != nil {
			c.Want(t, "want", err.Error())
			now, err := b.Get(t.Context(), q.ID)
			require.NoError(t, err)
			require.Equal(t, q, now, "nothing has changed")
			return
		}
		kept, err := json.MarshalIndent(res.Question.Resolution.Decisions, "", " ")
		require.NoError(t, err)
		c.Want(t, "want", fmt.Sprintf("%s: %s\n%s", res.Question.Status,
			res.Question.Resolution.Response, kept))
	})
}

func TestDecisionsThatDoNotFitChangeNothing(t *testing.T) {
	b := judge(inquiry.Options{MaxAnswer: 200})
	q := ask(t, b, approval())
	yes := inquiry.Decision{Type: inquiry.Approve}
	edit := func(e *inquiry.EditedAction) inquiry.Reply {
		return decide(inquiry.Decision{Type: inquiry.Edit, EditedAction: e})
	}
	for name, c := range map[string]struct {
		r    inquiry.Reply
		want string
	}{
		"none":         {decide(), "0 decisions for 1 action"},
		"too many":     {decide(yes, yes), "2 decisions"},
		"no type":      {decide(inquiry.Decision{}), `"" cannot be decided about CLICK`},
		"another type": {decide(inquiry.Decision{Type: "Approve"}), `want one of ["approve"`},
		"in words":     {reply("yes, later"), "takes decisions, and no words but yes and no"},
		"of no type": {inquiry.Reply{Type: "maybe", Authority: "human_token"},
			`unknown type of reply "maybe"`},
		"a condition": {decide(inquiry.Decision{Type: inquiry.Approve,
			Message: "only if it is free"}), "has a message, which would be lost"},
		"an answer without words": {decide(inquiry.Decision{Type: inquiry.Respond,
			Message: " \u200b\n"}), "respond has no message"},
		"an edit of nothing": {edit(nil), "edit has no edited_action"},
		"an unnamed edit":    {edit(&inquiry.EditedAction{}), "edit has no edited_action"},
		"an edit that cannot be": {edit(&inquiry.EditedAction{Name: "BAD"}),
			"there is no action BAD"},
		"a huge edit": {edit(&inquiry.EditedAction{Name: "TYPE",
			Args: map[string]any{"text": strings.Repeat("x", 300)}}), "at most 200"},
		"an approval with an edit": {decide(inquiry.Decision{Type: inquiry.Approve,
			EditedAction: &inquiry.EditedAction{Name: "TYPE"}}), "which only edit takes"},
		"a huge reason": {decide(inquiry.Decision{Type: inquiry.Reject,
			Message: strings.Repeat("x", 300)}), "at most 200"},
		"a NUL": {decide(inquiry.Decision{Type: inquiry.Reject, Message: "a\x00b"}), "NUL"},
		"a long reply id": {inquiry.Reply{ID: strings.Repeat("x", 300), Authority: "human_token",
			Type: inquiry.TypeDecisions, Decisions: []inquiry.Decision{yes}}, "reply id"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := b.Resolve(t.Context(), q.ID, c.r)
			require.ErrorContains(t, err, c.want)
			why, refused := inquiry.RefusalOf(err)
			require.True(t, refused)
			require.NotNil(t, why.Invalid)
			now, err := b.Get(t.Context(), q.ID)
			require.NoError(t, err)
			require.Equal(t, q, now)
		})
	}
	plain := ask(t, b, inquiry.Question{})
	_, err := b.Resolve(t.Context(), plain.ID, decide(yes))
	require.ErrorContains(t, err, "decisions are about actions, and this question is about none")
}

// TestWhoMayDecide walks every authority over every severity.
func TestWhoMayDecide(t *testing.T) {
	severities := []inquiry.Severity{inquiry.Routine, inquiry.Sensitive, inquiry.Critical, "",
		"odd"}
	for authority, may := range map[string]struct{ usually, configured int }{ // so many of them
		inquiry.AuthorityHumanToken: {5, 5}, inquiry.AuthorityLocalOperator: {5, 5},
		inquiry.AuthorityClientUI: {5, 5}, inquiry.AuthorityClientModel: {1, 2},
		inquiry.AuthorityToken: {1, 2}, inquiry.AuthorityAgent: {0, 0}, "": {0, 0}, "root": {0, 0},
	} {
		for i, severity := range severities {
			for _, configured := range []bool{false, true} {
				for _, r := range []inquiry.Reply{decide(inquiry.Decision{Type: inquiry.Approve}),
					decide(inquiry.Decision{Type: inquiry.Reject}), {Type: inquiry.TypeDecline}} {
					b := judge(inquiry.Options{ProgramsDecide: configured})
					q := approval()
					inquiry.As[inquiry.Approval](q).Severity = severity
					q = ask(t, b, q)
					r.Authority = authority

					_, err := b.Resolve(t.Context(), q.ID, r)

					allowed := i < may.usually || configured && i < may.configured
					if allowed {
						require.NoError(t, err, "%q %q", authority, severity)
						continue
					}
					why, refused := inquiry.RefusalOf(err)
					require.True(t, refused)
					require.Equal(t, inquiry.CodeForbidden, why.Code, "%q %q", authority, severity)
					now, err := b.Get(t.Context(), q.ID)
					require.NoError(t, err)
					require.True(t, now.Open())
				}
			}
		}
	}
}

func TestTheSameDecisionsAgainAreTheSameSuccess(t *testing.T) {
	b := judge(inquiry.Options{})
	q := ask(t, b, approval())
	r := decide(inquiry.Decision{Type: inquiry.Reject, Message: "no"})
	r.ID = "r1"
	first, err := b.Resolve(t.Context(), q.ID, r)
	require.NoError(t, err)
	require.Equal(t, inquiry.Answered, first.Question.Status)

	again, err := b.Resolve(t.Context(), q.ID, r)
	require.NoError(t, err)
	require.True(t, again.Replayed)
	r.Decisions = []inquiry.Decision{{Type: inquiry.Approve}}
	_, err = b.Resolve(t.Context(), q.ID, r)
	require.ErrorIs(t, err, inquiry.ErrReplyIDReused)
	r.ID = "r2"
	_, err = b.Resolve(t.Context(), q.ID, r)
	require.True(t, inquiry.Late(err))
}

func TestDecliningRejects(t *testing.T) {
	b := judge(inquiry.Options{})
	q := ask(t, b, approval())
	res, err := b.Resolve(t.Context(), q.ID, inquiry.Reply{Type: inquiry.TypeDecline,
		Response: "no", Authority: inquiry.AuthorityLocalOperator})
	require.NoError(t, err)
	require.Equal(t, []inquiry.Decision{{Type: inquiry.Reject, Message: "no"}},
		res.Question.Resolution.Decisions)
}

// TestAHundredDecisionsRaceTheClock has each of many approvals and one sweep run for the same
// question at the end of its time.
func TestAHundredDecisionsRaceTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := judge(inquiry.Options{Attention: time.Minute})
		q := approval()
		q.OnTimeout = inquiry.RejectAll
		q = ask(t, b, q)
		time.Sleep(time.Minute - time.Nanosecond)
		var wg sync.WaitGroup
		won := make([]error, 100)
		for i := range won {
			wg.Go(func() {
				time.Sleep(time.Duration(i % 2)) // half of them when it is too late
				_, won[i] = b.Resolve(t.Context(), q.ID,
					decide(inquiry.Decision{Type: inquiry.Approve}))
			})
		}
		wg.Go(func() {
			time.Sleep(time.Nanosecond)
			_ = b.Sweep(t.Context(), time.Now())
		})
		wg.Wait()
		now, err := b.Get(t.Context(), q.ID)
		require.NoError(t, err)
		wins := 0
		for _, err := range won {
			if err == nil {
				wins++
				continue
			}
			require.True(t, inquiry.Late(err), "%v", err)
		}
		require.Equal(t, now.Status == inquiry.Answered, wins == 1)
		require.LessOrEqual(t, wins, 1)
	})
}

func TestSilenceIsNeverConsent(t *testing.T) {
	b := judge(inquiry.Options{Attention: time.Minute})
	for _, silence := range []inquiry.OnTimeout{inquiry.AskModel, inquiry.GoOn, inquiry.Default,
		inquiry.GiveUp, "approve"} {
		q := approval()
		q.OnTimeout, q.DefaultAnswer = silence, "approve"
		_, err := b.Open(t.Context(), q)
		require.ErrorIs(t, err, inquiry.ErrInvalid, string(silence))
	}
	q := approval()
	q.OnTimeout = inquiry.RejectAll
	q = ask(t, b, q)
	require.NoError(t, b.Sweep(t.Context(), q.AttentionUntil))
	now, err := b.Get(t.Context(), q.ID)
	require.NoError(t, err)
	require.Equal(t, inquiry.TimedOut, now.Status)
	require.Empty(t, now.Resolution.Decisions)
	_, err = b.Open(t.Context(), inquiry.Question{Text: "?", OnTimeout: inquiry.RejectAll})
	require.ErrorIs(t, err, inquiry.ErrInvalid)
}

func TestAnApprovalThatCannotBeDecidedIsNotAsked(t *testing.T) {
	b := judge(inquiry.Options{})
	for name, spoil := range map[string]func(*inquiry.Question){
		"no action": func(q *inquiry.Question) {
			inquiry.As[inquiry.Approval](*q).ActionRequests = nil
		},
		"no name": func(q *inquiry.Question) {
			inquiry.As[inquiry.Approval](*q).ActionRequests[0].Name = ""
		},
		"nothing allowed": func(q *inquiry.Question) {
			inquiry.As[inquiry.Approval](*q).ReviewConfigs = nil
		},
		"unknown decisions": func(q *inquiry.Question) {
			inquiry.As[inquiry.Approval](*q).ReviewConfigs[0].AllowedDecisions = []string{"x"}
		},
		"options": func(q *inquiry.Question) {
			q.Body = &inquiry.Ask{Options: []string{"yes"}}
		},
		"a secret":     func(q *inquiry.Question) { q.Secret = true },
		"another kind": func(q *inquiry.Question) { q.Kind = inquiry.KindInfo },
	} {
		q := approval()
		spoil(&q)
		_, err := b.Open(t.Context(), q)
		require.ErrorIs(t, err, inquiry.ErrInvalid, name)
	}
}

// What is offered may be decided about some action, and the flag that is named decides about all.
func TestWhatIsOfferedMayBeDecided(t *testing.T) {
	q := approval()
	a := inquiry.As[inquiry.Approval](q)
	require.Equal(t, "--approve", q.Flag())
	require.Len(t, q.Offers(), 4)
	a.ReviewConfigs[0].AllowedDecisions = []string{inquiry.Approve, inquiry.Reject}
	a.ActionRequests = append(a.ActionRequests, a.ActionRequests[0])
	var flags []string
	for _, o := range q.Offers() {
		flags = append(flags, o.Flag())
	}
	require.Equal(t, []string{"--decision approve", "--decision reject"}, flags)
	require.Equal(t, "--decision approve --decision approve", q.Flag())
	a.ActionRequests, a.ReviewConfigs[0].AllowedDecisions = a.ActionRequests[:1],
		[]string{inquiry.Reject, inquiry.Respond}
	require.Equal(t, "--reject", q.Flag(), "approve is not offered")
	a.ReviewConfigs[0].AllowedDecisions = []string{inquiry.Edit, inquiry.Reject}
	require.Equal(t, "--reject", q.Flag(), "an edit wants JSON")
	a.ReviewConfigs[0].AllowedDecisions = []string{inquiry.Respond, inquiry.Edit}
	require.Empty(t, q.Flag(), "neither goes without words")

	other := a.ActionRequests[0]
	other.Name = "other"
	a.ActionRequests = append(a.ActionRequests, other)
	a.ReviewConfigs[0].AllowedDecisions = []string{inquiry.Approve, inquiry.Reject}
	a.ReviewConfigs = append(a.ReviewConfigs, inquiry.ReviewConfig{ActionName: "other",
		AllowedDecisions: []string{inquiry.Edit, inquiry.Reject}})
	require.Equal(t, "--decision reject --decision reject", q.Flag(), "what all of them allow")
	a.ReviewConfigs[1].AllowedDecisions = []string{inquiry.Edit}
	require.Empty(t, q.Flag())
}
