package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/golden"
	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/terminal/usage"
)

// foreign are the words of a text for a Chinese person that are neither names nor literal.
func foreign(t *testing.T, said string) []string {
	var ours strings.Builder
	for line := range strings.Lines(ansi.Strip(said)) {
		if strings.ContainsAny(line, "⇥") || strings.Contains(line, "<THINK>") {
			continue // as a model wrote it
		}
		if cells := strings.Fields(line); len(cells) > 1 && strings.Contains(line, "TAPLOOP_") {
			// a setting, with what is written as its value
			line = strings.Join(cells[len(cells)-2:], " ") + "\n"
		}
		ours.WriteString(line)
	}
	return golden.Foreign(t, ours.String())
}

// inChinese are commands that list and show what a folder has, by their words.
func inChinese(b *testEnv, session string, ids []string) [][]string {
	all := [][]string{{"sessions", "list"}, {"sessions", "show", session}, {"sessions", "show"},
		{"devices"}, {"audit"}, {"audit", "list"}, {"inquiries"}, {"inquiries", "--all"},
		{"answers"}, {"answers", "list"}, {"config", "show"}, {"schedule", "list"}, {"token", "list"},
		{"skill", "list"}, {"skill", "check"}, {"yolo", "status"}, {"yolo", "off"}, {"guard", "check"},
		{"doctor"}, {"farm", "status"}, {"store", "check"},
		{"store", "migrate"}, {"version"}, {"stop"}, {"stop", session}, {"say", session, "快一点"},
		{"continue", session}, {"devices", "--adb-server", "127.0.0.1:1"}, {"ui"},
		{"sessions", "export", session, "-o", "x.html"}, {"sessions", "prune", "--older-than", "30d"},
		{"audit", "prune", "--before", "2020-01-01"}, {"backup", "x.zip"}, {"restore", "nosuch.zip"},
		{"reply", "nosuch", "是"}, {"inquiries", "nosuch"}, {"token", "revoke", "nosuch"},
		{"token", "adopt", "nosuch"}, {"token", "adopt", "甲"}, {"skill", "show", "nosuch"},
		{"skill", "remove", "nosuch"}, {"skill", "diff", "nosuch"}, {"skill", "make", session},
		{"skill", "run", "nosuch"}, {"schedule", "remove", "nosuch"}, {"schedule", "run", "nosuch"},
		{"schedule", "add", "99 * * * *", "做"}, {"schedule", "add", "0 8 * * *", "买鞋", "--name", "s8"},
		{"farm", "drain", "nosuch"}, {"farm", "cordon", "nosuch"}, {"farm", "requeue", "nosuch"},
		{"connect", "127.0.0.1:1"}, {"disconnect", "127.0.0.1:1"}, {"pair", "127.0.0.1:1", "123456"},
		{"test", "nosuch.yaml"}, {"bench", "nosuch"},
		{"prompt", session}, {"init"},
		{"config", "import", "nosuch", "nosuch"}, {"host", "--list"}, {"proxy"}, {"upgrade"},
		{"run", ""}, {"run", "--serial", "nosuchphone", "买鞋"}, {"serve", "nosuch"},
		{"--set", "nosuch=1", "devices"}, {"--config", "nosuch.yaml", "devices"},
		{"--set", "model.temperature=9", "devices"}, {"nosuch"}, {"answers", "forget", "--all"},
		{"yolo", "on"}, {"yolo", "on", "--all"}, {"yolo", "on", "--app", "com.x"}, {"yolo", "status"},
		{"sessions", "prune", "--older-than", "30x"}, {"completion", "nosuch"}, {"demo", "nosuch"}, {"watch"}}
	for _, id := range ids {
		all = append(all, []string{"inquiries", id}, []string{"reply", id, "好"})
	}
	return all
}

// allSorts fills a folder with one of everything that is listed, in Chinese words, and returns
// the ids of its questions.
func allSorts(t *testing.T, b *testEnv) (ids []string) {
	db, broker := b.folder()
	ctx := t.Context()
	for _, state := range store.States() {
		_, run, err := db.Begin(ctx, store.Session{Serial: "emu-" + strings.ToLower(string(state))},
			store.Run{Task: "买鞋"})
		require.NoError(t, err)
		if state != store.Queued {
			_, _ = db.Runs.Transition(ctx, run.ID, store.Change{To: state,
				Reason: agentloop.UserPaused}) // what cannot be reached stays as it is
		}
	}
	source, err := filepath.Glob("../../internal/store/*.go")
	require.NoError(t, err)
	events := 0
	for _, file := range source {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`AuditEvent = "(\w+)"`).FindAllStringSubmatch(
			string(text), -1) {
			events++
			require.NoError(t, db.Audit.Append(ctx, store.AuditEntry{Event: store.AuditEvent(m[1]),
				Channel: inquiry.ChannelConsole, Authority: inquiry.AuthorityLocalOperator, Text: "哪双"}))
		}
	}
	require.Greater(t, events, 20)
	x, _, err := db.Begin(ctx, store.Session{Serial: "emu-9"}, store.Run{Task: "买鞋"})
	require.NoError(t, err)
	for _, body := range []inquiry.Body{&inquiry.Ask{Options: []string{"红", "蓝"}},
		&inquiry.Approval{ActionRequests: []inquiry.ActionRequest{{Name: "CLICK",
			Description: "点击"}}, ReviewConfigs: []inquiry.ReviewConfig{{ActionName: "CLICK",
			AllowedDecisions: []string{inquiry.Approve, inquiry.Reject}}}, Reason: "规则", Severity: inquiry.Sensitive},
		&inquiry.Takeover{}, &inquiry.Form{Fields: []inquiry.Field{{Name: "info", Type: "text"},
			{Name: "click", Type: "number"}}}, &inquiry.Ask{}} {
		for i := range 2 {
			kind := inquiry.KindInquiry
			switch body.(type) {
			case *inquiry.Approval:
				kind = inquiry.KindApproval
			case *inquiry.Takeover:
				kind = inquiry.KindTakeover
			}
			q, err := broker.Open(ctx, inquiry.Question{Kind: kind, Text: "哪双鞋？", SessionID: x.ID,
				Body: body.Clone(), Task: "买鞋"})
			require.NoError(t, err)
			ids = append(ids, q.ID)
			if i == 1 {
				_, _ = broker.Resolve(ctx, q.ID, inquiry.Reply{Response: "红",
					Channel: inquiry.ChannelConsole, Authority: inquiry.AuthorityLocalOperator,
					By: "甲", Remember: "session"})
			}
		}
	}
	secret, err := broker.Open(ctx, inquiry.Question{Kind: inquiry.KindInquiry, Text: "口令？",
		SessionID: x.ID, Secret: true, Body: &inquiry.Ask{}})
	require.NoError(t, err)
	require.NoError(t, db.Schedules.Add(ctx, store.Schedule{Name: "早", Spec: "0 8 * * *",
		Task: "买鞋"}))
	require.NoError(t, db.Grants.Give(ctx, guard.Grant{Scope: guard.ForAll, From: time.Now(),
		Until: time.Now().Add(time.Hour)}, byCommandLine()))
	return append(ids, secret.ID)
}

