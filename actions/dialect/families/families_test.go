package families_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/dialecttest"
	"github.com/taploop/taploop/actions/dialect/families"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/patient"
	"github.com/taploop/taploop/internal/screen"
)

func TestAutoChoosesByTheModelsName(t *testing.T) {
	for want, models := range map[string]string{
		"gelab": `stepfun-ai/GELab-Zero-4B-preview gelab-zero-4b-preview:latest GELAB_ZERO_4B
			hf.co/stepfun-ai/GELab-Zero-4B-preview-GGUF:Q4_K_M stepfun-ai/Step-GUI-8B STEP_GUI
			/models/GELab-Zero-4B-preview/ /models/gelab-zero-4b-preview/model-q8_0.gguf
			C:\models\gelab-zero.gguf ahmadwaqar/gelab-zero-4b:q8_0 scripted`,
		"autoglm": `zai-org/AutoGLM-Phone-9B-Multilingual ZhipuAI/AutoGLM-Phone-9B autoglm-phone
			autoglm-phone-9b AUTOGLM_PHONE_9B hf.co/x/AutoGLM-Phone-9B-GGUF:Q4_K_M Auto-GLM-9b
			openai/autoglm-phone-multilingual autoglm-phone-9b-awq-4bit`,
		"ui-tars": `ByteDance-Seed/UI-TARS-1.5-7B bytedance-research/UI-TARS-72B-DPO
			bytedance/ui-tars-1.5-7b 0000/ui-tars-1.5-7b:latest avil/UI-TARS:latest
			hf.co/mradermacher/UI-TARS-1.5-7B-GGUF:Q4_K_M UITARS-1.5 ui_tars_2b_sft UI-TARS-2
			doubao-1-5-ui-tars-250428 doubao-1-5-thinking-vision-pro-250428 Doubao-1.5-vision-pro
			doubao-seed-1-6-vision-250815 doubao-seed-1-8-251228 bytedance-seed/seed-1.6
			ByteDance-Seed-1.8 seed-1-8-251228`,
		"qwen": `Qwen/Qwen3-VL-8B-Instruct Qwen/Qwen3-VL-235B-A22B-Thinking-FP8 qwen3-vl-plus
			qwen3-vl:8b-instruct-q4_K_M qwen2.5vl:7b Qwen/Qwen2.5-VL-72B-Instruct-AWQ
			accounts/fireworks/models/qwen2p5-vl-32b-instruct qwen/qwen-2.5-vl-7b-instruct
			mlx-community/Qwen2.5-VL-7B-Instruct-4bit unsloth/Qwen2_5-VL-7B qwen-vl-max-latest
			Qwen/Qwen2-VL-7B-Instruct qwen/qwen-2-vl-72b-instruct QWEN3_VL_4B qwen3.5-plus
			Qwen/Qwen3.5-27B mPLUG/GUI-Owl-7B mPLUG/GUI-Owl-1.5-8B-Instruct gui_owl_32b
			Tongyi-MAI/MAI-UI-8B mai_ui_2b MAI-UI-2B.Q8_0.gguf InfiX-ai/InfiGUI-R1-3B
			/root/.cache/huggingface/hub/models--Qwen--Qwen3-VL-8B-Instruct/snapshots/` +
			`0c351dd01ed87e9c1b53cbc748cba10e6187ff3b`,
		"glm": `zai-org/GLM-4.5V zai-org/GLM-4.5V-FP8 glm-4.1v-9b-thinking z-ai/glm-4.5v
			THUDM/GLM-4.1V-9B-Thinking glm-4.1v-thinking-flashx zai-org/GLM-4.6V GLM-4.6V-Flash
			glm_4_5v glm4.1v:9b glm-4-5v GLM-4.5V-AWQ hf.co/unsloth/GLM-4.6V-Flash-GGUF:Q4_K_M
			glm-5v-turbo glm-4v-9b`,
		"general-tools": `gpt-5.2 gpt-4o openai/gpt-4.1-mini chatgpt-4o-latest o3 openai/o4-mini
			computer-use-preview anthropic/claude-sonnet-4.5 claude-opus-4-5-20251101 x-ai/grok-4
			us.anthropic.claude-sonnet-4-5-20250929-v1:0 gemini-2.5-pro google/gemini-3-pro
			models/gemini-2.5-flash GPT4o`,
		"general": `some-other-model llava:13b qwen3-32b qwen3-8b Qwen/Qwen2.5-7B-Instruct
			qwen2.5:7b glm-4.6 glm-4.5-air glm-4-voice llama3.2-vision:11b pixtral-12b
			moonshotai/kimi-k2.5 mistral-small3.2 gemma3:27b deepseek-chat minicpm-v:8b internvl3`,
	} {
		for _, model := range strings.Fields(models) {
			d, err := families.Known.New(dialect.Auto, &dialect.Options{Model: model})
			require.NoError(t, err)
			require.Equal(t, want, d.Profile().Name, model)
		}
	}
	d, err := families.Known.New(dialect.Auto, nil)
	require.NoError(t, err)
	require.Equal(t, "general", d.Profile().Name, "a model without a name")
	d, err = families.Known.New("gelab", &dialect.Options{Model: "autoglm-phone-9b"})
	require.NoError(t, err)
	require.Equal(t, "gelab", d.Profile().Name, "what is set wins")
	require.Equal(t, "zh", d.Profile().Lang)
}

