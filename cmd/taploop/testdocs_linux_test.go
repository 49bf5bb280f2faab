package main

import (
	"cmp"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/adbtest"
	"github.com/taploop/taploop/internal/app/simulation"
	"github.com/taploop/taploop/internal/reporttest"
)

// blocks are the code blocks of a language of a page, without what they are indented by.
func blocks(t *testing.T, page, lang string) (list []string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("../../docs", page))
	require.NoError(t, err)
	fence := regexp.MustCompile("(?ms)^( *)```" + lang + "\n(.*?)^ *```$")
	for _, m := range fence.FindAllStringSubmatch(string(b), -1) {
		list = append(list, regexp.MustCompile("(?m)^"+m[1]).ReplaceAllString(m[2], ""))
	}
	return list
}

// shellLines runs lines in a folder with nothing but these variables, and returns what they print.
func shellLines(t *testing.T, dir, lines string, env ...string) string {
	t.Helper()
	program, err := exec.LookPath("taploop")
	require.NoError(t, err)
	c := exec.CommandContext(t.Context(), "bash", "-ec", lines)
	c.Dir = dir
	home := t.TempDir()
	c.Env = append([]string{"PATH=" + filepath.Dir(program) + ":" + os.Getenv("PATH"),
		"HOME=" + home}, env...)
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

// The page's first test is one that a reader can run from an empty home folder.
func TestTheFirstPhoneTestOfThePageRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	suite := blocks(t, "testing.md", "yaml")[0]
	require.NoError(t, os.WriteFile(filepath.Join(dir, "first.yaml"), []byte(suite), 0o600))
	lines := blocks(t, "testing.md", "sh")
	require.Len(t, lines, 3)
	out := shellLines(t, dir, strings.Join(lines, "\n"))
	require.Equal(t, 3, strings.Count(out, "\n2 passed in "), out)
	require.FileExists(t, filepath.Join(dir, "report", "index.html"))
}

// ofTheRecipes are the shell lines of the files to copy, by file. Folders are of this machine.
func ofTheRecipes(t *testing.T, dir string) map[string]string {
	t.Helper()
	lines := map[string]string{}
	for name, form := range map[string]string{"Jenkinsfile": `sh '(.*)'`,
		"gitlab-ci.yml": `(?m)^  - (.*)`, "github.yml": `script: (.*)`,
		"Dockerfile": `(?s)\nCMD (.*)`} {
		b, err := os.ReadFile(filepath.Join("../../docs/ci", name))
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(form).FindAllStringSubmatch(string(b), -1) {
			lines[name] += m[1] + "\n"
		}
		require.Regexp(t, `taploop test \S+ \$CASSETTES --junit `, lines[name])
		require.Regexp(t, `CASSETTES\W.*--replay`, string(b), "a change is tested without a key")
		require.Regexp(t, `android/avd|\.avd|AVD_HOME=/avd`, string(b), "the snapshot is kept")
	}
	lines["Dockerfile"] = strings.NewReplacer(" /suites", " "+filepath.Join(dir, "tests", "phone"),
		" /out", " "+filepath.Join(dir, "out"), " /emulator.sh", " emulator.sh",
	).Replace(lines["Dockerfile"])
	return lines
}

// sdk puts emulator.sh into the folder, and programs of the SDK that say what they are asked for
// into its folder bin.
func sdk(t *testing.T, dir string) {
	t.Helper()
	b, err := os.ReadFile("../../docs/ci/emulator.sh")
	require.NoError(t, err)
	require.NoError(t, writeFile(filepath.Join(dir, "emulator.sh"), string(b)))
	for _, name := range []string{"emulator", "avdmanager", "adb"} {
		file := filepath.Join(dir, "bin", name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte("#!/bin/sh\necho "+name+" \"$@\" >> "+
			filepath.Join(dir, "sdk.log")+"\n"+
			"case $1 in create) mkdir -p $ANDROID_AVD_HOME/ci.avd;; esac\n"), 0o700))
	}
}

