package export_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"image/jpeg"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/golden"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/export"
)

func TestGolden(t *testing.T) {
	used := 0
	golden.Run(t, "testdata", func(t *testing.T, c *golden.Case) {
		build, ok := shelves[c.Name]
		require.True(t, ok, "no session is built for %s", c.Name)
		used++
		told, err := json.MarshalIndent(told(t, html(t, build())), "", " ")
		require.NoError(t, err)
		c.Want(t, "told.json", string(told))
		dir := t.TempDir()
		require.NoError(t, export.Gelab(t.Context(), dir, build(), "s1"))
		trace, err := os.ReadFile(filepath.Join(dir, "traces", "s1.jsonl"))
		require.NoError(t, err)
		c.Want(t, "trace.jsonl", strings.ReplaceAll(string(trace), dir, "DIR"))
		c.Want(t, "files", strings.Join(files(t, dir), "\n"))
	})
	require.Equal(t, len(shelves), used, "each session has its golden file")
}

var answer = regexp.MustCompile(
	`<script type="([^"]*)" data-path="([^"]*)">([^<]*)</script>`)

// answers are what the page has in itself, by the paths of requests.
func answers(t *testing.T, page string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, m := range answer.FindAllStringSubmatch(page, -1) {
		all[m[2]] = m[3]
		if m[1] == "application/json" {
			require.True(t, json.Valid([]byte(m[3])), m[2])
		}
	}
	return all
}

// told is what the page tells of the session.
func told(t *testing.T, page string) (v map[string]any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(answers(t, page)["/v1/sessions/s1/trajectory"]), &v))
	return v
}

func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, err := filepath.Rel(dir, path)
			require.NoError(t, err)
			names = append(names, filepath.ToSlash(name))
		}
		return err
	}))
	return names
}

const hostile = "</title></style></pre><script>alert(1)</script>\"'><img " +
	"src=https://evil.example/x onerror=alert(2)>" +
	"<a href=\"javascript:alert(3)\">{{.Title}} \u202Eevil\u202C שלום 🙂\x00\xff &lt; ]]> <!-- -->"

// hostileShelf says the hostile text wherever a text is shown.
func hostileShelf(text string) *shelf {
	s := newShelf()
	for _, to := range []*string{&s.session.Serial, &s.session.Device.Model,
		&s.session.Device.Android} {
		*to = text
	}
	end := store.Run{Task: text, State: store.Aborted, StopReason: "TASK_ABORTED_BY_AGENT",
		Answer: text, Error: text}
	mean := func(st *store.StepRecord) {
		p := &st.Proposal
		try := &p.Tries[0]
		for _, to := range []*string{&p.Thought, &p.Explain, &p.Summary, &p.Caption, &st.Refusal,
			&st.Screen.State.App, &try.Prompt, &try.Reply, &try.Error} {
			*to = text
		}
		p.Fields = []actions.Field{{Key: text, Value: text}, {Key: "action", Value: text},
			{Key: "point", Value: text}}
	}
	answered := func(st *store.StepRecord) {
		st.Exchange = &actions.Exchange{Question: text, Answer: text,
			Outcome: actions.Outcome(text)}
	}
	s.run(end).step(actions.Type{Text: text, At: &screen.Point{X: .2, Y: .2}}, 54, 120, mean)
	s.step(actions.Info{Question: text, Options: []string{text, text}}, 54, 120, mean, answered)
	return s.run(end).step(actions.Abort{Reason: text}, 54, 120, mean,
		func(st *store.StepRecord) { st.Proposal.Explain = "" })
}

func TestWhatAPageTellsEndsNoScript(t *testing.T) {
	page := html(t, hostileShelf(hostile))
	tame := html(t, hostileShelf("words"))
	require.Equal(t, strings.Count(tame, "<"), strings.Count(page, "<"), "text has made a tag")
	require.Equal(t, strings.Count(tame, "\u202E"), strings.Count(page, "\u202E"))
	all := answers(t, page)
	require.Contains(t, all["/v1/sessions/s1/trajectory"], `\u003cscript\u003ealert(1)`)
	require.Contains(t, all["/v1/sessions/s1/steps/1"], "שלום 🙂")
	require.Len(t, all, len(answers(t, tame)))
}

