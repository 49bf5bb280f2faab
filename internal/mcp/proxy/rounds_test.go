package proxy

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/mcp/wire"
)

// user answers forms as a test wants.
type user func(message string) *mcp.ElicitationResult

func (u user) Elicit(_ context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	return u(r.Params.Message), nil
}

func answers(action mcp.ElicitationResponseAction, content map[string]any) *mcp.ElicitationResult {
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: action,
		Content: content}}
}

// modernly is a call of a client of 2026-07-28 whose user is that, and the questions it led to.
func modernly(t *testing.T, name string, change func(*Options), u func(*rig) user) (
	string, []inquiry.Question) {
	t.Helper()
	p := behind(t)
	o := p.opts
	if change != nil {
		change(&o)
	}
	p, err := New(&o)
	require.NoError(t, err)
	t.Cleanup(p.Close)
	r := &rig{t: t, ask: o.Questions}
	c := caller(t, p, client.WithProtocolVersion(mcp.ProtocolVersion20260728),
		client.WithElicitationHandler(u(r)))
	var call mcp.CallToolRequest
	call.Params.Name, call.Params.Arguments = name, map[string]any{"text": "x"}
	res, err := c.CallTool(t.Context(), call)
	require.NoError(t, err)
	list, err := o.Questions.List(t.Context(), inquiry.Filter{})
	require.NoError(t, err)
	var all []string
	for _, block := range res.Content {
		all = append(all, block.(mcp.TextContent).Text)
	}
	return strings.Join(all, "\n"), list
}

func TestAUserOfTheNewerEraDecidesInAForm(t *testing.T) {
	accept, decline := mcp.ElicitationResponseActionAccept, mcp.ElicitationResponseActionDecline
	for name, x := range map[string]struct {
		answer *mcp.ElicitationResult
		want   string
	}{
		"approved": {answers(accept, map[string]any{"decision": "approve"}),
			`send_message {"text":"x"}`},
		"rejected": {answers(accept, map[string]any{"decision": "reject", "message": "no"}),
			"refused by the other side: no"},
		"responded": {answers(accept, map[string]any{"decision": "respond", "message": "sent it"}),
			"sent it"},
		"declined": {answers(decline, nil), "refused by the other side"},
	} {
		t.Run(name, func(t *testing.T) {
			got, questions := modernly(t, "send_message", nil, func(*rig) user {
				return func(message string) *mcp.ElicitationResult {
					require.Contains(t, message, `{"text":"x"}`)
					return x.answer
				}
			})
			require.Equal(t, x.want, got)
			require.Len(t, questions, 1)
			require.Equal(t, inquiry.ChannelElicit, questions[0].Resolution.Channel)
			require.Equal(t, inquiry.ChannelElicit, questions[0].Channels[0].Name)
		})
	}
}

func TestAFormThatIsClosedLeavesTheQuestionOpen(t *testing.T) {
	got, questions := modernly(t, "send_message", func(o *Options) {
		o.Wait = func(string) time.Duration { return time.Millisecond }
	}, func(*rig) user {
		return func(string) *mcp.ElicitationResult {
			return answers(mcp.ElicitationResponseActionCancel, nil)
		}
	})
	require.Contains(t, got, "no answer yet")
	require.Len(t, questions, 1)
	require.True(t, questions[0].Open())
}

func TestAnAnswerThatDoesNotFitIsAskedForAgain(t *testing.T) {
	var shown []string
	got, _ := modernly(t, "send_message", nil, func(*rig) user {
		return func(message string) *mcp.ElicitationResult {
			shown = append(shown, message)
			decision := "dance"
			if len(shown) == 2 {
				decision = "approve"
			}
			return answers(mcp.ElicitationResponseActionAccept,
				map[string]any{"decision": decision})
		}
	})
	require.Equal(t, `send_message {"text":"x"}`, got)
	require.Len(t, shown, 2)
	require.NotEqual(t, shown[0], shown[1], "it says what is wrong")
}

func TestAnotherChannelDecidesWhileTheFormIsShown(t *testing.T) {
	got, questions := modernly(t, "send_message", nil, func(r *rig) user {
		return func(string) *mcp.ElicitationResult {
			require.NoError(t, r.decide(r.asked(),
				inquiry.Decision{Type: inquiry.Reject, Message: "not so"}))
			return answers(mcp.ElicitationResponseActionAccept,
				map[string]any{"decision": "approve"})
		}
	})
	require.Equal(t, "refused by the other side: not so", got)
	require.Len(t, questions, 1)
}

