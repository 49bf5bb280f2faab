package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/model/scripted"
	"github.com/taploop/taploop/internal/patient"
	"github.com/taploop/taploop/internal/reporttest"
	"github.com/taploop/taploop/internal/sandbox/shell"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/suite"
)

// A phone that is lost in the middle is taken out, and its case goes to another one.
func TestACaseOfALostPhoneGoesToAnotherOne(t *testing.T) {
	t.Parallel()
	f := newTested(t, 2, "rules:\n"+say("", claim))
	var once sync.Once
	f.asked = func(*scripted.Request) { once.Do(func() { f.adb.Detach("phone-1") }) }
	code, all := f.test("cases: [{name: a, task: t, with: [{n: 1}, {n: 2}, {n: 3}], "+
		"expect: [{app: com.android.launcher3}]}]", "--phones", "phone-1,phone-2", "--junit",
		filepath.Join(f.dir, "j.xml"))
	require.Equal(t, exitDone, code, f.said)
	for _, r := range all {
		require.Equal(t, suite.Passed, r.Outcome, r.Message)
		require.Len(t, r.Attempts, 1)
	}
	require.Contains(t, f.said, "phone-1 is taken out")
	for _, report := range []string{"j.xml", "r/index.html", "r/all.json"} {
		require.Contains(t, f.report(report), "phone-1 is taken out: ")
	}

	f.adb.Detach("phone-2")
	code, _ = f.test("cases: [{name: a, task: t, expect: none}]")
	require.Equal(t, exitPhone, code, f.said)
}

// When the ADB server goes for good, what runs and what is left could not be set up because of it:
// also where something else has its port by then.
func TestWithoutAnADBServerNothingPasses(t *testing.T) {
	t.Parallel()
	for name, after := range map[string]func(*testing.T, string){
		"gone": func(*testing.T, string) {},
		"another program": func(t *testing.T, addr string) {
			ln, err := net.Listen("tcp", addr)
			if !assert.NoError(t, err) {
				return
			}
			t.Cleanup(func() { _ = ln.Close() })
			go func() {
				for c, err := ln.Accept(); err == nil; c, err = ln.Accept() {
					_, _ = c.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
					_ = c.Close()
				}
			}()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newTested(t, 1, "rules:\n"+say("", "action:CLICK\tpoint:500,999"))
			at := slices.IndexFunc(f.env, func(v string) bool {
				return strings.HasPrefix(v, "TAPLOOP_ADB_SERVER=")
			})
			_, addr, _ := strings.Cut(f.env[at], "=")
			var once sync.Once
			f.asked = func(*scripted.Request) { once.Do(func() { f.stop(); after(t, addr) }) }
			code, all := f.test("cases: [{name: a, task: t, with: [{n: 1}, {n: 2}], expect: none}]")
			require.Equal(t, exitPhone, code, f.said)
			require.Equal(t, map[string]string{"a [n=1]": "setup_failed adb",
				"a [n=2]": "setup_failed adb"}, outcomes(all), all[0].Message)
		})
	}
}

// BenchmarkFourPhonesAgainstOne reports how many times faster twenty cases are on four phones than on
// one, with a model of 300 ms.
func BenchmarkFourPhonesAgainstOne(b *testing.B) {
	f := newTested(b, 4, "rules:\n"+say("", claim, ", delay: 300ms"))
	rows := make([]string, 20)
	for i := range rows {
		rows[i] = fmt.Sprintf("{n: %d}", i)
	}
	content := "setup: [{animations: off}]\ncases: [{name: a, task: t, with: [" +
		strings.Join(rows, ", ") + "], expect: none}]"
	timed := func(phones string) time.Duration {
		began := time.Now()
		code, all := f.test(content, "--phones", phones)
		require.Equal(b, exitDone, code, f.said)
		require.Len(b, all, 20)
		return time.Since(began)
	}
	var one, four time.Duration
	for b.Loop() {
		one += timed("phone-1")
		four += timed("any")
	}
	b.ReportMetric(float64(one)/float64(four), "times-faster")
}

