package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/app/simulation"
	"github.com/taploop/taploop/internal/model/scripted"
)

// What a replay shows of the past is what the model was shown then, word for word.
func TestAReplayAsksWhatWasAsked(t *testing.T) {
	t.Parallel()
	phone := newPhone()
	task, ok := phone.Task(demoTask)
	require.True(t, ok)
	task.Setup(phone)
	sim, err := simulation.Start(t.Context(), phone, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, sim.Close()) })
	var mu sync.Mutex
	var asked []string
	env := lone(t, modelOf(t, string(simulation.TasksScript()), func(r *scripted.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r.Asked())
	}))
	env = append(env, "TAPLOOP_ADB_SERVER="+sim.Addr)
	var out, said bytes.Buffer
	program := func(in string, args ...string) int {
		out.Reset()
		return run(t.Context(), args, env, streams{strings.NewReader(in), &out, &said})
	}
	require.Equal(t, exitDone, program("42\n", "run", task.Goal, "--reply-mode", "manual"),
		said.String())
	then := asked
	asked = nil
	require.Equal(t, exitDone, program("", "sessions", "list", "--json"))
	var list []summary
	require.NoError(t, json.Unmarshal(out.Bytes(), &list))
	require.Equal(t, exitDone, program("", "replay", list[0].ID, "--json"), said.String())
	require.Len(t, asked, 8)
	require.Subset(t, then, asked) // it may have been asked again, when a screen moved on
	var report shownReplay
	require.NoError(t, json.Unmarshal(out.Bytes(), &report))
	require.Equal(t, 8, report.Agreed)
}
