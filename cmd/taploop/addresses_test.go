//go:build unix

package main

import (
	"image"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/app/simulation"
	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/sandbox"
)

// Two processes put a task each to one phone under two of its three names: one has it, the other
// one is told who has.
func TestAPhoneUnderThreeNamesHasOneTaskAtATime(t *testing.T) {
	t.Parallel()
	phone := sandbox.New(&sandbox.Options{Size: image.Pt(180, 400), Density: 70})
	sim, err := simulation.Start(t.Context(), phone, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, sim.Close()) }()
	names := []string{sim.Serial, "192.168.7.20:5555", "adb-sandbox-1-x1Y2z3._adb-tls-connect._tcp"}
	for _, name := range names[1:] {
		sim.ADB.Attach(name, sim.Shell)
	}
	model := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done() // the task has the phone until it is stopped
	}))
	defer model.Close()
	flags := sim.Settings()
	flags["model.base_url"], flags["data_dir"] = model.URL+"/v1", t.TempDir()
	delete(flags, "adb.serial")
	var processes [2]*app.Parts
	for i := range processes {
		set := &app.Settings{Log: slog.New(slog.DiscardHandler),
			Options: config.Options{Environ: []string{"HOME=" + t.TempDir()}, Flags: flags}}
		require.NoError(t, set.Load())
		processes[i], err = app.Open(t.Context(), set, app.Options{})
		require.NoError(t, err)
		defer func() { require.NoError(t, processes[i].Close()) }()
	}
	for round := range 200 {
		var wg sync.WaitGroup
		var began [2]runs.Status
		var errs [2]error
		for i, p := range processes {
			wg.Go(func() {
				began[i], errs[i] = p.Manager.Start(t.Context(), runs.StartRequest{Task: "wait",
					Serial: names[(round+i*(1+round/3%2))%3], KeepEnvironment: true,
					Settings: runs.Settings{DetachedOK: true}})
			})
		}
		wg.Wait()
		free := 0
		for i, p := range processes {
			if errs[i] != nil {
				require.Equal(t, runs.DeviceBusy, runs.CodeOf(errs[i]), "%v", errs[i])
				continue
			}
			free++
			require.Equal(t, sim.Serial, began[i].Session.Serial)
			_, err := p.Manager.Stop(t.Context(), runs.StopRequest{SessionID: began[i].Session.ID})
			require.NoError(t, err)
		}
		require.Equal(t, 1, free, "tasks on the phone at once in round %d", round)
	}
}
