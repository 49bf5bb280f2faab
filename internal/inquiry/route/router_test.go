package route_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/inquiry/inquirytest"
	"github.com/taploop/taploop/internal/inquiry/route"
)

// scripted is somebody who is asked: err is said at once, and nil waits until ctx ends.
type scripted struct {
	err   error
	asked int
	left  error // why the last question was closed
}

func (s *scripted) Ask(ctx context.Context, _ inquiry.Question) error {
	s.asked++
	if s.err != nil {
		return s.err
	}
	<-ctx.Done()
	s.left = context.Cause(ctx)
	return s.left
}

// office is a router with a console and a model, over a store in memory.
type office struct {
	*testing.T
	broker         *inquiry.Broker
	console, model *scripted
	router         *route.Router
	dead           map[string]bool // routers that are not there
	moves          []string
}

func newOffice(t *testing.T) *office {
	o := &office{
		T:       t,
		broker:  inquiry.NewBroker(&inquirytest.Memory{}, nil),
		console: &scripted{},
		model:   &scripted{},
		dead:    map[string]bool{},
	}
	o.open("one")
	return o
}

// open is a router with this name.
func (o *office) open(name string) {
	r := route.New(&route.Options{Store: o.broker, Name: name,
		Askers: map[string]route.Asker{"manual_reply": o.console, "auto_reply": o.model},
		Alive:  func(router string) bool { return !o.dead[router] },
		Moved:  func(q inquiry.Question) { o.moves = append(o.moves, q.Routing.Channel) }})
	o.router = r
	o.Cleanup(func() { r.Close(errors.New("closing")) })
}

// ask opens a question under a mode, as a run does.
func (o *office) ask(mode channel.Mode) string {
	o.Helper()
	q := inquiry.Question{Text: "which?"}
	require.NoError(o, route.Plan(&q, mode, time.Minute, []string{"page"}))
	q.Routing = o.router.First(q)
	q, err := o.broker.Open(o.Context(), q)
	require.NoError(o, err)
	o.route(q.ID)
	return q.ID
}

func (o *office) route(id string) {
	o.router.Route(id)
	synctest.Wait()
}

func (o *office) question(id string) inquiry.Question {
	o.Helper()
	synctest.Wait()
	q, err := o.broker.Get(o.Context(), id)
	require.NoError(o, err)
	return q
}

func TestChannelsHaveTheirTurnOneAfterTheOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t)
		o.model.err = errors.New("connection refused")
		id := o.ask("manual_reply (60s) -> auto_reply -> pass_to_client")
		q := o.question(id)
		require.Equal(t, "manual_reply", q.Routing.Channel)
		require.Equal(t, "manual_reply", route.Asking(q, time.Now()))
		require.Equal(t, "auto_reply", route.Asking(q, time.Now().Add(time.Minute)),
			"by the clock, whether or not it was noticed")

		time.Sleep(time.Minute)
		q = o.question(id)
		require.ErrorIs(t, o.console.left, route.ErrTurnOver)
		require.Equal(t, 1, o.model.asked)
		require.Equal(t, "pass_to_client", q.Routing.Channel)
		require.Equal(t, "auto_reply had no answer: connection refused", q.Routing.Trouble)
		require.Equal(t, time.Now(), q.Routing.Since.Local())
		require.Equal(t, []string{"auto_reply", "pass_to_client"}, o.moves)
		require.Equal(t, []inquiry.Channel{{Name: "pass_to_client", Asks: true}, {Name: "page"}},
			route.Left(q, o.router.Routed(q)))
	})
}

func TestAPassiveChannelDeclinesOnceAndOnlyInItsTurn(t *testing.T) {
	for _, mode := range []channel.Mode{"elicit -> manual_reply", "elicit (20s) -> manual_reply"} {
		synctest.Test(t, func(t *testing.T) {
			o := newOffice(t)
			id := o.ask(mode)
			require.NoError(t,
				o.router.Decline(t.Context(), id, "pass_to_client", "it is not its turn"))
			require.Equal(t, "elicit", o.question(id).Routing.Channel)
			require.NoError(t,
				o.router.Decline(t.Context(), id, "elicit", "the client shows no forms"))
			q := o.question(id)
			require.Equal(t, "manual_reply", q.Routing.Channel)
			require.Equal(t, "the client shows no forms", q.Routing.Trouble)
			require.Equal(t, 1, o.console.asked)
			require.NoError(t, o.router.Decline(t.Context(), id, "elicit", "again"))
			time.Sleep(time.Minute)
			require.Equal(t, 1, o.console.asked, "elicit's time is over, and it had its turn")
		})
	}
}

