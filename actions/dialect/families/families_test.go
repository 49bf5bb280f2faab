package families_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/dialecttest"
	"github.com/taploop/taploop/actions/dialect/families"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/screen"
)

func TestAutoChoosesByTheModelsName(t *testing.T) {
	for model, want := range map[string]string{
		"": "general", "some-other-model": "general", "llava:13b": "general",
		"gpt-5.2": "general-tools", "anthropic/claude-sonnet-4.5": "general-tools",
		"gemini-2.5-pro": "general-tools",
		"Step-GUI-8B":    "gelab", "gelab-zero-4b-preview": "gelab", "scripted": "gelab",
		"autoglm-phone-9b": "autoglm", "zai-org/AutoGLM-Phone-9B-Multilingual": "autoglm",
		"ByteDance-Seed/UI-TARS-1.5-7B": "ui-tars", "doubao-1-5-ui-tars-250428": "ui-tars",
		"Qwen/Qwen3-VL-8B-Instruct": "qwen", "MAI-UI-8B": "qwen", "qwen3-32b": "general",
		"zai-org/GLM-4.5V": "glm", "glm-4.1v-9b-thinking": "glm", "glm-4.6": "general",
	} {
		d, err := families.Known.New(dialect.Auto, &dialect.Options{Model: model})
		require.NoError(t, err)
		require.Equal(t, want, d.Profile().Name, model)
	}
	d, err := families.Known.New("gelab", &dialect.Options{Model: "autoglm-phone-9b"})
	require.NoError(t, err)
	require.Equal(t, "gelab", d.Profile().Name, "what is set wins")
	require.Equal(t, "zh", d.Profile().Lang)
}

func TestAnUnknownDialectListsTheKnown(t *testing.T) {
	for _, name := range []string{"", "klingon", "GELAB"} {
		_, err := families.Known.New(name, nil)
		require.ErrorContains(t, err, "(want one of auto, autoglm, ")
		require.Contains(t, hint.Of(err), "model.dialect")
	}
}

func TestLanguagesAreReadWithTheirRegion(t *testing.T) {
	for in, want := range map[string]string{
		"": "zh", "zh": "zh", "zh-CN": "zh", "ZH_tw": "zh", "en": "en", "en-US": "en",
	} {
		d, err := families.Known.New("gelab", &dialect.Options{Lang: in})
		require.NoError(t, err)
		require.Equal(t, want, d.Profile().Lang, in)
	}
}

func TestOptionsThatCannotBeAreRefused(t *testing.T) {
	for want, o := range map[string]dialect.Options{
		`unknown language "fr" (want zh or en)`: {Lang: "fr"},
		"JPEG quality 101 (want 1 to 100)":      {Quality: 101},
		"JPEG quality -1 (want 1 to 100)":       {Quality: -1},
	} {
		_, err := families.Known.New("gelab", &o)
		require.EqualError(t, err, "dialect gelab: "+want)
	}
}

func TestThePictureHasTheSizeThatIsAskedFor(t *testing.T) {
	for want, o := range map[screen.Size]dialect.Options{
		{W: 728, H: 728}: {},
		{W: 500, H: 600}: {Fit: &screen.Fit{Exact: screen.Size{W: 500, H: 600}}},
		{W: 108, H: 240}: {Fit: &screen.Fit{}},
	} {
		got, err := jpeg.DecodeConfig(bytes.NewReader(picture(t, o)))
		require.NoError(t, err)
		require.Equal(t, want, screen.Size{W: got.Width, H: got.Height})
	}
	require.Less(t, len(picture(t, dialect.Options{Quality: 10})),
		len(picture(t, dialect.Options{})))
	require.Equal(t, picture(t, dialect.Options{}), picture(t, dialect.Options{Quality: 85}))
}

func picture(t *testing.T, o dialect.Options) []byte {
	d, err := families.Known.New("gelab", &o)
	require.NoError(t, err)
	f, err := screen.NewFrame(image.NewRGBA(image.Rect(0, 0, 108, 240)))
	require.NoError(t, err)
	asked, err := d.Prompt(dialect.Situation{Task: "t", Look: screen.Observation{Frame: f}})
	require.NoError(t, err)
	return asked.Messages[0].Parts[1].JPEG
}

// A reply that is made to be slow to read is as bounded as any other.
func TestNoReplyTakesLongToRead(t *testing.T) {
	look := dialecttest.Look(t)
	for _, f := range families.Known {
		d, err := families.Known.New(f.Name, nil)
		require.NoError(t, err)
		for _, piece := range []string{`{"`, `{"a": `, "do(", `do(a="`, "<think>", "</think>{",
			"[", "\n", "\naction:", "\tvalue:", `"a", `, "Action: tap(\n", "<tool_call>", "{{",
			"  \n", "finish(message='", "<function=click>", "<function=mobile_use><parameter=a>",
			"<function=click></function>"} {
			r := actions.Reply{Text: strings.Repeat(piece, 16<<10/len(piece))}
			begun := time.Now()
			_, err := d.Parse(r, dialect.Situation{Look: look})
			d.(dialect.Detector).Detect(r, dialect.Situation{Look: look})
			require.Error(t, err, "%s: %q", f.Name, piece)
			require.Less(t, time.Since(begun), 5*time.Second, "%s: %q", f.Name, piece)
		}
	}
}

// No prompt leaves out what a run has gathered for the model.
func TestEveryPromptShowsWhatARunHas(t *testing.T) {
	answered := []actions.Exchange{
		{Question: "first?", Answer: "an old answer", Outcome: actions.Answered},
		{Question: "second?", Answer: "a new answer", Outcome: actions.Answered}}
	for _, f := range families.Known {
		for _, lang := range []string{"en", "zh"} {
			d, err := families.Known.New(f.Name, &dialect.Options{Lang: lang})
			require.NoError(t, err)
			s := dialect.Situation{Task: "the task", Summary: "a summary",
				Remembered: []string{"kept"}, Notes: []string{"a note"}, ReplyJustIn: true,
				Exchanges: answered, Look: dialecttest.Look(t)}
			want := []string{"the task", "kept", "a note", "an old answer", "a new answer",
				"[picture "}
			if d.Profile().Turns > 0 {
				s.History = []dialect.Turn{{Turn: actions.Turn{Did: "was done",
					Reply: actions.Reply{Text: "was done"}}}}
				want = append(want, "was done")
			} else {
				want = append(want, "a summary")
			}
			asked, err := d.Prompt(s)
			require.NoError(t, err)
			for _, w := range want {
				require.Contains(t, asked.String(), w, "%s in %s", f.Name, lang)
			}
			require.Equal(t, 1, strings.Count(asked.String(), "[picture "))
		}
	}
}
