package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/families"
	"github.com/taploop/taploop/internal/adbtest"
	"github.com/taploop/taploop/internal/app/simulation"
	"github.com/taploop/taploop/internal/model/scripted"
	"github.com/taploop/taploop/internal/screen"
)

// Any endpoint will do: a model of every family solves a whole task, with a question in the middle.
// What general models need of a phone is the most, so theirs is behind the real adb server and the
// real adbd.
func TestAModelOfEveryFamilySolvesATask(t *testing.T) {
	t.Parallel()
	for _, f := range families.Known {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			solvesATask(t, f.Name)
		})
	}
}

func solvesATask(t *testing.T, family string) {
	phone := newPhone()
	task, ok := phone.Task(demoTask)
	require.True(t, ok)
	sim, err := simulation.Start(t.Context(), phone, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, sim.Close()) })
	server := sim.Addr
	if family == "general" {
		server = behindTheRealDaemon(t, sim, adbtest.Daemon{})
	}
	model := httptest.NewServer(newPlayer(t, family, phone.Screenshot().Rect.Size()))
	t.Cleanup(model.Close)
	p := params("")
	p.Dir, p.Files = "", []string{"testdata/dialects/task.txtar"}
	p.Setup = func(e *testscript.Env) error {
		task.Setup(phone)
		simulations.Store(e.WorkDir, scriptSimulation{sim, &task})
		e.Setenv("GOAL", task.Goal)
		err := alone(e)
		e.Setenv("TAPLOOP_ADB_SERVER", server)
		e.Setenv("TAPLOOP_MODEL_BASE_URL", model.URL+"/v1")
		e.Setenv("TAPLOOP_MODEL_DIALECT", family)
		return err
	}
	testscript.RunT(inTurn{t}, p)
}

// player is a model of a family that plays the demo's task. It goes by how far the prompt says that
// the task is, in the model's own words, and keeps no state.
type player struct {
	t     *testing.T
	moves []http.Handler
}

// playedRule is a rule of a script.
type playedRule struct {
	When  string       `json:"-" yaml:"when,omitempty"`
	Reply string       `json:"reply" yaml:"reply"`
	Calls []playedCall `json:"tool_calls,omitempty" yaml:"-"`
}

type playedCall struct {
	Name      string         `json:"name"`
	Arguments map[string]any `json:"arguments"`
}

// newPlayer is the demo's script as models of the family write it.
func newPlayer(t *testing.T, family string, size image.Point) *player {
	d, err := families.Known.New(family, nil)
	require.NoError(t, err)
	profile := d.Profile()
	scale := dialect.Scale{Coordinates: profile.Coordinates,
		Picture: profile.Fit.Size(screen.Size{W: size.X, H: size.Y})}
	p := &player{t: t}
	for i, done := range demoDecisions(t) {
		words := fmt.Sprintf("Move %d of 8.", i+1)
		done.Thought, done.Explain, done.Summary = words, words, words
		said, can := families.Known.Writer(family)(done, scale)
		require.True(t, can, "%s cannot say %s", family, actions.Describe(done.Action))
		r := playedRule{Reply: said.Text}
		for _, c := range said.Calls {
			call := playedCall{Name: c.Name}
			require.NoError(t, json.Unmarshal([]byte(c.Arguments), &call.Arguments))
			r.Calls = append(r.Calls, call)
		}
		b, err := json.Marshal(map[string]any{"rules": []playedRule{r}}) // which is YAML
		require.NoError(t, err)
		rules, err := scripted.Parse(b)
		require.NoError(t, err)
		h := scripted.NewHandler(rules)
		h.Observe = p.checks
		p.moves = append(p.moves, h)
	}
	return p
}

var moved = regexp.MustCompile(`Move (\d) of 8`)

// ServeHTTP makes the move after the last one that the prompt tells of.
func (p *player) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	assert.NoError(p.t, err)
	r.Body = io.NopCloser(bytes.NewReader(body))
	p.moves[min(lastMove(body), len(p.moves)-1)].ServeHTTP(w, r)
}

// checks sees that a prompt has what belongs in every one.
func (p *player) checks(r *scripted.Request) {
	body := r.Body
	assert.Contains(p.t, string(body), "black Runner sneakers", "the task is in every prompt")
	assert.Contains(p.t, string(body), "data:image/jpeg", "and so is the screen")
	if lastMove(body) == 4 { // the question, which is nothing without its answer
		assert.Contains(p.t, string(body), `\"42\"`)
	}
}

// lastMove is the last move that a prompt tells of, 0 for none.
func lastMove(body []byte) (last int) {
	for _, m := range moved.FindAllSubmatch(body, -1) {
		last = max(last, int(m[1][0]-'0'))
	}
	return last
}

// demoDecisions are what the demo's script decides when the answer is 42.
func demoDecisions(t *testing.T) []actions.Decision {
	var script struct{ Rules []playedRule }
	require.NoError(t, yaml.Unmarshal(simulation.TasksScript(), &script))
	own, err := families.Known.New("gelab", nil)
	require.NoError(t, err)
	var all []actions.Decision
	for n := 1; n <= 8; n++ {
		for _, r := range script.Rules {
			mark := fmt.Sprintf("summary:[%s %d/8]", demoTask, n)
			if !strings.Contains(r.Reply, mark) || n == 5 && !strings.Contains(r.When, `\b42\b`) {
				continue
			}
			d, err := own.Parse(actions.Reply{Text: r.Reply}, dialect.Situation{})
			require.NoError(t, err)
			all = append(all, d)
			break
		}
	}
	require.Len(t, all, 8)
	return all
}
