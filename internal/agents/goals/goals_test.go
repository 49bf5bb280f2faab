package goals_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/agents"
	"github.com/taploop/taploop/internal/agents/goals"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/model"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/runs/queue"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/storetest"
)

// asking is a model that asks a person, and answers with what it was shown last.
type asking struct{}

func (asking) Complete(_ context.Context, r model.Request) (model.Response, error) {
	last := r.Messages[len(r.Messages)-1].Parts[0].Text
	if strings.Contains(last, "the person answers") || strings.Contains(last, "no answer") {
		return model.Response{Text: "Then: " + last}, nil
	}
	return model.Response{ToolCalls: []model.ToolCall{{Name: "ask_person",
		Arguments: `{"question": "Where?"}`}}}, nil
}

// noPhones are no phones.
type noPhones struct{ runs.Phones }

func (noPhones) List(context.Context) ([]runs.PhoneInfo, error) { return nil, nil }

// fixture is a Manager that works on goals.
type fixture struct {
	t       *testing.T
	store   *store.Store
	manager *runs.Manager
}

// bubble runs a test in a bubble. patience is that of the goals.
func bubble(t *testing.T, patience time.Duration, test func(*testing.T, *fixture)) {
	dir := storetest.Dir(t)
	synctest.Test(t, func(t *testing.T) {
		db, err := store.Open(t.Context(), dir, nil)
		require.NoError(t, err)
		g, err := goals.New(&goals.Options{Store: db, Phones: noPhones{}, Patience: patience,
			OpenModel: func(string) (agents.Priced, func() error, error) {
				return agents.Priced{Model: asking{}}, func() error { return nil }, nil
			}})
		require.NoError(t, err)
		x := &fixture{t: t, store: db, manager: runs.New(&runs.Options{Store: db, Goals: g})}
		defer func() {
			require.NoError(t, x.manager.Close())
			require.NoError(t, db.Close())
		}()
		test(t, x)
	})
}

func (x *fixture) start(goal, key string) (runs.Status, error) {
	return x.manager.Start(x.t.Context(),
		runs.StartRequest{Kind: store.OfAgents, Task: goal, Key: key})
}

func (x *fixture) begin(goal, key string) string {
	x.t.Helper()
	st, err := x.start(goal, key)
	require.NoError(x.t, err)
	require.Equal(x.t, agentloop.StillRunning, st.Reason)
	return st.Session.ID
}

func (x *fixture) end(id string) runs.Status {
	x.t.Helper()
	st, err := x.manager.Wait(x.t.Context(), runs.WaitRequest{SessionID: id, Budget: time.Hour})
	require.NoError(x.t, err)
	return st
}

// asked is the open question of the session, once there is one.
func (x *fixture) asked(id string) inquiry.Question {
	x.t.Helper()
	synctest.Wait()
	st, err := x.manager.Status(x.t.Context(), id)
	require.NoError(x.t, err)
	open, err := x.manager.AskedMeanwhile(x.t.Context(), st)
	require.NoError(x.t, err)
	require.Len(x.t, open, 1)
	return open[0]
}

func TestAGoalIsPausedGoneOnWithAndReached(t *testing.T) {
	bubble(t, 0, func(t *testing.T, x *fixture) {
		id := x.begin("Book a seat", "")
		q := x.asked(id)
		st, err := x.manager.Stop(t.Context(), runs.StopRequest{SessionID: id, Mode: runs.Pause})
		require.NoError(t, err)
		require.Equal(t, agentloop.UserPaused, st.Reason)

		_, err = x.manager.Broker().Resolve(t.Context(), q.ID, inquiry.Reply{Response: "aisle",
			Channel: inquiry.ChannelCommandLine, Authority: inquiry.AuthorityLocalOperator})
		require.NoError(t, err)
		st, err = x.manager.Continue(t.Context(), runs.ContinueRequest{SessionID: id})
		require.NoError(t, err)
		require.Equal(t, agentloop.StillRunning, st.Reason)

		st = x.end(id)
		require.Equal(t, store.Completed, st.Run.State, st.Message)
		require.Contains(t, st.Run.Answer, "the person answers: aisle")
		_, err = x.manager.Continue(t.Context(), runs.ContinueRequest{SessionID: id})
		require.Equal(t, runs.RunEnded, runs.CodeOf(err))
	})
}

