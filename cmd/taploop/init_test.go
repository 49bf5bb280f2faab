//go:build unix

package main

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/hint"
)

const goodKey = "sk-test-71c2"

// firstTime is a machine on which nothing is configured but the ADB server, with a model that wants
// a key. file is the configuration file.
func firstTime(t *testing.T) (b *testEnv, address, file string) {
	b = newTestEnv(t, demoTask, "")
	var behind string
	b.env = slices.DeleteFunc(b.env, func(v string) bool {
		if base, ok := strings.CutPrefix(v, "TAPLOOP_MODEL_BASE_URL="); ok {
			behind = strings.TrimSuffix(base, "/v1")
		}
		return strings.HasPrefix(v, "TAPLOOP_MODEL_")
	})
	target, err := url.Parse(behind)
	require.NoError(t, err)
	proxy := httputil.NewSingleHostReverseProxy(target)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+goodKey {
			http.Error(w, `{"error":{"message":"wrong key"}}`, http.StatusUnauthorized)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return b, s.URL + "/v1", filepath.Join(b.dir, "config", "taploop.yaml")
}

// typedLines are lines as they are piped in.
func typedLines(lines ...string) string { return strings.Join(lines, "\n") + "\n" }

func TestInitOnAPipeWritesATriedConfiguration(t *testing.T) {
	t.Parallel()
	b, address, file := firstTime(t)
	cursor := filepath.Join(b.dir, ".cursor", "mcp.json")
	require.NoError(t, os.MkdirAll(filepath.Dir(cursor), 0o700))
	require.NoError(t, os.WriteFile(cursor, []byte("{}"), 0o600))
	out, errs, code := b.feed(typedLines("no such", "openay", "other", "ftp://x", address+"/chat/completions",
		"two words", goodKey, "", "scripted", "2", "2", "perhaps", "y", "y", "y", "41"), "init")
	require.Zero(t, code, "%s", errs)
	require.NotContains(t, out+errs, goodKey)
	require.Contains(t, errs, `"no such" is not one of these answers`)
	require.Contains(t, errs, `"openay" is not one of these answers; did you mean openai?`)
	require.Contains(t, errs, "write an address that begins with http")
	require.Contains(t, errs, "a key is one word")
	require.Contains(t, errs, "a model has a name")
	require.Contains(t, errs, file+" will be new")
	require.Contains(t, errs, "[model.ready]")
	require.Contains(t, errs, "taploop is set up.")
	require.Regexp(t, `\.html\n$`, out, "the demo was shown, and answered from the same pipe")
	require.Contains(t, errs, "added the entry taploop to "+cursor)

	keys := filepath.Join(filepath.Dir(file), "taploop-other.key")
	written, err := os.ReadFile(file)
	require.NoError(t, err)
	require.YAMLEq(t, "adb: {serial: "+b.sim.Serial+"}\nmodel: {api_key_file: "+keys+
		", base_url: "+address+", lang: en, name: scripted}", string(written))
	key, err := os.ReadFile(keys)
	require.NoError(t, err)
	require.Equal(t, goodKey+"\n", string(key))
	for _, secret := range []string{file, keys} {
		info, err := os.Stat(secret)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), secret)
	}
	_, errs, code = b.feed("", "run", "--reply-mode", "pass_to_client", b.task.Goal)
	require.Equal(t, exitWaiting, code, "a task begins with what was written: %s", errs)
}

// Wherever the answers end before the agreement, nothing is written.
func TestInitThatIsLeftWritesNothing(t *testing.T) {
	t.Parallel()
	b, address, file := firstTime(t)
	all := []string{"other", address, goodKey, "scripted", "", ""}
	for n := range len(all) + 1 {
		input := ""
		if n > 0 {
			input = typedLines(all[:n]...)
		}
		_, errs, code := b.feed(input, "init")
		require.Equal(t, exitError, code, "%s", errs)
		require.Contains(t, errs, "nothing was written")
		require.Contains(t, errs, "try: run taploop init at a terminal")
		require.NoDirExists(t, filepath.Dir(file), "%q", all[:n])
	}
	_, errs, code := b.feed(typedLines(append(all, "n")...), "init")
	require.Zero(t, code)
	require.Contains(t, errs, "Nothing was written.")
	require.NoDirExists(t, filepath.Dir(file))
}

