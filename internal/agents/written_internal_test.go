package agents

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// However long a reply is, and of whatever brackets, it is read soon; calls in front are read.
func TestAReplyOfBracketsIsReadSoon(t *testing.T) {
	const call = "```json\n{\"tool\": \"add\", \"arguments\": {}}\n```\n"
	for _, mess := range []string{"\n[", "\n{", "\n[{\"", "```\n["} {
		calls, _ := inText(call+strings.Repeat(mess, 1<<20), map[string]Tool{"add": {}}, true)
		require.Len(t, calls, 1, "%q", mess)
	}
	log := strings.Repeat("[12:00] a line of a log\n", maxUnread-1)
	calls, problem := inText(log+call, map[string]Tool{"add": {}}, true)
	require.Empty(t, problem)
	require.Len(t, calls, 1)
}