// A session whose work has ended is a conversation that goes on.
func TestTheNextGoalIsReachedByAgentsThatKnowTheLast(t *testing.T) {
	bubble(t, 0, func(t *testing.T, x *fixture) {
		id := x.begin("Book a seat", "")
		answer := func(words string) {
			q := x.asked(id)
			_, err := x.manager.Broker().Resolve(t.Context(), q.ID, inquiry.Reply{Response: words,
				Channel: inquiry.ChannelCommandLine, Authority: inquiry.AuthorityLocalOperator})
			require.NoError(t, err)
		}
		answer("aisle")
		require.Contains(t, x.end(id).Run.Answer, "the person answers: aisle")
		for _, next := range []string{"And a hotel", "And a hotel"} { // also in the same words
			st, err := x.manager.Continue(t.Context(), runs.ContinueRequest{SessionID: id, Task: next})
			require.NoError(t, err)
			require.Equal(t, agentloop.StillRunning, st.Reason)
			require.Equal(t, next, st.Run.Task)
			answer("by the sea")
			require.Contains(t, x.end(id).Run.Answer, "the person answers: by the sea")
		}
		noted, err := x.store.Noted(t.Context(), id)
		require.NoError(t, err)
		shown, _, err := agents.Show(noted)
		require.NoError(t, err)
		require.Len(t, shown, 1, "it is the same agent")
	})
}

func TestAKeyStandsForOneGoal(t *testing.T) {
	bubble(t, 0, func(t *testing.T, x *fixture) {
		id := x.begin("Book a seat", "k")
		require.Equal(t, id, x.begin("Book  a seat\n", "k"))
		_, err := x.start("Another", "k")
		require.Equal(t, runs.InvalidArgument, runs.CodeOf(err))
		_, err = x.manager.Start(t.Context(), runs.StartRequest{Task: "Book a seat", Key: "k"})
		require.Equal(t, runs.InvalidArgument, runs.CodeOf(err), "on a phone")
	})
}

func TestSilenceToAQuestionPausesTheWork(t *testing.T) {
	bubble(t, time.Minute, func(t *testing.T, x *fixture) {
		id, began := x.begin("Book a seat", ""), time.Now()
		st := x.end(id)
		require.Equal(t, agentloop.InfoNeedsReply, st.Reason)
		require.Equal(t, store.Paused, st.Run.State)
		require.Contains(t, st.Hint, "taploop inquiries")
		require.InDelta(t, time.Minute, time.Since(began), float64(2*time.Second))
	})
}

func TestSoManyGoalsAreWorkedOnAtOnce(t *testing.T) {
	bubble(t, 0, func(t *testing.T, x *fixture) {
		var last string
		for range queue.Goals {
			last = x.begin("Book a seat", "")
		}
		_, err := x.start("Book a seat", "")
		require.Equal(t, runs.RunInProgress, runs.CodeOf(err))
		require.ErrorContains(t, err, "8 goals are being worked on")

		q := x.asked(last)
		st, err := x.manager.Stop(t.Context(), runs.StopRequest{SessionID: last})
		require.NoError(t, err)
		require.Equal(t, store.Cancelled, st.Run.State)
		q, err = x.manager.Broker().Get(t.Context(), q.ID)
		require.NoError(t, err)
		require.Equal(t, inquiry.Withdrawn, q.Status)
		x.begin("Book a seat", "")
	})
}

func TestWhatIsBegunLastWaitsForAPlace(t *testing.T) {
	bubble(t, 0, func(t *testing.T, x *fixture) {
		var ids []string
		for range queue.Goals {
			ids = append(ids, x.begin("Book a seat", ""))
		}
		st, err := x.manager.Start(t.Context(),
			runs.StartRequest{Kind: store.OfAgents, Task: "Book a seat", Queue: true})
		require.NoError(t, err)
		synctest.Wait()
		st, err = x.manager.Status(t.Context(), st.Session.ID)
		require.NoError(t, err)
		require.Equal(t, store.Queued, st.Run.State)

		_, err = x.manager.Stop(t.Context(), runs.StopRequest{SessionID: ids[0]})
		require.NoError(t, err)
		x.asked(st.Session.ID)
	})
}