// Ctrl-C ends the steps, tears down, and writes the reports of what was.
func TestInterruptedTestsTearDownAndReport(t *testing.T) {
	t.Parallel()
	f := newTested(t, 1, "rules:\n"+say("", "action:CLICK\tpoint:500,999"))
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	f.asked = func(*scripted.Request) {
		if n++; n == 2 {
			cancel()
		}
	}
	file := f.file("s.yaml", `
teardown: [{shell: echo whole > /sdcard/suite}]
each: {teardown: [{shell: echo one > /sdcard/each}]}
cases:
- {name: a, task: t, expect: none}
- {name: b, task: t, expect: none}
`)
	code, all := f.run(ctx, file, "--junit", filepath.Join(f.dir, "j.xml"))
	require.Equal(t, exitInterrupted, code, f.said)
	require.Equal(t, map[string]string{"a": "skipped", "b": "skipped"}, outcomes(all))
	require.Equal(t, "interrupted", all[0].Message)
	require.FileExists(t, filepath.Join(f.dir, "j.xml"))
	for _, name := range []string{"/sdcard/suite", "/sdcard/each"} {
		_, err := f.phones[0].Files().Read(name)
		require.NoError(t, err)
	}
}

// The value of a secret is in no file that a test writes, and in nothing that it prints.
func TestASecretIsMaskedEverywhere(t *testing.T) {
	t.Parallel()
	const secret = `pa"ss<w0rd>.$`
	f := newTested(t, 1, "rules:\n"+say("", "action:INFO\tvalue:What is your favourite word?",
		", times: 1")+say("", claim))
	f.env = append(f.env, "SHOP_WORD="+secret)
	code, all := f.test(`
name: "Secrets"
secrets: [SHOP_WORD]
app: 'pa"ss<w0rd>.$'
each: {setup: [{shell: "echo '{{SHOP_WORD}}' > /sdcard/word"}]}
cases:
- name: a
  task: Log in
  replies: [{question: word, reply: "{{SHOP_WORD}}", times: any}]
  budget: {steps: 4}
  expect:
  - shell: {command: cat /sdcard/word, output: "nothing {{SHOP_WORD}}"}
`, "--junit", filepath.Join(f.dir, "r", "j.xml"), "--allure", filepath.Join(f.dir, "r", "allure"))
	require.Equal(t, exitNotCompleted, code, f.said)
	require.Contains(t, all[0].Message, suite.Hidden)
	require.Equal(t, inquiry.Masked, all[0].Last().Asked[0].Answer)
	const part = "w0rd" // in every form of it
	require.NotContains(t, f.said+f.out, part)
	files := 0
	for _, dir := range []string{filepath.Join(f.dir, "r"), dataOf(f.env)} {
		require.NoError(t, filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			files++
			b, err := os.ReadFile(p)
			require.NotContains(t, string(b), part, p)
			return err
		}))
	}
	require.Greater(t, files, 10)
}

// Journeys and Firebase's tests run as they are. What they say only in words is judged twice.
func TestJourneysAndTestsOfFirebaseRunAsTheyAre(t *testing.T) {
	t.Parallel()
	f := newTested(t, 1, "rules:\n"+
		"- {when: 'Claim:.*moon', reply: '{\"true\": false, \"why\": \"no moon\"}'}\n"+
		"- {when: 'Claim:', reply: '{\"true\": true, \"why\": \"seen\"}'}\n"+say("", claim))
	f.file("j/notes.journey.xml", `<journey name="Notes"><description>d</description><actions>
<action>Open Notes</action><action>Verify the list is shown</action>
<action>Open the first note</action><action>Check that it has a title</action>
</actions></journey>`)
	f.file("j/shop.journey.xml",
		`<journey name="Shop"><actions><action>Open the Shop</action></actions></journey>`)
	f.file("j/moon.journey.xml", `<journey name="Moon"><actions><action>Go home</action>
<action>Verify that the moon is shown</action></actions></journey>`)
	f.file("j/fire.yaml", "tests:\n- displayName: Log in\n  id: login\n  steps:\n"+
		"  - {goal: Log in as guest, finalScreenAssertion: Home is shown}\n"+
		"- displayName: Search\n  prerequisiteTestCaseId: login\n  steps:\n"+
		"  - {goal: Find shoes, hint: use the field, successCriteria: There are shoes}\n")
	f.file("j/old.yml", "- displayName: Old\n  steps: [{goal: Look}]\n")
	var tasks []string
	f.asked = func(r *scripted.Request) { tasks = append(tasks, r.Asked()) }
	code, all := f.run(t.Context(), filepath.Join(f.dir, "j"))
	require.Equal(t, exitNotCompleted, code, f.said)
	require.Equal(t, 6, strings.Count(f.said, " (a model's word) ("), "lines of results say so")
	require.Equal(t, map[string]string{"Notes": "passed", "Shop": "passed", "Moon": "failed",
		"Log in": "passed", "Search": "passed", "Old": "passed"}, outcomes(all), f.said)
	for _, r := range all {
		for _, c := range r.Last().Checks {
			require.True(t, c.Judged)
		}
		if r.Name == "Search" || r.Name == "Notes" {
			require.Len(t, r.Last().Checks, 2)
		}
	}
	judged := 0
	for _, asked := range tasks {
		if strings.Contains(asked, "Claim:") {
			judged++
		}
	}
	require.Equal(t, 15, judged) // twice each but the no
}