// An approved call whose server asks in its turn is the same call when it is made again: also with
// the arguments that a person has changed, and with the tool.
func TestAServerThatAsksOnNeedsNoSecondApproval(t *testing.T) {
	edit := func(args map[string]any) inquiry.Decision {
		return inquiry.Decision{Type: inquiry.Edit,
			EditedAction: &inquiry.EditedAction{Name: "send_when", Args: args}}
	}
	const note = "the other side changed the arguments, and this was carried out: send_when "
	for name, x := range map[string]struct {
		tool string
		d    inquiry.Decision
		want string
	}{
		"approved": {"send_when", inquiry.Decision{Type: inquiry.Approve},
			"map[text:x] map[at:noon]mine"},
		"edited": {"send_when", edit(map[string]any{"text": "y"}),
			note + "{\"text\":\"y\"}\nmap[text:y] map[at:noon]mine"},
		"another tool": {"send_message", edit(map[string]any{}),
			note + "{}\nmap[] map[at:noon]mine"},
	} {
		t.Run(name, func(t *testing.T) {
			got, questions := modernly(t, x.tool, nil, func(r *rig) user {
				return func(message string) *mcp.ElicitationResult {
					if message == "when?" {
						return answers(mcp.ElicitationResponseActionAccept,
							map[string]any{"at": "noon"})
					}
					require.NoError(t, r.decide(r.asked(), x.d))
					return answers(mcp.ElicitationResponseActionCancel, nil)
				}
			})
			require.Equal(t, x.want, got)
			require.Len(t, questions, 1)
		})
	}
}

// What a client makes up to be let through is asked about like any other call.
func TestARoundThatIsNotOnesOwnIsAskedAbout(t *testing.T) {
	rs := rounds{open: map[string]round{}}
	ann := &toolCall{client: "ann"}
	token, ok := rs.put(round{bound: "b ", call: ann, until: time.Now().Add(time.Hour)})
	require.True(t, ok)
	for _, c := range []*toolCall{{round: token, bound: "b", client: "bob"},
		{round: token, bound: "other", client: "ann"}, {round: "", bound: "b", client: "ann"}} {
		_, ok = rs.take(c)
		require.False(t, ok)
	}
	own := &toolCall{round: token, bound: "b", client: "ann"}
	_, ok = rs.take(own)
	require.True(t, ok)
	_, ok = rs.take(own)
	require.False(t, ok, "it is used once")
	late, _ := rs.put(round{bound: "b ", call: ann, until: time.Now().Add(-time.Second)})
	_, ok = rs.take(&toolCall{round: late, bound: "b", client: "ann"})
	require.False(t, ok)

	c := new(toolCall)
	m, err := c.readRetry(&message{Message: wire.Message{Params: []byte(
		`{"name":"x","requestState":"theirs",` +
			`"inputResponses":{"a":{}}}`)}})
	require.NoError(t, err)
	require.Contains(t, string(m.Params), "theirs", "it may be the server's own")
	m, err = withoutRetry(m)
	require.NoError(t, err)
	require.JSONEq(t, `{"name":"x"}`, string(m.Params))
	require.Empty(t, c.form+c.round)
}

// A program that declares forms would fill them in itself, in either era.
func TestAProgramsFormDecidesNothing(t *testing.T) {
	for _, version := range []string{mcp.ProtocolVersion20251125, mcp.ProtocolVersion20260728} {
		t.Run(version, func(t *testing.T) {
			p := behind(t)
			o := p.opts
			o.Wait = func(string) time.Duration { return time.Millisecond }
			p, err := New(&o)
			require.NoError(t, err)
			t.Cleanup(p.Close)
			shown := 0
			c, err := greetAs(t, p, false, client.WithProtocolVersion(version),
				client.WithElicitationHandler(user(func(string) *mcp.ElicitationResult {
					shown++
					return answers(mcp.ElicitationResponseActionAccept,
						map[string]any{"decision": "approve"})
				})))
			require.NoError(t, err)
			require.Contains(t, called(t, c, "send_message"), "no answer yet")
			require.Zero(t, shown, "nobody is there to see it")
			list, err := o.Questions.List(t.Context(), inquiry.Filter{})
			require.NoError(t, err)
			require.True(t, list[0].Open())
			require.Negative(t, list[0].Index(inquiry.ChannelElicit))
		})
	}
}
