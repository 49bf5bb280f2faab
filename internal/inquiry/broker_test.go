package inquiry_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/inquirytest"
)

func TestTheStoreInMemoryKeepsTheContract(t *testing.T) {
	inquirytest.Run(t, func(*testing.T) inquiry.Store { return new(inquirytest.Memory) })
}

func broker() *inquiry.Broker { return inquiry.NewBroker(new(inquirytest.Memory), nil) }

func ask(t *testing.T, b *inquiry.Broker, q inquiry.Question) inquiry.Question {
	t.Helper()
	if q.Text == "" {
		q.Text = "which day?"
	}
	q, err := b.Open(t.Context(), q)
	require.NoError(t, err)
	return q
}

func reply(text string) inquiry.Reply {
	return inquiry.Reply{Response: text, Channel: "http", Authority: "human_token"}
}

func TestTwoHundredAnswersAtOnceHaveOneWinnerWhomTheLosersAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := broker()
		q := ask(t, b, inquiry.Question{})
		waited := make(chan inquiry.Question, 1)
		go func() { q, _ := b.Wait(t.Context(), q.ID); waited <- q }()

		const n = 200
		errs := make([]error, n)
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() {
				_, errs[i] = b.Resolve(t.Context(), q.ID,
					inquiry.Reply{ID: fmt.Sprint(i), Response: fmt.Sprint("answer ", i),
						Channel: fmt.Sprint("channel ", i)})
			})
		}
		wg.Wait()
		winner := <-waited
		won := 0
		for i, err := range errs {
			if err == nil {
				won++
				require.Equal(t, fmt.Sprint("answer ", i), winner.Resolution.Response.Reveal())
				continue
			}
			var lost *inquiry.SettledError
			require.ErrorAs(t, err, &lost)
			require.Equal(t, winner, lost.Question)
		}
		require.Equal(t, 1, won)
	})
}

func TestTheSameReplyAgainIsTheSameSuccess(t *testing.T) {
	b := broker()
	q := ask(t, b, inquiry.Question{})
	r := reply("Tue\n")
	r.ID = "reply-1"
	first, err := b.Resolve(t.Context(), q.ID, r)
	require.NoError(t, err)
	require.False(t, first.Replayed)

	again, err := b.Resolve(t.Context(), q.ID, r)
	require.NoError(t, err)
	require.Equal(t, inquiry.Result{Question: first.Question, Replayed: true}, again)

	r.Response = "Wed"
	_, err = b.Resolve(t.Context(), q.ID, r)
	require.ErrorIs(t, err, inquiry.ErrReplyIDReused)
	r.Response, r.Type = "Tue", inquiry.TypeDecline
	_, err = b.Resolve(t.Context(), q.ID, r)
	require.ErrorIs(t, err, inquiry.ErrReplyIDReused)

	r.ID, r.Type = "reply-2", ""
	_, err = b.Resolve(t.Context(), q.ID, r)
	var lost *inquiry.SettledError
	require.ErrorAs(t, err, &lost)
	require.Equal(t, "reply-1", lost.Question.Resolution.ReplyID)
	require.Contains(t, err.Error(), "was answered by http (human_token) at ")
	_, err = b.Resolve(t.Context(), q.ID, reply("Tue"))
	require.ErrorAs(t, err, &lost, "no reply id is nobody's id")
}

func TestAReplyThatDoesNotFitLeavesTheQuestionOpen(t *testing.T) {
	b := inquiry.NewBroker(new(inquirytest.Memory), &inquiry.Options{MaxAnswer: 20})
	strict := ask(t, b, inquiry.Question{Body: &inquiry.Ask{Options: []string{"Monday",
		"Tuesday"}}})
	free := ask(t, b, inquiry.Question{Body: &inquiry.Ask{Options: []string{"Monday"},
		FreeText: true}})
	for name, c := range map[string]struct {
		q    inquiry.Question
		r    inquiry.Reply
		want string
	}{
		"not an option": {strict, reply("Wednesday"),
			`the answer is none of the options (want one of ["Monday" "Tuesday"])`},
		"empty": {strict, reply(" \n"),
			`the answer is empty (want one of ["Monday" "Tuesday"])`},
		"too long": {free, reply(strings.Repeat("é", 11)),
			"the answer has 22 bytes (at most 20)"},
		"not UTF-8": {free, reply("a\xff"), "the answer is not valid UTF-8"},
		"NUL":       {free, reply("a\x00b"), "the answer contains a NUL character"},
		"unknown type": {free, inquiry.Reply{Type: "shout", Response: "x"},
			`unknown type of reply "shout" (want one of ["answer" "decline" "delegate" ` +
				`"timeout"])`},
		"long refusal": {free, inquiry.Reply{Type: inquiry.TypeDecline,
			Response: strings.Repeat("x", 21)}, "the answer has 21 bytes (at most 20)"},
	} {
		_, err := b.Resolve(t.Context(), c.q.ID, c.r)
		var invalid *inquiry.InvalidReplyError
		require.ErrorAs(t, err, &invalid, name)
		require.EqualError(t, err, c.want, name)
		q, err := b.Get(t.Context(), c.q.ID)
		require.NoError(t, err)
		require.Equal(t, c.q, q, name)
	}
	won, err := b.Resolve(t.Context(), strict.ID, reply(" tuesday\n"))
	require.NoError(t, err)
	require.Equal(t, "Tuesday", won.Question.Resolution.Response.Reveal(),
		"an option is kept as the question spells it")
	won, err = b.Resolve(t.Context(), free.ID, reply("Friday"))
	require.NoError(t, err)
	require.Equal(t, "Friday", won.Question.Resolution.Response.Reveal())
}

