package inquirytest

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
)

var asked = time.Date(2026, 3, 4, 5, 6, 7, 89e6, time.UTC)

// sample is an open question with every field set that a new question can have.
func sample() inquiry.Question {
	return inquiry.Question{
		ID: inquiry.NewID(), SessionID: "s1", RunID: "r1", Step: 3, Kind: inquiry.KindInfo,
		Task: "set an alarm", Text: "which <b>day</b>? \U0001F642",
		Body:   &inquiry.Ask{Options: []string{"Mon", "Tue"}, FreeText: true, Draft: "# Plan\n"},
		Client: "desk", Channels: []inquiry.Channel{{Name: "elicit",
			Until: asked.Add(time.Second)},
			{Name: "page"}}, DefaultAnswer: "Mon", OnTimeout: inquiry.Default, Frame: "s1.3.1",
		Round: 2, Fence: 7,
		AskedAt: asked, AttentionUntil: asked.Add(time.Minute), ExpiresAt: asked.Add(time.Hour),
		Status: inquiry.Pending,
		Routing: inquiry.Routing{Channel: "elicit", Since: asked, Trouble: "the console was closed",
			Router: "server-1"},
	}
}

// form is a body with a field of every part that a field can have.
func form() *inquiry.Form {
	return &inquiry.Form{Fields: []inquiry.Field{{Name: "day", Label: "Which day?",
		Type: inquiry.ChoiceField, Options: []string{"Mon", "Tue"}, Default: "Mon"}}}
}

// Won is a resolution with every field set.
func Won(text string) inquiry.Resolution {
	return inquiry.Resolution{Type: inquiry.TypeAnswer, Response: inquiry.Plain(text),
		Channel: inquiry.ChannelHTTP, Authority: inquiry.AuthorityHumanToken, By: "Kim",
		Why: "because", ReplyID: "reply-1", At: asked.Add(time.Second),
		Resume: json.RawMessage(`{"max_steps":3}`)}
}

// Run runs the contract of a store. open returns an empty store for each test.
func Run(t *testing.T, open func(t *testing.T) inquiry.Store) {
	for name, f := range map[string]func(*testing.T, inquiry.Store){
		"what is inserted is read back whole": readBack, "settling is once": settleOnce,
		"of many one settles":                         race,
		"applying is once, under the right fence":     applyOnce,
		"a secret answer is kept until it is applied": secret,
		"there is one question under a key":           keys, "an open question is amended": amend,
		"what models cost is added up": spend, "a forbidden reply changes nothing": forbid,
		"a turn is passed on once": turns, "the time for attention ends early": hasten,
		"answers are remembered":         remember,
		"lists are filtered and ordered": list, "what is not there is not found": missing,
	} {
		t.Run(name, func(t *testing.T) { f(t, open(t)) })
	}
}

func insert(t *testing.T, s inquiry.Store, q inquiry.Question) inquiry.Question {
	t.Helper()
	require.NoError(t, s.Insert(t.Context(), q))
	return q
}

func get(t *testing.T, s inquiry.Store, id string) inquiry.Question {
	t.Helper()
	q, err := s.Get(t.Context(), id)
	require.NoError(t, err)
	return q
}

func readBack(t *testing.T, s inquiry.Store) {
	q := insert(t, s, sample())
	require.Equal(t, q, get(t, s, q.ID))
	require.Error(t, s.Insert(t.Context(), q), "a second question with the same id")
	settled := sample()
	settled.Status = inquiry.Answered
	require.Error(t, s.Insert(t.Context(), settled), "a new question that is settled")
}

func settleOnce(t *testing.T, s inquiry.Store) {
	q := insert(t, s, sample())
	won := Won("Tue")
	q.Status, q.Resolution = inquiry.Answered, &won
	got, err := s.Settle(t.Context(), q.ID, inquiry.Answered, won)
	require.NoError(t, err)
	require.Equal(t, q, got)
	got, err = s.Settle(t.Context(), q.ID, inquiry.Withdrawn,
		inquiry.Resolution{Type: inquiry.TypeWithdraw, At: asked})
	require.ErrorIs(t, err, inquiry.ErrSettled)
	require.Equal(t, q, got, "the loser is shown the winner")
	require.Equal(t, q, get(t, s, q.ID))
}

