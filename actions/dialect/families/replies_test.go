package families_test

import (
	"encoding/json"
	"fmt"
	"image"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/families"
	"github.com/taploop/taploop/internal/golden"
	"github.com/taploop/taploop/internal/screen"
)

// askAgain is the title of a reply that is no action, or that leaves open which.
const askAgain = "ask again"

// Replies as models write them, well and badly: what can be told is read, and what cannot is asked
// again and never guessed. A file is named after the model. A section is a reply, and its title the
// action that it means, with places as fractions.
func TestRepliesOfRealModelsAreRead(t *testing.T) {
	frame, err := screen.NewFrame(image.NewRGBA(image.Rect(0, 0, 1080, 2400)))
	require.NoError(t, err)
	now := dialect.Situation{Screen: screen.Observation{Frame: frame}}
	files, err := filepath.Glob(filepath.Join(golden.Shared(t, "replies"), "*.txtar"))
	require.NoError(t, err)
	meant, missed := 0, 0
	for _, path := range files {
		model := strings.TrimSuffix(filepath.Base(path), ".txtar")
		d, err := families.Known.New(dialect.Auto, &dialect.Options{Model: model, Lang: "en"})
		require.NoError(t, err)
		all, err := txtar.ParseFile(path)
		require.NoError(t, err)
		require.NotEmpty(t, all.Files, path)
		for _, f := range all.Files {
			got := "ask again"
			d, err := understood(d, replyIn(string(f.Data)), now)
			if err == nil {
				got = shownAction(t, d.Action)
			}
			want := f.Name
			if err != nil {
				require.NotRegexp(t, "expected $", err.Error(), "%s", f.Data)
			}
			if want != askAgain {
				meant++
				want = normal(t, want)
			}
			if got != want {
				missed++
				t.Errorf("%s: %q\nis read as %s (%v)\nand means   %s", model, f.Data, got, err,
					want)
			}
		}
	}
	require.GreaterOrEqual(t, meant, 300)
	t.Logf("%d replies mean an action, %d are not read as they are meant", meant, missed)
}

// understood reads a reply as the loop does: in the chosen dialect, or else in another.
func understood(d dialect.Dialect, r actions.Reply, now dialect.Situation) (
	actions.Decision, error) {
	got, err := d.Parse(r, now)
	if err == nil {
		return got, nil
	}
	if got, name := d.(dialect.Detector).Detect(r, now); name != "" {
		return got, nil
	}
	return actions.Decision{}, err
}

// replyIn is the reply in a section, whose lines with [call] in front are native calls.
func replyIn(text string) (r actions.Reply) {
	for line := range strings.Lines(text) {
		if call, is := strings.CutPrefix(line, "[call] "); is {
			name, arguments, _ := strings.Cut(strings.TrimSpace(call), " ")
			r.Calls = append(r.Calls, actions.Call{ID: "1", Name: name, Arguments: arguments})
			continue
		}
		r.Text += line
	}
	r.Text = strings.TrimSuffix(r.Text, "\n")
	return r
}

// shownAction is an action as a title has it.
func shownAction(t *testing.T, a actions.Action) string {
	args, err := actions.Args(a)
	require.NoError(t, err)
	for name, v := range args {
		if at, is := v.(map[string]any); is {
			args[name] = []any{at["x"], at["y"]}
		}
	}
	b, err := json.Marshal(args)
	require.NoError(t, err)
	return normal(t, a.Verb()+" "+string(b))
}

// normal is an action with its arguments in their order and its places in hundredths.
func normal(t *testing.T, shown string) string {
	verb, object, _ := strings.Cut(shown, " ")
	var args map[string]any
	require.NoError(t, json.Unmarshal([]byte(object), &args), shown)
	for name, v := range args {
		at, is := v.([]any)
		if !is || len(at) != 2 {
			continue
		}
		x, number := at[0].(float64)
		y, also := at[1].(float64)
		if number && also {
			args[name] = fmt.Sprintf("%.2f,%.2f", x, y)
		}
	}
	b, err := json.Marshal(args)
	require.NoError(t, err)
	return verb + " " + string(b)
}

func TestReasoningThatOnlyMentionsAnActionIsNone(t *testing.T) {
	frame, err := screen.NewFrame(image.NewRGBA(image.Rect(0, 0, 1080, 2400)))
	require.NoError(t, err)
	now := dialect.Situation{Screen: screen.Observation{Frame: frame}}
	for model, call := range map[string]string{
		"other-vl":         `{"action":{"type":"tap","x":500,"y":250}}`,
		"qwen3-vl-8b":      `{"name": "mobile_use", "arguments": {"action": "wait", "time": 2}}`,
		"ui-tars-7b":       "Action: press_back()",
		"autoglm-phone-9b": `do(action="Back")`,
		"glm-4.5v":         `Action: {"action_type": "navigate_back"}`,
	} {
		d, err := families.Known.New(dialect.Auto, &dialect.Options{Model: model, Lang: "en"})
		require.NoError(t, err)
		for said, meant := range map[string]bool{"Maybe this.\n" + call: true,
			"Maybe this.\n" + call + "\nBut no, better wait": false,
			"Maybe " + call + " but no, better wait.":        false,
			"Maybe\n" + call + "\nor so.":                    false} {
			_, err := understood(d, actions.Reply{Reasoning: said}, now)
			require.Equal(t, meant, err == nil, "%s: %q: %v", model, said, err)
		}
	}
}
