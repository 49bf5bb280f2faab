package web

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/usecase"
)

// The audit and the guard rely on this: the words that a program brings may be a model's, and only
// the page and a person's token speak for a person.
func TestWhoseWordARequestBrings(t *testing.T) {
	for name, c := range map[string]struct {
		viewer viewer
		owner  string // of the sessions that it begins
		words  runs.Actor
		acts   string // the authority of what the request does itself
		person bool
	}{
		"a program's token": {viewer{Name: "bot"}, "bot",
			runs.Actor{Channel: inquiry.ChannelHTTP, Authority: inquiry.AuthorityClientModel,
				Name: "bot"}, inquiry.AuthorityToken, false},
		"a person's token": {viewer{Name: "ann",
			Rights: usecase.Rights{Decides: true}}, "ann",
			runs.Actor{Channel: inquiry.ChannelHTTP, Authority: inquiry.AuthorityHumanToken,
				Name: "ann"}, inquiry.AuthorityHumanToken, true},
		"the page": {viewer{Name: "ann", Page: true,
			Rights: usecase.Rights{All: true, Decides: true}}, "",
			runs.Actor{Channel: inquiry.ChannelPage, Authority: inquiry.AuthorityHumanToken,
				Name: "ann"}, inquiry.AuthorityHumanToken, true},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.words, c.viewer.caller())
			require.Equal(t, c.owner, c.viewer.owner())
			require.Equal(t, c.acts, c.viewer.actor().Authority)
			require.Equal(t, c.person, inquiry.IsPerson(c.viewer.caller().Authority))
			require.Equal(t, c.person, c.viewer.person("") == nil)
		})
	}
}