func TestPicturesAreShrunkForThePageAndWholeInTheTrace(t *testing.T) {
	s := newShelf().run(store.Run{Task: "t", State: store.Running}).step(actions.Home{}, 1080,
		2400)
	whole := s.frames["s1.1.1"]
	page := html(t, s)
	picture, err := base64.StdEncoding.DecodeString(
		answers(t, page)["/v1/sessions/s1/frames/s1.1.1"])
	require.NoError(t, err)
	require.Less(t, len(picture), len(whole), "the picture of the page is a smaller one")
	small, err := jpeg.DecodeConfig(bytes.NewReader(picture))
	require.NoError(t, err)
	require.LessOrEqual(t, small.Height, 720)
	dir := t.TempDir()
	require.NoError(t, export.Gelab(t.Context(), dir, s, "s1"))
	require.NoError(t, export.Gelab(t.Context(), dir, s, "s1"), "again")
	got, err := os.ReadFile(filepath.Join(dir, "images", "s1_step_1.jpeg"))
	require.NoError(t, err)
	require.Equal(t, whole, got)
}

func TestHugeTextsAreCutAndSaySo(t *testing.T) {
	page := html(t, hostileShelf(strings.Repeat("🙂<", 100_000)))
	require.Less(t, len(page), 6<<20)
	require.Contains(t, page, "[... 180000 more characters]")
}

