package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/terminal/usage"
)

// misused calls the program wrongly and gives what it says.
func misused(t *testing.T, args []string) (stdout, said string) {
	t.Helper()
	var out, errs bytes.Buffer
	dir := t.TempDir()
	environ := []string{"TAPLOOP_DATA_DIR=" + filepath.Join(dir, "data"), "XDG_CONFIG_HOME=" + dir,
		"TAPLOOP_ADB_SERVER=127.0.0.1:1", "TAPLOOP_ADB_PATH=" + filepath.Join(dir, "no-adb")}
	code := run(t.Context(), args, environ, streams{strings.NewReader(""), &out, &errs})
	said = errs.String()
	require.Equal(t, exitUsage, code, "%q: %s", args, said)
	require.Regexp(t, `(?m)^taploop: .+`, said, "%q", args)
	require.Regexp(t, `(?m)^  try: \S+`, said, "%q", args)
	return out.String(), said
}

// leafNodes are the commands that do something, in their order.
func leafNodes(t *testing.T) []*kong.Node {
	t.Helper()
	parser, err := newParser(new(commands), streams{}, "", nil)
	require.NoError(t, err)
	all := parser.Model.Leaves(true)
	require.Greater(t, len(all), 20)
	return all
}

func TestEveryCommandSaysHowItIsCalled(t *testing.T) {
	t.Parallel()
	settings := map[string]bool{} // whose values were tried at some command
	for _, n := range leafNodes(t) {
		words := usage.Path(n)
		command := strings.Fields(words)
		with := func(more ...string) []string { return slices.Concat(command, more) }
		var given []string
		for i, p := range n.Positional {
			if p.Required {
				_, said := misused(t, with(given...))
				require.Contains(t, said, "taploop "+words, "without %s", p.Name)
				emptied := append(slices.Clone(given), "")
				for _, later := range n.Positional[i+1:] {
					if later.Required {
						emptied = append(emptied, "misuse_test.go")
					}
				}
				_, said = misused(t, with(emptied...))
				require.Regexp(t, `empty|is a directory|but got ""`, said, "%s: %s", words, p.Name)
			}
			file := filepath.Join(t.TempDir(), "file")
			if p.Tag.Type == "existingfile" {
				_, said := misused(t, with(append(given, file)...))
				require.Contains(t, said, file)
				file = "misuse_test.go"
			}
			if p.Required {
				given = append(given, file)
			}
		}
		full := given
		for range len(n.Positional) - len(given) {
			full = append(full, "file")
		}
		if last := len(n.Positional) - 1; last < 0 || !n.Positional[last].IsCumulative() {
			_, said := misused(t, with(append(full, "onetoomany")...))
			require.Contains(t, said, "onetoomany", words)
		}
		_, said := misused(t, with("--nosuchflag"))
		require.Contains(t, said, "--nosuchflag", words)
		require.Contains(t, said, "taploop "+words, words)
		for _, f := range n.Flags {
			if f.Required {
				_, said := misused(t, command)
				require.Contains(t, said, "--"+f.Name)
				given = append(given, "--"+f.Name)
				if !f.IsBool() {
					given = append(given, map[string]string{"client": "cursor", "from": "sqlite:",
						"to": "sqlite:", "older-than": "720h"}[f.Name])
				}
			}
		}
		for _, f := range n.Flags {
			if f.Tag.Get("key") != "" { // the setting's check refuses it at every command
				id := fmt.Sprint(f.Tag.Get("key"), f.Target.Type(), f.Enum)
				if settings[id] {
					continue
				}
				settings[id] = true
			}
			flagMisused(t, with, given, f)
		}
	}
	_, said := misused(t, []string{"sessions"})
	require.Contains(t, said, `"list"`)
	_, said = misused(t, []string{"setup", "--print"})
	require.Contains(t, said, "--client")
	_, said = misused(t, []string{"sessions", "show", "one", "two"})
	require.Contains(t, said, "taploop sessions show --help")
	_, said = misused(t, []string{"run", "Set", "an", "alarm"})
	require.Contains(t, said, `put the task in quotes: taploop run "..."`)
	_, said = misused(t, []string{"devices", strings.Repeat("x", 100_000)})
	require.Less(t, len(said), 1000)
}

// flagMisused gives a flag no value, an empty one, and such as it does not take.
func flagMisused(t *testing.T, with func(...string) []string, given []string, f *kong.Flag) {
	t.Helper()
	name := "--" + f.Name
	if f.IsBool() {
		if f.Name != "http" { // --http=ADDR has a value
			_, said := misused(t, with(append(given, name+"=hot")...))
			require.Contains(t, said, `"hot"`, name)
		}
		return
	}
	_, said := misused(t, with(append(given, name)...))
	require.Contains(t, said, name)
	if f.Name == "reply" || f.Name == "field" || f.Name == "set" { // its text is somebody's words
		return
	}
	if f.Tag.Get("empty") == "" {
		_, said = misused(t, with(append(given, name, "")...))
		require.Contains(t, said, f.Name)
	}
	var absurd []string
	checked := map[string]bool{"model.lang": true, "reply.mode": true, "privacy": true,
		"schemas": true, "compat": true, "model.replay_tolerance": true}
	if f.Name == "max-steps" {
		absurd = []string{"1001"}
	}
	switch kind := f.Target.Kind(); {
	case f.Enum != "" || checked[f.Tag.Get("key")]:
		absurd = []string{"hot", "-1"}
	case kind == reflect.Int:
		absurd = append(absurd, "hot", "-1", "99999999999999999999", "1.5")
		if f.Tag.Get("from") == "1" {
			absurd = append(absurd, "0")
		}
	case kind == reflect.Float64:
		absurd = []string{"hot", "-1", "NaN"}
	case kind == reflect.Int64: // a duration
		absurd = []string{"hot", "-1h", "0", "0s", "99999999999h"}
	}
	for _, value := range absurd {
		for _, args := range [][]string{{name, value}, {name + "=" + value}} {
			_, said := misused(t, with(append(given, args...)...))
			require.Contains(t, said, strings.TrimSuffix(value, "s"), "%s", args)
			require.Regexp(t, "want |use one of |expected |must be ", said, "%s", args)
		}
	}
}

func TestACommandThatPromisesJSONWritesItAlsoWhenItIsCalledWrongly(t *testing.T) {
	for _, args := range [][]string{
		{"run", "--json"}, {"continue", "--json", "a", "b", "c"}, {"run", "x", "--json", "--nope"},
		{"run", "--json", "--max-steps", "0", "x"}, {"run", "--json", "--set", "nope=1", "x"},
		{"continue", "--json", "--reply", "a", "--refuse"}, {"run", "--json", "--lang", "fr", "x"},
		{"run", "--json", "--serial", "", "x"},
	} {
		stdout, said := misused(t, args)
		var got struct {
			Answer, Question any
			Next             struct{ Command string }
			Error            struct{ Code, Message, Mend string }
		}
		require.NoError(t, json.Unmarshal([]byte(stdout), &got), "%q: %s", args, stdout)
		require.Equal(t, "INVALID_ARGUMENT", got.Error.Code, "%q", args)
		require.Contains(t, said, fmt.Sprintf("taploop: %s\n", got.Error.Message), "%q", args)
		require.Contains(t, said, got.Error.Mend, "%q", args)
		require.Equal(t, "taploop "+args[0]+" --help", got.Next.Command)
	}
	stdout, _ := misused(t, []string{"run", "--nope", "--", "--json"})
	require.Empty(t, stdout)
}
