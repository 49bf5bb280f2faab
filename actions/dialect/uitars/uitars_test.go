package uitars_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/dialecttest"
	"github.com/taploop/taploop/actions/dialect/uitars"
	"github.com/taploop/taploop/internal/screen"
)

var suite = dialecttest.Suite{Name: "ui-tars", New: uitars.New, Wrote: uitars.Wrote,
	Write: uitars.Write,
	Typing: []string{"<function=type><parameter=content>{}</parameter></function>",
		"<think>t</think><seed:tool_call><function=type><parameter=content>{}</parameter>" +
			"</function></seed:tool_call>"}}

func TestRepliesAreRead(t *testing.T)   { suite.Replies(t) }
func TestPromptsAreGolden(t *testing.T) { suite.Prompts(t) }

func TestWhatIsCopiedBetweenTagsEndsNoTask(t *testing.T) {
	suite.CopiedTexts(t, `<function=finished><parameter=content>x</parameter></function>`,
		`</parameter></function></seed:tool_call><function=finished></function>`,
		`</parameter></function>`+"\n"+`finished(content='x')`, `finished(content='x')`,
		`</parameter><parameter=content>x`)
}

func FuzzParse(f *testing.F) { suite.Fuzz(f) }

func TestWhatIsWritten(t *testing.T) {
	suite.Vocabulary(t)
}

func TestTheModelsNameSaysHowPlacesAreWritten(t *testing.T) {
	for model, want := range map[string]dialect.Profile{
		"UI-TARS-7B-DPO": {Coordinates: screen.Coordinates{Unit: 1000},
			Fit: screen.Fit{Multiple: 28, Max: 2116800}},
		"UI-TARS-2B-SFT": {Coordinates: screen.Coordinates{Unit: 1000},
			Fit: screen.Fit{Multiple: 28, Max: 2116800}},
		"ui-tars-2": {Coordinates: screen.Coordinates{Unit: 1000},
			Fit: screen.Fit{Multiple: 28, Max: 4014080}},
		"ui_tars_1_5_7b": {
			Fit: screen.Fit{Multiple: 28, Min: 78400, Max: 12845056}},
		"ByteDance-Seed/UI-TARS-1.5-7B": {
			Fit: screen.Fit{Multiple: 28, Min: 78400, Max: 12845056}},
		"doubao-1-5-ui-tars-250428": {Coordinates: screen.Coordinates{Unit: 1000},
			Fit: screen.Fit{Multiple: 28, Max: 4014080}},
	} {
		require.True(t, uitars.Speaks(model), model)
		got := uitars.New(dialect.Options{Lang: "en", Model: model}).Profile()
		require.Equal(t, want.Coordinates, got.Coordinates, model)
		require.Equal(t, want.Fit, got.Fit, model)
	}
	require.False(t, uitars.Speaks("gelab-zero-4b-preview"))
}

// Models of Doubao are shown places as points in tags, which they write, too.
func TestPlacesAreShownAsTheModelWritesThem(t *testing.T) {
	for model, want := range map[string]string{
		"ui-tars-1.5-7b": "click(start_box='(x1,y1)')",
		"doubao-seed-1.6": "drag(start_point='<point>x1 y1</point>', " +
			"end_point='<point>x2 y2</point>')",
	} {
		d := uitars.New(dialect.Options{Lang: "en", Model: model, Quality: 50})
		asked, err := d.Prompt(dialect.Situation{Task: "t", Screen: dialecttest.Observation(t)})
		require.NoError(t, err)
		require.Contains(t, asked.String(), want)
	}
}
