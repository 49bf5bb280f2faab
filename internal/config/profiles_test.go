package config_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/model"
)

const twoModels = `
model: {base_url: "http://home/v1", name: plain, api_key: sk-home, temperature: 0.3}
models:
  qwen2.5-vl: {base_url: "http://far/v1", name: "org/Qwen2.5-VL-7B", lang: en, prompt_price: 0.5}
  hot: {temperature: 1.5, extra: {top_k: 3}}
  keyed: {api_key: sk-profile}
  near: {base_url: "http://home/v1"}
`

func TestAProfileStandsWhereAModelIsNamed(t *testing.T) {
	file := write(t, "c.yaml", twoModels)
	l, err := load(t, config.Options{File: file})
	require.NoError(t, err)
	require.Equal(t, "plain", l.Model.Name)
	require.Empty(t, l.Profile)

	l, err = load(t, config.Options{File: file, Flags: map[string]any{"model.name": "qwen2.5-vl"}})
	require.NoError(t, err)
	require.Equal(t, "qwen2.5-vl", l.Profile)
	require.Equal(t, "org/Qwen2.5-VL-7B", l.Model.Name)
	require.Equal(t, "http://far/v1", l.Model.BaseURL)
	require.Equal(t, 0.3, l.Model.Temperature, "what a profile leaves out is the model's")
	require.Equal(t, 0.5, l.Model.PromptPrice)
	require.Empty(t, l.Model.APIKey, "a key goes only to the endpoint that it was given for")
	require.Equal(t, "models.qwen2.5-vl.lang", l.Origin("model.lang"))
	require.Equal(t, "http://far/v1", l.Caption.BaseURL)

	l, err = load(t, config.Options{File: file,
		Environ: []string{"TAPLOOP_MODEL_NAME=hot", "TAPLOOP_MODEL_TEMPERATURE=0.1"},
		Flags:   map[string]any{"model.base_url": "http://flag/v1"}})
	require.NoError(t, err)
	require.Equal(t, "hot", l.Model.Name, "a profile without a name is named as the model is")
	require.Equal(t, 1.5, l.Model.Temperature)
	require.EqualValues(t, 3, l.Model.Extra["top_k"])
	require.Equal(t, model.Secret("sk-home"), l.Model.APIKey, "the endpoint is the same")
	require.Equal(t, "http://flag/v1", l.Model.BaseURL, "the command line wins")

	l, err = load(t, config.Options{File: file, Flags: map[string]any{"model.name": "near"}})
	require.NoError(t, err)
	require.Equal(t, model.Secret("sk-home"), l.Model.APIKey, "the endpoint is the same")

	l, err = load(t, config.Options{File: file, Flags: map[string]any{"model.name": "keyed"}})
	require.NoError(t, err)
	require.Equal(t, model.Secret("sk-profile"), l.Model.APIKey)
}

func TestAProfileThatCannotBeIsNamedAlsoWhenItIsNotUsed(t *testing.T) {
	for yaml, want := range map[string]string{
		"models: {a: {nmae: x}}": `in models.a: there is no setting "model.nmae"`,
		"models: {a.b: {temperature: hot}}": `model.temperature is "hot" ` +
			`(from models.a.b.temperature)`,
		"models: {a: {temperature: 3}}": `model.temperature is 3 ` +
			`(from models.a.temperature)`,
		"models: {a: just-a-name}":             "models.a is no model",
		"models: [a, b]":                       "models is no map",
		"models: {'': {name: x}}":              "is no model",
		"models: {a: {record: r, replay: r}}":  "both set",
		"models: {a: {timeout: 3}}":            "model.timeout is 3 (from models.a.timeout)",
		"models: {a: {prompt_price: -0.0001}}": "model.prompt_price",
	} {
		_, err := load(t, config.Options{File: write(t, "c.yaml", yaml)})
		require.ErrorContains(t, err, want, yaml)
		require.NotEmpty(t, hint.Of(err), yaml)
	}
	_, err := load(t, config.Options{Flags: map[string]any{"models.a.name": "x"}})
	require.ErrorContains(t, err, "models.a.name cannot be set on the command line")
}

func TestAProfilesKeyIsNeverPrinted(t *testing.T) {
	l, err := load(t, config.Options{File: write(t, "c.yaml", twoModels),
		Flags: map[string]any{"model.name": "keyed"}})
	require.NoError(t, err)
	asJSON, err := json.Marshal(l.Models)
	require.NoError(t, err)
	printed := fmt.Sprintf("%v %+v %#v %s", l.Config, l.Values(), l, asJSON)
	require.NotContains(t, printed, "sk-")
	require.Contains(t, string(asJSON), `"api_key":"[secret]"`)
}