// measuring are commands for those who measure models and set up clients, whose reports have a test
// of their own, and run, which is called first.
var measuring = []string{"run", "replay", "calibrate", "setup", "sandbox"}

const chineseScript = `- when: '红的'
  reply: "<THINK> 买好了 </THINK>\nexplain:完成\taction:COMPLETE\treturn:买好了\tsummary:完成"
- when: '店已打开'
  reply: "<THINK> 问 </THINK>\nexplain:问颜色\taction:INFO\tvalue:哪个颜色？\tsummary:店已打开"
- when: '去买鞋'
  reply: "<THINK> 打开 </THINK>\nexplain:打开\taction:AWAKE\tvalue:Shop\tsummary:店已打开"
`

// What taploop words itself is in the language of the terminal: every command is called, as it is
// meant and as it is not, and says no word in Latin letters that is not a name.
func TestEveryCommandSpeaksTheLanguageOfTheTerminal(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, chineseScript, "LC_ALL=zh_CN.UTF-8", "TZ=UTC", "TERM=xterm",
		"NO_COLOR=1", "TAPLOOP_FARM_NAME=m1")
	wrong := map[string][]string{}
	note := func(said string, args ...string) {
		for _, line := range foreign(t, said) {
			if command := strings.Join(args, " "); !slices.Contains(wrong[line], command) {
				wrong[line] = append(wrong[line], command)
			}
		}
	}
	note(b.said(t, "run", "--reply", "=红的", "去买鞋"), "run")
	out, _, _ := b.run("sessions", "list")
	session := regexp.MustCompile(`(?m)^[0-9a-z]{32}`).FindString(out)
	require.NotEmpty(t, session, out)
	ids := allSorts(t, b)
	b.run("token", "create", "--name", "甲")
	b.run("token", "create", "--person", "--name", "乙")
	called := map[string]bool{}
	for _, args := range inChinese(b, session, ids) {
		called[args[0]] = true
		note(b.said(t, args...), args...)
	}
	for _, n := range leafNodes(t) {
		words := strings.Fields(usage.Path(n))
		require.True(t, called[words[0]] || n.Hidden || slices.Contains(measuring, words[0]),
			"%s is not called", words)
		for _, more := range [][]string{{"--nosuchflag"}, {"a", "b", "c", "d", "e", "f"},
			{"--config"}, {"--set", "x"}, {"--help"}} {
			var out, errs bytes.Buffer
			_ = run(t.Context(), append(slices.Clone(words), more...), b.env,
				streams{strings.NewReader(""), &out, &errs})
			note(errs.String()+spoken(out.String()), append(words, more...)...)
		}
	}
	for line, commands := range wrong {
		t.Errorf("%s  <%d: taploop %s>", line, len(commands), commands[0])
	}
	t.Logf("%d lines are not in Chinese", len(wrong))
}

// spoken are the headings of a help, and the lines in which English is spoken: names of commands,
// values and examples are typed as they are.
func spoken(help string) string {
	return strings.Join(regexp.MustCompile(`(?m)^[A-Z].*|^.*\[flags\].*|`+
		`^(?: {0,3}| {5,})[^ \n].*\b(?:or|and|the|a|is)\b .*`).FindAllString(help, -1), "\n")
}

// said is what a command leaves on a wide terminal at which nobody types, however it ends.
func (b *testEnv) said(t *testing.T, args ...string) string {
	t.Helper()
	master, slave := openPTY(t)
	resize(t, slave, 400)
	screen := newTranscript()
	go func() { _, _ = io.Copy(screen, master) }() // ends when the test closes the terminal
	p := b.spawnAs(func(c *exec.Cmd) { c.Stdin, c.Stdout, c.Stderr = nil, slave, slave }, args...)
	p.ends()
	_, err := slave.WriteString("the end")
	require.NoError(t, err)
	return strings.TrimSuffix(screen.await(t, `(?s)^(.*)the end`), "the end")
}
