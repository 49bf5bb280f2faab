package main

import (
	"bytes"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/taploop/taploop/internal/model/scripted"
	"github.com/taploop/taploop/internal/reporttest"
	"github.com/taploop/taploop/internal/suite"
)

// A teardown that fails changes no outcome, and stands in every report.
func TestATeardownThatFailsStandsInEveryReport(t *testing.T) {
	t.Parallel()
	f := newTested(t, 1, "rules:\n"+say("", claim))
	junit, allure := filepath.Join(f.dir, "j.xml"), filepath.Join(f.dir, "allure")
	code, all := f.test(`
teardown: [{shell: exit 3}]
each: {teardown: [{shell: exit 4}]}
cases: [{name: a, task: t, expect: none}, {name: b, task: t, expect: none}]
`, "--junit", junit, "--allure", allure)
	require.Equal(t, exitDone, code, f.said)
	require.Equal(t, map[string]string{"a": "passed", "b": "passed"}, outcomes(all))
	xml, err := os.ReadFile(junit)
	require.NoError(t, err)
	reporttest.ValidJUnit(t, xml)
	page, err := os.ReadFile(filepath.Join(f.dir, "r", "index.html"))
	require.NoError(t, err)
	results, err := filepath.Glob(filepath.Join(allure, "*-result.json"))
	require.NoError(t, err)
	allured := ""
	for _, file := range results {
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		allured += string(b)
	}
	notes := strings.Join(append(all[0].Last().Notes, all[1].Last().Notes...), "\n")
	for _, where := range []string{f.said, string(xml), string(page), allured, notes} {
		require.Contains(t, where, "exit 3 ended with code 3")
		require.Contains(t, where, "exit 4 ended with code 4")
	}
}

// The teardown of a phone that was taken out stands in the reports, too: at a case that another phone
// had.
func TestATeardownThatALostPhoneFailsStandsInTheReports(t *testing.T) {
	t.Parallel()
	f := newTested(t, 2, "rules:\n"+say("", claim, ", delay: 200ms"))
	var once sync.Once
	f.asked = func(*scripted.Request) {
		if _, err := f.phones[0].Files().Read("/sdcard/begun"); err == nil {
			once.Do(func() { f.adb.Detach("phone-1") })
		}
	}
	code, all := f.test("setup: [{shell: echo x > /sdcard/begun}]\n"+
		"teardown: [{shell: rm /sdcard/begun}]\n"+
		"cases: [{name: a, task: t, with: [{n: 1}, {n: 2}, {n: 3}], "+
		"expect: [{app: com.android.launcher3}]}]", "--phones", "phone-1,phone-2")
	require.Equal(t, exitDone, code, f.said)
	var notes []string
	for _, r := range all {
		require.Equal(t, "phone-2", r.Last().Phone)
		notes = append(notes, r.Last().Notes...)
	}
	require.Len(t, notes, 2, f.said)
	require.Contains(t, notes[0], "phone-1 is taken out: ")
	require.Contains(t, notes[1], "teardown of s on phone-1: ")
}

// A cassette may be larger than files that people write.
func TestALargeCassetteIsReplayedAndRecordedOver(t *testing.T) {
	t.Parallel()
	f := newTested(t, 1, "rules:\n"+say("", claim))
	const one = "cases: [{name: a, task: t, cassette: c.jsonl, expect: none}]"
	code, _ := f.test(one, "--record")
	require.Equal(t, exitDone, code, f.said)
	name := filepath.Join(f.dir, "c.jsonl")
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	large := `{"request":{"method":"POST","path":"/x"},"response":{"status":200,"text":"` +
		strings.Repeat("x", 17<<20) + "\"}}\n"
	require.NoError(t, os.WriteFile(name, append(b, large...), 0o600))
	for _, flag := range []string{"--replay", "--record"} {
		code, _ = f.test(one, flag)
		require.Equal(t, exitDone, code, "%s: %s", flag, f.said)
	}
	info, err := os.Stat(name)
	require.NoError(t, err)
	require.Less(t, info.Size(), int64(1<<20))
}

