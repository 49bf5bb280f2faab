package web_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
)

func TestThePageNamesEveryChannelInBothLanguages(t *testing.T) {
	a := newRig(t, nil).get("/ui/channels.js", "")
	require.Equal(t, 200, a.status)
	text, found := strings.CutPrefix(a.text, "\"use strict\";\nconst CHANNELS = ")
	require.True(t, found, a.text)
	var labels map[string]map[string]string
	require.NoError(t, json.Unmarshal([]byte(strings.TrimSuffix(text, ";\n")), &labels))
	require.NotEmpty(t, channel.All())
	for _, c := range channel.All() {
		for _, name := range []string{c.Name, c.Stored} {
			require.NotEmpty(t, labels["en"][name], name)
			require.NotEmpty(t, labels["zh"][name], name)
		}
		require.Equal(t, c.Label[0], labels["en"][c.Name])
	}
}

func TestWhatIsLeftToPeopleIsNotForAClientsCall(t *testing.T) {
	for people, channels := range map[bool]string{false: `"channel":"pass_to_client"`, true: ""} {
		g := newRig(t, nil)
		q := g.waiting("", inquiry.Question{Kind: inquiry.KindTakeover, Text: "Somebody has the phone.",
			Body: &inquiry.Takeover{PeopleOnly: people}, Channels: []inquiry.Channel{{Name: "pass_to_client"},
				{Name: inquiry.ChannelPage}}})
		shown := g.get("/v1/inquiries/"+q.ID, g.boss).text
		require.Contains(t, shown, `"channel":"page"`)
		require.Equal(t, channels != "", strings.Contains(shown, `"channel":"pass_to_client"`))
	}
}
