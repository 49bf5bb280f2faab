package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/model/scripted"
	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/sandbox/adbserver"
	"github.com/taploop/taploop/internal/sandbox/shell"
	"github.com/taploop/taploop/internal/suite"
)

// tested is what the command is tested with: phones behind an ADB server, a model, and a folder.
type tested struct {
	t      testing.TB
	adb    *adbserver.Server
	stop   func() // ends the ADB server
	phones []*sandbox.Simulator
	dir    string
	env    []string
	asked  func(*scripted.Request) // may be nil

	out, said string // of the last call
}

// newTested makes phones and a model that plays the script.
func newTested(t testing.TB, phones int, script string) *tested {
	t.Helper()
	f := &tested{t: t, adb: adbserver.New(), dir: t.TempDir()}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	var serving sync.WaitGroup
	serving.Go(func() { _ = f.adb.Serve(ctx, ln) })
	f.stop = func() { cancel(); serving.Wait() }
	t.Cleanup(f.stop)
	for i := range phones {
		p := newPhone()
		f.adb.Attach(fmt.Sprintf("phone-%d", i+1), shell.New(p))
		f.phones = append(f.phones, p)
	}
	base := modelOf(t, script, func(r *scripted.Request) {
		if f.asked != nil {
			f.asked(r)
		}
	})
	f.env = append(lone(t, base), "TAPLOOP_ADB_SERVER="+ln.Addr().String(),
		"TAPLOOP_LOOP_SETTLE_TIMEOUT=300ms", "TAPLOOP_MODEL_IMAGE_SIZE="+glanced,
		"TAPLOOP_MODEL_LANG=en")
	return f
}