// The recipes' lines run against an emulator of which only the framework is simulated: behind the
// real ADB server and the real daemon. It has the emulator's port to itself: it is not parallel.
func TestTheLinesOfTheRecipesRunBehindTheRealServerAndDaemon(t *testing.T) {
	phone := newPhone()
	sim, err := simulation.Start(t.Context(), phone, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, sim.Close()) })
	server := behindTheRealDaemon(t, sim, adbtest.Daemon{Emulator: true})
	dir := t.TempDir()
	file := filepath.Join(dir, "tests", "phone", "s.yaml")
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	const suite = `
setup: [wait_boot, {animations: off}, {push: {from: s.yaml, to: /data/local/tmp/s.yaml}}]
cases:
- name: dark theme
  task: Turn on the dark theme and turn Wi-Fi off.
  expect:
  - setting: {namespace: global, name: wifi_on, value: 0}
  - file: {path: /data/local/tmp/s.yaml, contains: dark theme}
`
	require.NoError(t, writeFile(file,
		suite+"  - logcat: {tag: ActivityTaskManager, match: com.android.settings}\n"))
	lines := blocks(t, "ci.md", "sh")
	require.Len(t, lines, 1)
	env := []string{"TAPLOOP_ADB_SERVER=" + server, "TAPLOOP_MODEL_BASE_URL=" + sim.Model.BaseURL,
		"TAPLOOP_MODEL_NAME=scripted", "TAPLOOP_MODEL_DIALECT=gelab"}
	out := shellLines(t, dir, lines[0], env...)
	require.Contains(t, out, "emulator-5554")
	require.Contains(t, out, "1 passed in ")
	for _, name := range []string{"junit.xml", "results.json", "report/index.html"} {
		require.FileExists(t, filepath.Join(dir, "out", name))
	}
	require.NoError(t, writeFile(file, suite)) // what is done is not done again
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	lines = regexp.MustCompile(`(?m)^taploop test .*$`).FindAllString(string(readme), -1)
	require.Len(t, lines, 1)
	require.Contains(t, shellLines(t, dir, lines[0], env...), "1 passed in ")
	out = shellLines(t, dir, "taploop test tests/phone --record", env...)
	require.Contains(t, out, "1 passed in ")
	sdk(t, dir)
	env = append(env, "ANDROID_AVD_HOME="+filepath.Join(dir, "avd"))
	half := filepath.Join(dir, "avd", "ci.avd", "half") // of a call that was killed
	require.NoError(t, os.MkdirAll(half, 0o700))
	for name, lines := range ofTheRecipes(t, dir) {
		for mode, base := range map[string]string{"--replay": "http://127.0.0.1:1/v1",
			"--heal": sim.Model.BaseURL} { // a replay asks no model
			out := shellLines(t, dir, "PATH="+filepath.Join(dir, "bin")+":$PATH\n"+lines,
				append(env, "CASSETTES="+mode, "TAPLOOP_MODEL_BASE_URL="+base)...)
			require.Contains(t, out, "1 passed in ", "%s %s", name, mode)
		}
	}
	log, err := os.ReadFile(filepath.Join(dir, "sdk.log"))
	require.NoError(t, err)
	const start = "emulator -avd ci -no-window -noaudio -no-boot-anim -gpu swiftshader_indirect"
	require.Equal(t, "avdmanager create avd -n ci -d pixel_6 -k system-images;android-34;google_apis;x86_64\n"+
		start+"\nadb emu kill\n"+strings.Repeat(start+" -no-snapshot-save\n", 6), string(log),
		"the snapshot is made once")
	require.NoDirExists(t, half)
	b, err := os.ReadFile(filepath.Join(dir, "out", "junit.xml"))
	require.NoError(t, err)
	reporttest.ValidJUnit(t, b)
}