func TestReportsOfEveryOutcomeAreWhole(t *testing.T) {
	t.Parallel()
	f := newTested(t, 1, "rules:\n"+say("zap-out", "action:ABORT\tvalue:no | <b>\u001b[31m ##[add-mask]a")+
		say("flip-flop", "action:ABORT\tvalue:no", ", times: 1")+
		say("Question", "action:INFO\tvalue:Which one?")+
		"- {when: Unreadable, status: 400, reply: no}\n"+say("", claim))
	f.env = append(f.env, "GITHUB_ACTIONS=true",
		"GITHUB_STEP_SUMMARY="+filepath.Join(f.dir, "sum.md"))
	f.asked = func(r *scripted.Request) {
		if strings.Contains(r.Asked(), "crash-it") {
			f.phones[0].Apps.Crash("com.taploop.sandbox.shop", "java.lang.Error: no cart")
		}
	}
	junit, allure := filepath.Join(f.dir, "j.xml"), filepath.Join(f.dir, "allure")
	code, all := f.test(`
app: com.taploop.sandbox.shop
tags: [smoke]
cases:
- {name: "pass & go", task: t, expect: [{no_text: Nowhere}]}
- {name: fail, task: zap-out, expect: none}
- {name: flaky, task: flip-flop, retries: 1, expect: none}
- {name: crash, task: crash-it, expect: none}
- {name: person, task: Question, expect: none}
- {name: model, task: Unreadable, retries: 1, expect: none}
- {name: skip, task: t, skip: true, expect: none}
`, "--junit", junit, "--allure", allure)
	require.Equal(t, exitNotCompleted, code, f.said)
	require.Len(t, all, 7)
	b, err := os.ReadFile(junit)
	require.NoError(t, err)
	reporttest.ValidJUnit(t, b)
	require.Contains(t, string(b), `tests="7" failures="2" errors="2" skipped="1"`)
	require.Contains(t, string(b), "[[ATTACHMENT|"+filepath.Join(f.dir, "r"))

	for _, want := range []string{"::error file=", "line=6,col=3,title=s / fail (failed)::",
		"::warning file=", "(needs_person)::the agent asks what the suite does not expect"} {
		require.Contains(t, f.out, want)
	}
	require.NotContains(t, f.said, "##[")
	md, err := os.ReadFile(filepath.Join(f.dir, "sum.md"))
	require.NoError(t, err)
	require.Contains(t, string(md), "| failed | s | fail |")
	require.Contains(t, string(md), `no \| &lt;b>`)

	results, err := filepath.Glob(filepath.Join(allure, "*-result.json"))
	require.NoError(t, err)
	require.Len(t, results, 9) // one for each attempt, and the skipped one
	status := map[string]int{}
	for _, file := range results {
		var x struct {
			Status, HistoryID string
			Attachments       []struct{ Source string }
		}
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(b, &x))
		status[x.Status]++
		for _, a := range x.Attachments {
			require.FileExists(t, filepath.Join(allure, a.Source))
		}
	}
	require.Equal(t, map[string]int{"passed": 2, "failed": 3, "broken": 3, "skipped": 1}, status)

	page, err := os.ReadFile(filepath.Join(f.dir, "r", "index.html"))
	require.NoError(t, err)
	require.NotContains(t, string(page), "<b>\u001b")
	require.Contains(t, string(page), "steps.html#step-1")
	for _, r := range all {
		for _, a := range r.Attempts {
			for _, x := range a.Files {
				require.FileExists(t, filepath.Join(f.dir, "r", x.Path))
			}
		}
	}
}

