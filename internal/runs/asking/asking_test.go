package asking_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/inquiry/decider"
	"github.com/taploop/taploop/internal/inquiry/route"
	"github.com/taploop/taploop/internal/runs/asking"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/storetest"
)

// person is a console, a model that answers, and one that decides. It answers with says after a
// minute, and without words it waits for the end of its turn.
type person struct {
	says string
	mu   sync.Mutex
	left error // why it was asked no longer
}

func (p *person) Ask(ctx context.Context, b *inquiry.Broker, q inquiry.Question,
	resume json.RawMessage, _ func()) error {
	if p.says == "" {
		<-ctx.Done()
		p.mu.Lock()
		defer p.mu.Unlock()
		p.left = context.Cause(ctx)
		return p.left
	}
	time.Sleep(time.Minute)
	r := channel.ManualReply.Answer(p.says)
	r.Resume = resume
	_, err := b.Resolve(ctx, q.ID, r)
	return err
}

func (p *person) why() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.left
}

func (p *person) Reply(context.Context, string, string, []string, *screen.Frame) (string, error) {
	return p.says, nil
}

func (p *person) Name() string { return "fast" }

func (p *person) Decide(context.Context, *decider.Case) (decider.Verdict, error) {
	if p.says == "" {
		return decider.Verdict{}, errors.New("connection refused")
	}
	return decider.Verdict{Answer: p.says, PromptTokens: 90, CompletionTokens: 10,
		Took: time.Second}, nil
}

// runs notes which questions have moved to another channel.
type runs struct {
	mu    sync.Mutex
	moved int
}

func (r *runs) Stop(inquiry.Question) {}

func (r *runs) Moved(inquiry.Question) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.moved++
}

type fixture struct {
	*asking.Desk
	t      *testing.T
	db     *store.Store
	broker *inquiry.Broker
	run    store.Run
	runs   runs
}

func bubble(t *testing.T, o asking.Options,
	f func(t *testing.T, w *fixture)) {
	t.Helper()
	dir := storetest.Dir(t)
	synctest.Test(t, func(t *testing.T) {
		db, err := store.Open(t.Context(), dir, nil)
		require.NoError(t, err)
		defer db.Close()
		w := &fixture{t: t, db: db, broker: inquiry.NewBroker(db.Questions, nil)}
		ctx, cancel := context.WithCancel(t.Context())
		var broker sync.WaitGroup
		broker.Go(func() { _ = w.broker.Run(ctx, func(error) {}) })
		defer broker.Wait()
		defer cancel()
		w.Desk = asking.New(ctx, o, db, w.broker, &w.runs, slog.New(slog.DiscardHandler))
		defer w.Close(errors.New("the test is over"))
		_, w.run, err = db.Begin(t.Context(), store.Session{Serial: "A"}, store.Run{Task: "shop"})
		require.NoError(t, err)
		f(t, w)
	})
}

// open asks a question of the run, and routes it.
func (w *fixture) open(mode channel.Mode) inquiry.Question {
	w.t.Helper()
	q, err := w.Open(w.t.Context(), inquiry.Question{Kind: inquiry.KindInquiry, Text: "Which?",
		SessionID: w.run.SessionID, RunID: w.run.ID, Fence: w.run.Fence, Task: "shop",
		Body: new(inquiry.Ask)}, mode)
	require.NoError(w.t, err)
	w.Route(q.ID)
	synctest.Wait()
	return q
}

func (w *fixture) now(q inquiry.Question) inquiry.Question {
	w.t.Helper()
	q, err := w.broker.Get(w.t.Context(), q.ID)
	require.NoError(w.t, err)
	return q
}

func TestEachChannelAnswersInItsOwnName(t *testing.T) {
	by := &person{says: "red"}
	o := asking.Options{Console: by, Answerer: by,
		Deciders: map[channel.Mode]asking.Decider{channel.Model: by}}
	for mode, authority := range map[channel.Mode]string{
		channel.ManualReply: inquiry.AuthorityLocalOperator,
		channel.AutoReply:   inquiry.AuthorityAgent, channel.Model: inquiry.AuthorityAgent} {
		bubble(t, o, func(t *testing.T, w *fixture) {
			q := w.open(mode)
			time.Sleep(2 * time.Minute)
			r := w.now(q).Resolution
			require.NotNil(t, r, mode)
			require.Equal(t, "red", r.Response.Reveal(), mode)
			require.Equal(t, authority, r.Authority, mode)
		})
	}
	bubble(t, o, func(t *testing.T, w *fixture) {
		q := w.now(w.open(channel.NoReply))
		require.False(t, q.Open())
		require.Empty(t, q.Resolution.Response.Reveal(), "no_reply answers nothing")
	})
}

