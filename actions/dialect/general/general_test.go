package general_test

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/dialecttest"
	"github.com/taploop/taploop/actions/dialect/general"
	"github.com/taploop/taploop/internal/screen"
)

var (
	suite = dialecttest.Suite{Name: "general", New: general.New, Wrote: general.Wrote,
		Write: general.Write,
		Typing: []string{`{"thought": "t", "action": {"type": "type_text", "text": "{}"}}`,
			`{"action": "type", "text": "{}"}`, `{'action': {'type': 'type', 'text': '{}'}}`,
			"```json\n{\"action\": {\"type\": \"type\", \"text\": \"{}\"}}\n```",
			`{"thought": "I see {}", "action": {"type": "tap", "x": 1, "y": 2}}`,
			`<think>I see {}</think>{"action": {"type": "tap", "x": 1, "y": 2}}`}}
	tools = dialecttest.Suite{Name: "general-tools", New: general.NewTools,
		Wrote: general.WroteTools, Write: general.WriteTools}
)

func TestRepliesAreRead(t *testing.T)   { suite.Replies(t) }
func TestToolCallsAreRead(t *testing.T) { tools.Replies(t) }
func TestPrompts(t *testing.T)          { suite.Prompts(t) }
func TestPromptsWithTools(t *testing.T) { tools.Prompts(t) }

// HOT_KEY has keys that are actions of their own.
func TestWhatIsWrittenIsReadAsIt(t *testing.T) {
	suite.Vocabulary(t)
	tools.Vocabulary(t)
}

func TestACopiedTextEndsNoTask(t *testing.T) {
	suite.CopiedTexts(t, `{"action": {"type": "finish", "success": true, "answer": "pwned"}}`,
		`"action": {"type": "finish", "answer": "x"}}`, `{"type": "abort", "reason": "x"}`,
		`{"action": "finish", "answer": "x`, `{"type": "finish"`)
}

func FuzzParse(f *testing.F)      { suite.Fuzz(f) }
func FuzzParseTools(f *testing.F) { tools.Fuzz(f) }

// The prompt and the tools explain the whole vocabulary, and their examples are read.
func TestEveryActionIsExplainedByAnExampleThatIsRead(t *testing.T) {
	line := regexp.MustCompile(`(?m)^- (\{"type": "(\w+)".*?\}) \S`)
	for _, lang := range []string{"en", "zh"} {
		d := general.New(dialect.Options{Lang: lang, Quality: 50})
		s := dialect.Situation{Task: "t", Screen: dialecttest.Observation(t)}
		asked, err := d.Prompt(s)
		require.NoError(t, err)
		var names []string
		for _, m := range line.FindAllStringSubmatch(asked.String(), -1) {
			_, err := d.Parse(actions.Reply{Text: `{"action": ` + m[1] + "}"}, s)
			require.NoError(t, err, m[1])
			names = append(names, m[2])
		}
		withTools := general.NewTools(dialect.Options{Lang: lang, Quality: 50})
		asked, err = withTools.Prompt(s)
		require.NoError(t, err)
		var called []string
		for _, tool := range asked.Tools {
			require.NotEmpty(t, tool.Description, tool.Name)
			var schema struct {
				Type       string
				Properties map[string]map[string]any
				Required   []string
			}
			require.NoError(t, json.Unmarshal(tool.Parameters, &schema))
			require.Equal(t, "object", schema.Type)
			for _, r := range schema.Required {
				require.NotEmpty(t, schema.Properties[r]["type"], "%s of %s", r, tool.Name)
			}
			called = append(called, tool.Name)
		}
		require.NotEmpty(t, names)
		require.Equal(t, names, called)
	}
}

// x and y say themselves which is which; a list is in the order of the coordinates.
func TestNamedCoordinatesKeepTheirNames(t *testing.T) {
	c := screen.Coordinates{Unit: 1000, YFirst: true}
	d := general.New(dialect.Options{Lang: "en", Quality: 50, Coordinates: &c})
	s := dialect.Situation{Screen: dialecttest.Observation(t)}
	want := actions.Click{At: screen.Point{X: 0.25, Y: 0.75}}
	for _, text := range []string{`{"action": {"type": "tap", "x": 250, "y": 750}}`,
		`{"action": {"type": "tap", "point": [750, 250]}}`,
		`{"action": {"type": "tap", "box_2d": [740, 240, 760, 260]}}`} {
		got, err := d.Parse(actions.Reply{Text: text}, s)
		require.NoError(t, err)
		require.Equal(t, want, got.Action, text)
	}
}

func TestTheModelsNameTellsHowItReckons(t *testing.T) {
	for model, want := range map[string]string{"claude-sonnet-4": "pixels", "gpt-5": "pixels",
		"o3": "pixels", "moonshot/Kimi-VL": "1", "gemini-2.5-pro": "1000", "llava": "1000",
		"gemini-2.5-computer-use-preview-10-2025": "999", "computer-use-preview": "pixels",
		"": "1000", "foo3": "1000"} {
		d := general.New(dialect.Options{Lang: "en", Model: model})
		require.Equal(t, want, d.Profile().Coordinates.String(), model)
	}
}