// What the recipes give to the action are inputs of it.
func TestTheActionTakesWhatTheRecipesGive(t *testing.T) {
	action, err := os.ReadFile("../../action.yml")
	require.NoError(t, err)
	var inputs struct {
		Inputs map[string]any `yaml:"inputs"`
	}
	require.NoError(t, yaml.Unmarshal(action, &inputs))
	page, err := os.ReadFile("../../docs/ci.md")
	require.NoError(t, err)
	uses := regexp.MustCompile(`taploop/taploop@v0\n *with: (\{.*\})\n`)
	given := 0
	for _, m := range uses.FindAllStringSubmatch(string(page), -1) {
		var with map[string]string
		require.NoError(t, yaml.Unmarshal([]byte(m[1]), &with))
		for name := range with {
			given++
			require.Contains(t, inputs.Inputs, name)
		}
	}
	require.Equal(t, 3, given)
}

// runner carries out the action's own steps as GitHub's runner does, in a folder.
type runner struct{ dir, temp, out string }

// step runs a step's lines. Its variables are those of the inputs that it names.
func (r *runner) step(t *testing.T, lines string, env map[string]string) error {
	t.Helper()
	top, err := filepath.Abs("../..")
	require.NoError(t, err)
	c := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-eo", "pipefail",
		"-c", lines)
	c.Dir = r.dir
	ours := func(s string) bool { return strings.HasPrefix(s, "TAPLOOP_") }
	c.Env = append(slices.DeleteFunc(os.Environ(), ours), "CI=true", "GITHUB_ACTIONS=true",
		"GITHUB_WORKSPACE="+r.dir,
		"GITHUB_ACTION_PATH="+top,
		"RUNNER_TEMP="+r.temp, "GITHUB_OUTPUT="+filepath.Join(r.temp, "output"),
		"GITHUB_PATH="+filepath.Join(r.temp, "path"),
		"GITHUB_STEP_SUMMARY="+filepath.Join(r.temp, "summary.md"),
		"XDG_DATA_HOME="+filepath.Join(r.temp, "data"), "XDG_CONFIG_HOME="+r.temp)
	for name, value := range env {
		c.Env = append(c.Env, name+"="+value)
	}
	said, err := c.CombinedOutput()
	r.out = string(said)
	return err
}