func TestADryRunTouchesNothing(t *testing.T) {
	t.Parallel()
	f := newTested(t, 0, "rules:\n"+say("", claim))
	code, _ := f.test("secrets: [NOT_SET_HERE]\ncases:\n"+
		"- {name: a, task: t, with: [{n: 1}, {n: 2}], expect: none}\n"+
		"- {name: b, task: t, expect: none}", "--dry-run", "--shard", "2/2")
	require.Equal(t, exitUsage, code, f.said)
	require.Contains(t, f.said, "NOT_SET_HERE, a secret of this suite, is not set")
	f.env = append(f.env, "NOT_SET_HERE=now it is")
	code, _ = f.run(t.Context(), filepath.Join(f.dir, "s.yaml"), "--dry-run", "--shard", "2/2")
	require.Equal(t, exitDone, code, f.said)
	require.Contains(t, f.out, "s.yaml:3:3")
	require.Contains(t, f.out, "a [n=2]")
	require.NotContains(t, f.out, "a [n=1]")
	code, _ = f.run(t.Context(), "--schema")
	require.Equal(t, exitDone, code)
	require.True(t, json.Valid([]byte(f.out)))
}

func TestTestsEndAsTheFlagsSay(t *testing.T) {
	t.Parallel()
	f := newTested(t, 1, "rules:\n"+say("zap-out", "action:ABORT\tvalue:no")+
		"- {when: Dawdle, delay: 10m, reply: x}\n"+say("", claim))
	held := false
	f.asked = func(*scripted.Request) { // other tests wait for the phone, also the very first ones
		db, err := store.Open(context.Background(), dataOf(f.env), nil)
		if assert.NoError(t, err) {
			_, held, err = db.Leases.Holder(context.Background(), "phone-1")
			assert.NoError(t, errors.Join(err, db.Close()))
		}
	}
	code, all := f.test("cases: [{name: a, task: zap-out, expect: none}, "+
		"{name: b, task: t, expect: none}]", "--fail-fast")
	require.Equal(t, exitNotCompleted, code)
	require.Equal(t, map[string]string{"a": "failed", "b": "skipped"}, outcomes(all))
	require.Contains(t, all[1].Message, "--fail-fast")
	require.True(t, held)
	f.asked = nil

	code, all = f.test("cases: [{name: a, task: Dawdle, expect: none}]", "--timeout", "8s")
	require.Equal(t, exitNotCompleted, code)
	require.Equal(t, map[string]string{"a": "failed"}, outcomes(all), f.said)
	require.Contains(t, all[0].Message, "over time: it took longer than 8s")

	code, all = f.test("phones: {api: 35}\ncases: [{name: a, task: t, expect: none}]")
	require.Equal(t, exitPhone, code)
	require.Contains(t, all[0].Message, "no phone fits")
	code, _ = f.test("phones: {labels: ['phone-*', 'nexus*']}\n" +
		"cases: [{name: a, task: t, expect: none}]")
	require.Equal(t, exitPhone, code)
	code, _ = f.test("phones: {labels: ['phone-*'], api: 34, count: 1}\n"+
		"cases: [{name: a, task: t, expect: none}]", "--grep", "s a$")
	require.Equal(t, exitDone, code, f.said)
	f.adb.Attach("sandbox-7", shell.New(newPhone()))
	code, all = f.test("tags: [a, b]\ncases: [{name: a, task: t, expect: none}]", "--tags", "c, b",
		"--phones", "sandbox-7, sandbox-7")
	require.Equal(t, exitDone, code, f.said)
	require.NotContains(t, f.said, "held by")
	require.Equal(t, "sandbox-7", all[0].Last().Phone)
	junit := filepath.Join(f.dir, "none.xml")
	for flag, want := range map[string]int{"--tags=slow": exitUsage, "--grep=^$": exitUsage,
		"--shard=2/2": exitDone} { // a share may be empty; what is written is whole
		code, all = f.test("cases: [{name: a, task: t, expect: none}]", flag, "--junit", junit)
		require.Equal(t, want, code, f.said)
		require.NotNil(t, all)
		require.Empty(t, all)
		b, err := os.ReadFile(junit)
		require.NoError(t, err)
		reporttest.ValidJUnit(t, b)
		require.NoError(t, os.Remove(junit))
	}
	for _, flag := range []string{"--grep=[", "--shard=3/2"} {
		code, all = f.test("cases: [{name: a, task: t, expect: none}]", flag, "--junit", junit)
		require.Equal(t, exitUsage, code, f.said)
		require.Nil(t, all)
		require.NoFileExists(t, junit)
	}
	code, _ = f.test("cases: [{name: a, task: t, expect: none}]", "--phones", "sandbox:x")
	require.Equal(t, exitUsage, code)

	for i, v := range f.env { // a model that is not there
		if strings.HasPrefix(v, "TAPLOOP_MODEL_BASE_URL=") {
			f.env[i] = "TAPLOOP_MODEL_BASE_URL=http://127.0.0.1:1/v1"
		}
	}
	f.env = append(f.env, "TAPLOOP_MODEL_RETRIES=0")
	code, all = f.test("cases: [{name: a, task: t, expect: none}]")
	require.Equal(t, exitModel, code, f.said)
	require.Equal(t, map[string]string{"a": "setup_failed model"}, outcomes(all))
}

