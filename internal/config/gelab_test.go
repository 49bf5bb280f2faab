package config_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/screen"
)

// The flow style with comments and trailing commas is how these files are found on disk.
const gelabServerYAML = `
agent_loop_config: {
  task_type: "some_task", # kept by nobody
  model_config: {
    model_name: "gelab-zero-4b-preview",
    model_provider: "local",
    args: { temperature: 0, top_p: 0.9, frequency_penalty: 0.0, max_tokens: 2048, },
    image_preprocess: { is_resize: true, target_image_size: [640, 480], },
  },
  max_steps: 25,
  delay_after_capture: 2,
  reply_config: { model_config: { model_name: "big", model_provider: "cloud", }, },
  caption_config: { model_name: "big", model_provider: "cloud", },
}
server_config: { mcp_server_port: 8704, log_dir: "logs", debug: false, }
`

const gelabModelYAML = `
local:
    api_base: "http://localhost:11434/v1"
    api_key: "EMPTY"
cloud:
    api_base: "https://models.example/v1"
    api_key: "sk-cloud"
`

func TestAnImportedFileMeansTheSame(t *testing.T) {
	server, models := write(t, "mcp_server_config.yaml", gelabServerYAML),
		write(t, "model_config.yaml", gelabModelYAML)
	file, notes, err := config.ImportGelab(server, models)
	require.NoError(t, err)
	require.NotEmpty(t, notes)

	l, err := load(t, config.Options{File: write(t, "taploop.yaml", string(file))})
	require.NoError(t, err, "the imported file must load:\n%s", file)
	require.Equal(t, "gelab-zero-4b-preview", l.Model.Name)
	require.Empty(t, l.Model.APIKey, "EMPTY is a placeholder, not a key")
	require.Zero(t, l.Model.Temperature)
	require.Equal(t, 2048, l.Model.MaxTokens)
	require.Equal(t, "640x480", l.Model.ImageSize)
	require.Equal(t, 25, l.Loop.MaxSteps)
	require.Equal(t, "127.0.0.1:8704", l.HTTP.Addr)
	require.Equal(t, "https://models.example/v1", l.Caption.BaseURL)
	require.Equal(t, "sk-cloud", string(l.Caption.APIKey))
}

func TestFramesThatWereNotResizedAreSentWhole(t *testing.T) {
	server := write(t, "s.yaml", strings.ReplaceAll(gelabServerYAML, "is_resize: true",
		"is_resize: false"))
	file, _, err := config.ImportGelab(server, write(t, "m.yaml", gelabModelYAML))
	require.NoError(t, err)
	l, err := load(t, config.Options{File: write(t, "taploop.yaml", string(file))})
	require.NoError(t, err)
	require.Equal(t, screen.FullSize, l.Model.ImageSize)
}

func TestAnImportThatCannotWorkSaysWhy(t *testing.T) {
	models := write(t, "model_config.yaml", gelabModelYAML)
	_, _, err := config.ImportGelab(write(t, "s.yaml",
		strings.ReplaceAll(gelabServerYAML, `"local"`, `"nowhere"`)), models)
	require.ErrorContains(t, err, `no provider "nowhere"`)
	_, _, err = config.ImportGelab(write(t, "s.yaml", "agent_loop_config: {}"), models)
	require.ErrorContains(t, err, "names no model provider")
	require.Contains(t, hint.Of(err), "agent_loop_config.model_config.model_provider")
	_, _, err = config.ImportGelab("/no/such/file", models)
	require.ErrorIs(t, err, os.ErrNotExist)
	_, _, err = config.ImportGelab(write(t, "s.yaml", "agent_loop_config: ["), models)
	require.ErrorContains(t, err, "s.yaml")
	_, _, err = config.ImportGelab(write(t, "s.yaml", gelabServerYAML),
		write(t, "m.yaml", "local: {api_base: EMPTY}"))
	require.ErrorContains(t, err, "no api_base")
}

func TestAnImportSaysAllThatItLeavesOut(t *testing.T) {
	server := write(t, "s.yaml", strings.NewReplacer("args: {", "args: { seed: 7,",
		"server_config: {", "server_config: { host: 0.0.0.0,").Replace(gelabServerYAML)+`
extra: { "a\u001b[31m": [1, 2], nothing: , }
`)
	models := write(t, "m.yaml", gelabModelYAML+`
    organization: "sk-secret"
unused:
    api_base: "https://other.example/v1"
    api_key: "sk-unused"
`)
	_, notes, err := config.ImportGelab(server, models)
	require.NoError(t, err)
	require.Equal(t, []string{
		"the server listens on loopback only; gelab-zero listened on every interface",
		"agent_loop_config.delay_after_capture was not taken over: a run waits until the screen " +
			"is still, at most loop.settle_timeout",
		"agent_loop_config.model_config.args.seed was not taken over: write it under model.extra " +
			"as seed",
		"agent_loop_config.task_type was not taken over: how the model is prompted and read is " +
			"model.dialect",
		"extra.a[31m was not taken over: there is no setting for it",
		"extra.nothing was not taken over: there is no setting for it",
		"server_config.debug was not taken over: -v logs what happens inside",
		"server_config.host was not taken over: the address with its port is http.addr",
		"server_config.log_dir was not taken over: sessions are kept under data_dir",
		"cloud.organization was not taken over: there is no setting for it",
		"provider unused was not taken over: no model is there",
	}, notes)
	require.NotContains(t, strings.Join(notes, " "), "sk-")

	bare := write(t, "bare.yaml", `
agent_loop_config: { model_config: { model_name: "m", model_provider: "local" } }
`)
	_, notes, err = config.ImportGelab(bare, write(t, "m2.yaml",
		`local: { api_base: "http://localhost:1/v1", api_key: "EMPTY" }`))
	require.NoError(t, err)
	require.Empty(t, notes, "nothing is left out")
}
