package main

import (
	"bytes"
	"encoding/json"
	"html"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/model/scripted"
	"github.com/taploop/taploop/internal/reporttest"
	"github.com/taploop/taploop/internal/sandbox/shell"
	"github.com/taploop/taploop/internal/suite"
)

// A flake that is refused has failed: in every report, for the cases that need it and for those
// behind it.
func TestAFlakeThatIsRefusedHasFailedEverywhere(t *testing.T) {
	t.Parallel()
	f := newTested(t, 1, "rules:\n"+say("flip-flop", "action:ABORT\tvalue:no", ", times: 1")+
		say("", claim))
	f.env = append(f.env, "GITHUB_ACTIONS=true")
	junit, allure := filepath.Join(f.dir, "j.xml"), filepath.Join(f.dir, "allure")
	code, all := f.test(`
cases:
- {name: flake, task: flip-flop, retries: 1, expect: none}
- {name: after, task: t, needs: flake, expect: none}
- {name: other, task: t, expect: none}
`, "--fail-on-flaky", "--fail-fast", "--junit", junit, "--allure", allure)
	require.Equal(t, exitNotCompleted, code, f.said)
	require.Equal(t, map[string]string{"flake": "failed", "after": "skipped", "other": "skipped"},
		outcomes(all))
	require.Equal(t, "--fail-on-flaky: passed at attempt 2; before: the agent gave up: no",
		all[0].Message)
	b, err := os.ReadFile(junit)
	require.NoError(t, err)
	reporttest.ValidJUnit(t, b)
	require.Contains(t, string(b), `tests="3" failures="1"`)
	require.Contains(t, string(b), "<rerunFailure")
	require.Contains(t, f.out, "title=s / flake (failed)::--fail-on-flaky")
	require.NotContains(t, f.out, "::warning")
	require.Contains(t, f.said, "1 failed, 2 skipped")
	results, err := filepath.Glob(filepath.Join(allure, "*-result.json"))
	require.NoError(t, err)
	status := map[string]int{}
	for _, file := range results {
		var x struct{ Status string }
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(b, &x))
		status[x.Status]++
	}
	require.Equal(t, map[string]int{"failed": 2, "skipped": 2}, status)
}

// A crash of the app is what the tests have found: no retry hides it.
func TestACrashIsNotHiddenByARetry(t *testing.T) {
	t.Parallel()
	f := newTested(t, 1, "rules:\n"+say("zz-late", "action:ABORT\tvalue:no", ", times: 1")+
		say("", claim))
	asked := map[string]int{}
	f.asked = func(r *scripted.Request) {
		for task, at := range map[string]int{"qq-early": 1, "zz-late": 2} {
			if strings.Contains(r.Asked(), task) {
				if asked[task]++; asked[task] == at {
					f.phones[0].Apps.Crash("com.taploop.sandbox.shop", "java.lang.Error: no cart")
				}
			}
		}
	}
	code, all := f.test(`
app: com.taploop.sandbox.shop
cases:
- {name: at first, task: qq-early, retries: 2, expect: none}
- {name: later, task: zz-late, retries: 2, expect: none}
`)
	require.Equal(t, exitNotCompleted, code, f.said)
	require.Equal(t, map[string]string{"at first": "crashed", "later": "crashed"}, outcomes(all))
	require.Len(t, all[0].Attempts, 1)
	require.Len(t, all[1].Attempts, 2)
}

// A budget of time also ends a case whose model says nothing.
func TestABudgetOfTimeEndsTheWaitForAModel(t *testing.T) {
	t.Parallel()
	f := newTested(t, 1, "rules:\n- {when: Dawdle, delay: 10m, reply: x}\n"+say("", claim))
	began := time.Now()
	code, all := f.test("budget: {time: 1s}\ncases: [{name: a, task: Dawdle, expect: none}]")
	require.Equal(t, exitNotCompleted, code, f.said)
	require.Equal(t, map[string]string{"a": "failed"}, outcomes(all))
	require.Regexp(t, `^over budget: [\d.]+s of 1s$`, all[0].Message)
	require.Less(t, time.Since(began), time.Minute)
}

// Paths start at the project's folder where GitHub and GitLab say which one that is, and the JSON
// says where its files are.
func TestPathsStartAtTheProjectsFolder(t *testing.T) {
	t.Parallel()
	f := newTested(t, 1, "rules:\n"+say("", "action:ABORT\tvalue:no"))
	file := f.file("tests/s.yaml", "cases: [{name: a, task: t, expect: none}]")
	plain := f.env
	f.env = append(plain, "GITHUB_ACTIONS=true", "GITHUB_WORKSPACE="+f.dir)
	code, all := f.run(t.Context(), file)
	require.Equal(t, exitNotCompleted, code, f.said)
	require.Contains(t, f.out, "::error file=tests/s.yaml,line=1,")
	f.env = append(plain, "GITLAB_CI=true", "CI_PROJECT_DIR="+f.dir)
	junit := filepath.Join(f.dir, "out", "j.xml")
	code, _ = f.run(t.Context(), file, "--junit", junit)
	require.Equal(t, exitNotCompleted, code, f.said)
	b, err := os.ReadFile(junit)
	require.NoError(t, err)
	require.Contains(t, string(b), "[[ATTACHMENT|r/cases/")

	results := filepath.Join(f.dir, "mo", "all.json")
	var out, said bytes.Buffer
	code = run(t.Context(), []string{"test", file, "--json", results}, plain,
		streams{strings.NewReader(""), &out, &said})
	require.Equal(t, exitNotCompleted, code, said.String())
	var sum struct {
		Files   string
		Results []suite.Result
	}
	b, err = os.ReadFile(results)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, &sum))
	require.Len(t, sum.Results, len(all))
	for _, x := range sum.Results[0].Last().Files {
		require.FileExists(t, filepath.Join(filepath.Dir(results), sum.Files, x.Path))
	}
	require.NotEmpty(t, sum.Results[0].Last().Files)
}