// With --ask a person answers what the suite does not. The reports have both answers, and the data
// folder says whose each is.
func TestAPersonAnswersWhatTheSuiteDoesNot(t *testing.T) {
	t.Parallel()
	f := newTested(t, 1, "rules:\n"+say("answer is[^\n]*red", claim)+
		say("answer is[^\n]*42", "action:INFO\tvalue:Which colour?")+
		say("", "action:INFO\tvalue:Which size do you wear?"))
	f.env = append(f.env, "TAPLOOP_REPLY_MODE=pass_to_client")
	type ended struct {
		code int
		all  []suite.Result
	}
	done := make(chan ended)
	go func() {
		code, all := f.run(t.Context(), f.file("s.yaml", "cases: [{name: a, task: Buy shoes, "+
			"replies: [{question: size, reply: 42}], expect: none}]"), "--ask", "--timeout", "1m",
			"--junit", filepath.Join(f.dir, "j.xml"))
		done <- ended{code, all}
	}()
	call := func(args ...string) (int, string) {
		var out, said bytes.Buffer
		code := run(t.Context(), args, f.env, streams{strings.NewReader(""), &out, &said})
		return code, out.String()
	}
	var list []struct {
		ID   string `json:"question_id"`
		Text string
	}
	require.Eventually(t, func() bool {
		code, out := call("inquiries", "--json")
		return code == 0 && json.Unmarshal([]byte(out), &list) == nil && len(list) == 1 &&
			list[0].Text == "Which colour?"
	}, patience, 20*time.Millisecond)
	code, _ := call("reply", list[0].ID, "red")
	require.Equal(t, exitDone, code)
	got := <-done
	require.Equal(t, exitDone, got.code, f.said)

	db, err := store.Open(t.Context(), dataOf(f.env), nil)
	require.NoError(t, err)
	defer db.Close()
	asked := got.all[0].Last().Asked
	kept, err := db.Trajectory(t.Context(), got.all[0].Last().Session)
	require.NoError(t, err)
	require.Len(t, kept.Questions, 2)
	for n, want := range []suite.Asked{
		{Question: "Which size do you wear?", Answer: "42", By: inquiry.ChannelSuite},
		{Question: "Which colour?", Answer: "red", By: inquiry.ChannelCommandLine}} {
		r := kept.Questions[n].Resolution
		require.Equal(t, []string{want.By, want.Answer}, []string{r.Channel, r.Response.String()})
		want.By = r.Who()
		require.Contains(t, asked[n].Question, want.Question)
		want.Question = asked[n].Question
		require.Equal(t, want, asked[n])
		require.Contains(t, f.report("j.xml"), want.Answer+" ("+want.By+")")
		require.Contains(t, f.report("r", "index.html"), want.Answer+" ("+want.By+")")
	}
	entries, err := db.Audit.List(t.Context(), store.AuditFilter{})
	require.NoError(t, err)
	var whose []string
	for _, e := range entries {
		if e.Event == store.AuditAnswered {
			whose = append(whose, e.Channel)
		}
	}
	require.Equal(t, []string{inquiry.ChannelSuite, inquiry.ChannelCommandLine}, whose)
}

