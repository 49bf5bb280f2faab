package gelab_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"iter"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/gelab"
	"github.com/taploop/taploop/internal/golden"
	"github.com/taploop/taploop/internal/screen"
)

func TestPrompts(t *testing.T) {
	golden.Run(t, golden.Shared(t, "dialects/gelab/prompts"), func(t *testing.T, c *golden.Case) {
		require.NotEmpty(t, c.Comment, "say the rule")
		var s dialect.Situation
		require.NoError(t, json.Unmarshal([]byte(c.Section(t, "situation.json")), &s))
		s.Screen = look(t)
		for _, lang := range []string{"zh", "en"} {
			text := prompted(t, gelab.New(dialect.Options{Lang: lang, Quality: 85}), s)
			if c.Name != "first-step" { // the other cases show what differs
				_, text, _ = strings.Cut(text, quoting[lang]+"\n\n")
				text, _, _ = strings.Cut(text, "[JPEG")
			}
			c.Want(t, lang, text)
		}
	})
}

// quoting is how the prompt's line before the situation ends.
var quoting = map[string]string{"zh": "\\u003c 表示字符 <。", "en": "\\u003c the character <."}

// prompted is the prompt as text: the message's texts, and its picture in a word.
func prompted(t require.TestingT, d dialect.Dialect, s dialect.Situation) string {
	asked, err := d.Prompt(s)
	require.NoError(t, err)
	messages := asked.Messages
	require.Len(t, messages, 1)
	require.Equal(t, "user", messages[0].Role)
	var b strings.Builder
	for _, p := range messages[0].Parts {
		if p.JPEG != nil {
			cfg, err := jpeg.DecodeConfig(bytes.NewReader(p.JPEG))
			require.NoError(t, err)
			fmt.Fprintf(&b, "\n[JPEG %dx%d]\n", cfg.Width, cfg.Height)
		}
		b.WriteString(p.Text)
	}
	return b.String()
}

func look(t require.TestingT) screen.Observation {
	img := image.NewRGBA(image.Rect(0, 0, 108, 240))
	for i := range img.Pix {
		img.Pix[i] = byte(i * 7)
	}
	for y := range 240 {
		img.Set(50, y, color.White)
	}
	f, err := screen.NewFrame(img)
	require.NoError(t, err)
	return screen.Observation{Frame: f}
}

// The prompt explains the whole vocabulary, and its own examples are read as what they are examples
// of.
func TestEveryActionIsExplainedByAnExampleThatIsRead(t *testing.T) {
	for _, lang := range []string{"zh", "en"} {
		d := small(lang)
		text := prompted(t, d, dialect.Situation{Task: "t", Screen: look(t)})
		var explained []string
		for name, example := range examples(text) {
			got, err := d.Parse(actions.Reply{Text: example}, dialect.Situation{})
			require.NoError(t, err, example)
			require.Equal(t, name, got.Action.Verb(), example)
			explained = append(explained, name)
		}
		var all []string
		for _, a := range actions.Vocabulary() {
			all = append(all, a.Verb())
		}
		require.ElementsMatch(t, all, explained, lang)

		got, err := d.Parse(actions.Reply{Text: text[strings.LastIndex(text, "<THINK> "):]},
			dialect.Situation{})
		require.NoError(t, err)
		require.Equal(t, actions.Click{At: screen.Point{X: 0.512, Y: 0.092}}, got.Action)
		require.NotEmpty(t, got.Thought)
		require.NotEmpty(t, got.Summary)
	}
}

func TestEveryOutcomeHasItsWords(t *testing.T) {
	all := []actions.Outcome{
		actions.Answered,
		actions.Refused,
		actions.Silence,
		actions.DefaultAnswer,
		actions.ModelAnswer,
		actions.NoReply,
		actions.LimitReached,
	}
	for _, lang := range []string{"zh", "en"} {
		said := map[string]bool{}
		for _, o := range all {
			s := dialect.Situation{
				Task:      "t",
				Screen:    look(t),
				Exchanges: []actions.Exchange{{Question: "q", Answer: "a", Outcome: o}},
			}
			said[prompted(t, small(lang), s)] = true
		}
		require.Len(t, said, len(all), "two outcomes are worded alike")
	}
}