// file writes a file into the folder and returns its path.
func (f *tested) file(name, content string) string {
	f.t.Helper()
	path := filepath.Join(f.dir, name)
	require.NoError(f.t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(f.t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// test runs the command on a suite with these lines, and returns its exit code and the results.
func (f *tested) test(content string, args ...string) (code int, all []suite.Result) {
	f.t.Helper()
	return f.run(f.t.Context(), append([]string{f.file("s.yaml", content)}, args...)...)
}

func (f *tested) run(ctx context.Context, args ...string) (code int, all []suite.Result) {
	f.t.Helper()
	var out, said bytes.Buffer
	results := filepath.Join(f.dir, "r", "all.json")
	_ = os.Remove(results)
	if args = append([]string{"test"}, args...); !slices.Contains(args, "--dry-run") {
		args = append(args, "--json", results, "--report", filepath.Join(f.dir, "r"))
	}
	code = run(ctx, args, f.env, streams{strings.NewReader(""), &out, &said})
	f.out, f.said = out.String(), said.String()
	var sum struct{ Results []suite.Result }
	if b, err := os.ReadFile(results); err == nil {
		require.NoError(f.t, json.Unmarshal(b, &sum))
	}
	return code, sum.Results
}

// outcomes are those of the results by case.
func outcomes(all []suite.Result) map[string]string {
	m := map[string]string{}
	for _, r := range all {
		m[r.Name] = string(r.Outcome)
		if r.Kind != "" {
			m[r.Name] += " " + r.Kind
		}
	}
	return m
}

// say is a rule of a script: what the model says when it is asked this.
func say(when, action string, more ...string) string {
	reply, err := json.Marshal("<THINK>-</THINK>\texplain:-\t" + action + "\tsummary:-")
	if err != nil {
		panic(err)
	}
	when, _ = func() (string, error) { b, err := json.Marshal(when); return string(b), err }()
	return "- {when: " + when + ", reply: " + string(reply) + strings.Join(more, "") + "}\n"
}

const claim = "action:COMPLETE\treturn:it is done"

// A model that claims that everything is done passes none of these.
func TestAModelThatClaimsToBeDonePassesNoExpectation(t *testing.T) {
	t.Parallel()
	f := newTested(t, 2, "rules:\n"+
		"- {when: 'Claim:', reply: '{\"true\": false, \"why\": \"no\"}'}\n"+
		say("", claim))
	f.file("like.png", string(gradient()))
	var lines []string
	for n, e := range []string{
		"app: com.taploop.sandbox.shop", "text: Order placed", "no_text: Shop",
		"element: {id: pay, enabled: true}", "answer: '(?i)ordered'",
		"setting: {namespace: global, name: wifi_on, value: 0}",
		"query: {uri: content://com.taploop.sandbox.shop/cart, rows: 1}",
		"file: {path: /sdcard/receipt.txt, contains: 42}",
		"shell: {command: settings get global wifi_on, output: '^0$'}",
		"logcat: {tag: Shop, match: paid}", "picture: {like: like.png}",
		"judged: The order is paid.",
	} {
		lines = append(lines, fmt.Sprintf("- {name: c%d, task: Order it, expect: [{%s}]}", n, e))
	}
	code, all := f.test("cases:\n" + strings.Join(lines, "\n"))
	require.Equal(t, exitNotCompleted, code, f.said)
	require.Len(t, all, 12)
	for _, r := range all {
		require.Equal(t, suite.Failed, r.Outcome, "%s: %s", r.Name, r.Message)
		require.True(t, r.Last().Claimed)
		require.Contains(t, r.Message, "the agent claimed that it was done, and it was not")
	}
}

// What is there passes, whatever way it is asked for.
func TestEveryExpectationPassesWhereItIsTrue(t *testing.T) {
	t.Parallel()
	f := newTested(t, 1, "rules:\n"+
		"- {when: 'Claim:', reply: '{\"true\": true, \"why\": \"seen\"}'}\n"+
		say("", "action:COMPLETE\treturn:Ordered nothing"))
	f.phones[0].Log.Write('I', "Shop", "nothing paid")
	f.file("like.png", string(gradient()))
	code, all := f.test(`
setup:
- wait_boot
- animations: off
- setting: {namespace: system, name: font_scale, value: 1.5}
- push: {from: s.yaml, to: /sdcard/suite.yaml}
- shell: echo hi > /sdcard/hi
cases:
- name: all
  task: Look
  expect:
  - app: com.android.launcher3
  - text: Shop
    within: 2s
  - no_text: Order placed
  - element: {text: Shop}
  - element: {text: Nothing, count: 0}
  - answer: "(?i)ordered"
  - setting: {namespace: system, name: font_scale, value: 1.5}
  - query: {uri: content://sms, projection: [body], where: "person='Tom' AND type=2", rows: 1,
      value: "Great, I will pick it up on Sunday"}
  - file: {path: /sdcard/suite.yaml, contains: wait_boot}
  - setting: {namespace: global, name: not_set, value: ""}
  - query: {uri: "content://settings/system", where: "name='font_scale'", value: 1.5}
  - file: {path: /sdcard/none, absent: true}
  - file: {path: /sdcard}
  - picture: {like: like.png, region: "0, 0.5, 1, 0.5", tolerance: 1}
  - shell: {command: cat /sdcard/hi, output: "^hi$"}
  - shell: {command: "false", code: 1}
  - logcat: {tag: Shop, match: refunded, absent: true}
  - judged: The shop can be opened.
teardown:
- shell: rm /sdcard/hi
`)
	require.Equal(t, exitDone, code, f.said)
	require.Len(t, all[0].Last().Checks, 18)
	_, err := f.phones[0].Files().Read("/sdcard/hi")
	require.Error(t, err) // the teardown removed it
}

// ask is a script that asks for a size, and reports it.
var ask = say(`answer is[^\n]*"42"|answer is[^\n]*42`, claim) +
	say("", "action:INFO\tvalue:Which size do you wear?")

func TestASuiteAnswersQuestionsAndAnUnexpectedOneNeedsAPerson(t *testing.T) {
	t.Parallel()
	f := newTested(t, 1, "rules:\n"+ask)
	code, all := f.test(`
cases:
- name: known
  task: Buy shoes
  replies: [{question: "(?i)size", reply: "42"}]
  expect: none
- name: unknown
  task: Buy shoes
  replies: [{question: colour, reply: red}]
  expect: none
`)
	require.Equal(t, exitWaiting, code, f.said)
	require.Equal(t, map[string]string{"known": "passed", "unknown": "needs_person"},
		outcomes(all))
	require.Contains(t, all[1].Message, "Which size do you wear?")
	require.Equal(t, "42", all[0].Last().Asked[0].Answer)
	f.env = append(f.env, "TAPLOOP_STORE_URL=sqlite:"+filepath.Join(f.dir, "other"))
	code, _ = f.test("cases: [{name: unknown, task: Buy shoes, expect: none}]")
	require.Equal(t, exitWaiting, code, f.said)
	elsewhere := f.env
	f.env = f.env[:len(f.env)-1]
	for n, env := range [][]string{f.env, f.env, elsewhere} { // no inbox has a question
		var out, said bytes.Buffer
		require.Zero(t, run(t.Context(), []string{"inquiries", "--json", "--data-dir",
			filepath.Join(dataOf(env), []string{"", "/tests", ""}[n])}, env,
			streams{strings.NewReader(""), &out, &said}), said.String())
		require.JSONEq(t, "[]", out.String())
	}
}

// dataOf is the data folder of the environment.
func dataOf(env []string) string {
	for _, v := range env {
		if home, ok := strings.CutPrefix(v, "XDG_DATA_HOME="); ok {
			return filepath.Join(home, "taploop")
		}
	}
	return ""
}

func TestTheOutcomesOfCases(t *testing.T) {
	t.Parallel()
	end := "action:ABORT\tvalue:it cannot be done"
	click := "action:CLICK\tpoint:500,999"
	f := newTested(t, 1, "rules:\n"+say("zap-out", end)+say("flip-flop", end, ", times: 1")+
		"- {when: Unreadable, status: 400, reply: no}\n"+say("Walk", click)+say("", claim))
	f.asked = func(r *scripted.Request) {
		if strings.Contains(r.Asked(), "crash it") {
			f.phones[0].Apps.Crash("com.taploop.sandbox.shop",
				"java.lang.Error: no cart\n\tat Cart")
		}
		if strings.Contains(r.Asked(), "hang it") {
			f.phones[0].Apps.Hang("com.taploop.sandbox.shop", "Input dispatching timed out")
		}
	}
	code, all := f.test(`
app: com.taploop.sandbox.shop
cases:
- {name: pass, task: do it, expect: none}
- {name: fail, task: zap-out, expect: none}
- {name: twice, task: flip-flop, retries: 1, expect: none}
- {name: after, task: do it, needs: fail, expect: none}
- {name: later, task: do it, skip: not yet, expect: none}
- {name: crash, task: crash it, expect: none}
- {name: hang, task: hang it, expect: [{text: Nowhere}]}
- {name: steps, task: Walk, budget: {steps: 2}, expect: none}
- {name: tokens, task: do it, budget: {tokens: 10}, expect: none}
- {name: model, task: Unreadable, expect: none}
`)
	require.Equal(t, exitNotCompleted, code, f.said)
	require.Equal(t, map[string]string{"pass": "passed", "fail": "failed", "twice": "flaky",
		"after": "skipped", "later": "skipped", "crash": "crashed", "hang": "crashed",
		"steps": "failed", "tokens": "failed", "model": "setup_failed model"}, outcomes(all))
	by := map[string]*suite.Result{}
	for i := range all {
		by[all[i].Name] = &all[i]
	}
	require.Contains(t, by["crash"].Message, "com.taploop.sandbox.shop crashed: java.lang.Error")
	require.Contains(t, by["crash"].Last().Trace, "at Cart")
	require.Contains(t, by["hang"].Message, "did not respond: Input dispatching timed out")
	require.Contains(t, by["after"].Message, "it needs fail, which did not pass")
	require.Contains(t, by["steps"].Message, "over budget: all 2 steps")
	require.Regexp(t, `over budget: \d+ tokens of 10`, by["tokens"].Message)
	require.Contains(t, by["fail"].Message, "the agent gave up: it cannot be done")

	for _, c := range []struct {
		line string
		code int
	}{{"{name: a, task: do it, expect: none}", exitDone},
		{"{name: a, task: Unreadable, expect: none}", exitModel}} {
		code, _ = f.test("cases:\n- " + c.line)
		require.Equal(t, c.code, code, f.said)
		code, _ = f.test("cases:\n- "+c.line, "--junit", "/proc/nowhere/x.xml")
		require.Equal(t, exitPhone, code, "a report that cannot be written")
		require.Contains(t, f.said, "writing /proc/nowhere/x.xml")
	}
	code, all = f.test("setup: [{clear: com.nowhere}]\nteardown: [{shell: echo x > /sdcard/half}]\n" +
		"cases: [{name: a, task: t, expect: none}]")
	require.Equal(t, exitPhone, code)
	require.Equal(t, map[string]string{"a": "setup_failed app"}, outcomes(all))
	_, err := f.phones[0].Files().Read("/sdcard/half")
	require.NoError(t, err, "half a set-up is torn down")
	// without a phone, and of a suite that cannot be read, there are reports too
	code, all = f.test("cases: [{name: a, task: t, expect: none}]", "--phones", "nope")
	require.Equal(t, exitPhone, code)
	require.Equal(t, map[string]string{"a": "setup_failed phone"}, outcomes(all))
	require.Contains(t, all[0].Message, `no phone has device_id "nope" (taploop devices tells why)`)
	code, all = f.test("cases: [{name: a, task: t}]")
	require.Equal(t, exitUsage, code)
	require.Contains(t, f.said, "s.yaml:1:9: case \"a\" expects nothing")
	require.Equal(t, map[string]string{filepath.Join(f.dir, "s.yaml") +
		":1:9": "setup_failed suite"}, outcomes(all))
	require.FileExists(t, filepath.Join(f.dir, "r", "index.html"))
	nowhere := filepath.Join(f.dir, "nowhere.yaml")
	code, all = f.run(t.Context(), nowhere)
	require.Equal(t, exitUsage, code)
	require.Equal(t, map[string]string{nowhere: "setup_failed suite"}, outcomes(all))
	require.Contains(t, f.said, "taploop: "+nowhere+": no such file or directory")
}

func TestAnActionIsDecidedAsTheSuiteSays(t *testing.T) {
	t.Parallel()
	f := newTested(t, 1, "rules:\n"+say("not today", "action:ABORT\tvalue:I was told not to")+
		say("Decided-about", claim)+
		strings.Replace(say("", "action:CLICK\tpoint:500,500"), "summary:-",
			"summary:Decided-about", 1))
	config := f.file("config.yaml", `
guard:
  rules:
  - {name: everything, action: CLICK, decision: ask, severity: critical, description: all}
`)
	file := f.file("a.yaml", `
cases:
- name: rejected
  task: Pay
  approvals: [{match: {action: click}, decide: reject, message: not today}]
  expect: [{app: com.android.launcher3}]
- name: approved
  task: Pay
  approvals: [{match: {app: com.android.launcher3}, decide: approve}]
  budget: {steps: 2}
  expect: none
- name: edited
  task: Pay
  approvals:
  - match: {text: "."}
    decide: edit
    edited_action: {name: AWAKE, args: {app: Notes}}
  expect: [{app: com.taploop.sandbox.notes}]
- name: unexpected
  task: Pay
  approvals: [{match: {app: com.example}, decide: approve}]
  expect: none
`)
	code, all := f.run(t.Context(), file, "--config", config)
	require.Equal(t, exitWaiting, code, f.said)
	require.Equal(t, map[string]string{"rejected": "passed", "approved": "passed",
		"edited": "passed", "unexpected": "needs_person"}, outcomes(all), f.said)
	require.Contains(t, all[3].Message, "CLICK")
	require.Equal(t, "reject: not today", all[0].Last().Asked[0].Answer)
	require.Equal(t, 2, all[1].Last().Steps, "the approved one is one step, and then the end")
}

// A cassette is recorded, replayed without a model and healed where the screen differs. Nothing is
// written into the suite's folder but the cassette.
func TestACassetteIsRecordedReplayedAndHealed(t *testing.T) {
	t.Parallel()
	f := newTested(t, 1, "rules:\n"+
		"- {when: 'Claim:', reply: '{\"true\": true, \"why\": \"seen\"}'}\n"+
		say("summary-2", claim)+strings.Replace(
		say("", "action:AWAKE\tvalue:Notes"), "summary:-", "summary:summary-2", 1))
	const content = "cases: [{name: a, task: Open the notes, " +
		"expect: [{app: com.taploop.sandbox.notes}, {judged: The notes are open}]}]"
	code, all := f.test(content, "--replay")
	require.Equal(t, exitPhone, code)
	require.Equal(t, map[string]string{"a": "setup_failed cassette"}, outcomes(all))

	code, all = f.test(content, "--record")
	require.Equal(t, exitDone, code, f.said)
	spent, model := all[0].Sum().Sent, 0
	f.asked = func(*scripted.Request) { model++ }
	code, all = f.test(content, "--replay")
	require.Equal(t, exitDone, code, f.said)
	require.Zero(t, model)
	require.Zero(t, all[0].Sum().Sent+all[0].Sum().Got, "a replay spends nothing")
	require.Contains(t, f.said, " 0 tokens")
	require.Equal(t, map[string]string{"a": "passed"}, outcomes(all))

	f.phones[0].Settings.PutSetting("secure", "ui_night_mode", "2") // another screen
	listed := func() []string {
		list, err := filepath.Glob(filepath.Join(f.dir, "cassettes", "*"))
		require.NoError(t, err)
		require.Len(t, list, 1)
		return list
	}
	before := listed()
	code, all = f.test(content, "--replay")
	require.Equal(t, exitNotCompleted, code, f.said)
	require.Equal(t, map[string]string{"a": "failed"}, outcomes(all))
	var kept []string
	for _, x := range all[0].Last().Files {
		require.FileExists(t, filepath.Join(f.dir, "r", x.Path))
		kept = append(kept, x.Name)
	}
	require.Subset(t, kept, []string{"step2-recorded.png", "step2-seen.png"})
	code, all = f.test(content, "--heal")
	require.Equal(t, exitDone, code, f.said)
	require.Equal(t, map[string]string{"a": "healed"}, outcomes(all))
	require.NotZero(t, model)
	require.Greater(t, spent, all[0].Sum().Sent, "what was replayed is not spent")
	require.NotZero(t, all[0].Sum().Sent)
	healed, err := filepath.Glob(filepath.Join(f.dir, "r", "healed", "*.jsonl"))
	require.NoError(t, err)
	require.Len(t, healed, 1)
	require.Equal(t, before, listed())
	code, _ = f.test(content, "--heal", "--fail-on-flaky")
	require.Equal(t, exitNotCompleted, code)
}

// A case repeats a skill of the folder beside the suite, and is healed where the model was asked.
func TestACaseRepeatsASkill(t *testing.T) {
	t.Parallel()
	f := newTested(t, 1, "rules:\n"+say("cannot be repeated|无法照做",
		"action:AWAKE\tvalue:Notes")+say("", claim))
	const notes = `
name: notes
description: open the notes
task: Open {{app}}
params: {type: object, properties: {app: {type: string}}, required: [app]}
steps:
- {say: open it, action: {verb: AWAKE, app: "{{app}}"}}
ends: {app: com.taploop.sandbox.notes}
answer: the notes are open
`
	f.file("skills/notes.yaml", notes)
	f.file("skills/far.yaml", strings.NewReplacer("name: notes", "name: far", "{verb: AWAKE, app: "+
		`"{{app}}"}`, "{verb: BACK}, before: {app: com.nowhere}").Replace(notes))
	code, all := f.test(`
cases:
- name: repeated
  skill: notes
  params: {app: Notes}
  expect: [{app: com.taploop.sandbox.notes}]
- name: healed
  skill: far
  params: {app: Notes}
  expect: [{app: com.taploop.sandbox.notes}]
- name: row
  skill: notes
  with: [{what: Notes}]
  params: {app: "{{what}}"}
  expect: [{app: com.taploop.sandbox.notes}]
`)
	require.Equal(t, exitDone, code, f.said)
	require.Equal(t, map[string]string{"repeated": "passed", "healed": "healed",
		"row [what=Notes]": "passed"}, outcomes(all), f.said)
	require.Zero(t, all[0].Last().Sent)
	for content, wrong := range map[string]string{
		"{name: a, skill: other, expect: none}":                            "there is no skill",
		"{name: a, skill: notes, expect: none}":                            "missing properties",
		"{name: a, skill: notes, params: {x: y}, expect: none}":            `no parameter "x"`,
		"{name: a, task: t, params: {x: y}, expect: none}":                 "it goes only with skill",
		"{name: a, task: t, skill: notes, expect: none}":                   "only one of them can be there",
		"{name: a, task: t, expect: none}]\nsetup: [{install: '**/*.apk'}": "**/*.apk is 2 files",
	} {
		f.file("a.apk", "x")
		f.file("build/out/b.apk", "x")
		code, _ := f.test("cases: [" + content + "]")
		require.Equal(t, exitUsage, code, content)
		require.Contains(t, f.said, wrong, content)
		require.Regexp(t, `/s\.yaml:\d+:\d+: `, f.said, content)
	}
}