func race(t *testing.T, s inquiry.Store) {
	q := insert(t, s, sample())
	const n = 50
	answers := make(chan string, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			text := fmt.Sprint("answer ", i)
			if _, err := s.Settle(t.Context(), q.ID, inquiry.Answered, Won(text)); err == nil {
				answers <- text
			}
		})
	}
	wg.Wait()
	close(answers)
	winner := <-answers
	require.NotEmpty(t, winner)
	require.Empty(t, answers, "more than one won")
	require.Equal(t, winner, get(t, s, q.ID).Resolution.Response.Reveal())
}

func applyOnce(t *testing.T, s inquiry.Store) {
	q := insert(t, s, sample())
	at := asked.Add(time.Minute)
	_, err := s.Apply(t.Context(), q.ID, q.Fence, at)
	require.ErrorIs(t, err, inquiry.ErrPending)
	_, err = s.Settle(t.Context(), q.ID, inquiry.Answered, Won("Tue"))
	require.NoError(t, err)
	_, err = s.Apply(t.Context(), q.ID, q.Fence+1, at)
	require.ErrorIs(t, err, inquiry.ErrFenced)
	require.Zero(t, get(t, s, q.ID).AppliedAt)

	got, err := s.Apply(t.Context(), q.ID, q.Fence, at)
	require.NoError(t, err)
	require.Equal(t, at, got.AppliedAt)
	require.Equal(t, got, get(t, s, q.ID))
	_, err = s.Apply(t.Context(), q.ID, q.Fence, at)
	require.ErrorIs(t, err, inquiry.ErrApplied)
}

func turns(t *testing.T, s inquiry.Store) {
	q := insert(t, s, sample())
	b := inquiry.NewBroker(s, nil)
	next := inquiry.Routing{Channel: "page", Since: asked.Add(time.Second), Router: "server-2"}
	got, err := b.SetRouting(t.Context(), q.ID, q.Routing, next)
	require.NoError(t, err)
	require.Equal(t, next, got.Routing)
	require.Equal(t, got, get(t, s, q.ID))
	got, err = b.SetRouting(t.Context(), q.ID, q.Routing, inquiry.Routing{Channel: "elsewhere"})
	require.ErrorIs(t, err, inquiry.ErrTurn)
	require.Equal(t, next, got.Routing, "who is too late is shown whose turn it is")

	_, err = s.Settle(t.Context(), q.ID, inquiry.Answered, Won("Tue"))
	require.NoError(t, err)
	got, err = b.SetRouting(t.Context(), q.ID, next, inquiry.Routing{})
	require.ErrorIs(t, err, inquiry.ErrSettled)
	require.Equal(t, inquiry.Answered, got.Status)
}

func hasten(t *testing.T, s inquiry.Store) {
	q := insert(t, s, sample())
	by := Won("")
	by.Type = inquiry.TypeTimeout
	q.AttentionUntil = by.At
	for range 2 {
		got, err := s.Hasten(t.Context(), q.ID, by)
		require.NoError(t, err)
		require.Equal(t, q, got)
		require.Equal(t, q, get(t, s, q.ID))
		by.At = by.At.Add(time.Second) // it is over already
	}
	_, err := s.Settle(t.Context(), q.ID, inquiry.Answered, Won("Tue"))
	require.NoError(t, err)
	got, err := s.Hasten(t.Context(), q.ID, by)
	require.ErrorIs(t, err, inquiry.ErrSettled)
	require.Equal(t, inquiry.Answered, got.Status)
	_, err = s.Hasten(t.Context(), "nope", by)
	require.ErrorIs(t, err, inquiry.ErrNotFound)
}