// Whatever is configured of the model now, what was recorded is replayed.
func TestAReplayIsOfTheModelThatWasRecorded(t *testing.T) {
	t.Parallel()
	f := newTested(t, 1, "rules:\n"+say("", claim))
	const one = "cases: [{name: a, task: t, cassette: c.jsonl, expect: none}]"
	without := slices.DeleteFunc(f.env, func(e string) bool {
		return strings.HasPrefix(e, "TAPLOOP_MODEL_DIALECT=") ||
			strings.HasPrefix(e, "TAPLOOP_MODEL_NAME=")
	})
	set := func(values ...string) {
		f.env = slices.Clone(without)
		for _, v := range values {
			f.env = append(f.env, "TAPLOOP_MODEL_"+v)
		}
	}
	set("NAME=gelab-zero-4b-preview", "DIALECT=gelab", "LANG=en")
	code, _ := f.test(one, "--record")
	require.Equal(t, exitDone, code, f.said)
	for _, now := range [][]string{{"NAME=qwen2.5-vl-7b"}, {"DIALECT=general"}, {"LANG=zh"}, nil,
		{"COORDINATES=pixels", "IMAGE_SIZE=100x200", "NAME=other"}} {
		set(now...)
		code, all := f.test(one, "--replay")
		require.Equal(t, exitDone, code, "%v: %s %v", now, f.said, all)
	}
}

// A recording is told from one with another template of the prompt, whatever else it lacks.
func TestAReplayWithAnotherPromptTemplateSaysSo(t *testing.T) {
	t.Parallel()
	f := newTested(t, 1, "rules:\n"+say("", claim))
	const one = "cases: [{name: a, task: t, cassette: c.jsonl, expect: none}]"
	const template = "{{system}}{{.Place}}\n{{user}}Do this: {{.Task}}\n{{.Summary}} {{.JustIn}}\n{{.Picture}}\n"
	own, edited := f.file("own.tmpl", template), f.file("edited.tmpl", template+"Be quick.\n")
	without := f.env
	with := func(file string) {
		f.env = append(slices.Clone(without), "TAPLOOP_MODEL_PROMPT_TEMPLATE="+file)
	}
	with(own)
	code, _ := f.test(one, "--record")
	require.Equal(t, exitDone, code, f.said)
	code, _ = f.test(one, "--replay")
	require.Equal(t, exitDone, code, f.said)
	differs := func() {
		t.Helper()
		code, all := f.test(one, "--replay")
		require.Equal(t, exitPhone, code, f.said)
		require.Equal(t, map[string]string{"a": "setup_failed cassette"}, outcomes(all))
		require.Contains(t, all[0].Message, "it was recorded with another prompt template")
	}
	with(edited)
	differs()
	f.env = without
	differs()
	code, _ = f.test(one, "--record")
	require.Equal(t, exitDone, code, f.said)
	with(own)
	differs()
}

// What the model is told of an action that failed names no phone, so a cassette fits every phone, one
// that was recorded when it did, too.
func TestACassetteOfAFailedActionFitsAnotherPhone(t *testing.T) {
	t.Parallel()
	f := newTested(t, 2, "rules:\n"+say("no text field", claim)+say("", "action:TYPE\tvalue:hello"))
	told := ""
	f.asked = func(r *scripted.Request) { told += r.Asked() }
	const one = "cases: [{name: a, task: t, cassette: c.jsonl, expect: none}]"
	code, _ := f.test(one, "--record", "--phones", "phone-1")
	require.Equal(t, exitDone, code, f.said)
	require.Contains(t, told, "typing on the phone: taploop typed nothing: no text field")
	require.NotContains(t, told, "phone-1")
	now := f.report("c.jsonl")
	require.NotContains(t, now, "phone-1")
	for _, kept := range []string{now, strings.ReplaceAll(now, "on the phone:", "on phone-1:")} {
		f.file("c.jsonl", kept)
		for _, phone := range []string{"phone-1", "phone-2"} {
			code, all := f.test(one, "--replay", "--phones", phone)
			require.Equal(t, exitDone, code, "%s: %s %v", phone, f.said, all)
		}
	}
}