func TestARefusalSettlesWithoutAnAnswer(t *testing.T) {
	b := broker()
	q := ask(t, b, inquiry.Question{Body: &inquiry.Ask{Options: []string{"Mon"}}})
	won, err := b.Resolve(t.Context(), q.ID, inquiry.Reply{Type: inquiry.TypeDecline,
		Channel: "console"})
	require.NoError(t, err)
	require.Equal(t, inquiry.Refused, won.Question.Status)
	require.Equal(t, inquiry.TypeDecline, won.Question.Resolution.Type)
}

func TestAWithdrawnQuestionIsGoneAndOnlyThatOne(t *testing.T) {
	b := broker()
	q, other := ask(t, b, inquiry.Question{}), ask(t, b, inquiry.Question{})
	require.NoError(t, b.Withdraw(t.Context(), q.ID, "the task was stopped"))
	require.NoError(t, b.Withdraw(t.Context(), q.ID, "again"))
	_, err := b.Resolve(t.Context(), q.ID, reply("Tue"))
	require.ErrorIs(t, err, inquiry.ErrGone)
	require.Contains(t, err.Error(), "the task was stopped")
	_, err = b.Resolve(t.Context(), other.ID, reply("Tue"))
	require.NoError(t, err)
	var lost *inquiry.SettledError
	require.ErrorAs(t, b.Withdraw(t.Context(), other.ID, "late"), &lost)
	require.ErrorIs(t, b.Withdraw(t.Context(), "nope", ""), inquiry.ErrNotFound)
}

func TestAnAnswerAfterAStopIsKeptButNotApplied(t *testing.T) {
	b := broker()
	q := ask(t, b, inquiry.Question{Fence: 3})
	_, err := b.Resolve(t.Context(), q.ID, reply("Tue"))
	require.NoError(t, err)
	_, err = b.Apply(t.Context(), q.ID, 4) // the stop has ended life 3
	require.ErrorIs(t, err, inquiry.ErrFenced)
	kept, err := b.List(t.Context(), inquiry.Filter{Unapplied: true})
	require.NoError(t, err)
	require.Equal(t, "Tue", kept[0].Resolution.Response.Reveal())
}

func TestWhatSilenceLeadsTo(t *testing.T) {
	for on, want := range map[inquiry.OnTimeout]struct {
		status inquiry.Status
		typ    inquiry.Type
		text   string
	}{
		"":               {inquiry.Expired, inquiry.TypeExpire, ""},
		inquiry.Pause:    {inquiry.Expired, inquiry.TypeExpire, ""},
		inquiry.AskModel: {inquiry.Expired, inquiry.TypeExpire, ""},
		inquiry.GoOn:     {inquiry.TimedOut, inquiry.TypeTimeout, ""},
		inquiry.GiveUp:   {inquiry.TimedOut, inquiry.TypeTimeout, ""},
		inquiry.Default:  {inquiry.TimedOut, inquiry.TypeDefault, "Mon"},
	} {
		t.Run("on_timeout="+string(on), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := broker()
				ctx, stop := context.WithCancelCause(t.Context())
				done := make(chan error, 1)
				go func() { done <- b.Run(ctx, func(err error) { t.Error(err) }) }()
				q := ask(t, b, inquiry.Question{OnTimeout: on,
					DefaultAnswer: map[bool]string{true: "Mon"}[on == inquiry.Default]})

				got, err := b.Wait(t.Context(), q.ID)
				require.NoError(t, err)
				require.Equal(t, want.status, got.Status)
				deadline := q.AttentionUntil
				if want.status == inquiry.Expired {
					deadline = q.ExpiresAt
				}
				require.WithinRange(t, got.Resolution.At, deadline, deadline.Add(time.Second))
				got.Resolution.At = time.Time{}
				require.Equal(t, &inquiry.Resolution{Type: want.typ,
					Response: inquiry.Plain(want.text), Channel: "timer"}, got.Resolution)
				_, err = b.Resolve(t.Context(), q.ID, reply("Tue"))
				require.ErrorIs(t, err, inquiry.ErrGone)

				closing := errors.New("closing")
				stop(closing)
				require.Equal(t, closing, <-done)
			})
		})
	}
}

