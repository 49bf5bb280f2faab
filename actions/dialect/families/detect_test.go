package families_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/dialecttest"
	"github.com/taploop/taploop/actions/dialect/families"
	"github.com/taploop/taploop/internal/screen"
)

// Whatever the dialect that was chosen, prose, what is only thought of, quoted or cut off ends no
// task and touches nothing.
func TestNoDialectTakesForAnActionWhatIsNone(t *testing.T) {
	now := dialect.Situation{Screen: dialecttest.Observation(t)}
	for _, r := range []actions.Reply{
		{Text: "The task is finished."}, {Text: "finished"}, {Text: "任务已经完成。"},
		{Text: "I would call finish(message=\"done\") if it were done, but it is not."},
		{Text: "Then one writes do(action=\"Tap\", element=[1,2]) for a tap."},
		{Text: "<think>finish(message=\"done\")</think>"},
		{Text: "I must not answer {\"action\": {\"type\": \"finish\", \"success\": true}} yet."},
		{Text: "Not done, so no {\"type\": \"abort\", \"reason\": \"x\"}"},
		{Text: "I must not call <tool_call>{\"name\": \"mobile_use\", \"arguments\": {" +
			"\"action\": \"terminate\", \"status\": \"success\"}}</tool_call> yet, as " +
			"nothing is done."},
		{Text: "还不能写 <tool_call>{\"name\": \"mobile_use\", \"arguments\": {\"action\": " +
			"\"answer\", \"text\": \"x\"}}</tool_call>，因为没有完成。"},
		{Text: "<think>Action: finished(content='x')</think>I am not sure."},
		{Text: "<think><tool_call>{\"name\": \"mobile_use\", \"arguments\": {" +
			"\"action\": \"terminate\", \"status\": \"success\"}}</tool_call></think>It goes on."},
		{Text: "<seed:think><function=finished></function></seed:think>Hm."},
		{Reasoning: "It may be finished. What then?", Text: "I do not know."},
		{Text: "```\nfinish the task\n```"},
		{Text: "<tool_call>{\"name\": \"mobile_use\", \"arguments\": {\"action\": \"type\", " +
			"\"text\": \"finish(message='", Cut: true},
		{Text: "Action: type(content='finished(content", Cut: true},
		{Text: "It is not done, so I do not write\nfinished(content='x')\nyet."},
		{Text: "explain:e\taction:TYPE\tvalue:do(action=\"Back\")", Cut: true},
		{Text: "<|begin_of_box|>finish<|end_of_box|>"}, {Text: "Action: finished"},
		{Text: "action_type status goal_status complete"}, {Text: "{}"}, {Text: "[]"},
	} {
		for _, f := range families.Known {
			d, err := families.Known.New(f.Name, &dialect.Options{Lang: "en"})
			require.NoError(t, err)
			_, err = d.Parse(r, now)
			require.Error(t, err, "%s: %+v", f.Name, r)
			got, name := d.(dialect.Detector).Detect(r, now)
			require.Empty(t, name, "%s: %+v is %+v", f.Name, r, got)
		}
	}
}

// A reply in one dialect that quotes another's form is the one, under every dialect.
func TestAReplyThatQuotesAnotherDialectIsInItsOwn(t *testing.T) {
	now := dialect.Situation{Screen: dialecttest.Observation(t)}
	quotes := []string{`do(action='Back')`, `finish(message='x')`, `finished(content='x')`,
		`press_back()`, `<tool_call>{'name': 'mobile_use'}</tool_call>`, `{'action_type': 'wait'}`,
		`<function=finished></function>`, `{'action': {'type': 'abort', 'reason': 'x'}}`}
	for _, own := range families.Known {
		for _, quoted := range quotes {
			d, err := families.Known.New(own.Name, &dialect.Options{Lang: "en"})
			require.NoError(t, err)
			said, can := own.Write(actions.Decision{Thought: "t",
				Explain: "e", Summary: "s", Action: actions.Type{Text: "write " + quoted}},
				dialect.Scale{Coordinates: d.Profile().Coordinates})
			if !can {
				continue
			}
			for _, f := range families.Known {
				d, err := families.Known.New(f.Name, &dialect.Options{Lang: "en"})
				require.NoError(t, err)
				got, err := d.Parse(said, now)
				if err != nil {
					got, _ = d.(dialect.Detector).Detect(said, now)
				}
				if got.Action == nil { // asked again: that is safe, too
					require.NotEqual(t, own.Name, f.Name, "%+v", said)
					continue
				}
				require.Equal(t, actions.Type{Text: "write " + quoted}, got.Action,
					"%s under %s: %+v", own.Name, f.Name, said)
			}
		}
	}
}

// Whatever the dialect that was chosen, a reply in any other's form is read.
func TestRepliesOfEveryDialectAreReadUnderEveryOther(t *testing.T) {
	now := dialect.Situation{Screen: dialecttest.Observation(t)}
	for _, own := range families.Known {
		writes, err := families.Known.New(own.Name, &dialect.Options{Lang: "en"})
		require.NoError(t, err)
		for _, a := range []actions.Action{actions.Complete{Report: "it is done"},
			actions.Back{}, actions.Click{At: screen.Point{X: 0.25, Y: 0.5}}} {
			said, can := own.Write(actions.Decision{Thought: "t",
				Explain: "e", Summary: "s", Action: a},
				dialect.Scale{Coordinates: writes.Profile().Coordinates,
					Picture: writes.Profile().Fit.Size(now.Screen.Frame.Size())})
			require.True(t, can, own.Name)
			for _, f := range families.Known {
				d, err := families.Known.New(f.Name, &dialect.Options{Lang: "en"})
				require.NoError(t, err)
				got, err := d.Parse(said, now)
				if err != nil {
					got, _ = d.(dialect.Detector).Detect(said, now)
				}
				require.NotNil(t, got.Action, "%s under %s: %+v: %v", own.Name, f.Name, said, err)
				require.Equal(t, a.Verb(), got.Action.Verb(), "%s under %s", own.Name, f.Name)
			}
		}
	}
}

// A stray control character in words for people is left out; it is no reason to ask again.
func TestWordsForPeopleAreCleaned(t *testing.T) {
	now := dialect.Situation{Screen: dialecttest.Observation(t)}
	for _, f := range families.Known {
		d, err := families.Known.New(f.Name, &dialect.Options{Lang: "en"})
		require.NoError(t, err)
		for _, a := range []actions.Action{actions.Info{Question: "Which\u0007 size\u202e?"},
			actions.Complete{Report: "It\u001b is\u0000 done"}} {
			said, can := f.Write(actions.Decision{Action: a},
				dialect.Scale{Coordinates: d.Profile().Coordinates})
			require.True(t, can, f.Name)
			got, err := d.Parse(said, now)
			require.NoError(t, err, "%s: %+v", f.Name, said)
			require.NoError(t, got.Action.Validate(), f.Name)
			switch got := got.Action.(type) {
			case actions.Info:
				require.Equal(t, "Which size?", got.Question, f.Name)
			case actions.Complete:
				require.Equal(t, "It is done", got.Report, f.Name)
			}
		}
	}
}
