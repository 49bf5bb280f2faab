package inquiry_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/inquirytest"
)

func TestAWaiterLearnsWhatAnotherBrokerSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := new(inquirytest.Memory)
		here, there := inquiry.NewBroker(store, nil), inquiry.NewBroker(store, nil)
		sub := here.Subscribe()
		defer sub.Close()
		q := ask(t, there, inquiry.Question{})
		waited := make(chan inquiry.Question, 1)
		go func() { q, _ := here.Wait(t.Context(), q.ID); waited <- q }()
		synctest.Wait()
		require.NoError(t, here.Sweep(t.Context(), time.Now()))
		require.Equal(t, []string{"created"}, types(sub))
		_, err := there.Resolve(t.Context(), q.ID, reply("Tue"))
		require.NoError(t, err)
		require.NoError(t, here.Sweep(t.Context(), time.Now()))
		require.Equal(t, inquiry.Answered, (<-waited).Status)
		require.NoError(t, here.Sweep(t.Context(), time.Now()))
		require.Equal(t, []string{"resolved"}, types(sub), "once")
	})
}

// swept is a store in which a sweep looks at all questions right before one is added.
type swept struct {
	*inquirytest.Memory
	sweep func()
}

func (s swept) Insert(ctx context.Context, q inquiry.Question) error {
	s.sweep()
	return s.Memory.Insert(ctx, q)
}

func TestAQuestionThatIsBeingStoredIsNotTakenForADeletedOne(t *testing.T) {
	store := &swept{Memory: new(inquirytest.Memory)}
	b := inquiry.NewBroker(store, nil)
	store.sweep = func() { require.NoError(t, b.Sweep(t.Context(), time.Now())) }
	sub := b.Subscribe()
	defer sub.Close()

	q := ask(t, b, inquiry.Question{})
	_, err := b.Resolve(t.Context(), q.ID, reply("Tue"))

	require.NoError(t, err)
	require.Equal(t, []string{"created", "resolved"}, types(sub))
}

func types(s *inquiry.Subscription) []string {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out []string
	for {
		e, err := s.Next(ctx)
		if err != nil {
			return out
		}
		out = append(out, string(e.Type))
	}
}

func TestSubscribersSeeWhatHappensInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := broker()
		sub := b.Subscribe()
		defer sub.Close()
		answered, withdrawn, expired := ask(t, b, inquiry.Question{}),
			ask(t, b, inquiry.Question{}), ask(t, b, inquiry.Question{})
		_, err := b.Resolve(t.Context(), answered.ID, reply("Tue"))
		require.NoError(t, err)
		require.NoError(t, b.Withdraw(t.Context(), withdrawn.ID, "stopped"))
		require.NoError(t, b.Sweep(t.Context(), expired.AttentionUntil))
		require.NoError(t, b.Sweep(t.Context(), expired.AttentionUntil.Add(time.Second)))
		require.NoError(t, b.Sweep(t.Context(), expired.ExpiresAt))
		require.Equal(t, []string{"created", "created", "created", "resolved", "withdrawn",
			"overdue", "expired"}, types(sub))
	})
}

func TestASlowListenerLearnsWhatItLostAndHoldsUpNobody(t *testing.T) {
	b := inquiry.NewBroker(new(inquirytest.Memory), &inquiry.Options{Buffer: 4})
	slow, quick := b.Subscribe(), b.Subscribe()
	defer slow.Close()
	defer quick.Close()
	for range 10 {
		ask(t, b, inquiry.Question{})
		require.Equal(t, []string{"created"}, types(quick))
	}
	e, err := slow.Next(t.Context())
	require.NoError(t, err)
	require.Equal(t, inquiry.Event{Type: inquiry.Lost, Lost: 8}, e)
	require.Equal(t, []string{"created", "created"}, types(slow))

	slow.Close()
	slow.Close()
	_, err = slow.Next(t.Context())
	require.ErrorIs(t, err, inquiry.ErrClosed)
}

func TestClosingASubscriptionWakesItsReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sub := broker().Subscribe()
		read := make(chan error, 1)
		go func() { _, err := sub.Next(t.Context()); read <- err }()
		synctest.Wait()
		sub.Close()
		require.ErrorIs(t, <-read, inquiry.ErrClosed)
	})
}

func TestASecretAnswerIsInNoPrintLogEventOrError(t *testing.T) {
	const code = "482913"
	store := new(inquirytest.Memory)
	b := inquiry.NewBroker(store, nil)
	sub := b.Subscribe()
	defer sub.Close()
	q := ask(t, b, inquiry.Question{Secret: true, Fence: 1})
	r := reply(" " + code + " \n")
	r.ID = "r1"
	won, err := b.Resolve(t.Context(), q.ID, r)
	require.NoError(t, err)
	_, lost := b.Resolve(t.Context(), q.ID, reply("other"))
	seen, err := b.Get(t.Context(), q.ID)
	require.NoError(t, err)
	listed, err := b.List(t.Context(), inquiry.Filter{})
	require.NoError(t, err)
	_, err = sub.Next(t.Context())
	require.NoError(t, err)
	event, err := sub.Next(t.Context())
	require.NoError(t, err)
	require.Empty(t, event.Question.Resolution.Response.Reveal())
	var already *inquiry.SettledError
	require.ErrorAs(t, lost, &already)
	require.Empty(t, already.Question.Resolution.Response.Reveal())
	held, err := store.Get(t.Context(), q.ID)
	require.NoError(t, err)
	require.Equal(t, " "+code+" ", held.Resolution.Response.Reveal(),
		"spaces may belong to a secret")

	var text strings.Builder
	log := slog.New(slog.NewJSONHandler(&text, nil))
	for _, v := range []any{held, *held.Resolution, held.Resolution.Response, won, lost, seen,
		listed, event, r} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%t"} {
			fmt.Fprintf(&text, verb+"\n", v)
		}
		log.Info("x", "v", v)
		if _, isReply := v.(inquiry.Reply); !isReply {
			b, err := json.Marshal(v)
			require.NoError(t, err)
			text.Write(b)
		}
	}
	require.Contains(t, text.String(), inquiry.Masked)
	// not NotContains, which would print all of it
	require.False(t, strings.Contains(text.String(), code), "the secret leaks")
	require.False(t, strings.Contains(text.String(), fmt.Sprintf("%x", code)))

	applied, err := b.Apply(t.Context(), q.ID, 1)
	require.NoError(t, err)
	require.Equal(t, " "+code+" ", applied.Resolution.Response.Reveal())
	again, err := b.Resolve(t.Context(), q.ID, r)
	require.NoError(t, err)
	require.True(t, again.Replayed, "even after it was erased")
}
