package web_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/words"
)

// pageTexts are the page's texts by language, from the script that the server hands it.
func pageTexts(t *testing.T) map[string]map[string]any {
	a := newRig(t, nil).get("/ui/texts.js", "")
	require.Equal(t, 200, a.status)
	text, found := strings.CutPrefix(a.text, "export const WORDS = ")
	require.True(t, found, a.text)
	var all map[string]map[string]any
	require.NoError(t, json.Unmarshal([]byte(strings.TrimSuffix(text, ";\n")), &all))
	require.ElementsMatch(t, words.Languages(), slices.Collect(maps.Keys(all)))
	return all
}

func TestThePageNamesEveryChannelInEveryLanguage(t *testing.T) {
	var want []string
	for _, c := range channel.All() {
		want = append(want, c.Name, c.Stored)
	}
	slices.Sort(want)
	want = slices.Compact(want)
	require.NotEmpty(t, want)
	for lang, texts := range pageTexts(t) {
		named, _ := texts["channels"].(map[string]any)
		require.ElementsMatch(t, want, slices.Collect(maps.Keys(named)), lang)
		require.NotContains(t, slices.Collect(maps.Values(named)), "", lang)
	}
}

func TestThePageUsesItsTextsAndNoOthers(t *testing.T) {
	used := map[string]bool{}
	files, err := filepath.Glob("../page/assets/*.*")
	require.NoError(t, err)
	for _, f := range files {
		b, err := os.ReadFile(f)
		require.NoError(t, err)
		use := regexp.MustCompile(
			`(?:\bw\.|words\(\)\.|WORDS\[.*\]\.|counted\("|data-word="|data-name=")(\w+)`)
		for _, m := range use.FindAllStringSubmatch(string(b), -1) {
			used[m[1]] = true
		}
	}
	require.NotEmpty(t, used)
	require.ElementsMatch(t, slices.Collect(maps.Keys(pageTexts(t)["en"])),
		slices.Collect(maps.Keys(used)))
}

func TestWhatIsLeftToPeopleIsNotForAClientsCall(t *testing.T) {
	for people, channels := range map[bool]string{false: `"channel":"pass_to_client"`, true: ""} {
		g := newRig(t, nil)
		q := g.waiting("", inquiry.Question{Kind: inquiry.KindTakeover,
			Text: "Somebody has the phone.",
			Body: &inquiry.Takeover{PeopleOnly: people},
			Channels: []inquiry.Channel{{Name: "pass_to_client"},
				{Name: inquiry.ChannelPage}}})
		shown := g.get("/v1/inquiries/"+q.ID, g.boss).text
		require.Contains(t, shown, `"channel":"page"`)
		require.Equal(t, channels != "", strings.Contains(shown, `"channel":"pass_to_client"`))
	}
}