// The steps of the action run: it builds the program, runs suites that pass and that do not, and its
// outputs are files that are there.
func TestTheStepsOfTheActionRun(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../action.yml")
	require.NoError(t, err)
	var action struct {
		Inputs  map[string]struct{ Default string }
		Outputs map[string]struct{ Value string }
		Runs    struct {
			Steps []struct {
				Uses, If, Shell, Run string
				Env                  map[string]string
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(b, &action))
	r := &runner{dir: t.TempDir(), temp: t.TempDir()}
	require.NoError(t, writeFile(filepath.Join(r.dir, "first test.yaml"),
		blocks(t, "testing.md", "yaml")[0]))
	require.NoError(t, writeFile(filepath.Join(r.dir, "bad.yaml"),
		"cases: [{name: a, task: Lock it, setup: [], expect: none}]"))
	inputs := map[string]string{"phones": "sandbox:2", "suites": "'first test.yaml'",
		"args": "--retries 1\n--grep 'dark theme'\n"}
	given := func(s string) string {
		return regexp.MustCompile(`\$\{\{ inputs\.(\w+) \}\}`).ReplaceAllStringFunc(s,
			func(m string) string {
				name := strings.Fields(m)[1][len("inputs."):]
				require.Contains(t, action.Inputs, name)
				return cmp.Or(inputs[name], action.Inputs[name].Default)
			})
	}
	for _, s := range action.Runs.Steps {
		if s.Run == "" {
			require.Regexp(t, "^actions/(setup-go|cache)@", s.Uses)
			continue
		}
		require.Equal(t, "bash", s.Shell)
		env := map[string]string{}
		for name, value := range s.Env {
			env[name] = given(value)
		}
		require.NoError(t, r.step(t, s.Run, env), r.out)
		if s.If == "" {
			continue
		}
		require.Equal(t, "inputs.command == 'test'", s.If)
		for name, o := range action.Outputs {
			require.FileExists(t, filepath.Join(r.dir, given(o.Value)), name)
		}
		summary, err := os.ReadFile(filepath.Join(r.temp, "summary.md"))
		require.NoError(t, err)
		require.Contains(t, string(summary), "1 passed in")
		env["SUITES"] = "bad.yaml"
		var failed *exec.ExitError
		require.ErrorAs(t, r.step(t, s.Run, env), &failed, r.out)
		require.Equal(t, exitUsage, failed.ExitCode(), r.out)
		require.Contains(t, r.out, "::error file=bad.yaml,line=1,col=")
		for name, words := range map[string]string{"SUITES": "it's.yaml",
			"ARGS": "--dry-run --tags=it's"} {
			wrong := maps.Clone(env)
			wrong[name] = words
			require.ErrorAs(t, r.step(t, s.Run, wrong), &failed, r.out)
			require.Equal(t, exitUsage, failed.ExitCode(), r.out)
			require.Contains(t, r.out, "::error::a quote has no end in: "+words)
			require.NotContains(t, r.out, "passed", "nothing is tested in its place")
		}
		env["SUITES"], env["ARGS"] = "'first test.yaml'", `--grep '\bdark\b' --tags ""`
		require.ErrorAs(t, r.step(t, s.Run, env), &failed, r.out)
		require.Contains(t, r.out, "--tags is empty", "an empty word is a word")
		env["ARGS"] = `--grep '\bdark\b'`
		require.NoError(t, r.step(t, s.Run, env), r.out)
		require.Contains(t, r.out, "1 passed in")
	}
	path, err := os.ReadFile(filepath.Join(r.temp, "path"))
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(strings.TrimSpace(string(path)), "taploop"))
}

// The page names the files to copy.
func TestTheRecipesAreOnThePage(t *testing.T) {
	page, err := os.ReadFile("../../docs/ci.md")
	require.NoError(t, err)
	files, err := filepath.Glob("../../docs/ci/*")
	require.NoError(t, err)
	require.Len(t, files, 5)
	for _, file := range files {
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Contains(t, string(page), "(ci/"+filepath.Base(file)+")")
		if strings.HasSuffix(file, ".yml") {
			require.NoError(t, yaml.Unmarshal(b, new(any)))
		}
		for _, m := range regexp.MustCompile(`(?m)^COPY (\w\S*) `).FindAllSubmatch(b, -1) {
			require.Contains(t, []string{"emulator.sh", "tests/phone"}, string(m[1]),
				"the project that copies the file has these")
		}
		require.NotContains(t, string(b), "COPY . ")
	}
}

// The lines of the pages about HTTP run as they stand, one page after the other: a task is begun,
// asks its question, and goes on with the answer.
func TestTheLinesOfThePagesAboutHTTPRunAsTheyStand(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, "cart-runner-ask", "", "TAPLOOP_MODEL_DIALECT=gelab")
	_, url := b.serve()
	env := append(b.env[1:len(b.env):len(b.env)], "API="+strings.TrimSuffix(url, "mcp")+"v1")
	for _, page := range []string{"http.md", "answering.md"} {
		lines := blocks(t, page, "sh")
		run := strings.Join(lines, "\n")
		written, err := os.ReadFile(filepath.Join("../../docs", page))
		require.NoError(t, err)
		require.Positive(t, strings.Count(run, "curl "))
		require.Equal(t, strings.Count(string(written), "curl "), strings.Count(run, "curl "),
			"no line of the page is left out")
		out := shellLines(t, b.dir, run, env...)
		require.Contains(t, out, "Which size do you wear?", page)
		require.Contains(t, out, `"response":"42"`, page)
		require.Contains(t, out, `"stop_reason":"TASK_COMPLETED_SUCCESSFULLY"`, page)
		if page == "http.md" {
			require.NoError(t, b.task.Check(b.sim.Phone))
		}
	}
}
