package policy_test

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/families"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/agentloop/policy"
	"github.com/taploop/taploop/internal/model"
	"github.com/taploop/taploop/internal/screen"
)

// steering is how the prompts of a language say that an instruction goes before what was said
// earlier, and that the task is to be gone on with.
var steering = map[string]struct {
	instruction *regexp.Regexp
	goOn        string
}{
	"en": {regexp.MustCompile(`new instruction: ("(?:[^"\\]|\\.)*")\. It goes before the task, ` +
		`before instructions given earlier`), "Go on with the task"},
	"zh": {regexp.MustCompile(`新的指令：("(?:[^"\\]|\\.)*")。它优先于任务、优先于之前的指令`),
		"请继续完成任务"},
}

// obedient is a model of the family that reports the last instruction of its prompt, or the task
// when there is none.
func obedient(t *testing.T, d dialect.Dialect, prompts *[]string) completer {
	p := d.Profile()
	return func(_ context.Context, r model.Request) (model.Response, error) {
		var prompt strings.Builder
		for _, m := range r.Messages {
			for _, part := range m.Parts {
				prompt.WriteString(part.Text + "\n")
			}
		}
		*prompts = append(*prompts, prompt.String())
		follows := strconv.Quote("make it red")
		for _, m := range steering[p.Lang].instruction.FindAllStringSubmatch(prompt.String(), -1) {
			follows = m[1]
		}
		words, err := strconv.Unquote(follows)
		require.NoError(t, err)
		said, can := families.Known.Writer(p.Name)(actions.Decision{Thought: "t", Explain: "e",
			Summary: "s", Action: actions.Complete{Report: words}}, dialect.Scale{
			Coordinates: p.Coordinates, Picture: screen.Size{W: 54, H: 120}})
		require.True(t, can, p.Name)
		resp := model.Response{Text: said.Text}
		for _, c := range said.Calls {
			resp.ToolCalls = append(resp.ToolCalls, model.ToolCall(c))
		}
		return resp, nil
	}
}

// What is said to a running task reaches the model at its next step, whatever family it is of. An
// instruction goes before the older one, then and at later steps; a note leaves it as it is.
func TestARunningTaskIsSteeredInEveryDialect(t *testing.T) {
	for _, f := range families.Known {
		for lang, words := range steering {
			d, err := families.Known.New(f.Name, &dialect.Options{Lang: lang})
			require.NoError(t, err)
			var prompts []string
			p := policy.New(d, obedient(t, d, &prompts), nil)
			told := agentloop.Progress{Task: "make it red"}
			s := situation(t)
			s.Task = told.Task
			// next is one step, with the prompt of it, and what the model does.
			next := func(mode agentloop.MessageMode, said, follows string) string {
				s.Step++
				if s.ReplyJustIn = said != ""; s.ReplyJustIn {
					told = told.WithMessage(agentloop.Message{Number: told.Heard + 1, Mode: mode,
						Text: said})
				}
				s.Exchanges = told.Exchanges
				got, err := p.Next(t.Context(), s)
				require.NoError(t, err, f.Name)
				require.Equal(t, follows, got.Action.(actions.Complete).Report, "%s in %s, step %d",
					f.Name, lang, s.Step)
				s.History = got.History
				return prompts[len(prompts)-1]
			}
			follows := "make it red"
			for _, said := range []string{"make it blue", "no", "the red one"} {
				prompt := next(agentloop.AsNote, said, follows)
				require.Contains(t, prompt, strconv.Quote(said), f.Name)
				require.Contains(t, prompt, words.goOn, f.Name)
				follows = said
				prompt = next(agentloop.AsInstruction, said, follows)
				require.NotContains(t, prompt, words.goOn, f.Name)
			}
			next("", "", follows)
		}
	}
}