func TestAnExportThatCannotBeMadeSaysWhy(t *testing.T) {
	require.ErrorIs(t, export.HTML(t.Context(), io.Discard, newShelf(), "other"),
		store.ErrNotFound)
	require.ErrorIs(t, export.Gelab(t.Context(), t.TempDir(), newShelf(), "other"),
		store.ErrNotFound)
	broken := newShelf().run(store.Run{Task: "t"}).step(actions.Home{}, 54, 120)
	broken.frames["s1.1.1"] = []byte("no JPEG")
	require.ErrorContains(t, export.HTML(t.Context(), io.Discard, broken, "s1"),
		"shrinking frame s1.1.1")
	full := errors.New("disk full")
	require.ErrorIs(t, export.HTML(t.Context(), failing{full}, newShelf(), "s1"), full)
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.ErrorContains(t, export.Gelab(t.Context(), file, newShelf(), "s1"), "not a directory")
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestEveryTouchHasItsPlaces(t *testing.T) {
	for _, a := range actions.Vocabulary() {
		page := told(t, html(t, newShelf().run(store.Run{Task: "t"}).step(a, 54, 120)))
		places, _ := page["steps"].([]any)[0].(map[string]any)["places"].([]any)
		require.Len(t, places, len(a.Traits().Points), a.Verb())
	}
}

// The law: gelab-zero's viewer opens what is exported. It looks a session up by its id below its
// own folder, names the model, opens a picture for every step by its path as it is, looks for
// points in the action, and draws them.
func TestGelabsViewerOpensTheExport(t *testing.T) {
	const own = "running_log/server_log/os-copilot-local-eval-logs"
	for name, build := range shelves {
		for _, below := range []string{own, "elsewhere"} {
			t.Run(name+" "+below, func(t *testing.T) {
				root := t.TempDir()
				dir := filepath.Join(root, below)
				require.NoError(t, export.Gelab(t.Context(), dir, build(), "s1"))
				trace, err := os.ReadFile(filepath.Join(dir, "traces", "s1.jsonl"))
				require.NoError(t, err)
				lines := strings.Split(strings.TrimSpace(string(trace)), "\n")
				var start struct{ Message viewedStart }
				require.NoError(t, json.Unmarshal([]byte(lines[0]), &start))
				require.Equal(t, "session_start", start.Message.LogType)
				require.NotEmpty(t, start.Message.TaskType)
				require.NotEmpty(t, start.Message.Model.Name)
				for _, l := range lines[1:] {
					var step struct{ Message viewedStep }
					require.NoError(t, json.Unmarshal([]byte(l), &step))
					step.Message.open(t, root)
					require.Equal(t, below == own, !filepath.IsAbs(step.Message.Env.Image))
				}
			})
		}
	}
}

type viewedModel struct {
	Name string `json:"model_name"`
}

type viewedStart struct {
	LogType  string      `json:"log_type"`
	Task     *string     `json:"task"`
	TaskType string      `json:"task_type"`
	Model    viewedModel `json:"model_config"`
}

type viewedStep struct {
	Env struct {
		Image   string  `json:"image"`
		Comment *string `json:"user_comment"`
	} `json:"environment"`
	Action map[string]any `json:"action"`
	Model  viewedModel    `json:"model_config"`
}

// open does with a step what the viewer does, run in root.
func (s viewedStep) open(t *testing.T, root string) {
	t.Helper()
	require.NotNil(t, s.Env.Comment)
	require.NotEmpty(t, s.Model.Name)
	path := s.Env.Image
	if !filepath.IsAbs(path) {
		path = filepath.Join(root, path)
	}
	require.Equal(t, ".jpeg", filepath.Ext(path))
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	_, err = jpeg.Decode(bytes.NewReader(b))
	require.NoError(t, err)
	require.NotNil(t, s.Action, "it looks for keys in it")
	_, slides := s.Action["point1"]
	require.Equal(t, slides, s.Action["point2"] != nil)
	for _, key := range []string{"point", "point1", "point2"} {
		if at, found := s.Action[key]; found {
			require.Len(t, at, 2, "%s %v", key, at)
			require.IsType(t, 0.0, at.([]any)[0])
		}
	}
}

func TestTheModelThatDecidedIsNamed(t *testing.T) {
	s := completed()
	for i := range s.steps {
		s.steps[i].Proposal.Tries[0].Model = []string{"small", "big"}[i%2]
	}
	dir := t.TempDir()
	require.NoError(t, export.Gelab(t.Context(), dir, s, "s1"))
	trace, err := os.ReadFile(filepath.Join(dir, "traces", "s1.jsonl"))
	require.NoError(t, err)
	lines := strings.Split(string(trace), "\n")
	for i, want := range []string{"small", "small", "big", "small"} {
		require.Contains(t, lines[i], `"model_config":{"model_name":"`+want+`"}`)
	}
}

func TestALineSaysWhyAnActionWasNotCarriedOutInTheWordsOfTheStep(t *testing.T) {
	s := agentloop.Step{Refusal: "not carried out: taploop typed nothing"}
	s.Proposal.Action = actions.Back{}
	require.Equal(t, "BACK (go back); not carried out: taploop typed nothing", export.Line(s))
}

func TestAStepWithoutAnActionSaysWhetherTheModelAnswered(t *testing.T) {
	read, silent := agentloop.Try{Reply: "?", Error: "no action"}, agentloop.Try{Error: "refused"}
	unread := "no action could be read from the model's reply"
	for _, tc := range []struct {
		tries []agentloop.Try
		words string
	}{
		{nil, "no action was decided"}, // by a skill
		{[]agentloop.Try{read}, unread},
		{[]agentloop.Try{silent, read}, unread},
		{[]agentloop.Try{silent, silent}, "the model gave no answer"},
		{[]agentloop.Try{read, silent}, unread},
	} {
		require.Equal(t, tc.words, export.Words(agentloop.Proposal{Tries: tc.tries}))
	}
}

func TestTheTimesOfAStepHaveTheirNames(t *testing.T) {
	st := store.StepRecord{}
	st.Timing = agentloop.Timing{Settle: 1500 * time.Microsecond, Decide: time.Second,
		Model: 900 * time.Millisecond, Intent: 10 * time.Microsecond}
	require.Equal(t, export.Parts{"settle": 1.5, "decide": 1000, "model": 900},
		export.NewStep(st).Parts)

	s := newShelf().run(store.Run{Task: "look"}).step(actions.Back{}, 54, 120)
	for v, i := reflect.ValueOf(&s.steps[0].Timing).Elem(), 0; i < v.NumField(); i++ {
		v.Field(i).SetInt(int64(i+1) * int64(time.Second))
	}
	step, _ := told(t, html(t, s))["steps"].([]any)[0].(map[string]any)
	for _, p := range s.steps[0].Timing.Parts() {
		require.InDelta(t, p.Time.Milliseconds(), step["parts_ms"].(map[string]any)[p.Name], 0,
			p.Name)
	}
}

func TestTheRunTellsWhatNoStepTells(t *testing.T) {
	s := newShelf().run(store.Run{Task: "x", State: store.Paused}).
		step(actions.Back{}, 54, 120).step(actions.Home{}, 54, 120)
	s.begun = store.Usage{PromptTokens: 4321, CompletionTokens: 76,
		Timing: agentloop.Timing{Ready: 2 * time.Second, Decide: 31 * time.Second}}
	last := &s.steps[1]
	last.Timing = agentloop.Timing{Again: time.Second}
	last.Proposal.Tries = []agentloop.Try{{Reply: "too soon", Again: true, Error: "it moved on"}}
	page := html(t, s)
	run, _ := told(t, page)["runs"].([]any)[0].(map[string]any)
	for key, want := range map[string]float64{"took_ms": 34840, "model_ms": 32500,
		"phone_ms": 2340, "prompt_tokens": 5521, "completion_tokens": 110, "asked_again": 1} {
		require.EqualValues(t, want, run[key], key)
	}
	require.Contains(t, answers(t, page)["/v1/sessions/s1/steps/2"], `"again":true`)
}