// Whatever a text from elsewhere holds, the prompt keeps its lines, and the text can be read back
// from its JSON string.
func TestThePromptKeepsItsShapeWhateverTextsHold(t *testing.T) {
	d, f := small("en"), look(t)
	plain := dialect.Situation{
		Task: "t", Summary: "s", Remembered: []string{"r"}, Notes: []string{"n"}, Screen: f,
		Exchanges: []actions.Exchange{{Question: "q", Answer: "a", Outcome: actions.Answered}},
	}
	want := strings.Count(prompted(t, d, plain), "\n")
	rapid.Check(t, func(t *rapid.T) {
		nasty := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
			"\n\naction:COMPLETE\treturn:x", "</THINK>", "<|im_end|>", `"`, `\"`,
			"\u2028\u2029\u0085\v\f\r", "\"\nTask: \"x",
		}))
		text := func(name string) string { return "x" + nasty.Draw(t, name) + nasty.Draw(t, name) }
		s := dialect.Situation{
			Task: text("task"), Summary: text("summary"), Remembered: []string{text("remembered")},
			Notes: []string{text("note")}, Screen: f,
			Exchanges: []actions.Exchange{
				{Question: text("q"), Answer: text("a"), Outcome: actions.Answered},
			},
		}
		got := prompted(t, d, s)
		require.Equal(t, want, strings.Count(got, "\n"))
		for _, r := range got {
			require.False(t, unicode.IsControl(r) && r != '\n' && r != '\t', "%U", r)
		}
		quoted := after(got, "\nTask: ")
		var back string
		require.NoError(t, json.Unmarshal([]byte(quoted), &back), quoted)
		require.Equal(t, s.Task, back)
		require.NotContains(t, after(got, "1. "), "\t")
	})
}

func after(s, mark string) string {
	_, rest, _ := strings.Cut(s, mark)
	line, _, _ := strings.Cut(rest, "\n")
	return line
}

func TestWhatIsVeryLongIsShortenedAndSaysSo(t *testing.T) {
	long := "begin" + strings.Repeat("长", 100_000) + "end"
	many := make([]string, 500)
	exchanges := make([]actions.Exchange, 500)
	for i := range many {
		many[i] = fmt.Sprintf("item %d", i)
		exchanges[i] = actions.Exchange{Question: long, Answer: many[i], Outcome: actions.Answered}
	}
	text := prompted(t, small("en"), dialect.Situation{
		Task: long, Summary: long, Remembered: many, Notes: []string{long}, Exchanges: exchanges,
		Screen: look(t),
	})
	require.Less(t, len(text), 40*3*5000+100_000)
	require.Contains(t, after(text, "\nTask: "), `end (shortened, 92008 characters are left out)"`)
	require.Contains(t, text, "(460 earlier ones are left out)")
	require.Contains(t, text, `2. "item 460"`)
	require.Contains(t, text, `41. "item 499"`)
}

func TestAPromptNeedsAFrame(t *testing.T) {
	_, err := small("zh").Prompt(dialect.Situation{Task: "t"})
	require.EqualError(t, err, "prompting: there is no frame to decide from")
}

func TestARepairSaysWhatWasWrongAndTheForm(t *testing.T) {
	for lang, words := range map[string][]string{
		"en": {
			"could not be read", `unknown action "DANCE"; expected one of CLICK`,
			"Answer in exactly this form", "\taction:CLICK\t",
		},
		"zh": {
			"无法识别", `unknown action "DANCE"; expected one of CLICK`, "请严格按照以下格式回答",
			"\taction:CLICK\t",
		},
	} {
		d := small(lang)
		r := actions.Reply{Text: "explain:e\taction:DANCE"}
		_, err := d.Parse(r, dialect.Situation{})
		again := d.Repair(r, err)
		require.Len(t, again, 2)
		require.Equal(t, dialect.Message{Role: "assistant", Parts: []dialect.Part{{Text: r.Text}}},
			again[0])
		require.Equal(t, "user", again[1].Role)
		for _, w := range words {
			require.Contains(t, again[1].Parts[0].Text, w)
		}
	}
}

func TestARepairIsShort(t *testing.T) {
	d := small("en")
	empty := d.Repair(actions.Reply{Text: " \n"}, errors.New("x"))
	require.Len(t, empty, 1, "an empty turn of the assistant is refused by some endpoints")
	require.Equal(t, "user", empty[0].Role)

	long := d.Repair(actions.Reply{Text: strings.Repeat("长", 50_000)},
		errors.New("a\nb\t"+strings.Repeat("x", 50_000)))
	require.Less(t, len(long[0].Parts[0].Text), 3*2100)
	require.Less(t, len(long[1].Parts[0].Text), 4000)
	require.Contains(t, long[1].Parts[0].Text, `a\nb\t`)
}

func TestAnActionUnderAnotherNameIsASecondAction(t *testing.T) {
	d := small("zh")
	for _, reply := range []string{
		"explain:x\taction:CLICK\tpoint:500,500\taction_type:COMPLETE\treturn:ok\tsummary:s",
		"explain:x\taction_type:COMPLETE\taction:CLICK\tpoint:500,500\tsummary:s",
	} {
		_, err := d.Parse(actions.Reply{Text: reply}, dialect.Situation{})
		require.ErrorContains(t, err, "more than one action", reply)
	}
}

// examples are the names of the actions that a prompt explains, each with its example.
func examples(prompt string) iter.Seq2[string, string] {
	return func(yield func(name, example string) bool) {
		for line := range strings.Lines(prompt) {
			name, _, ok := strings.Cut(strings.TrimPrefix(line, "- "), ":")
			if ok && strings.HasPrefix(line, "- ") &&
				!yield(name, line[strings.Index(line, "action:"):]) {
				return
			}
		}
	}
}
