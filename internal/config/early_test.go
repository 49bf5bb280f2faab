package config_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/hint"
)

func TestAModelNearbyIsAskedEarly(t *testing.T) {
	for _, c := range []struct {
		url, early string
		want       bool
	}{
		{"http://localhost:11434/v1", "auto", true},
		{"http://127.0.0.1/v1", "auto", true},
		{"http://[::1]:8080/v1", "auto", true},
		{"http://[::ffff:10.0.0.7]:8080/v1", "auto", true},
		{"https://192.168.1.20:8000/v1", "auto", true},
		{"https://LocalHost/v1", "auto", true},
		{"https://api.example.com/v1", "auto", false},
		{"https://localhost.example.com/v1", "auto", false},
		{"http://8.8.8.8/v1", "auto", false},
		{"https://api.example.com/v1", "on", true},
		{"http://localhost:11434/v1", "off", false},
	} {
		l, err := load(t, config.Options{Environ: []string{"TAPLOOP_MODEL_BASE_URL=" + c.url,
			"TAPLOOP_LOOP_ASK_EARLY=" + c.early}})
		require.NoError(t, err)
		require.Equal(t, c.want, l.AsksEarly(), "%+v", c)
	}
	_, err := load(t, config.Options{Environ: []string{"TAPLOOP_LOOP_ASK_EARLY=maybe"}})
	require.ErrorContains(t, err, `loop.ask_early is "maybe"`)
	require.Contains(t, hint.Of(err), "auto, on, off")
}

func TestARecordingIsNotAskedEarly(t *testing.T) {
	for _, key := range []string{"RECORD", "REPLAY", "REPLAY_OR_MODEL"} {
		l, err := load(t, config.Options{Environ: []string{"TAPLOOP_MODEL_" + key + "=x.yaml",
			"TAPLOOP_LOOP_ASK_EARLY=on"}})
		require.NoError(t, err)
		require.False(t, l.AsksEarly(), key)
	}
}