func TestAChannelHasItsTurnForSoLongAndTheNextIsAsked(t *testing.T) {
	silent := new(person)
	o := asking.Options{Console: silent, Attention: 3 * time.Minute}
	bubble(t, o, func(t *testing.T, w *fixture) {
		q := w.open("manual_reply -> pass_to_client")
		require.Equal(t, string(channel.ManualReply), w.Channels(w.now(q))[0].Name)
		require.True(t, w.Routed(w.now(q)))
		time.Sleep(3*time.Minute - time.Second)
		require.NoError(t, silent.why())
		time.Sleep(2 * time.Second)
		require.ErrorIs(t, silent.why(), route.ErrTurnOver)
		require.True(t, w.now(q).Open())
		require.Equal(t, string(channel.PassToClient), w.Channels(w.now(q))[0].Name)
		require.Positive(t, w.runs.moved)
	})
}

func TestAModelThatDoesNotAnswerPassesTheQuestionOn(t *testing.T) {
	o := asking.Options{Deciders: map[channel.Mode]asking.Decider{channel.Model: new(person)}}
	bubble(t, o, func(t *testing.T, w *fixture) {
		q := w.open("model -> pass_to_client")
		time.Sleep(time.Second)
		now := w.now(q)
		require.True(t, now.Open())
		require.Equal(t, string(channel.PassToClient), w.Channels(now)[0].Name)
		require.Equal(t, 1, now.Usage.Calls, "the call is counted all the same")
	})
}

func TestWhatADecisionCostsIsCountedForTheQuestionAndTheRun(t *testing.T) {
	o := asking.Options{Deciders: map[channel.Mode]asking.Decider{
		channel.Model: &person{says: "red"}}}
	bubble(t, o, func(t *testing.T, w *fixture) {
		q := w.now(w.open(channel.Model))
		require.Equal(t, 90, q.Usage.PromptTokens)
		v, err := w.db.Snapshot(w.t.Context(), w.run.SessionID,
			func(store.Run) (int, error) { return 0, nil })
		require.NoError(t, err)
		require.Equal(t, 100, v.Usage.PromptTokens+v.Usage.CompletionTokens)
	})
}

func TestAQuestionThatIsCancelledStaysOpenAndIsAskedNoLonger(t *testing.T) {
	silent := new(person)
	bubble(t, asking.Options{Console: silent}, func(t *testing.T, w *fixture) {
		q := w.open(channel.ManualReply)
		w.Cancel(w.t.Context(), q.ID)
		synctest.Wait()
		require.ErrorIs(t, silent.why(), route.ErrHalted)
		require.True(t, w.now(q).Open())
		w.Cancel(w.t.Context(), "") // no question
		w.Withdraw(w.t.Context(), q.ID, io.EOF)
		require.Equal(t, inquiry.Withdrawn, w.now(q).Status)
		w.Withdraw(w.t.Context(), q.ID, io.EOF)
		require.Equal(t, inquiry.Withdrawn, w.now(q).Status, "it was too late")
	})
}

func TestAModeThatCannotBeAskedHereIsKnownBeforehand(t *testing.T) {
	bubble(t, asking.Options{}, func(t *testing.T, w *fixture) {
		for _, mode := range []channel.Mode{channel.ManualReply, channel.AutoReply,
			channel.Model, "pass_to_client (1m) -> manual_reply"} {
			step, err := w.Lacks(mode)
			require.NoError(t, err)
			require.NotNil(t, step, mode)
			require.NotEmpty(t, step.Needs, mode)
		}
		for _, mode := range []channel.Mode{channel.PassToClient, channel.NoReply} {
			step, err := w.Lacks(mode)
			require.NoError(t, err)
			require.Nil(t, step, mode)
		}
	})
}

func TestAWriteThatMustHappenOutlivesItsCallButNotForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		over, cancel := context.WithCancel(t.Context())
		cancel()
		ctx, done := asking.Detached(over)
		defer done()
		require.NoError(t, ctx.Err())
		time.Sleep(asking.StoreTime)
		synctest.Wait()
		require.True(t, agentloop.Unwritable(context.Cause(ctx)), "the store did not answer")
	})
}