// A verdict is replayed on its own screen and for its own claim only.
func TestAVerdictIsReplayedForItsScreenAndItsClaim(t *testing.T) {
	t.Parallel()
	f := newTested(t, 1, "rules:\n- {when: 'Claim:.*wrong', reply: '{\"true\": false, \"why\": \"no\"}'}\n"+
		"- {when: 'Claim:', reply: '{\"true\": true, \"why\": \"seen\"}'}\n"+say("", claim))
	suite := func(before, claim string) string {
		return "cases: [{name: a, task: t, cassette: c.jsonl, expect: [{shell: {command: '" + before +
			"'}}, {judged: " + claim + "}]}]"
	}
	const stay, away = "true", "am start -n com.android.settings/.Settings"
	code, _ := f.test(suite(stay, "It is so."), "--record")
	require.Equal(t, exitDone, code, f.said)
	f.env = append(f.env, "TAPLOOP_MODEL_API_KEY_FILE=/no/such", "TAPLOOP_CAPTION_API_KEY_FILE=/no/such",
		"TAPLOOP_CONFIG="+f.file("keys.yaml", "models: {m1: {api_key_file: /no/such}}"))
	code, _ = f.test(suite(stay, "It is so."), "--replay")
	require.Equal(t, exitDone, code, f.said)

	code, all := f.test(suite(away, "It is so."), "--replay")
	require.Equal(t, exitNotCompleted, code, f.said)
	require.Equal(t, map[string]string{"a": "failed"}, outcomes(all))
	require.Regexp(t, `but replaying \S+c\.jsonl: another screen`, all[0].Message)
	var pictures []string
	for _, a := range all[0].Attempts[0].Files {
		if strings.HasSuffix(a.Name, "-recorded.png") || strings.HasSuffix(a.Name, "-seen.png") {
			pictures = append(pictures, a.Name)
		}
	}
	require.Len(t, pictures, 2)

	for _, edited := range []string{"Another thing is so.", "It is so.}, {judged: And this."} {
		code, all = f.test(suite(stay, edited), "--replay")
		require.Equal(t, exitPhone, code, f.said)
		require.Equal(t, map[string]string{"a": "setup_failed cassette"}, outcomes(all))
	}

	f.env = f.env[:len(f.env)-3]
	for _, c := range []struct{ before, claim, outcome string }{
		{stay, "It is so.", "passed"}, {away, "It is so.", "healed"},
		{stay, "Another thing is so.", "healed"}, {stay, "This is wrong.", "failed"}} {
		_, all = f.test(suite(c.before, c.claim), "--heal")
		require.Equal(t, map[string]string{"a": c.outcome}, outcomes(all), "%v: %s", c, f.said)
	}
}

// A report that contains a secret is compared with the secret, and told without it.
func TestAnAnswerWithASecretIsComparedUnmasked(t *testing.T) {
	t.Parallel()
	f := newTested(t, 1, "rules:\n"+
		say("both words", "action:INFO\tvalue:What is your password?", ", times: 1")+
		say("both words", "action:INFO\tvalue:What is the code?", ", times: 1")+
		say("both words", "action:COMPLETE\treturn:They are s3cret-w0rd, an0ther and {{secret}}")+
		say(`answer is`, "action:COMPLETE\treturn:The word is s3cret-w0rd")+
		say("", "action:INFO\tvalue:What is your password?"))
	f.env = append(f.env, "PW=s3cret-w0rd", "OTHER=an0ther")
	code, all := f.test(`
secrets: [PW, OTHER]
cases:
- name: a
  task: Tell the word
  replies: [{question: password, reply: "{{PW}}"}]
  expect: [{answer: "is {{PW}}$"}]
- name: b
  task: Tell the word
  replies: [{question: password, reply: "{{PW}}"}]
  expect: [{answer: "is {{OTHER}}$"}]
- name: c
  task: Tell both words
  replies: [{question: password, reply: "{{PW}}"}, {question: code, reply: "{{OTHER}}"}]
  expect: [{answer: "are {{PW}}, {{OTHER}} and"}, {answer: "{{OTHER}}, {{PW}}"}]
`)
	require.Equal(t, exitNotCompleted, code, f.said)
	require.Equal(t, map[string]string{"a": "passed", "b": "failed", "c": "failed"},
		outcomes(all), f.said)
	both := all[2].Last()
	require.Equal(t, []bool{true, false}, []bool{both.Checks[0].OK, both.Checks[1].OK})
	require.NotContains(t, f.said, "w0rd")
	require.NotContains(t, f.said, "an0ther")
}

