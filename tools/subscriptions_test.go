package tools_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/tools"
)

// observed is the fixture with tools that hear what runs do, and a client of that version.
func (w *fixture) observed(version string) {
	var hear atomic.Pointer[tools.Tools]
	w.fopts.Observe = func(e runs.Event) {
		if of := hear.Load(); of != nil {
			of.Changed(context.Background(), e)
		}
	}
	w.restart()
	of := tools.New(&w.topts)
	hear.Store(of)
	srv := server.NewMCPServer("taploop", "test", server.WithToolCapabilities(false))
	of.Register(srv)
	w.sopts = &transport.Options{Subscribe: of.MaySubscribe}
	w.serve(srv, version, nil)
}

// subscribe subscribes to resources the way that the client's version has, until stop is called.
func (w *fixture) subscribe(version string, uris ...string) (stop func(), err error) {
	if version == mcp.ProtocolVersion20260728 {
		ctx, cancel := context.WithCancel(w.t.Context())
		ended := make(chan error, 1)
		go func() {
			ended <- w.client.Listen(ctx, mcp.SubscriptionFilter{ResourceSubscriptions: uris,
				ResourcesListChanged: true})
		}()
		for {
			select {
			case err := <-ended:
				cancel()
				return nil, err
			default:
			}
			for _, n := range w.notifications() {
				if n.Method == mcp.MethodNotificationSubscriptionsAcknowledged {
					return func() { cancel(); <-ended; synctest.Wait() }, nil
				}
			}
		}
	}
	for _, uri := range uris {
		r := mcp.SubscribeRequest{}
		r.Params.URI = uri
		//lint:ignore SA1019 of older versions, which it is about
		err = errors.Join(err, w.client.Subscribe(w.t.Context(), r))
	}
	return func() {
		for _, uri := range uris {
			r := mcp.UnsubscribeRequest{}
			r.Params.URI = uri
			//lint:ignore SA1019 of older versions, which it is about
			require.NoError(w.t, w.client.Unsubscribe(w.t.Context(), r))
		}
	}, err
}

// notified is how often each thing was notified since the last time.
func (w *fixture) notified() map[string]int {
	counts := map[string]int{}
	for _, n := range w.notifications() {
		uri, _ := n.Params.AdditionalFields["uri"].(string)
		counts[n.Method+" "+uri]++
	}
	return counts
}

const updated = "notifications/resources/updated "

func TestAClientHearsOfTheResourcesThatItSubscribesTo(t *testing.T) {
	for _, version := range eras {
		t.Run(version, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				w.observed(version)
				stop, err := w.subscribe(version, "taploop://sessions")
				require.NoError(t, err)
				id := w.start("ask").SessionID
				got := w.notified()
				require.Positive(t, got[updated+"taploop://sessions"])
				require.Equal(t, 1, got["notifications/resources/list_changed "])
				list, err := w.client.ListResources(t.Context(), mcp.ListResourcesRequest{})
				require.NoError(t, err)
				require.Equal(t, "taploop://sessions/"+id, list.Resources[1].URI)
				require.Equal(t, "ask", list.Resources[1].Title)
				stop()

				at := "taploop://sessions/" + id
				stop, err = w.subscribe(version, at, at+"/steps")
				require.NoError(t, err)
				w.call("ask_agent_continue", in{"session_id": id, "reply_from_client": "blue"})
				w.wait(id)
				got = w.notified()
				require.Positive(t, got[updated+at])
				require.Positive(t, got[updated+at+"/steps"])
				require.Zero(t, got[updated+"taploop://sessions"], "not any more")
				require.Zero(t, got["notifications/resources/list_changed "])
				stop()
				w.call("ask_agent_continue", in{"session_id": id, "task": "tap"})
				w.wait(id)
				require.Empty(t, w.notified())
			})
		})
	}
}

func TestASubscriptionIsRefusedWithTheReason(t *testing.T) {
	for _, version := range eras {
		t.Run(version, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				w.topts.Privacy = usecase.PrivacyCaptions
				w.observed(version)
				id := w.start("tap").SessionID
				w.wait(id)
				theirs, err := w.manager.Start(t.Context(), runs.StartRequest{Serial: "A",
					Task: "tap", Client: "somebody", MaxSteps: 3})
				require.NoError(t, err)
				at := "taploop://sessions/"
				for uri, why := range map[string]string{
					"file:///etc/passwd":              "there is no resource",
					at + id + "/nosuch":               "there is no resource",
					at + id + "/frames/1":             "never changes",
					at + id + "/trajectory":           "private",
					at + id[:6]:                       at + id,
					at + "nosuch\n\"😀":                "not found",
					at + theirs.Session.ID:            "not found",
					at + theirs.Session.ID + "/steps": "not found",
				} {
					_, err := w.subscribe(version, uri)
					require.ErrorContains(t, err, why, uri)
				}
			})
		})
	}
}