// The last row speaks for every model, so that nothing is asked for behind it.
func TestEveryRowIsThereForSomething(t *testing.T) {
	last := len(families.Known) - 1
	for i, f := range families.Known {
		require.Equal(t, i == last, f.Speaks("a model that nobody knows"), f.Name)
		d, err := families.Known.New(f.Name, nil)
		require.NoError(t, err)
		require.Equal(t, f.Name, d.Profile().Name)
	}
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
	asked, err := d.Prompt(dialect.Situation{Task: "t", Screen: screen.Observation{Frame: f}})
	require.NoError(t, err)
	return asked.Messages[0].Parts[1].JPEG
}

// The README says which families of models have a dialect of their own.
func TestTheReadmeNamesEveryFamily(t *testing.T) {
	b, err := os.ReadFile("../../../README.md")
	require.NoError(t, err)
	_, said, found := strings.Cut(string(b), "How it is prompted, and how its replies are read,")
	require.True(t, found)
	said, _, _ = strings.Cut(said, "`model.dialect` sets it")
	plain := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "-", "")) }
	for _, f := range families.Known {
		family := f.Name
		before, _, _ := strings.Cut(f.Name, "-")
		for _, other := range families.Known {
			if other.Name == before {
				family = before // f is a variant of it
			}
		}
		if family == "general" {
			family = "any other model"
		}
		require.Contains(t, plain(said), plain(family), f.Name)
	}
}

// A reply that is made to be slow to read is as bounded as any other.
func TestNoReplyTakesLongToRead(t *testing.T) {
	look := dialecttest.Observation(t)
	for i, f := range families.Known {
		d, err := families.Known.New(f.Name, nil)
		require.NoError(t, err)
		for _, piece := range []string{`{"`, `{"a": `, "do(", `do(a="`, "<think>", "</think>{",
			"[", "\n", "\naction:", "\tvalue:", `"a", `, "Action: tap(\n", "<tool_call>", "{{",
			"  \n", "finish(message='", "<function=click>", "<function=mobile_use><parameter=a>",
			"<function=click></function>"} {
			r := actions.Reply{Text: strings.Repeat(piece, 16<<10/len(piece))}
			begun := time.Now()
			_, err := d.Parse(r, dialect.Situation{Screen: look})
			if i == 0 || i == len(families.Known)-1 { // it asks all the others
				d.(dialect.Detector).Detect(r, dialect.Situation{Screen: look})
			}
			require.Error(t, err, "%s: %q", f.Name, piece)
			require.Less(t, time.Since(begun), patient.Lid, "%s: %q", f.Name, piece)
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
				Exchanges: answered, Screen: dialecttest.Observation(t)}
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