// What was healed has the name of what it replaces, also where two suites have cases of one name,
// and a place that the caller has named.
func TestWhatWasHealedTakesThePlaceOfItsCassette(t *testing.T) {
	t.Parallel()
	f := newTested(t, 1, "rules:\n"+say("summary-2", claim)+strings.Replace(
		say("", "action:AWAKE\tvalue:Notes"), "summary:-", "summary:summary-2", 1))
	const content = "cases: [{name: a, task: Open the notes, expect: none}]"
	var suites []string
	for _, dir := range []string{"one", "two"} {
		suites = append(suites, f.file(filepath.Join("t", dir, "s.yaml"), content))
	}
	code, _ := f.run(t.Context(), append(suites, "--record")...)
	require.Equal(t, exitDone, code, f.said)
	f.phones[0].Settings.PutSetting("secure", "ui_night_mode", "2") // another screen
	code, _ = f.run(t.Context(), append(suites, "--replay")...)
	require.Equal(t, exitNotCompleted, code, f.said)
	code, all := f.run(t.Context(), append(suites, "--heal")...)
	require.Equal(t, exitDone, code, f.said)
	require.Equal(t, suite.Healed, all[0].Outcome)
	require.NoError(t, os.CopyFS(filepath.Join(f.dir, "old"), os.DirFS(filepath.Join(f.dir, "t"))))
	for _, one := range suites {
		require.NoError(t, os.RemoveAll(filepath.Join(filepath.Dir(one), "cassettes")))
	}
	require.NoError(t, os.CopyFS(filepath.Join(f.dir, "t"),
		os.DirFS(filepath.Join(f.dir, "r", "healed"))))
	code, _ = f.run(t.Context(), append(suites, "--replay")...)
	require.Equal(t, exitDone, code, f.said)

	require.NoError(t, os.RemoveAll(filepath.Join(f.dir, "r", "healed")))
	code, _ = f.run(t.Context(), suites[0], "--heal")
	require.Equal(t, exitDone, code, f.said)
	var out, said bytes.Buffer
	code = run(t.Context(), []string{"test", suites[0], "--heal"}, f.env,
		streams{strings.NewReader(""), &out, &said})
	require.Equal(t, exitUsage, code, said.String())
	require.Contains(t, said.String(), "add --report DIR")
}

// Reports are written whatever the misuse is that ends the command.
func TestEveryMisuseOfTestsStandsInTheReports(t *testing.T) {
	t.Parallel()
	f := newTested(t, 1, "rules:\n"+say("", claim))
	f.env = append(f.env, "GITHUB_ACTIONS=true")
	junit := filepath.Join(f.dir, "j.xml")
	told := func(code int, all []suite.Result) {
		t.Helper()
		require.Equal(t, exitUsage, code, f.said)
		require.Equal(t, map[string]string{"a": "setup_failed suite"}, outcomes(all))
		b, err := os.ReadFile(junit)
		require.NoError(t, err)
		reporttest.ValidJUnit(t, b)
		require.Contains(t, string(b), `<error type="setup_failed (suite)"`)
		require.Contains(t, f.out, "::error file=")
		require.NoError(t, os.Remove(junit))
	}
	const priced = "budget: {cost: 1}\ncases: [{name: a, task: t, expect: none}]"
	told(f.test(priced, "--junit", junit))
	code, _ := f.test(priced, "--dry-run")
	require.Equal(t, exitUsage, code, "what would be refused")
	told(f.test("cases: [{name: a, task: t, expect: none}]", "--junit", junit,
		"--config", f.file("bad.yaml", "loop: {max_steps: none}\n")))
}

// A data folder that has known another phone of the same serial runs tests on the connected one.
func TestAnotherPhoneOfTheSameSerialIsTested(t *testing.T) {
	t.Parallel()
	f := newTested(t, 1, "rules:\n"+say("", claim))
	const one = "cases: [{name: a, task: t, expect: none}]"
	f.phones[0].Settings.PutSetting("secure", "android_id", "0123456789abcdef")
	code, first := f.test(one)
	require.Equal(t, exitDone, code, f.said)
	other := newPhone()
	other.Settings.PutSetting("secure", "android_id", "fedcba9876543210")
	f.adb.Attach("phone-1", shell.New(other))
	for _, which := range []string{"any", "phone-1"} {
		code, all := f.test(one, "--phones", which)
		require.Equal(t, exitDone, code, f.said)
		require.NotEqual(t, first[0].Last().Phone, all[0].Last().Phone)
	}
}

// What only the agent says is marked as its own words wherever it is shown.
func TestAnAnswerIsMarkedAsTheAgentsOwnWords(t *testing.T) {
	t.Parallel()
	f := newTested(t, 1, "rules:\n"+say("", claim))
	junit := filepath.Join(f.dir, "j.xml")
	code, all := f.test("cases: [{name: a, task: t, expect: [{answer: done}]}]", "--junit", junit)
	require.Equal(t, exitDone, code, f.said)
	require.Contains(t, f.said, `s.yaml:1:36: case "a" expects only what the agent says: `)
	const marked = "answer: done (the agent&#39;s own words)"
	require.Equal(t, html.UnescapeString(marked), all[0].Last().Checks[0].What)
	for _, report := range []string{junit, filepath.Join(f.dir, "r", "index.html")} {
		b, err := os.ReadFile(report)
		require.NoError(t, err)
		require.Contains(t, string(b), marked)
	}
}