// Each mistake in a suite ends the command with the code of misuse, and stands with its place in
// every report.
func TestEveryMistakeInASuiteStandsInTheReports(t *testing.T) {
	t.Parallel()
	f := newTested(t, 0, "rules:\n"+say("", claim))
	f.env = append(f.env, "SHOP_PIN=2580", "GITHUB_ACTIONS=true")
	ar, err := txtar.ParseFile("../../internal/suite/testdata/broken.txtar")
	require.NoError(t, err)
	require.Greater(t, len(ar.Files), 60)
	for n, broken := range ar.Files {
		junit, allure := filepath.Join(f.dir, "j.xml"), filepath.Join(f.dir, "allure", strconv.Itoa(n))
		code, all := f.test(string(broken.Data), "--junit", junit, "--allure", allure)
		require.Equal(t, exitUsage, code, broken.Name)
		require.NotEmpty(t, all, broken.Name)
		require.Equal(t, suite.SetupFailed, all[0].Outcome, broken.Name)
		require.NotZero(t, all[0].Line)
		xml, err := os.ReadFile(junit)
		require.NoError(t, err)
		reporttest.ValidJUnit(t, xml)
		require.Contains(t, string(xml), `<error type="setup_failed (suite)"`)
		require.Contains(t, f.out, fmt.Sprintf("::error file=%s,line=%d,col=%d,title=", all[0].File,
			all[0].Line, all[0].Column), broken.Name)
		results, err := filepath.Glob(filepath.Join(allure, "*-result.json"))
		require.NoError(t, err)
		require.Len(t, results, len(all))
		page, err := os.ReadFile(filepath.Join(f.dir, "r", "index.html"))
		require.NoError(t, err)
		require.Contains(t, string(page), html.EscapeString(all[0].Name))
		require.NoError(t, os.Remove(junit))
	}
}

