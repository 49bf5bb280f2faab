package stage

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/suite"
	"github.com/taploop/taploop/internal/suite/play"
)

// Simulated phones whose questions go to people are in the usual folder, where each call's have
// names of their own: none holds another phone there.
func TestSimulatedPhonesInTheUsualFolderHaveNamesOfTheirOwn(t *testing.T) {
	dir := t.TempDir()
	names := func(ask bool) (list []string) {
		set := &app.Settings{Log: slog.New(slog.DiscardHandler), Options: config.Options{Flags: map[string]any{},
			Environ: []string{"TAPLOOP_DATA_DIR=" + dir, "XDG_CONFIG_HOME=" + dir}}}
		require.NoError(t, set.Load())
		s, err := Open(t.Context(), set, []*suite.Item{{Suite: &suite.Suite{}}}, Options{Phones: "sandbox:2",
			Play: play.Options{Ask: ask}, Scripted: func() {}})
		require.NoError(t, err)
		defer func() { require.NoError(t, s.Close()) }()
		states, err := s.host.States(t.Context())
		require.NoError(t, err)
		require.Len(t, states, 2)
		for _, p := range s.pool {
			require.Equal(t, "device", states[p.Serial], p.Serial)
			list = append(list, p.Serial)
		}
		return list
	}
	require.Equal(t, []string{"sandbox-1", "sandbox-2"}, names(false))
	seen := map[string]bool{"sandbox-1": true, "sandbox-2": true}
	for range 2 {
		for _, name := range names(true) {
			require.Regexp(t, `^sandbox-.*-[12]$`, name)
			require.False(t, seen[name], name)
			seen[name] = true
		}
	}
}