func TestInitShowsWhatChangesInAFileThatIsThere(t *testing.T) {
	t.Parallel()
	b, address, file := firstTime(t)
	before := "# mine\nmodel:\n  name: old # the one\n  api_key: sk-old-1234\n  dialect: gelab\n" +
		"models:\n  other:\n    name: x\n    api_key: >-\n      sk-lines-9999\n" +
		"loop:\n  max_steps: 7 # few\n"
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	require.NoError(t, os.WriteFile(file, []byte(before), 0o600))
	answers := []string{"other", address, goodKey, "scripted", "zh", ""}
	for _, last := range []string{"", "n"} { // Enter is no yes
		_, errs, code := b.feed(typedLines(append(answers, last)...), "init")
		require.Zero(t, code, "%s", errs)
		require.Contains(t, errs, "is there already, and would change like this")
		require.Contains(t, errs, "\n-  name: old # the one\n")
		require.Contains(t, errs, "\n+  name: scripted # the one\n")
		require.Contains(t, errs, "\n-  api_key: [secret]\n")
		require.NotContains(t, errs, "sk-", "neither an old key nor the new one is shown")
		kept, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, before, string(kept))
		require.NoFileExists(t, filepath.Join(filepath.Dir(file), "taploop-other.key"))
	}
	_, errs, code := b.feed(typedLines(append(answers, "y")...), "init")
	require.Zero(t, code, "%s", errs)
	require.Contains(t, errs, "[model.ready]")
	after, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(after), "  max_steps: 7 # few\n")
	require.NotContains(t, string(after), "sk-old")
	require.Contains(t, string(after), "  dialect: auto\n", "another model is read in its own way")
	_, errs, code = b.feed(typedLines(append(answers, "y")...), "init")
	require.Zero(t, code, "%s", errs)
	require.Contains(t, errs, "says all of this already")
}

func TestInitAsksForAnotherKeyWhenOneIsRefused(t *testing.T) {
	t.Parallel()
	b, address, file := firstTime(t)
	_, errs, code := b.feed(typedLines("other", address, "sk-wrong", "scripted", "en", "", "y",
		goodKey, "n"), "init")
	require.Zero(t, code, "%s", errs)
	require.Regexp(t, `(?s)\[model\.key\].*Type another key.*\[model\.ready\]`, errs)
	require.NotContains(t, errs, "sk-")
	for _, left := range []string{"", "\n"} { // the end of the input, and Enter
		_, errs, code = b.feed(typedLines("other", address, "sk-wrong", "scripted", "en", "",
			"y")+left, "init")
		require.Equal(t, exitError, code, "%s", errs)
		require.Contains(t, errs, "something does not work yet")
		require.FileExists(t, file)
	}
}

func TestInitRefersToTheVariableThatHasTheKey(t *testing.T) {
	t.Parallel()
	b, _, file := firstTime(t)
	b.env = append(b.env, "OPENAI_API_KEY="+goodKey)
	_, errs, _ := b.feed(typedLines("openai", "1", "", "1", "y"), "init")
	require.Contains(t, errs, "The key is in $OPENAI_API_KEY")
	written, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(written), "api_key_env: OPENAI_API_KEY\n")
	require.NotContains(t, errs+string(written), goodKey)
}

func TestInitSpeaksTheLanguageOfTheTerminal(t *testing.T) {
	t.Parallel()
	b, address, _ := firstTime(t)
	b.env = append(b.env, "LC_ALL=zh_CN.UTF-8")
	_, errs, code := b.feed(typedLines("other", address, goodKey, "scripted", "", "", "是"), "init")
	require.Zero(t, code, "%s", errs)
	require.Contains(t, errs, "模型由谁提供？")
	require.Contains(t, errs, "taploop 已经设置好。")
	require.NotRegexp(t, `(?m)^\w+ (is|will|was|the) `, errs)
}

func TestInitWithNobodyToAnswerSaysSo(t *testing.T) {
	t.Parallel()
	null, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer null.Close()
	a := &invocation{streams: streams{in: null, out: os.Stdout, err: new(strings.Builder)}}
	err = new(initCmd).Run(t.Context(), a)
	require.ErrorContains(t, err, "neither a terminal nor piped input")
	require.NotEmpty(t, hint.Of(err))
}
