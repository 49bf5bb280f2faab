package glm_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/dialecttest"
	"github.com/taploop/taploop/actions/dialect/glm"
)

var suite = dialecttest.Suite{Name: "glm", New: glm.New, Wrote: glm.Wrote,
	Write: glm.Write}

func TestRepliesAreRead(t *testing.T)   { suite.Replies(t) }
func TestPromptsAreGolden(t *testing.T) { suite.Prompts(t) }
func TestWhatIsWritten(t *testing.T)    { suite.Vocabulary(t) }
func FuzzParse(f *testing.F)            { suite.Fuzz(f) }

// An answer does not end the task: it is kept, and is the report of the end that follows.
func TestTheAnswerIsTheReport(t *testing.T) {
	d := glm.New(dialect.Options{Lang: "en", Quality: 50})
	now := dialect.Situation{Screen: dialecttest.Observation(t), Remembered: []string{"It is 7:30"}}
	end := actions.Reply{Text: `Action: {"action_type": "status", "goal_status": "complete"}`}
	got, err := d.Parse(end, now)
	require.NoError(t, err)
	require.Equal(t, actions.Complete{Report: "It is 7:30"}, got.Action)
}
