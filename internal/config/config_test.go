package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/model"
)

// write puts text into a file of its own and returns its path.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// load loads with a data folder that exists and nothing of this machine.
func load(t *testing.T, o config.Options) (*config.Loaded, error) {
	t.Helper()
	o.Environ = append([]string{"XDG_CONFIG_HOME=" + t.TempDir(), "XDG_DATA_HOME=/data"},
		o.Environ...)
	return config.Load(&o)
}

func TestDefaultsStandAlone(t *testing.T) {
	l, err := load(t, config.Options{})
	require.NoError(t, err)
	require.Equal(t, "/data/taploop", l.DataDir)
	require.Equal(t, "http://localhost:11434/v1", l.Model.BaseURL)
	require.Equal(t, 90*time.Second, l.Model.Timeout)
	require.Equal(t, 40, l.Loop.MaxSteps)
	require.Equal(t, "pass_to_client", l.Reply.Mode)
	require.Equal(t, "auto", l.Model.ImageSize)
	require.Equal(t, "auto", l.Model.Coordinates)
	require.Equal(t, l.Model.Name, l.Caption.Name,
		"the captioning model is the deciding one unless set")
	require.Equal(t, "default", l.Origin("model.name"))
}

func TestLayersRiseFromFileToEnvironmentToFlags(t *testing.T) {
	file := write(t, "c.yaml",
		"model: {name: from-file, lang: en, temperature: 0, timeout: 10s}\n"+
			"loop:\n  max_steps: 7\napps:\n  My App: com.example.app\n")
	l, err := load(t, config.Options{
		File: file,
		Environ: []string{"TAPLOOP_MODEL_NAME=from-env", "TAPLOOP_LOOP_MAX_STEPS=8",
			"TAPLOOP_TEST_SERIAL=x", "HOME=/h"},
		Flags: map[string]any{"loop.max_steps": "9"},
	})
	require.NoError(t, err)
	require.Equal(t, "from-env", l.Model.Name)
	require.Equal(t, 9, l.Loop.MaxSteps)
	require.Zero(t, l.Model.Temperature)
	require.Equal(t, 10*time.Second, l.Model.Timeout)
	require.Equal(t, map[string]string{"My App": "com.example.app"}, l.Apps)
	origins := []string{l.Origin("model.lang"), l.Origin("model.name"), l.Origin("loop.max_steps"),
		l.Origin("apps"), l.Origin("privacy")}
	require.Equal(t, []string{file, "TAPLOOP_MODEL_NAME", "flag", file, "default"}, origins)
}

