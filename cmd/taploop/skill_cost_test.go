//go:build unix

package main

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A task that is repeated costs at most 2 in 100 tokens of the first time, with what the guard's
// model is asked about, which a new data folder has yet to know: this is counted, too.
func TestATaskThatIsRepeatedCostsNextToNothing(t *testing.T) {
	for task, p := range map[string]struct{ params, others []string }{
		"cart-merino": {},
		"note-groceries": {[]string{"--param", "title=Groceries", "--param",
			"text=milk, eggs, bread"}, []string{"--param", "title=Dentist", "--param", "text=at 9"}},
	} {
		t.Run(task, func(t *testing.T) {
			t.Parallel()
			b := newTestEnv(t, task,
				`- {when: "You get the labels of the touchable elements", reply: "{}"}`+"\n",
				"TAPLOOP_MODEL_IMAGE_SIZE=auto") // pictures are tokens, too
			spent := func(args ...string) (session string, tokens, calls int) {
				var r struct {
					Session string `json:"session_id"`
					Usage   struct {
						Prompt     int `json:"prompt_tokens"`
						Completion int `json:"completion_tokens"`
					}
					Skill struct {
						Calls    int `json:"model_calls"`
						Tokens   int
						Healed   int `json:"steps_healed"`
						Replayed int `json:"steps_replayed"`
					}
				}
				b.task.Setup(b.sim.Phone)
				out, errs, code := b.run(append(args, "--json")...)
				require.Zero(t, code, "%s%s", out, errs)
				require.NoError(t, json.Unmarshal([]byte(out), &r), out)
				tokens = r.Usage.Prompt + r.Usage.Completion
				if args[0] == "skill" {
					require.Equal(t, tokens, r.Skill.Tokens)
					require.Positive(t, r.Skill.Replayed)
					require.Zero(t, r.Skill.Healed)
				}
				return r.Session, tokens, r.Skill.Calls
			}
			session, first, _ := spent("run", b.task.Goal)
			_, errs, code := b.run(append([]string{"skill", "make", session, "--name", "it"},
				p.params...)...)
			require.Zero(t, code, errs)
			again := append([]string{"skill", "run", "it"}, p.others...)
			_, tokens, _ := spent(again...)
			t.Logf("%d tokens, then %d", first, tokens)
			require.LessOrEqual(t, tokens*50, first)
			_, tokens, calls := spent(append(again, "--skills",
				filepath.Join(b.dir, "data", "taploop", "skills"),
				"--data-dir", filepath.Join(b.dir, "new"))...)
			t.Logf("in a new folder %d, in %d calls", tokens, calls)
			require.Positive(t, calls)
			require.LessOrEqual(t, tokens*20, first)
		})
	}
}
