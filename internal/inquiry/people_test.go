package inquiry_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
)

// Whatever the settings, the channel, the authority and the form of the reply, only a person settles
// a question about a critical act.
func TestOnlyPeopleDecideAboutCriticalActs(t *testing.T) {
	channels := []string{inquiry.ChannelClient, inquiry.ChannelMCP, inquiry.ChannelElicit,
		inquiry.ChannelHTTP, inquiry.ChannelPage, inquiry.ChannelConsole,
		inquiry.ChannelCommandLine, inquiry.ChannelModel, inquiry.ChannelMemory, ""}
	authorities := []string{inquiry.AuthorityClientUI, inquiry.AuthorityHumanToken,
		inquiry.AuthorityLocalOperator, inquiry.AuthorityClientModel, inquiry.AuthorityAgent,
		inquiry.AuthorityToken, "", "somebody"}
	replies := []inquiry.Reply{{Response: "yes"}, {Type: inquiry.TypeDecline},
		{Type: inquiry.TypeTimeout}, {Type: inquiry.TypeDelegate}, {Type: inquiry.TypeDone},
		{Response: "yes", Remember: inquiry.Always},
		{Type: inquiry.TypeDecisions, Decisions: []inquiry.Decision{{Type: inquiry.Approve}}},
		{Type: inquiry.TypeDecisions, Decisions: []inquiry.Decision{{Type: inquiry.Reject}}}}
	approved := 0
	for _, programs := range []bool{false, true} {
		for _, silence := range []inquiry.OnTimeout{inquiry.Pause, inquiry.RejectAll} {
			for _, severity := range []inquiry.Severity{inquiry.Critical, "", "unheard of"} {
				for _, authority := range authorities {
					for _, channel := range channels {
						b := judge(inquiry.Options{ProgramsDecide: programs})
						for _, r := range replies {
							q := approval()
							q.OnTimeout = silence
							inquiry.As[inquiry.Approval](q).Severity = severity
							q = ask(t, b, q)
							r.Channel, r.Authority = channel, authority
							_, err := b.Resolve(t.Context(), q.ID, r)
							now, failed := b.Get(t.Context(), q.ID)
							require.NoError(t, failed)
							if !inquiry.IsPerson(authority) {
								require.Error(t, err, "%s by %q through %q", r, authority, channel)
								require.True(t, now.Open(), "%s by %q", r, authority)
							}
							if !now.Open() && now.Resolution.Decisions != nil &&
								now.Resolution.Decisions[0].Type == inquiry.Approve {
								approved++
							}
						}
					}
				}
			}
		}
	}
	require.Equal(t, 2*2*2*3*3*len(channels), approved,
		"by each of the people, with a decision and with a word, and by nobody else")
}