// A suite has its phones for itself: it waits for one that a task has, and while it runs no task
// gets one. Its own sessions and questions are in nobody's list.
func TestASuiteAndTasksWaitForEachOthersPhones(t *testing.T) {
	t.Parallel()
	f := newTested(t, 2, "rules:\n"+say("", claim))
	db, err := store.Open(t.Context(), dataOf(f.env), nil)
	require.NoError(t, err)
	defer db.Close()
	begin := func(serial string) store.Run {
		_, run, err := db.Begin(t.Context(), store.Session{Serial: serial},
			store.Run{Task: "of a person", State: store.Running})
		require.NoError(t, err)
		return run
	}
	mine, other := begin("phone-1"), begin("phone-2")
	require.NoError(t, db.Leases.Take(t.Context(), "phone-1", mine.ID))
	refused := 0
	f.asked = func(*scripted.Request) {
		err := db.Leases.Take(context.Background(), "phone-2", other.ID)
		if _, busy := errors.AsType[*store.BusyError](err); busy {
			refused++
		}
	}
	const two = "cases: [{name: a, task: t, with: [{n: 1}, {n: 2}], expect: none}]"
	code, all := f.test(two)
	require.Equal(t, exitDone, code, f.said)
	require.Contains(t, f.said, "phone-1", "a person is told what is waited for")
	for _, r := range all {
		require.Equal(t, "phone-2", r.Last().Phone)
	}
	require.Equal(t, 2, refused)
	require.NoError(t, db.Leases.Take(t.Context(), "phone-2", other.ID), "it is given back")

	f.asked = nil
	said := make(chan struct{})
	go func() { // the person's task ends while the tests wait
		defer close(said)
		patient.Until(t, func() bool {
			list, err := db.Sessions(context.Background(), store.Filter{})
			return err == nil && len(list) == 4
		})
		assert.NoError(t, db.Leases.Release(context.Background(), "phone-1", mine.ID))
	}()
	code, _ = f.test(two, "--phones", "phone-1")
	<-said
	require.Equal(t, exitDone, code, f.said)

	before, err := db.Sessions(t.Context(), store.Filter{})
	require.NoError(t, err)
	code, _ = f.test(two, "--shard", "3/3")
	require.Equal(t, exitDone, code, f.said)
	after, err := db.Sessions(t.Context(), store.Filter{})
	require.NoError(t, err)
	require.Len(t, after, len(before), "a share without a case holds no phone")
}

// Whoever stops the tests on a phone, or begins a task in their place, has it for themselves at once:
// its case goes to another phone, and without one the reports say why.
func TestAPhoneThatIsTakenFromTheTestsIsLeftAlone(t *testing.T) {
	t.Parallel()
	f := newTested(t, 2, "rules:\n"+say("", "action:CLICK\tpoint:500,999"))
	db, err := store.Open(t.Context(), dataOf(f.env), nil)
	require.NoError(t, err)
	defer db.Close()
	var mu sync.Mutex
	taken := false
	f.asked = func(*scripted.Request) {
		mu.Lock()
		defer mu.Unlock()
		h, held, err := db.Leases.Holder(context.Background(), "phone-1")
		if assert.NoError(t, err); taken || !held {
			return
		}
		_, err = db.Runs.Transition(context.Background(), h.RunID,
			store.Change{To: store.Cancelled})
		taken = assert.NoError(t, err)
	}
	const one = "teardown: [{shell: echo x > /sdcard/suite}]\n" +
		"each: {teardown: [{shell: echo x > /sdcard/each}]}\n" +
		"cases: [{name: a, task: t, with: [{n: 1}, {n: 2}], expect: none}]"
	code, all := f.test(one, "--phones", "phone-1")
	require.Equal(t, exitPhone, code, f.said)
	require.Equal(t, map[string]string{"a [n=1]": "setup_failed phone",
		"a [n=2]": "setup_failed phone"}, outcomes(all))
	require.Contains(t, all[0].Message, "someone stopped the tests on phone-1")
	for _, name := range []string{"/sdcard/suite", "/sdcard/each"} {
		_, err := f.phones[0].Files().Read(name)
		require.ErrorIs(t, err, fs.ErrNotExist)
	}

	mu.Lock()
	taken = false
	mu.Unlock()
	code, all = f.test(one, "--phones", "phone-1,phone-2")
	require.Equal(t, exitNotCompleted, code, f.said) // nothing comes of it there
	for _, r := range all {
		require.Equal(t, "phone-2", r.Last().Phone)
	}
	require.Contains(t, f.said, "phone-1 is taken out: someone stopped the tests")
}