func TestAnAnswerAgainstTheTimerAtTheDeadline(t *testing.T) {
	for range 100 {
		synctest.Test(t, func(t *testing.T) {
			b := broker()
			q := ask(t, b, inquiry.Question{OnTimeout: inquiry.GoOn})
			// The sweep's clock is at the deadline, the answer's a millisecond before it: either
			// may come first.
			time.Sleep(q.AttentionUntil.Sub(q.AskedAt) - time.Millisecond)
			var won error
			var wg sync.WaitGroup
			wg.Go(func() { _, won = b.Resolve(t.Context(), q.ID, reply("Tue")) })
			wg.Go(func() { require.NoError(t, b.Sweep(t.Context(), q.AttentionUntil)) })
			wg.Wait()
			got, err := b.Wait(t.Context(), q.ID)
			require.NoError(t, err)
			if won == nil {
				require.Equal(t, inquiry.Answered, got.Status)
			} else {
				require.ErrorIs(t, won, inquiry.ErrGone)
				require.Equal(t, inquiry.TimedOut, got.Status)
			}
		})
	}
}

func TestAnAnswerAfterTheDeadlineIsTooLateAlsoWhenNoSweepCame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := broker()
		q := ask(t, b, inquiry.Question{OnTimeout: inquiry.Default, DefaultAnswer: "Mon"})
		time.Sleep(10 * time.Minute)
		_, err := b.Resolve(t.Context(), q.ID, reply("Tue"))
		require.ErrorIs(t, err, inquiry.ErrGone)
		got, err := b.Get(t.Context(), q.ID)
		require.NoError(t, err)
		require.Equal(t, "Mon", got.Resolution.Response.Reveal())
	})
}

func TestWaitingEndsWithTheCauseOfItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := broker()
		q := ask(t, b, inquiry.Question{})
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute,
			errors.New("nobody replied within a minute"))
		defer cancel()
		_, err := b.Wait(ctx, q.ID)
		require.EqualError(t, err, "nobody replied within a minute")
		_, err = b.Wait(t.Context(), "nope")
		require.ErrorIs(t, err, inquiry.ErrNotFound)
	})
}

// types drains what is there.
func TestAQuestionThatMakesNoSenseIsNotAsked(t *testing.T) {
	b := broker()
	now := time.Now()
	for want, q := range map[string]inquiry.Question{
		"the question is empty": {Text: " "},
		`unknown kind "poll"`:   {Text: "x", Kind: "poll"},
		"an option is empty": {Text: "x",
			Body: &inquiry.Ask{Options: []string{"a", ""}}},
		`the option "a " is there twice`: {Text: "x",
			Body: &inquiry.Ask{Options: []string{"a", "b", "a "}}},
		"the deadlines are out of order": {Text: "x", AttentionUntil: now.Add(time.Hour),
			ExpiresAt: now.Add(time.Minute)},
		`unknown on_timeout "cry"`: {Text: "x", OnTimeout: "cry"},
		"the default answer does not fit": {Text: "x", OnTimeout: inquiry.Default,
			Body: &inquiry.Ask{Options: []string{"a"}}, DefaultAnswer: "b"},
		"a secret question cannot have a default": {Text: "x", OnTimeout: inquiry.Default,
			Secret: true, DefaultAnswer: "b"},
	} {
		_, err := b.Open(t.Context(), q)
		require.ErrorContains(t, err, want)
	}
	all, err := b.List(t.Context(), inquiry.Filter{})
	require.NoError(t, err)
	require.Empty(t, all)
}

func TestIDsAreOneHundredAndTwentyEightRandomBitsInTheLayoutOfAUUID(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		id := inquiry.NewID()
		require.Regexp(t, `^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`, id)
		seen[id] = true
	}
	require.Len(t, seen, 1000)
}

func TestATimeThatAModelSetsIsClamped(t *testing.T) {
	require.Equal(t, 30*time.Second, inquiry.Clamp(-time.Hour))
	require.Equal(t, time.Minute, inquiry.Clamp(time.Minute))
	require.Equal(t, 24*time.Hour, inquiry.Clamp(1000*time.Hour))
}

func ExampleBroker() {
	ctx := context.Background()
	b := inquiry.NewBroker(new(inquirytest.Memory), nil)
	q, _ := b.Open(ctx, inquiry.Question{Text: "Which day?",
		Body: &inquiry.Ask{Options: []string{"Monday", "Tuesday"}}})

	_, err := b.Resolve(ctx, q.ID, inquiry.Reply{Response: "someday", Channel: "console"})
	fmt.Println(err)
	b.Resolve(ctx, q.ID, inquiry.Reply{Response: "tuesday", Channel: "console",
		Authority: "local_operator"})
	settled, _ := b.Wait(ctx, q.ID)
	fmt.Println(settled.Status, settled.Resolution.Response)
	// Output:
	// the answer is none of the options (want one of ["Monday" "Tuesday"])
	// answered Tuesday
}