func TestAnotherRouterGoesOnWhereOneWasKilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t)
		id := o.ask("elicit -> manual_reply")
		require.NoError(t, o.router.Decline(t.Context(), id, "elicit", "no forms"))
		before := o.question(id)
		require.Equal(t, 1, o.console.asked)

		o.open("two")
		o.route(id)
		require.Equal(t, before, o.question(id), "the first one is there")
		require.True(t, o.router.Routed(before))

		o.dead["one"] = true
		require.False(t, o.router.Routed(before))
		o.route(id)
		q := o.question(id)
		require.Equal(
			t,
			inquiry.Routing{
				Channel: "manual_reply",
				Since:   before.Routing.Since,
				Trouble: "no forms",
				Router:  "two",
			},
			q.Routing,
		)
		require.Equal(t, 2, o.console.asked)
	})
}

func TestRoutingEndsWithTheAnswerAndBeginsAnewAfterAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t)
		id := o.ask("elicit (5s) -> manual_reply")
		time.Sleep(5 * time.Second)
		require.Equal(t, "manual_reply", o.question(id).Routing.Channel)
		paused, answered := errors.New("paused"), errors.New("answered")
		require.NoError(t, o.router.Cancel(t.Context(), id, paused))
		require.Zero(t, o.question(id).Routing)
		require.Equal(t, paused, o.console.left)

		o.route(id)
		require.Equal(t, "manual_reply", o.question(id).Routing.Channel,
			"the time of the form is over")
		require.Equal(t, 2, o.console.asked)
		o.route(id)
		require.Equal(t, 2, o.console.asked, "it is on the console already")

		_, err := o.broker.Resolve(t.Context(), id, inquiry.Reply{Response: "red"})
		require.NoError(t, err)
		o.router.Finish(id, answered)
		synctest.Wait()
		require.Equal(t, answered, o.console.left)
		o.route(id)
		require.NoError(t, o.router.Cancel(t.Context(), id, paused))
		require.NoError(t, o.router.Decline(t.Context(), id, "manual_reply", "late"))
		require.Equal(t, 2, o.console.asked, "a settled question is not asked")
	})
}

func TestNobodyLeftLeavesTheQuestionOpenToEverybody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t)
		o.console.err, o.model.err = errors.New("closed"), errors.New("away")
		q := o.question(o.ask("manual_reply -> auto_reply"))
		require.True(t, q.Open())
		require.Empty(t, q.Routing.Channel)
		require.Equal(t, "auto_reply had no answer: away", q.Routing.Trouble)
		require.Equal(t, []inquiry.Channel{{Name: "page"}}, route.Left(q, true))
	})
}

func TestAQuestionThatNoChannelAnsweredIsAskedAnewByALaterRouter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t)
		o.console.err = errors.New("closed")
		id := o.ask("manual_reply")
		require.Empty(t, o.question(id).Routing.Channel)
		o.console.err = nil
		o.route(id)
		require.Equal(t, 1, o.console.asked, "the same router has asked already")
		o.open("two")
		o.route(id)
		require.Equal(t, 1, o.console.asked, "the first router is there")
		o.dead["one"] = true
		o.route(id)
		require.Equal(t, 2, o.console.asked)
		require.Equal(t, "manual_reply", o.question(id).Routing.Channel)
	})
}

func TestOnlyChannelsThatCanStillAnswerAreLeft(t *testing.T) {
	past, later := time.Now().Add(-time.Minute), time.Now().Add(time.Hour)
	q := inquiry.Question{
		Status: inquiry.Pending,
		Channels: []inquiry.Channel{{Name: "manual_reply", Until: past},
			{Name: "elicit", Until: later}, {Name: "auto_reply"}, {Name: "page"}},
	}
	asked := func(name string) inquiry.Routing {
		return inquiry.Routing{Channel: name, Router: "one"}
	}
	for name, c := range map[string]struct {
		turn   inquiry.Routing
		routed bool
		want   []inquiry.Channel
	}{
		"not routed": {inquiry.Routing{}, false, []inquiry.Channel{q.Channels[1],
			q.Channels[2], q.Channels[3]}},
		"the form asks": {asked("elicit"), true, []inquiry.Channel{{Name: "elicit",
			Until: later, Asks: true}, q.Channels[2], q.Channels[3]}},
		"the router is gone": {asked("elicit"), false, []inquiry.Channel{q.Channels[1],
			q.Channels[2], q.Channels[3]}},
		"the form declined": {asked("auto_reply"), true, []inquiry.Channel{{Name: "auto_reply",
			Asks: true}, q.Channels[3]}},
		"all have had a turn": {asked(""), true, []inquiry.Channel{q.Channels[3]}},
	} {
		q.Routing = c.turn
		require.Equal(t, c.want, route.Left(q, c.routed), name)
	}
	q.Channels = []inquiry.Channel{
		{Name: "pass_to_client", Until: past},
		{Name: "no_reply"},
		{Name: "page"},
	}
	q.Routing = asked("no_reply")
	require.Equal(t, []inquiry.Channel{{Name: "pass_to_client"}, {Name: "page"}},
		route.Left(q, true), "nobody is asked at no_reply; a client may always answer")
	q.Status = inquiry.Answered
	require.Empty(t, route.Left(q, false))
}