// Every bound of a budget fails the case that goes over it, with the figure.
func TestACaseOverItsBudgetHasFailedWithTheFigure(t *testing.T) {
	t.Parallel()
	f := newTested(t, 1, "rules:\n"+
		"- {when: 'Claim:', reply: '{\"true\": true, \"why\": \"seen\"}'}\n"+
		say("Wander", "action:CLICK\tpoint:500,999", ", delay: 60ms")+
		say("Ask[^\n]*\n[^z]*go on", "action:CLICK\tpoint:500,999")+
		say("Ask", "action:INFO\tvalue:What now?")+say("", claim))
	f.env = append(f.env, "TAPLOOP_MODEL_PROMPT_PRICE=1000", "TAPLOOP_MODEL_IMAGE_SIZE=auto")
	code, all := f.test(`
cases:
- {name: steps, task: Wander, budget: {steps: 2}, expect: none}
- {name: time, task: Wander, budget: {time: 50ms}, expect: none}
- {name: tokens, task: Wander, budget: {tokens: 1000}, expect: none}
- {name: cost, task: Wander, budget: {cost: 0.01}, expect: none}
- {name: tiny, task: Wander, budget: {cost: 0.000001}, expect: none}
- {name: judged, task: t, budget: {cost: 2}, expect: [{judged: x}]}
- {name: asked, task: Ask, budget: {steps: 3}, replies: [{question: now, reply: go on}], expect: none}
- {name: asking, task: Ask, budget: {steps: 1}, replies: [{question: now, reply: go on}], expect: none}
- {name: within, task: t, budget: {steps: 2, time: 1m, tokens: 9000, cost: 9}, expect: none}
`)
	require.Equal(t, exitNotCompleted, code, f.said)
	for n, want := range []string{"all 2 steps are used up", `[\d.]+m?s of 50ms`,
		`\d{4} tokens of 1000`, `a cost of \d\.\d+ of 0\.01`, `a cost of \d\.\d+ of 1e-06`,
		`a cost of \d\.\d+ of 2`, "all 3 steps are used up", "all 1 steps are used up"} {
		require.Equal(t, suite.Failed, all[n].Outcome, all[n].Name)
		require.Regexp(t, "^over budget: "+want+"$", all[n].Message)
	}
	require.Equal(t, []int{3, 1}, []int{all[6].Last().Steps, all[7].Last().Steps}, "no step more")
	require.Equal(t, suite.Passed, all[8].Outcome, all[8].Message)
}

// What cannot be kept to is refused before a phone is touched.
func TestWhatTheTestsCannotKeepToIsRefused(t *testing.T) {
	t.Parallel()
	f := newTested(t, 1, "rules:\n"+say("", claim))
	const one = "cases: [{name: a, task: t, expect: none}]"
	code, _ := f.test("budget: {cost: 0.5}\n" + one)
	require.Equal(t, exitUsage, code, f.said)
	require.Contains(t, f.said, "what the model costs is not known")
	priced := append(f.env, "TAPLOOP_MODEL_REPLY_PRICE=0.001")
	f.env, priced = priced, f.env
	code, _ = f.test("budget: {cost: 0.5}\n" + one)
	require.Equal(t, exitDone, code, f.said)
	f.env = priced
	for _, phones := range []string{"", " ", ",", "phone-1,"} {
		code, _ = f.test(one, "--phones", phones)
		require.Equal(t, exitUsage, code, f.said)
		require.Contains(t, f.said, "--phones is")
	}
	for _, flag := range []string{"--junit", "--allure"} {
		code, _ = f.run(t.Context(), f.file("s.yaml", one), flag, "-")
		require.Equal(t, exitUsage, code, f.said)
		require.Contains(t, f.said, "- is no place for a report")
	}
	notes := f.file("notes.txt", "my notes\n")
	code, all := f.test("cases: [{name: a, task: t, cassette: notes.txt, expect: none}]",
		"--record")
	require.Equal(t, exitPhone, code, f.said)
	require.Equal(t, map[string]string{"a": "setup_failed cassette"}, outcomes(all))
	require.Contains(t, all[0].Message, "notes.txt is no cassette")
	b, err := os.ReadFile(notes)
	require.NoError(t, err)
	require.Equal(t, "my notes\n", string(b))
	for range 2 { // a cassette may be recorded over
		code, _ = f.test("cases: [{name: a, task: t, cassette: c.jsonl, expect: none}]", "--record")
		require.Equal(t, exitDone, code, f.said)
	}
}