func remember(t *testing.T, s inquiry.Store) {
	given := func(scope inquiry.Scope, answer string) inquiry.Question {
		q := sample()
		q.App = "com.shop"
		won := Won(answer)
		won.Remember = scope
		got, err := s.Settle(t.Context(), insert(t, s, q).ID, inquiry.Answered, won)
		require.NoError(t, err)
		require.Equal(t, scope, get(t, s, q.ID).Resolution.Remember)
		return got
	}
	recalled := func(change func(*inquiry.Question)) string {
		q := sample()
		q.App, q.Text = "com.shop", " Which <B>day</b>?  \U0001F642 "
		change(&q)
		m, err := s.Recall(t.Context(), q)
		if err != nil {
			require.ErrorIs(t, err, inquiry.ErrNotFound)
			return ""
		}
		return m.Answer
	}
	same := func(*inquiry.Question) {}
	elsewhere := func(q *inquiry.Question) { q.SessionID = "s2" }
	require.Empty(t, recalled(same))
	given("", "once")
	require.Empty(t, recalled(same), "nobody wants it again")
	given(inquiry.Always, "Mon")
	given(inquiry.ThisApp, "Tue")
	given(inquiry.ThisSession, "Wed")
	require.Equal(t, "Wed", recalled(same))
	require.Equal(t, "Tue", recalled(elsewhere))
	require.Equal(t, "Mon", recalled(func(q *inquiry.Question) { q.SessionID, q.App = "s2", "x" }))
	for name, other := range map[string]func(*inquiry.Question){
		"another client": func(q *inquiry.Question) { q.Client = "another" },
		"other words":    func(q *inquiry.Question) { q.Text = "which week?" },
		"other choices": func(q *inquiry.Question) {
			q.Body = &inquiry.Ask{Options: []string{"Mon"}, FreeText: true}
		},
		"other fields": func(q *inquiry.Question) { q.Body = form() },
		"another kind": func(q *inquiry.Question) { q.Kind = inquiry.KindInquiry },
	} {
		require.Empty(t, recalled(other), name)
	}
	last := given(inquiry.ThisApp, "Fri")
	require.Equal(t, "Fri", recalled(elsewhere), "the last one counts")
	countUse(t, s, last)
}

// countUse settles a question with what was remembered of last, and wants that use to be kept.
func countUse(t *testing.T, s inquiry.Store, last inquiry.Question) {
	t.Helper()
	again := insert(t, s, sample())
	won := Won("Fri")
	won.Recalled = last.ID
	_, err := s.Settle(t.Context(), again.ID, inquiry.Answered, won)
	require.NoError(t, err)
	m, err := s.Recall(t.Context(), func() inquiry.Question {
		q := sample()
		q.App, q.SessionID = "com.shop", "s2"
		return q
	}())
	require.NoError(t, err)
	require.Equal(t, inquiry.Remembered{ID: last.ID, Scope: inquiry.ThisApp, App: "com.shop",
		Client: "desk", Question: last.Text, Options: inquiry.As[inquiry.Ask](last).Options,
		Answer: "Fri", By: "Kim",
		Authority: inquiry.AuthorityHumanToken, At: won.At, UsedAt: won.At, Uses: 1}, m)
}

func secret(t *testing.T, s inquiry.Store) {
	q := sample()
	q.Secret = true
	q.OnTimeout, q.DefaultAnswer = "", ""
	insert(t, s, q)
	won := Won("")
	won.Response = inquiry.Secret("482913")
	got, err := s.Settle(t.Context(), q.ID, inquiry.Answered, won)
	require.NoError(t, err)
	require.Equal(t, inquiry.Secret("482913"), got.Resolution.Response)
	require.Equal(t, got, get(t, s, q.ID))

	declined := sample()
	declined.Secret = true
	insert(t, s, declined)
	won.Type, won.Response = inquiry.TypeDecline, inquiry.Secret("not 482913")
	got, err = s.Settle(t.Context(), declined.ID, inquiry.Refused, won)
	require.NoError(t, err)
	require.Equal(t, got, get(t, s, declined.ID), "so is what came with a refusal")

	got, err = s.Apply(t.Context(), q.ID, q.Fence, asked)
	require.NoError(t, err)
	require.Equal(t, inquiry.Secret("482913"), got.Resolution.Response,
		"the one who applies it gets it")
	require.Equal(t, inquiry.Secret(""), get(t, s, q.ID).Resolution.Response,
		"it is erased after that")
	all, err := s.List(t.Context(), inquiry.Filter{})
	require.NoError(t, err)
	require.Equal(t, inquiry.Secret(""), all[0].Resolution.Response)

	public := sample()
	public.Secret = true
	insert(t, s, public)
	got, err = s.Settle(t.Context(), public.ID, inquiry.Answered, Won("done"))
	require.NoError(t, err)
	require.False(t, got.Secret, "an answer that is no secret makes the question none")
	require.Equal(t, got, get(t, s, public.ID))
}