func TestBadInputIsNamedWithItsPlaceAndHint(t *testing.T) {
	for _, c := range []struct {
		name, file string
		environ    []string
		want, hint string
	}{
		{"unknown key", "model: {nmae: x}", nil, `there is no setting "model.nmae"`,
			"did you mean model.name?"},
		{"unknown group", "zebra: {stripes: 3}", nil, `there is no setting "zebra.stripes"`,
			"remove it"},
		{"unknown environment name", "", []string{"TAPLOOP_MODEL_NAEM=x"},
			"there is no setting TAPLOOP_MODEL_NAEM", "did you mean TAPLOOP_MODEL_NAME?"},
		{"a word for a whole number", "loop: {max_steps: many}", nil, `loop.max_steps is "many"`,
			"want a whole number from 1 to 10000"},
		{"a word for a number", "", []string{"TAPLOOP_MODEL_TEMPERATURE=hot"},
			`model.temperature is "hot" (from TAPLOOP_MODEL_TEMPERATURE)`,
			"want a number from 0 to 2"},
		{"a word for a switch", "notify: {text: perhaps}", nil, `notify.text is "perhaps"`,
			"want true or false"},
		{"duration without unit", "model: {timeout: 90}", nil, "model.timeout is 90",
			"want a duration such as 90s"},
		{"size without unit", "retention: {disk: 2}", nil, "retention.disk is 2",
			"want a size such as 2GB or 500MB"},
		{"size of a wish", "", []string{"TAPLOOP_RETENTION_DISK=2.5 "}, "retention.disk is 2.5",
			"want a size such as 2GB or 500MB"},
		{"negative steps", "", []string{"TAPLOOP_LOOP_MAX_STEPS=-1"},
			"loop.max_steps is -1 (from TAPLOOP_LOOP_MAX_STEPS)", "from 1 to 10000"},
		{"temperature that is no number", "model: {temperature: .nan}", nil,
			"model.temperature is NaN", "from 0 to 2"},
		{"zero time-out", "model: {timeout: 0s}", nil, "model.timeout is 0s", "above 0"},
		{"image size in words", "model: {image_size: huge}", nil, `model.image_size is "huge"`,
			"WxH"},
		{"image size with a tail", "model: {image_size: 728x728x3}", nil, `model.image_size`,
			"WxH"},
		{"coordinates that are none", "model: {coordinates: 1000 xy}", nil,
			`model.coordinates is "1000 xy"`, "auto, or 1000, 999, 1 for fractions, or pixels"},
		{"group given as a word", "model: fast", nil, `model`, ""},
		{"no YAML", "model: {name: [", nil, "is not valid YAML", "correct the line"},
		{"a list at the top", "- a\n- b\n", nil, "is not valid YAML", "correct the line"},
		{"a bomb of brackets", "model: " + strings.Repeat("[", 100_000), nil, "is no configuration",
			"taploop.yaml"},
		{"deep brackets", "a: " + strings.Repeat("[", 33), nil, "nested too deeply",
			"taploop.yaml"},
		{"deep dashes", strings.Repeat("- ", 100), nil, "nested too deeply", "taploop.yaml"},
		{"a bomb of aliases", "a: &a [x]\nb: [" + strings.Repeat("*a, ", 30) + "]\n", nil,
			"aliases", "taploop.yaml"},
		{"a second document", "model: {name: x}\n---\nmodel: {name: y}\n", nil,
			"more than one document", "taploop.yaml"},
		{"both record and replay", "model: {record: a, replay: b}", nil, "both set", "keep one"},
		{"unknown field of a client", "calls: {clients: {cursor: {wiat: 3s}}}", nil,
			`there is no setting "calls.clients.cursor.wiat"`, ""},
		{"a client's name with a dot", "calls: {clients: {a.b: {wait: 3s}}}", nil,
			`there is no setting "calls.clients.a.b.wait"`, ""},
		{"a client's wait without a unit", "calls: {clients: {cursor: {wait: 3}}}", nil,
			`has no unit`, "90s"},
		{"a client's negative wait", "calls: {clients: {cursor: {wait: -3s}}}", nil,
			`calls.clients.cursor is`, "above 0"},
		{"an origin with a path", "", []string{"TAPLOOP_HTTP_ORIGINS=https://a.example/x"},
			`http.origins is "https://a.example/x" (from TAPLOOP_HTTP_ORIGINS)`, "without a path"},
		{"a host that is an address", "http: {hosts: [\"http://a.example\"]}", nil,
			`http.hosts is "http://a.example"`, "names"},
		{"a machine without TLS", "farm: {addr: \"http://berlin:8702\"}", nil,
			`farm.addr is "http://berlin:8702"`, "https://HOST:PORT"},
		{"a machine's address with a path", "farm: {addr: \"https://berlin/x\"}", nil,
			`farm.addr is "https://berlin/x"`, "https://HOST:PORT"},
		{"a machine without a scheme", "farm: {addr: \"10.0.0.5:8702\"}", nil,
			`farm.addr is "10.0.0.5:8702"`, "https://HOST:PORT"},
		{"key twice", "model: {api_key: k, api_key_file: /k}", nil,
			"both model.api_key and model.api_key_file", "keep one"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := load(t, config.Options{File: write(t, "c.yaml", c.file), Environ: c.environ})
			require.ErrorContains(t, err, c.want)
			require.Contains(t, hint.Of(err), c.hint)
		})
	}
}

func TestOnlyTheValueThatWasGivenIsFaulty(t *testing.T) {
	for path, value := range map[string]string{"model.lang": "fr", "model.timeout": "-3s"} {
		_, err := load(t, config.Options{Flags: map[string]any{path: value}})
		require.ErrorContains(t, err, path+" is ")
		require.NotContains(t, err.Error(), "caption.")
		_, err = load(t, config.Options{Flags: map[string]any{
			strings.Replace(path, "model", "caption", 1): value}})
		require.ErrorContains(t, err, "caption.")
	}
}

func TestAttentionEndsWithTheQuestion(t *testing.T) {
	l, err := load(t, config.Options{Flags: map[string]any{"questions.ttl": "5m"}})
	require.NoError(t, err)
	require.Equal(t, 5*time.Minute, l.Questions.Attention)
	_, err = load(t, config.Options{Flags: map[string]any{"questions.ttl": "-5m"}})
	require.ErrorContains(t, err, "questions.ttl is -5m")
	require.NotContains(t, err.Error(), "questions.attention")
}

