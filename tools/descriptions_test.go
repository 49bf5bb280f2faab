package tools

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/tools/schema"
)

// A description that nothing shows is one that was forgotten when its tool or argument went.
func TestEveryDescriptionIsShown(t *testing.T) {
	list := catalog(edge{opts: &Options{Options: usecase.Options{ReplyMode: "pass_to_client",
		Goals: true, SkillTools: true}}})
	shown := map[string]bool{} // arguments, of any tool
	for _, d := range list {
		_, own, _ := strings.Cut(described(d.name), "\n\n")
		takes := d.wording().input.Properties
		for name := range schema.ParseWords(own, nil) {
			require.NotNil(t, takes[name], "%s has no argument %s", d.name, name)
		}
		for name := range takes {
			shown[name] = true
		}
	}
	for name := range schema.ParseWords(described("shared"), nil) {
		require.True(t, shown[name], "no tool has the argument %s", name)
	}
	files, err := fs.Glob(descriptions, "descriptions/*.txt")
	require.NoError(t, err)
	for _, path := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(path, "descriptions/"), ".txt")
		is := func(d tool) bool { return d.name == name }
		other := []string{"shared", "field", "decision", "instructions", "skill",
			"ask_agent_message"} // of a request over HTTP
		require.True(t, slices.ContainsFunc(list, is) || slices.Contains(other, name),
			"there is no tool %s", name)
	}
}
