package qwen_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/dialecttest"
	"github.com/taploop/taploop/actions/dialect/qwen"
	"github.com/taploop/taploop/internal/screen"
)

var suite = dialecttest.Suite{Name: "qwen", New: qwen.New, Wrote: qwen.Wrote,
	Write: qwen.Write}

func TestRepliesAreRead(t *testing.T)   { suite.Replies(t) }
func TestPromptsAreGolden(t *testing.T) { suite.Prompts(t) }
func TestWhatIsWritten(t *testing.T)    { suite.Vocabulary(t) }
func FuzzParse(f *testing.F)            { suite.Fuzz(f) }

func TestTheModelsNameSaysHowItWasTrained(t *testing.T) {
	smart := screen.Fit{Multiple: 28, Min: 3136, Max: 12845056}
	for model, want := range map[string]dialect.Profile{
		"Qwen/Qwen2-VL-7B-Instruct":   {Fit: smart, Coordinates: unit(1000), Turns: 30},
		"Qwen/Qwen2.5-VL-7B-Instruct": {Fit: smart, Turns: 30},
		"qwen2.5vl:7b":                {Fit: smart, Turns: 30},
		"models/qwen2p5-vl-32b":       {Fit: smart, Turns: 30},
		"InfiX-ai/InfiGUI-R1-3B":      {Fit: smart, Turns: 30},
		"qwen/qwen-2-vl-72b-instruct": {Fit: smart, Coordinates: unit(1000), Turns: 30},
		"gui_owl_1_5_8b":              {Coordinates: unit(1000), Turns: 5, Pictures: 4},
		"Qwen/Qwen3.5-27B":            {Coordinates: unit(1000), Turns: 30},
		"mPLUG/GUI-Owl-32B":           {Fit: smart, Turns: 30},
		"qwen3-vl-plus":               {Coordinates: unit(1000), Turns: 30},
		"GUI-Owl-1.5-8B":              {Coordinates: unit(1000), Turns: 5, Pictures: 4},
		"Tongyi-MAI/MAI-UI-8B":        {Coordinates: unit(999), Turns: 30, Pictures: 2},
	} {
		require.True(t, qwen.Speaks(model), model)
		want.Name, want.Lang = "qwen", "en"
		require.Equal(t, want, qwen.New(dialect.Options{Lang: "en", Model: model}).Profile(), model)
	}
	for _, model := range []string{"qwen3-32b", "gelab-zero-4b-preview", ""} {
		require.False(t, qwen.Speaks(model), model)
	}
}

func unit(n float64) screen.Coordinates { return screen.Coordinates{Unit: n} }

// MAI-UI and GUI-Owl-1.5 are shown a dialogue with pictures, all others a list of steps.
func TestTheHistoryIsShownAsTheModelWasTrained(t *testing.T) {
	now := dialect.Situation{Task: "t", Screen: dialecttest.Observation(t),
		History: []dialect.Turn{{
			Turn:  actions.Turn{Reply: actions.Reply{Text: "said before"}, Did: "did before"},
			Frame: dialecttest.Frame(t)}}}
	for model, roles := range map[string][]string{
		"qwen3-vl": {"system", "user"}, "mai-ui-8b": {"system", "user", "assistant", "user"},
	} {
		for _, lang := range []string{"en", "zh"} {
			d := qwen.New(dialect.Options{Lang: lang, Model: model, Quality: 50})
			asked, err := d.Prompt(now)
			require.NoError(t, err)
			var got []string
			for _, m := range asked.Messages {
				got = append(got, m.Role)
			}
			require.Equal(t, roles, got, model)
			want := "did before"
			if len(roles) > 2 {
				want = "said before"
			}
			require.Contains(t, asked.String(), want)
		}
	}
}
