package families_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/dialecttest"
	"github.com/taploop/taploop/actions/dialect/families"
	"github.com/taploop/taploop/internal/patient"
)

// packed are calls that type a text, in what models of many makers put around calls.
var packed = []string{
	"<tool_call>type_text\n<arg_key>text</arg_key>\n<arg_value>tea</arg_value>\n<arg_key>submit" +
		"</arg_key>\n<arg_value>true</arg_value>\n</tool_call>",
	`<|tool_calls_section_begin|><|tool_call_begin|>functions.type_text:0` +
		`<|tool_call_argument_begin|>{"text": "tea", "submit": true}<|tool_call_end|>`,
	"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>type_text\n```json\n" +
		`{"text": "tea", "submit": true}` + "\n```<｜tool▁call▁end｜>",
	`[TOOL_CALLS]type_text[ARGS]{"text": "tea", "submit": true}`,
	`<|channel|>commentary to=functions.type_text <|constrain|>json<|message|>` +
		`{"text": "tea", "submit": true}<|call|>`,
	`<|python_tag|>type_text.call(text="tea", submit=True)<|eom_id|>`,
	`[type_text(text="tea", submit=True)]`,
	"Thought: t\nAction: type_text\nAction Input: {\"text\": \"tea\", \"submit\": true}",
	`<type_text><text>tea</text><submit>true</submit></type_text>`,
	`<｜DSML｜function_calls><｜DSML｜invoke name="type_text"><｜DSML｜parameter name="text" ` +
		`string="true">tea</｜DSML｜parameter><｜DSML｜parameter name="submit" string="false">true` +
		`</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜function_calls>`,
	`<function=type_text>{"text": "tea", "submit": true}</function>`,
}

// The law of what was cut off holds for every envelope, of a reply whose end nobody has said, too.
func TestOfAPackedCallThatWasCutOffTheWholeIsReadOrNothing(t *testing.T) {
	now := dialect.Situation{Screen: dialecttest.Observation(t)}
	want := actions.Type{Text: "tea", Submit: true}
	d := speak(t, "general")
	for _, text := range packed {
		require.Equal(t, want, read(d, actions.Reply{Text: text}, now), text)
		require.Nil(t, read(d, actions.Reply{Text: text, Cut: true}, now), text)
		for _, part := range begun(actions.Reply{Text: text}) {
			if got := read(d, part, now); got != nil {
				require.Equal(t, want, got, part.Text)
			}
		}
	}
}

// An envelope within a thought, within a sentence, or before another call is no action.
func TestAPackedCallThatIsThoughtOfOrSpokenOfIsNoAction(t *testing.T) {
	now := dialect.Situation{Screen: dialecttest.Observation(t)}
	for _, text := range packed {
		for _, around := range [][2]string{
			{"<think>", "</think>Hm."}, {"[THINK]", "[/THINK]Hm."}, {"◁think▷", "◁/think▷ Hm."},
			{"<|channel|>analysis<|message|>", ""}, {"<|START_THINKING|>\n", "<|END_THINKING|>"},
			{"<think>\n", ""},
		} {
			for _, f := range families.Known {
				r := actions.Reply{Text: around[0] + text + around[1]}
				require.Nil(t, read(speak(t, f.Name), r, now), "%s: %s", f.Name, r.Text)
			}
		}
	}
	for _, text := range packed[:len(packed)-2] { // those in tags of functions have an end
		for _, behind := range []string{"\nis what I must not write.",
			"\n[TOOL_CALLS]press[ARGS]{\"key\": \"back\"}"} {
			got := read(speak(t, "general"), actions.Reply{Text: text + behind}, now)
			require.Nil(t, got, text+behind)
		}
	}
}

// A text that holds an envelope is typed in every family: it is not unpacked.
func TestATextThatHoldsAPackedCallIsTyped(t *testing.T) {
	now := dialect.Situation{Screen: dialecttest.Observation(t)}
	for _, own := range families.Known {
		d := speak(t, own.Name)
		for _, text := range packed {
			want := actions.Type{Text: "a " + text}
			said, can := own.Write(actions.Decision{Action: want, Thought: "t", Explain: "e",
				Summary: "s"}, dialect.Scale{Coordinates: d.Profile().Coordinates})
			if !can {
				continue
			}
			for _, f := range families.Known {
				got := read(speak(t, f.Name), said, now)
				if typed, is := got.(actions.Type); is {
					require.Contains(t, typed.Text, text[:5], "%s under %s", own.Name, f.Name)
					require.NotEqual(t, "tea", typed.Text, "%s under %s", own.Name, f.Name)
				} else {
					require.Nil(t, got, "%s under %s: %s", own.Name, f.Name, said.Text)
				}
			}
		}
	}
}

// What begins as an envelope again and again takes as little time to refuse as any other reply.
func TestNoPackedReplyTakesLongToRead(t *testing.T) {
	d := speak(t, "general")
	for _, piece := range []string{"<tool_call>a<arg_key>", "[TOOL_CALLS]a{", "a:\n", "<a>", "[a(",
		"to=a{}", "Action: a\nAction Input: {}\n", "a: \n "} {
		begun := time.Now()
		r := actions.Reply{Text: strings.Repeat(piece, 16<<10/len(piece))}
		require.Nil(t, read(d, r, dialect.Situation{}), piece)
		require.Less(t, time.Since(begun), patient.Lid, piece)
	}
}