func amend(t *testing.T, s inquiry.Store) {
	q := insert(t, s, sample())
	won := Won("not me")
	won.Resume = nil // which a turn keeps
	change := func(q *inquiry.Question) error {
		q.Deferred, q.Suggestion = &won, &inquiry.Suggestion{Answer: "Mon", By: "fast"}
		q.Fallback = map[inquiry.Type]string{inquiry.TypeAnswer: "model:fast"}
		q.Routing, q.AttentionUntil = inquiry.Routing{Channel: "model:fast", Since: asked}, asked
		return nil
	}
	no := errors.New("no")
	_, err := s.Amend(t.Context(), q.ID, func(q *inquiry.Question) error {
		q.Text = "another"
		return no
	})
	require.ErrorIs(t, err, no)
	require.Equal(t, q, get(t, s, q.ID), "nothing has changed")
	got, err := s.Amend(t.Context(), q.ID, change)
	require.NoError(t, err)
	require.NoError(t, change(&q))
	require.Equal(t, q, got)
	require.Equal(t, q, get(t, s, q.ID))
	brief, err := s.List(t.Context(), inquiry.Filter{Status: inquiry.Pending, Brief: true})
	require.NoError(t, err)
	require.Equal(t, asked, brief[0].AttentionUntil)
	_, err = s.Settle(t.Context(), q.ID, inquiry.Answered, Won("Tue"))
	require.NoError(t, err)
	got, err = s.Amend(t.Context(), q.ID, change)
	require.ErrorIs(t, err, inquiry.ErrSettled)
	require.Equal(t, inquiry.Answered, got.Status)
}

func spend(t *testing.T, s inquiry.Store) {
	q := insert(t, s, sample())
	call := inquiry.Spending{Calls: 1, PromptTokens: 100, CompletionTokens: 10, TookMS: 1500,
		Cost: 0.25}
	require.NoError(t, s.Spend(t.Context(), q.ID, call))
	require.Equal(t, &call, get(t, s, q.ID).Usage)
	settled, err := s.Settle(t.Context(), q.ID, inquiry.Answered, Won("Tue"))
	require.NoError(t, err)
	require.Equal(t, &call, settled.Usage)
	require.NoError(t, s.Spend(t.Context(), q.ID, call), "also of a model that was too late")
	settled.Usage = &inquiry.Spending{Calls: 2, PromptTokens: 200, CompletionTokens: 20,
		TookMS: 3000, Cost: 0.5}
	require.Equal(t, settled, get(t, s, q.ID), "nothing else has changed")
	require.ErrorIs(t, s.Spend(t.Context(), "nope", call), inquiry.ErrNotFound)
}

func keys(t *testing.T, s inquiry.Store) {
	const n = 20
	won := make(chan string, n)
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			q := sample()
			q.Key = "k"
			if err := s.Insert(t.Context(), q); err == nil {
				won <- q.ID
			} else if !errors.Is(err, inquiry.ErrKeyTaken) {
				t.Errorf("%v is not ErrKeyTaken", err)
			}
		})
	}
	wg.Wait()
	require.Len(t, won, 1)
	insert(t, s, sample()) // without one
	other := sample()
	other.Key, other.Client = "k", "another"
	insert(t, s, other)
	got, err := s.List(t.Context(), inquiry.Filter{Client: new("desk"), Key: "k"})
	require.NoError(t, err)
	require.Len(t, got, 1)
	require.Equal(t, <-won, got[0].ID)
	got, err = s.List(t.Context(), inquiry.Filter{Client: new("another")})
	require.NoError(t, err)
	require.Equal(t, []inquiry.Question{other}, got)
	nobodys := sample()
	nobodys.Client, nobodys.Key = "", "k"
	insert(t, s, nobodys)
	got, err = s.List(t.Context(), inquiry.Filter{Client: new(""), Key: "k"})
	require.NoError(t, err)
	require.Equal(t, []inquiry.Question{nobodys}, got, "a client without a name is one, too")
}

