package proxy

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/inquiry"
)

// holding is leave that is used in memory.
func holding(list ...*guard.Grant) Leave {
	return func(_ context.Context, _ string, s guard.Subject, d guard.Decision) (bool, error) {
		for _, g := range list {
			if g.Covers(time.Now(), "", s, d) {
				g.Used++
				return true, nil
			}
		}
		return false, nil
	}
}

func TestAPersonsLeaveReachesToolsAsOftenAsItHolds(t *testing.T) {
	roads(t, func(t *testing.T, change func(*Options)) {
		g, err := guard.Leave{Scope: guard.ForTool, Name: "other/send_message", Times: 2}.Grant(
			time.Now(), time.Hour)
		require.NoError(t, err)
		r := newRig(t, func(o *Options) {
			if change != nil {
				change(o)
			}
			o.Leave = holding(&g)
		})
		r.shake("{}")
		for range 2 {
			require.Equal(t, `send_message {"text":"hi"}`,
				r.result(r.start("send_message", `{"text":"hi"}`, "")))
		}
		id := r.start("send_message", `{"text":"hi"}`, "")
		q := r.asked()
		require.Equal(t, `other/send_message {"text":"hi"}`, inquiry.As[inquiry.Approval](q).Target)
		require.Equal(t, "other", inquiry.As[inquiry.Approval](q).Server)
		require.NoError(t, r.decide(q, inquiry.Decision{Type: inquiry.Reject}))
		require.NotContains(t, r.result(id), `send_message {"text":"hi"}`)
	})
}

func TestNoLeaveCoversCriticalCallsNorThoseThatAreForbidden(t *testing.T) {
	g, err := guard.Leave{Scope: guard.ForAll}.Grant(time.Now(), time.Hour)
	require.NoError(t, err)
	asked := 0
	r := newRig(t, func(o *Options) {
		leave := holding(&g)
		o.Guard, err = guard.New(&guard.Options{Lists: []guard.List{{Name: "rules",
			Rules: []guard.Rule{{Action: []string{"forbidden"}, Decision: "deny"},
				{Action: []string{"echo"}, Decision: "ask", Severity: "critical"}}}}})
		require.NoError(t, err)
		o.Leave = func(ctx context.Context, c string, s guard.Subject, d guard.Decision) (bool,
			error) {
			asked++
			return leave(ctx, c, s, d)
		}
	})
	r.shake("{}")
	require.Contains(t, r.result(r.start("forbidden", "{}", "")), "not allowed here")
	id := r.start("echo", `{"text":"x"}`, "")
	q := r.asked()
	require.Equal(t, inquiry.Critical, inquiry.As[inquiry.Approval](q).Severity)
	require.NoError(t, r.decide(q, inquiry.Decision{Type: inquiry.Approve}))
	require.Contains(t, r.result(id), "echo")
	require.Zero(t, asked, "no leave is looked for")
	require.Zero(t, g.Used)
}

// Whoever answers, through whichever channel and in whatever form, and whatever leave there is: a
// critical call is passed on once a person has approved it, and not before, and once.
func TestOnlyAPersonsDecisionPassesACriticalCallOn(t *testing.T) {
	call := guard.Subject{Tool: true, App: "other", Action: "echo", Args: map[string]any{"text": "x"}}
	leaves := []guard.Leave{{Scope: guard.ForAll}, {Scope: guard.ForAll, Target: call.Target()},
		{Scope: guard.ForServer, Name: "other"}, {Scope: guard.ForServer, Name: "other", Times: 3},
		{Scope: guard.ForTool, Name: "echo", Times: 1},
		{Scope: guard.ForTool, Name: "other/echo", Target: call.Target(), Times: 2}}
	var given, more guard.Grant
	r := newRig(t, func(o *Options) {
		var err error
		o.Guard, err = guard.New(&guard.Options{Lists: []guard.List{{Name: "rules",
			Rules: []guard.Rule{{Action: []string{"echo"}, Decision: "ask",
				Severity: "critical"}}}}})
		require.NoError(t, err)
		o.Leave = holding(&given, &more)
	})
	r.shake("{}")
	authorities := []string{inquiry.AuthorityClientUI, inquiry.AuthorityHumanToken,
		inquiry.AuthorityLocalOperator, inquiry.AuthorityClientModel, inquiry.AuthorityAgent,
		inquiry.AuthorityToken, ""}
	channels := []string{inquiry.ChannelMCP, inquiry.ChannelElicit, inquiry.ChannelHTTP,
		inquiry.ChannelPage, inquiry.ChannelCommandLine, inquiry.ChannelModel}
	replies := []inquiry.Reply{{Response: "yes"}, {Response: "否"}, {Response: "继续"},
		{Type: inquiry.TypeDecisions, Decisions: []inquiry.Decision{{Type: inquiry.Approve}}},
		{Type: inquiry.TypeDecisions, Decisions: []inquiry.Decision{{Type: inquiry.Reject}}},
		{Type: inquiry.TypeDecline}}
	rapid.Check(t, func(t *rapid.T) {
		for _, g := range []*guard.Grant{&given, &more} {
			var err error
			*g, err = rapid.SampledFrom(leaves).Draw(t, "leave").Grant(time.Now(), time.Hour)
			require.NoError(t, err)
			require.True(t, g.Covers(time.Now(), "", call, guard.Decision{Verdict: guard.Ask}),
				"it would cover the call if that were not critical")
		}
		id := r.start("echo", `{"text":"x"}`, "")
		q := r.asked()
		for {
			reply := rapid.SampledFrom(replies).Draw(t, "reply")
			reply.Authority = rapid.SampledFrom(authorities).Draw(t, "authority")
			reply.Channel = rapid.SampledFrom(channels).Draw(t, "channel")
			_, err := r.ask.Resolve(context.Background(), q.ID, reply)
			now, failed := r.ask.Get(context.Background(), q.ID)
			require.NoError(t, failed)
			if !inquiry.IsPerson(reply.Authority) {
				require.Error(t, err)
				require.True(t, now.Open(), "%q", reply.Authority)
				continue
			}
			require.NoError(t, err)
			said := r.result(id)
			approved := now.Resolution.Decisions[0].Type == inquiry.Approve
			require.Equal(t, approved, said == `echo {"text":"x"}`, said)
			require.Zero(t, given.Used+more.Used)
			return
		}
	})
}