func TestListsAndClientsAreReadFromEveryLayer(t *testing.T) {
	l, err := load(t, config.Options{
		File: write(t, "c.yaml",
			"http: {hosts: [a.example, 'b.example:8443']}\n"+
				"calls:\n  clients:\n    Visual Studio Code: {wait: 2m, max_wait: 4m}\n"),
		Environ: []string{"TAPLOOP_HTTP_ORIGINS=https://a.example, http://b.example:1 ,",
			"TAPLOOP_TOKEN=of-a-client", "TAPLOOP_APPS=",
			"TAPLOOP_FARM_LABELS=site=berlin, of.rack = 4=b ,"},
		Flags: map[string]any{"calls.clients.cursor-vscode.wait": "20s"},
	})
	require.NoError(t, err)
	require.Equal(t, []string{"a.example", "b.example:8443"}, l.HTTP.Hosts)
	require.Equal(t, []string{"https://a.example", "http://b.example:1"}, l.HTTP.Origins)
	require.Equal(t, map[string]config.ClientCalls{
		"Visual Studio Code": {Wait: 2 * time.Minute, MaxWait: 4 * time.Minute},
		"cursor-vscode":      {Wait: 20 * time.Second}}, l.Calls.Clients)
	require.Equal(t, map[string]string{"site": "berlin", "of.rack": "4=b"}, l.Farm.Labels)
	_, err = load(t, config.Options{Environ: []string{"TAPLOOP_FARM_LABELS=berlin"}})
	require.ErrorContains(t, err, `"berlin" has no value (want NAME=VALUE,NAME=VALUE)`)
	l, err = load(t, config.Options{Environ: []string{"TAPLOOP_FARM_LABELS={site: berlin, rack: '4,b'}"}})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"site": "berlin", "rack": "4,b"}, l.Farm.Labels)
	for _, wrong := range []string{"api=99", "=b", "{worker: w1}", "{site: ", "{site: {a: b}}"} {
		_, err = load(t, config.Options{Environ: []string{"TAPLOOP_FARM_LABELS=" + wrong}})
		require.Error(t, err, wrong)
	}
	_, err = load(t, config.Options{File: write(t, "c.yaml", "farm: {labels: {device_id: x}}")})
	require.ErrorContains(t, err, "farm.labels.device_id is")
}

func TestAFileThatIsNamedMustExist(t *testing.T) {
	_, err := load(t, config.Options{Environ: []string{"TAPLOOP_CONFIG=/no/such/file.yaml"}})
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NotEmpty(t, hint.Of(err))
}

func TestKeysOfModelsAreNeverPrinted(t *testing.T) {
	l, err := load(t, config.Options{
		File:    write(t, "c.yaml", "caption: {base_url: http://other/v1}"),
		Environ: []string{"TAPLOOP_MODEL_API_KEY_FILE=" + write(t, "key", "sk-very-secret\n")},
	})
	require.NoError(t, err)
	require.Equal(t, model.Secret("sk-very-secret"), l.Model.APIKey)
	require.Empty(t, l.Caption.APIKey, "a key goes only to the endpoint that it was given for")
	printed := fmt.Sprintf("%v %+v %#v", l.Config, l.Values(), l)
	require.NotContains(t, printed, "very-secret")
}

func TestAFileThatCannotBeReadIsNotQuoted(t *testing.T) {
	for _, file := range []string{
		"model: {api_key: top-secret-1", "model:\n  api_key: \"top-secret-1\n", "model:\n api_key: top-secret-1\n  x: y",
		"model: {api_key: [top-secret-1]}", "model:\n  api_kye: top-secret-1",
		"model:\n\tapi_key: top-secret-1", "- top-secret-1", "model: {api_key: top-secret-1}}",
	} {
		_, err := load(t, config.Options{File: write(t, "c.yaml", file)})
		require.Error(t, err, file)
		require.NotContains(t, err.Error(), "top-secret-1")
	}
}

func TestEveryKeyHasAnEnvironmentName(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range config.Keys() {
		texts := k.Path == "apps" || k.Path == "farm.labels"
		if k.Open && !texts || k.Path == "notify.webhooks" || k.Path == "guard.rules" {
			require.Empty(t, k.Env)
			continue
		}
		require.Equal(t, "TAPLOOP_"+strings.ToUpper(strings.ReplaceAll(k.Path, ".", "_")), k.Env)
		require.False(t, seen[k.Env], "two keys share %s", k.Env)
		seen[k.Env] = true
	}
	require.True(t, seen["TAPLOOP_CALLS_DETACH_GRACE"])
}

func TestEveryRowOfSettingsIsAKey(t *testing.T) {
	var keys []string
	for _, k := range config.Keys() {
		keys = append(keys, k.Path)
	}
	require.Subset(t, keys, config.SettingPaths())
}

func TestTheAddressOfAMachineHasTLSUnlessOnLoopback(t *testing.T) {
	for _, addr := range []string{"", "https://berlin", "https://10.0.0.5:8702/",
		"http://127.0.0.1:8702", "http://localhost:1", "http://[::1]:8702"} {
		c, err := load(t, config.Options{File: write(t, "c.yaml", "farm: {addr: \""+addr+"\"}")})
		require.NoError(t, err, addr)
		require.Equal(t, addr, c.Farm.Addr)
	}
}
