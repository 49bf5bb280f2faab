// Package genscript writes the script of the sandbox's model: for each task of the simulated phone
// the replies, in the gelab dialect, that solve it. Its test walks each task on a simulated phone
// of its own to learn where things are, and fails when the walk does not solve the task, or the
// script is another one. With -update it writes the script.
//
// A rule matches on how far the model's own summary says the task is, or, in the prompts of
// dialects without summaries, the last of its replies. So the script keeps no state and continues
// correctly after an interruption.
package genscript

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/sandbox"
)

var update = flag.Bool("update", false, "write the script")

func TestTheWalksSolveTheTasksAndAreTheScript(t *testing.T) {
	const script = "../script/tasks.yaml.gz"
	made, err := generate()
	require.NoError(t, err)
	if *update {
		require.NoError(t, files.Pack(script, made))
	}
	packed, err := os.ReadFile(script)
	require.NoError(t, err)
	require.Equal(t, string(files.Unpack(packed)), string(made),
		"go generate ./internal/app/simulation writes it")
}

// rule is one rule of a model/scripted script.
type rule struct {
	When  string `yaml:"when"`
	Reply string `yaml:"reply"`
}

// helpers answer the other requests of a run: a description of the screen, and answers in the
// user's place.
var helpers = []rule{
	{`Describe what on this screen|请描述屏幕上`,
		"A screen of the simulated phone. A scripted model cannot see what is on it."},
	{standIn + `.*size`, "42"},
	{standIn, "A scripted model does not know; the person has to say."},
}

const (
	standIn = `(?s)(?:You stand in for the person|你代替一位用户)`
)

// unknown gives up a task that no rule before it is for, and says which there are.
func unknown(tasks []sandbox.Task) rule {
	goals := make([]string, len(tasks))
	for i, t := range tasks {
		goals[i] = t.Goal
	}
	return rule{".", "<THINK> This task is not in the script. </THINK>\n" +
		"explain:give up\taction:ABORT\tvalue:This scripted model knows only these tasks " +
		"(taploop sandbox --tasks): " + strings.Join(goals, " | ") +
		"\tsummary:nothing was done"}
}

func generate() ([]byte, error) {
	rules := slices.Clone(helpers)
	var first, told []rule
	tasks := sandbox.New(nil).Tasks()
	for _, t := range tasks {
		moves, ok := walks[t.ID]
		if !ok {
			return nil, fmt.Errorf("task %s has no walk", t.ID)
		}
		own, err := script(t, moves)
		if err != nil {
			return nil, fmt.Errorf("task %s: %w", t.ID, err)
		}
		for _, r := range own[0] {
			first = append(first, rule{r.told, r.Reply})
		}
		slices.Reverse(own) // a prompt that shows several replies is as far as the last one
		for _, step := range own[:len(own)-1] {
			for _, r := range step {
				rules = append(rules, rule{r.marked, r.Reply})
				told = append(told, rule{r.told, r.Reply})
			}
		}
	}
	rules = slices.Concat(rules, told, first, []rule{unknown(tasks)})
	out, err := yaml.MarshalWithOptions(map[string][]rule{"rules": rules},
		yaml.UseLiteralStyleIfMultiline(true))
	return append([]byte("# Made by go generate from genscript; do not edit.\n"), out...), err
}

// hand walks one task.
type hand struct {
	phone *sandbox.Simulator
	now   time.Time
}

// script walks the task and returns the rules of each step: those of the first match the goal, the
// others the progress.
func script(t sandbox.Task, moves []move) ([][]turn, error) {
	still := 0.0
	h := &hand{now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
	h.phone = sandbox.New(&sandbox.Options{AnimationScale: &still,
		Now: func() time.Time { return h.now }})
	t.Setup(h.phone)
	var steps [][]turn
	now, done := progress{goal: goal(t.Goal)}, "nothing"
	for i, m := range moves {
		var rules []turn
		mark := fmt.Sprintf("[%s %d/%d]", t.ID, i+1, len(moves))
		for _, m := range append(m.others, m) { // the actual work comes last
			action, err := m.do(h)
			if err != nil {
				return nil, fmt.Errorf("move %d (%s): %w", i+1, m.explain, err)
			}
			rules = append(rules, now.turn(m.answer, reply(m, action, mark, done)))
		}
		if m.answer != "" { // neither of them: ask again
			before := steps[len(steps)-1]
			rules = append(rules, now.turn("", before[len(before)-1].Reply))
		}
		h.now = h.now.Add(5 * time.Second)
		steps = append(steps, rules)
		now.mark, now.did, done = mark, m.explain, m.explain
	}
	return steps, t.Check(h.phone)
}

// goal matches a goal as prompts quote it, or as it is.
func goal(text string) string {
	return strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSuffix(text, ".")), `"`, `\\*"`)
}

// progress is how far a task is.
type progress struct{ goal, mark, did string }

// turn is a reply of the model, and the prompts that it is for: some show by the mark how far the
// task is, others only tell what was done last.
type turn struct{ marked, told, Reply string }

// turn is a reply to prompts of that progress in which a person has answered with the word.
func (p progress) turn(answer, reply string) turn {
	if p.mark == "" {
		return turn{"", "(?i)" + p.goal, reply}
	}
	mark, did := regexp.QuoteMeta(p.mark), `\b`+regexp.QuoteMeta(p.did)+`\b`
	if answer == "" {
		return turn{mark, "(?s)" + p.goal + ".*" + did, reply}
	}
	said := condition(answer)
	return turn{"(?s)" + said + ".*" + mark,
		fmt.Sprintf("(?s)%s.*(?:%s.*%s|%[3]s.*%[2]s)", p.goal, did, said), reply}
}

// condition matches a person's answer that holds the word.
func condition(word string) string {
	return `(?:回答是|answer is|助手代答：|assistant answered:) ?"[^"]*\b` + regexp.QuoteMeta(word) +
		`\b[^"]*"`
}

func reply(m move, action, mark, done string) string {
	thought := fmt.Sprintf("So far: %s. Next: %s.", done, m.explain)
	return fmt.Sprintf("<THINK> %s </THINK>\nexplain:%s\taction:%s\tsummary:%s %s", thought,
		m.explain, action, mark, m.explain)
}

// find returns the middle, in thousandths of the screen, of the node with that resource name, text
// or description.
func (h *hand) find(what string) (x, y int, err error) {
	root := h.phone.Screen.UITree()
	n := root.Find(func(n *sandbox.Node) bool {
		return strings.HasSuffix(n.ResourceID, ":id/"+what)
	})
	if n == nil {
		n = root.Find(func(n *sandbox.Node) bool { return n.Text == what || n.Desc == what })
	}
	if n == nil || n.Bounds.Dy() < 40 {
		return 0, 0, errors.New(what + " is not on the screen")
	}
	c, s := n.Center(), h.phone.Display.Size()
	return c.X * 1000 / s.X, c.Y * 1000 / s.Y, nil
}

// pixel is where a point in thousandths lands.
func (h *hand) pixel(x, y int) (int, int) {
	s := h.phone.Display.Size()
	return x * s.X / 1000, y * s.Y / 1000
}