// That a report cannot be written is known before a phone is touched, and nothing is left behind.
func TestAReportThatCannotBeWrittenIsToldBeforeAnything(t *testing.T) {
	t.Parallel()
	f := newTested(t, 1, "rules:\n"+say("", claim))
	f.asked = func(*scripted.Request) { t.Error("a case has begun") }
	file := f.file("s.yaml", "cases: [{name: a, task: t, expect: none}]")
	foreign := f.file("pom.xml", "<project/>")
	f.file("page/index.html", "<title>mine</title>")
	in := func(name ...string) string { return filepath.Join(append([]string{f.dir}, name...)...) }
	before, err := filepath.Glob(in("*"))
	require.NoError(t, err)
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"--junit " + foreign, exitPhone, "writing " + foreign + ": what is there is of another kind"},
		{"--report " + in("page"), exitPhone, "index.html: what is there is of another kind"},
		{"--json " + in("page"), exitPhone, "is a directory"},
		{"--junit " + in("pom.xml", "j.xml"), exitPhone, "not a directory"},
		{"--allure " + foreign, exitPhone, "not a directory"},
		{"--report " + in("pom.xml", "a", "b"), exitPhone, "not a directory"},
		{"--junit " + in("x") + " --json " + in(".", "x"), exitUsage, "two reports go to "},
		{"--junit " + in("x") + " --report " + in("x"), exitUsage, "two reports go to "},
	} {
		var out, said bytes.Buffer
		code := run(t.Context(), append([]string{"test", file}, strings.Fields(c.args)...), f.env,
			streams{strings.NewReader(""), &out, &said})
		require.Equal(t, c.code, code, said.String())
		require.Contains(t, said.String(), c.want)
		after, err := filepath.Glob(in("*"))
		require.NoError(t, err)
		require.Equal(t, before, after)
		require.NoFileExists(t, in("page", "cases"))
	}
}

// Without a model that is what is said, and at once.
func TestThatNoModelIsConfiguredIsSaid(t *testing.T) {
	t.Parallel()
	f := newTested(t, 1, "rules:\n"+say("", claim))
	f.env = slices.DeleteFunc(f.env, func(e string) bool { return strings.HasPrefix(e, "TAPLOOP_MODEL_BASE") })
	code, all := f.test("cases: [{name: a, task: t, expect: none}]")
	require.Equal(t, exitModel, code, f.said)
	require.Equal(t, map[string]string{"a": "setup_failed model"}, outcomes(all))
	require.Contains(t, all[0].Message, "no model is configured, and none is there: ")
	require.NotContains(t, all[0].Message, "attempts")
}

// The verdict about a claimed end stands beside its outcome, and a model's word only where a model was
// asked. A suite with an unset secret needs no schema.
func TestTheVerdictStandsInTheResult(t *testing.T) {
	t.Parallel()
	f := newTested(t, 1, "rules:\n"+say("", claim))
	code, all := f.test("cases: [{name: a, task: Open Notes, expect: "+
		"[{app: com.x}, {judged: It is open.}]}]", "--set", "verify=elements")
	require.Equal(t, exitNotCompleted, code, f.said)
	require.Contains(t, []string{"verified", "unverified", "contradicted"}, all[0].Last().Verdict)
	require.Contains(t, f.said, " tokens), "+suite.WordsIn("en").Verdicts[all[0].Last().Verdict])
	require.NotContains(t, f.said, "(a model's word)")
	code, _ = f.test("secrets: [NEVER_SET]\ncases: [{name: a, task: t, expect: none}]")
	require.Equal(t, exitUsage, code, f.said)
	require.Contains(t, f.said, "NEVER_SET")
	require.NotContains(t, f.said, "--schema")
}

// What the set-up has opened is in front when the task begins, and the home screen otherwise.
func TestWhatASetUpOpenedIsInFront(t *testing.T) {
	t.Parallel()
	f := newTested(t, 1, "rules:\n"+say("", claim))
	var fronts []string
	f.asked = func(*scripted.Request) {
		fronts = append(fronts, f.phones[0].Screen.Foreground().Package)
	}
	code, _ := f.test(`
each: {setup: [{open: "{{what}}"}]}
cases:
- name: a
  task: Look
  with: [{what: "shop://cart"}, {what: Notes}]
  expect: none
`)
	require.Equal(t, exitDone, code, f.said)
	code, _ = f.test("cases: [{name: a, task: Look, expect: none}]")
	require.Equal(t, exitDone, code, f.said)
	code, _ = f.test(`
setup: [{open: Notes}, {open: Shop}, {shell: "true"}]
each: {teardown: [{shell: input keyevent KEYCODE_HOME}]}
cases:
- {name: a, task: Look, retries: 1, expect: [{answer: never}]}
- {name: b, task: Look, expect: none}
`)
	require.Equal(t, exitNotCompleted, code, f.said)
	const shop = "com.taploop.sandbox.shop"
	require.Equal(t, []string{shop, "com.taploop.sandbox.notes", "com.android.launcher3",
		shop, shop, shop}, fronts)
}

