package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/app/simulation"
	"github.com/taploop/taploop/internal/sandbox"
)

// standIn answers as the servers of AndroidWorld and MobileWorld do, about tasks of a simulated
// phone whose user knows the answers.
type standIn struct {
	t     *testing.T
	phone *sandbox.Simulator
	tasks map[string]sandbox.Task // by the names that the world has for them

	mu    sync.Mutex
	now   string // the task that was begun, "" when it was ended
	calls []string
}

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var body struct {
		Task   string `json:"task_name"`
		Device string `json:"req_device"`
		Kind   string `json:"action_type"`
		Action struct {
			Kind string `json:"action_type"`
			Text string `json:"text"`
		}
	}
	_ = json.NewDecoder(r.Body).Decode(&body) // many have none
	q := r.URL.Query()
	name := body.Task + q.Get("task_name") + q.Get("task_type")
	s.calls = append(s.calls, strings.TrimSpace(r.Method+" "+r.URL.Path+" "+body.Kind+
		body.Action.Kind))
	task, known := s.tasks[name]
	if strings.HasPrefix(r.URL.Path, "/task/") && r.URL.Path != "/task/list" && !known ||
		body.Task != "" && body.Device != "emulator-5556" {
		http.Error(w, `{"detail": "no such task or device"}`, http.StatusInternalServerError)
		return
	}
	var out any = "OK"
	switch r.URL.Path {
	case "/suite/task_list":
		out = map[string]any{"task_list": s.names()}
	case "/task/list":
		var list []any
		for _, name := range s.names() {
			list = append(list, map[string]any{"name": name, "tags": []string{}})
		}
		out = list
	case "/task/initialize", "/task/init":
		task.Setup(s.phone)
		s.now = name
	case "/task/tear_down":
		s.now = ""
	case "/task/goal":
		out = task.Goal
		if q.Get("task_type") != "" {
			out = map[string]any{"goal": task.Goal}
		}
	case "/step":
		if body.Action.Kind == "ask_user" {
			out = map[string]any{"result": s.tasks[s.now].Reply}
		} else {
			out = map[string]any{"result": "OK"}
		}
	case "/task/score", "/task/eval":
		out = s.score(name, task)
	}
	_ = json.NewEncoder(w).Encode(out)
}

func (s *standIn) names() (names []string) {
	for name := range s.tasks {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (s *standIn) score(name string, task sandbox.Task) map[string]any {
	if err := task.Check(s.phone); err != nil || s.now != name {
		return map[string]any{"score": 0.0, "reason": "it is not so"}
	}
	return map[string]any{"score": 1}
}

// Tasks of other benchmarks are set up and scored by their servers, and done over ADB; what the
// agent asks is answered by the world's user.
func TestABenchOfAnotherWorld(t *testing.T) {
	t.Parallel()
	phone := newPhone()
	sim, err := simulation.Start(t.Context(), phone, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, sim.Close()) })
	s := &standIn{t: t, phone: phone, tasks: map[string]sandbox.Task{}}
	for name, id := range map[string]string{"SetAlarm": "alarm-0730",
		"AskForTheSize": "cart-runner-ask"} {
		s.tasks[name], _ = phone.Task(id)
	}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	exits := exitDone
	bench := func(world string, args ...string) (r shownReport, said string) {
		env := append(lone(t, sim.Model.BaseURL), "TAPLOOP_ADB_SERVER="+sim.Addr,
			"TAPLOOP_GUARD_ENABLED=false", "TAPLOOP_MODEL_LANG=en")
		var out, errs bytes.Buffer
		ends := run(t.Context(), append([]string{"bench", "--world", world,
			"--serial", sim.Serial, "--json", "-o", t.TempDir()}, args...), env,
			streams{strings.NewReader(""), &out, &errs})
		require.Equal(t, exits, ends, errs.String())
		require.NoError(t, json.Unmarshal(out.Bytes(), &r))
		return r, errs.String()
	}

	r, said := bench("mobileworld="+server.URL+"?device=emulator-5556", "-n", "1")
	require.Equal(t, 2, r.Done, said)
	for _, one := range r.Runs {
		require.True(t, one.Passed, "%s: %s", one.Task, one.Problem)
	}
	require.Equal(t, []string{"GET /task/list", "POST /init", "POST /task/init", "GET /task/goal",
		"POST /step ask_user", "POST /step answer", "GET /task/eval", "POST /task/tear_down"},
		s.calls[:8])

	s.calls = nil
	r, said = bench("androidworld="+server.URL, "-n", "1", "--task", "SetAlarm")
	require.Equal(t, 1, r.Done, said)
	require.True(t, r.Runs[0].Passed, r.Runs[0].Problem)
	require.Equal(t, []string{"GET /suite/reinitialize", "GET /suite/task_list", "POST /reset",
		"POST /task/initialize", "GET /task/goal", "POST /execute_action answer",
		"GET /task/score", "POST /task/tear_down"}, s.calls)

	task := s.tasks["SetAlarm"]
	task.Goal = "Turn on live captions. It is somewhere in the Settings."
	s.tasks["SetAlarm"] = task // what is done is another thing than what is scored
	r, _ = bench("mobileworld="+server.URL+"?device=emulator-5556", "-n", "1", "--task", "SetAlarm")
	require.False(t, r.Runs[0].Passed)
	require.Equal(t, "the world scores it 0. it is not so", r.Runs[0].Problem)
	require.Equal(t, 1, r.Done)

	r, _ = bench("mobileworld="+server.URL, "-n", "1", "--task", "SetAlarm") // of a device that it has not
	require.Zero(t, r.Done, "it is no measurement")
	require.Contains(t, r.Runs[0].Broken, "no such task or device")

	exits = exitError // and twice in a row it is the world's fault, not the model's
	r, said = bench("mobileworld="+server.URL, "--task", "SetAlarm", "-n", "5")
	require.Zero(t, r.Done)
	require.Len(t, r.Runs, 2)
	require.Contains(t, said, "the world is not asked any more")
	require.NotContains(t, said, "scripted is not asked any more")
}