func list(t *testing.T, s inquiry.Store) {
	var all []inquiry.Question
	for i := range 4 {
		q := sample()
		q.AskedAt = asked.Add(-time.Duration(i) * time.Second)
		q.SessionID, q.RunID = fmt.Sprint("s", i/2), fmt.Sprint("r", i)
		all = append([]inquiry.Question{insert(t, s, q)}, all...)
	}
	won := Won("Tue")
	_, err := s.Settle(t.Context(), all[0].ID, inquiry.Answered, won)
	require.NoError(t, err)
	all[0].Status, all[0].Resolution = inquiry.Answered, &won
	for _, c := range []struct {
		f    inquiry.Filter
		want []inquiry.Question
	}{
		{inquiry.Filter{}, all},
		{inquiry.Filter{Status: inquiry.Pending}, all[1:]},
		{inquiry.Filter{SessionID: "s1"}, all[:2]},
		{inquiry.Filter{SessionID: "s1", Status: inquiry.Pending}, all[1:2]},
		{inquiry.Filter{RunID: "r0"}, all[3:]},
		{inquiry.Filter{Unapplied: true}, all},
		{inquiry.Filter{SessionID: "s9"}, nil},
		{inquiry.Filter{NoRun: true}, nil},
		{inquiry.Filter{Beginning: all[1].ID}, all[1:2]},
		{inquiry.Filter{Beginning: all[1].ID[:30]}, all[1:2]},
		{inquiry.Filter{Beginning: all[1].ID + "0"}, nil},
		{inquiry.Filter{Beginning: "%"}, nil},
		{inquiry.Filter{Limit: 2}, all[len(all)-2:]},
		{inquiry.Filter{Limit: 1, SessionID: "s1"}, all[1:2]},
		{inquiry.Filter{Limit: len(all) + 1}, all},
	} {
		got, err := s.List(t.Context(), c.f)
		require.NoError(t, err)
		require.Equal(t, c.want, got, "%+v", c.f)
	}
	listInBrief(t, s, all[1:])
	_, err = s.Apply(t.Context(), all[0].ID, all[0].Fence, asked)
	require.NoError(t, err)
	got, err := s.List(t.Context(), inquiry.Filter{Unapplied: true})
	require.NoError(t, err)
	require.Equal(t, all[1:], got)
	alone := sample()
	alone.RunID = ""
	alone = insert(t, s, alone)
	got, err = s.List(t.Context(), inquiry.Filter{Unapplied: true, NoRun: true})
	require.NoError(t, err)
	require.Equal(t, []inquiry.Question{alone}, got)
}

// listInBrief wants a brief list of the open questions to have their times.
func listInBrief(t *testing.T, s inquiry.Store, open []inquiry.Question) {
	t.Helper()
	brief, err := s.List(t.Context(), inquiry.Filter{Status: inquiry.Pending, Brief: true})
	require.NoError(t, err)
	require.Len(t, brief, len(open))
	for i, q := range open {
		require.Equal(t, []any{q.ID, q.Status, q.AskedAt, q.AttentionUntil, q.ExpiresAt,
			q.AppliedAt},
			[]any{brief[i].ID, brief[i].Status, brief[i].AskedAt, brief[i].AttentionUntil,
				brief[i].ExpiresAt, brief[i].AppliedAt})
	}
}

func missing(t *testing.T, s inquiry.Store) {
	_, err := s.Get(t.Context(), "nope")
	require.ErrorIs(t, err, inquiry.ErrNotFound)
	_, err = s.Settle(t.Context(), "nope", inquiry.Answered, Won("x"))
	require.ErrorIs(t, err, inquiry.ErrNotFound)
	_, err = s.Amend(t.Context(), "nope", func(*inquiry.Question) error { return nil })
	require.ErrorIs(t, err, inquiry.ErrNotFound)
	_, err = s.Apply(t.Context(), "nope", 1, asked)
	require.ErrorIs(t, err, inquiry.ErrNotFound)
}

func forbid(t *testing.T, s inquiry.Store) {
	q := insert(t, s, sample())
	before := get(t, s, q.ID)
	require.NoError(t, s.Forbid(t.Context(), q.ID, inquiry.Resolution{Type: inquiry.TypeAnswer,
		Response: inquiry.Plain("yes"), Channel: inquiry.ChannelHTTP,
		Authority: inquiry.AuthorityToken, By: "bot", At: q.AskedAt}))
	require.Equal(t, before, get(t, s, q.ID))
	require.ErrorIs(t, s.Forbid(t.Context(), "none", inquiry.Resolution{}), inquiry.ErrNotFound)
}