// Two phones repeat a skill at once, and to its end when it is removed meanwhile.
func TestTwoPhonesRepeatASkillThatIsRemovedMeanwhile(t *testing.T) {
	t.Parallel()
	f := newTested(t, 2, "rules:\n"+say("cannot be repeated|无法照做", "action:AWAKE\tvalue:Notes"))
	file := f.file("skills/notes.yaml", `
name: notes
description: open the notes
task: Open the notes
steps:
- say: open them
  action: {verb: BACK}
  before: {app: com.nowhere}
  after: {activity: com.taploop.sandbox.notes/.Notes}
ends: {app: com.taploop.sandbox.notes}
answer: the notes are open
`)
	both, asked := make(chan struct{}), atomic.Int32{}
	f.asked = func(*scripted.Request) {
		if asked.Add(1) == 2 {
			require.NoError(t, os.Remove(file))
			close(both)
		}
		select {
		case <-both:
		case <-time.After(30 * time.Second): // the other phone waits until this one is done
		}
	}
	const what = "skill: notes, expect: [{app: com.taploop.sandbox.notes}]}"
	code, all := f.test("cases: [{name: a, " + what + ", {name: b, " + what + "]")
	require.Equal(t, exitDone, code, f.said)
	require.Equal(t, map[string]string{"a": "healed", "b": "healed"}, outcomes(all), f.said)
	require.EqualValues(t, 2, asked.Load())
	code, _ = f.test("cases: [{name: a, " + what + "]")
	require.Equal(t, exitUsage, code)
	require.Contains(t, f.said, `s.yaml:1:26: skill: there is no skill "notes"`)
}

// What a cassette lacks, and a task that it was not recorded with, are not the app's failures.
func TestACutCassetteAndAnEditedTaskAreToldAsSuch(t *testing.T) {
	t.Parallel()
	f := newTested(t, 1, "rules:\n"+say("summary-2", claim)+strings.Replace(
		say("", "action:AWAKE\tvalue:Notes"), "summary:-", "summary:summary-2", 1))
	one := "cases: [{name: a, task: Open the notes, cassette: c.jsonl, expect: none}]"
	code, _ := f.test(one, "--record")
	require.Equal(t, exitDone, code, f.said)
	b, err := os.ReadFile(filepath.Join(f.dir, "c.jsonl"))
	require.NoError(t, err)
	head, _, _ := strings.Cut(string(b), "\n")
	last := strings.LastIndex(string(b[:strings.LastIndex(string(b), `"sight"`)]), "\n") + 1
	for cut, want := range map[string]string{
		head + "\n":           "the cassette is empty",
		string(b[:last]):      "the cassette ends early",
		string(b[:last+1000]): "the cassette ends early",
	} {
		f.file("c.jsonl", cut)
		code, all := f.test(one, "--replay")
		require.Equal(t, map[string]string{"a": "setup_failed cassette"}, outcomes(all), f.said)
		require.Equal(t, exitPhone, code)
		require.Contains(t, all[0].Message, want)
	}
	f.file("c.jsonl", string(b))
	for _, task := range []string{"Open the note", "Open the notes now", "Show them"} {
		code, all := f.test(strings.Replace(one, "Open the notes", task, 1), "--replay")
		require.Equal(t, exitPhone, code)
		require.Equal(t, map[string]string{"a": "setup_failed cassette"}, outcomes(all), f.said)
		require.Contains(t, all[0].Message, "the task, or what is judged, is another one", task)
	}
}
