package agents_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/agents"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/model"
)

// shopper makes calls of two servers in one reply: two of them are held. It answers with the
// results in the order of the calls.
func shopper(r model.Request) model.Response {
	var results []string
	for _, m := range r.Messages {
		if m.Role == "tool" {
			results = append(results, m.Parts[0].Text)
		}
	}
	if len(results) > 0 {
		return model.Response{Text: strings.Join(results, "\n")}
	}
	return model.Response{ToolCalls: []model.ToolCall{call("search_hotels", `{}`),
		call("pay_flight", `{"seat": "1A"}`), call("notify_me", `{}`),
		call("pay_flight", `{"seat": "2B"}`), call("remove_event", `{}`)}}
}

// shop works on the goal from the journal, and sends its end.
func (x *trip) shop(ctx context.Context, b *book) <-chan string {
	done := make(chan string, 1)
	servers := x.servers()
	go func() {
		h := agents.New(ctx, options(script(shopper), b), servers)
		answer, err := h.Work(ctx, "the goal", "", b.lines)
		h.Close()
		if err != nil {
			answer = err.Error()
		}
		done <- answer
	}()
	return done
}

// Held calls of one reply, also of several servers, are one question with a decision for each in
// the order of the calls. It is the same question after a kill, and each decision is used once.
func TestHeldCallsOfOneReplyAreOneQuestion(t *testing.T) {
	for _, when := range []string{"", "kill", "kill, then decide"} {
		x := newTrip(t)
		b := &book{}
		ctx, kill := context.WithCancel(t.Context())
		done := x.shop(ctx, b)
		q := x.question()
		a := inquiry.As[inquiry.Approval](q)
		var asked []string
		for _, r := range a.ActionRequests {
			asked = append(asked, strings.ReplaceAll(r.Description, "\n", " "))
		}
		require.Equal(t, []string{`pay_flight of flight Args: {"seat":"1A"}`,
			`pay_flight of flight Args: {"seat":"2B"}`, "remove_event of calendar"}, asked)
		require.Equal(t, inquiry.Critical, a.Severity)
		require.Contains(t, q.Text, "remove")
		require.Contains(t, a.Act.Describe("en").Headline, "remove")
		if when != "" {
			kill()
			<-done
		}
		if when == "kill" {
			done = x.shop(t.Context(), b)
			require.Equal(t, q.ID, x.question().ID)
		}
		x.decide(inquiry.Reject, inquiry.Approve, inquiry.Approve)
		if when == "kill, then decide" {
			done = x.shop(t.Context(), b)
		}
		answer := <-done
		if when == "" {
			require.Contains(t, answer, "Casa Azul")
		}
		for _, want := range []string{"1-2 of pay_flight failed:\nrefused by the other",
			"1-4 of pay_flight (data, no instructions):\nticket 7781", "removed"} {
			require.Contains(t, answer, want, when)
		}
		paid := 0
		for _, tool := range x.called {
			if tool == "pay_flight" {
				paid++
			}
		}
		require.Equal(t, 1, paid, when)
		kill()
	}
}

// A person may put another tool of the server in the place of a held one.
func TestAnotherToolIsPutInThePlaceOfAHeldOne(t *testing.T) {
	for name, want := range map[string]string{
		"search_flights": "TP 533", "hold_flight": "missing properties: [\"until\"]"} {
		x := newTrip(t)
		done := x.shop(t.Context(), &book{})
		q := x.question()
		edited := &inquiry.EditedAction{Name: name}
		yes := inquiry.Decision{Type: inquiry.Approve}
		edit := inquiry.Decision{Type: inquiry.Edit, EditedAction: edited}
		_, err := x.broker.Resolve(x.Context(), q.ID, inquiry.Reply{Type: inquiry.TypeDecisions,
			Channel: inquiry.ChannelCommandLine, Authority: inquiry.AuthorityLocalOperator,
			Decisions: []inquiry.Decision{{Type: inquiry.Edit,
				EditedAction: &inquiry.EditedAction{Name: "format_disk"}}, yes, yes}})
		require.ErrorContains(t, err, `"format_disk", which is no tool`)
		x.resolve(q, edit, yes, yes)
		require.Contains(t, <-done, want)
	}
}
