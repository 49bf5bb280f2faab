package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/golden"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
)

// screenCase is what a person sees at a terminal after some typing.
type screenCase struct {
	task, script string
	prepare      func(b *testEnv)
	args         func(b *testEnv) []string
	until        string // what is waited for; "" for the end
	types        string // what is typed then, after which the command ends
	code         int
	changes      bool // what it looks at, so that each screen has its own
}

const asksToAllow = `- when: 'a dialog asks'
  reply: "<THINK> allow </THINK>\nexplain:open details\taction:CLICK\tpoint:450,532\tsummary:it is answered"
- when: 'messages are open'
  reply: "<THINK> new </THINK>\nexplain:begin a conversation\taction:CLICK\tpoint:879,893\tsummary:a dialog asks"
- when: 'Allow it'
  reply: "<THINK> open </THINK>\nexplain:open\taction:AWAKE\tvalue:Messages\tsummary:messages are open"
`

// asked is the end of a question.
const asked = `(stop the task\): |停止(?:任务)?）：)$`

// screenCases are the screens of testdata/screens, by name.
var screenCases = map[string]screenCase{
	"run": {args: runsGoal, until: asked, types: "42\n", changes: true},
	"approval": {changes: true, script: asksToAllow, args: commandLine("run", "Allow it"),
		until: asked},
	"secret": {task: "shop-login", args: runsGoal, changes: true,
		until: asked},
	"sessions": {prepare: someSessions, args: commandLine("sessions", "list")},
	"session":  {prepare: someSessions, args: commandLine("sessions", "show")},
	"devices":  {args: commandLine("devices")},
	"watch": {prepare: someSessions, args: commandLine("watch"),
		until: `((?s)Phones.*emu|(?s)手机.*emu)`},
	"error":  {args: commandLine("run", "--serial", "nosuchphone", "Set an alarm"), code: exitPhone},
	"misuse": {args: commandLine("sessions", "list", "--state", "ASLEEP"), code: exitUsage},
	"empty":  {args: commandLine("inquiries")},
	"doctor": {prepare: anADB, args: commandLine("doctor"), code: 3},
	"init":   {args: commandLine("init"), until: `1[)）][:：] ?$`},
	"say":    {prepare: someSessions, args: commandLine("say", "-", "Take the second one")},
	"stop":   {prepare: someSessions, args: commandLine("stop"), changes: true},
	"pause":  {prepare: someSessions, args: commandLine("stop", "--pause"), changes: true},
	"ui":     {prepare: func(b *testEnv) { b.serve() }, args: commandLine("ui")},
}

// anADB is an adb program where there is none otherwise.
func anADB(b *testEnv) {
	require.NoError(b.t, os.WriteFile(filepath.Join(b.dir, "no-adb"),
		[]byte("#!/bin/sh\necho Android Debug Bridge version 1.0.41\n"), 0o700))
}

func runsGoal(b *testEnv) []string { return []string{"run", b.task.Goal} }

func commandLine(args ...string) func(*testEnv) []string {
	return func(*testEnv) []string { return args }
}

// someSessions are one that is done and one that asks.
func someSessions(b *testEnv) {
	db, broker := b.folder()
	_, run, err := db.Begin(b.t.Context(), store.Session{Serial: "emu-2"},
		store.Run{Task: "Set an alarm for 7:30"})
	require.NoError(b.t, err)
	_, err = db.Runs.Transition(b.t.Context(), run.ID, store.Change{To: store.Completed,
		Answer: "The alarm is set."})
	require.NoError(b.t, err)
	x, run, err := db.Begin(b.t.Context(), store.Session{Serial: "emu-3"}, store.Run{
		Task: "给安娜发一条信息：" + strings.Repeat("我在路上，", 12)})
	require.NoError(b.t, err)
	q := put(b.t, broker, inquiry.Question{Text: "哪一位安娜？", SessionID: x.ID, RunID: run.ID,
		Fence: run.Fence, Body: &inquiry.Ask{Options: []string{"Anna Li", "Anna Wu"}}})
	_, err = db.Runs.Transition(b.t.Context(), run.ID, store.Change{To: store.WaitingReply,
		Reason: "INFO_ACTION_NEEDS_REPLY", Question: q.ID})
	require.NoError(b.t, err)
}

var langs = map[string]string{"en": "en_US.UTF-8", "zh": "zh_CN.UTF-8"}

func TestScreensAreAsTheyWere(t *testing.T) {
	t.Parallel()
	golden.Run(t, "testdata/screens", func(t *testing.T, c *golden.Case) {
		t.Parallel()
		s, known := screenCases[c.Name]
		require.True(t, known, "no case %s", c.Name)
		var b *testEnv
		for _, lang := range []string{"en", "zh"} {
			for _, columns := range []uint16{80, 120} {
				var plain string
				for _, paint := range []string{"plain", "colour"} {
					name := fmt.Sprintf("%s %d %s", lang, columns, paint)
					if b == nil || s.changes {
						b = s.env(t)
					}
					rows := s.screen(t, b, lang, columns, paint == "colour")
					for _, row := range rows {
						require.LessOrEqual(t, ansi.StringWidth(row), int(columns), "%s: %q", name, row)
					}
					got := unchanging(rows)
					c.Want(t, name, got)
					bare := ansi.Strip(strings.ReplaceAll(got, "␛", "\x1b"))
					switch {
					case paint == "plain":
						require.Equal(t, got, bare, "no colours where they are not wanted")
						plain = got
					default:
						require.Equal(t, plain, bare, "colours change nothing else")
					}
				}
			}
		}
	})
	require.Len(t, golden.Load(t, "testdata/screens"), len(screenCases), "every case has its file")
}

func (s screenCase) env(t *testing.T) *testEnv {
	task := s.task
	if task == "" {
		task = demoTask
	}
	b := newTestEnv(t, task, s.script)
	if s.prepare != nil {
		s.prepare(b)
	}
	return b
}

// screen plays the case, and returns the rows of the terminal.
func (s screenCase) screen(t *testing.T, b *testEnv, lang string, columns uint16,
	colour bool) []string {
	t.Helper()
	env := []string{"TERM=xterm", "TZ=UTC", "LC_ALL=" + langs[lang]}
	if !colour {
		env = append(env, "NO_COLOR=1")
	}
	master, slave := openPTY(t)
	resize(t, slave, columns)
	shown := newTranscript()
	go func() { _, _ = io.Copy(shown, master) }() // ends when the test closes the terminal
	p := b.spawnAs(func(c *exec.Cmd) {
		// The shell keeps the terminal until all of it was read.
		c.Args = append([]string{"sh", "-c", `"$@"; printf 'the end %d' $?; read -r _`, "sh", c.Path},
			c.Args[1:]...)
		c.Path = "/bin/sh"
		c.Stdin, c.Stdout, c.Stderr = slave, slave, slave
		c.Env = append(c.Env, env...)
		c.SysProcAttr.Setctty = true
	}, s.args(b)...)
	defer p.kill()
	if s.until != "" {
		shown.await(t, s.until)
		if s.types == "" {
			return onScreen(shown.String())
		}
		_, err := io.WriteString(master, s.types)
		require.NoError(t, err)
	}
	return onScreen(shown.await(t, fmt.Sprintf(`(?s)^(.*)the end %d`, s.code)))
}

// changing are the parts of a screen that no two runs have alike.
var changing = []struct {
	what *regexp.Regexp
	by   string
}{
	// said on a machine that is busy for long
	{regexp.MustCompile(`(?m)^.*(folder does not answer|数据目录没有响应).*\n.*\n.*taploop\.db\n`), ""},
	{regexp.MustCompile(`\b[0-9a-z]{32}\b`), strings.Repeat("s", 32)},
	{regexp.MustCompile(`(?m)^[0-9a-z]{8}  `), "ssssssss  "},
	{regexp.MustCompile(`\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`), "01234567-89ab"},
	{regexp.MustCompile(`\b[0-9a-f]{8}\b`), "01234567"},
	{regexp.MustCompile(`\d+(\.\d+)?( ?)(s|秒|ms)\b`), "N${2}${3}"},
	{regexp.MustCompile(`\d+(\.\d+)? 秒`), "N 秒"},
	{regexp.MustCompile(`[\d.]+k? (tokens|个 token)`), "N ${1}"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d`), "2006-01-02 15:04"},
	{regexp.MustCompile(`\d\d:\d\d:\d\d`), "15:04:05"},
	{regexp.MustCompile(` and N s of waiting|（另等待 N 秒）`), ""},
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "127.0.0.1:5037"},
	{regexp.MustCompile(`(?m)(^(\x1b\[30;107m)?[ ▀▄█]{20,}(\x1b\[m)?\n)+`),
		"$2(a code to photograph)$3\n"},
	{regexp.MustCompile(`#login=[\w-]+`), "#login=A-CODE"},
	// where lines break depends on these
	{regexp.MustCompile(`(the data folder|数据文件夹|capture|截屏原始数据|scripted at|http://\S+ 的 scripted)` +
		`[^\[]*( \[\w+\.ready)`), "$1$2"},
	{regexp.MustCompile(`([^\d\[;])(?:\d+h)?\d+m(?:N ?s|\d+s)`), "${1}Nh"}, // no colour is one
	{regexp.MustCompile(`(?m) +(N s|N 秒|15:04:05)$`), "  $1"},
	{regexp.MustCompile(`(?m) +(emu-\d)  (N s|N 秒)$`), "  $1  $2"},
}

// onScreen is the rows that a terminal's text leaves on it. Lines are rewritten as a whole, as the
// program does it.
func onScreen(shown string) []string {
	rows, at, state := []string{""}, 0, byte(0)
	for len(shown) > 0 {
		seq, width, n, next := ansi.DecodeSequence(shown, state, nil)
		shown, state = shown[n:], next
		first, second := parameters(seq)
		switch {
		case width > 0 || strings.HasSuffix(seq, "m") && seq[0] == '\x1b':
			rows[at] += seq
		case seq == "\n":
			at++
		case strings.HasSuffix(seq, "A"):
			at = max(at-max(first, 1), 0)
		case strings.HasSuffix(seq, "J") && first != 2:
			rows = rows[:at+1]
			rows[at] = ""
		case strings.HasSuffix(seq, "J"):
			rows = make([]string, len(rows))
		case strings.HasSuffix(seq, "H"):
			if at = max(first, 1) - 1; at < len(rows) && max(second, 1) == 1 {
				rows[at] = ""
			}
		}
		for at >= len(rows) {
			rows = append(rows, "")
		}
	}
	for i := range rows {
		rows[i] = strings.TrimRight(rows[i], " ")
	}
	return rows
}

// unchanging is rows with one value for what changes, and the escape character shown.
func unchanging(rows []string) string {
	text := strings.TrimRight(strings.Join(rows, "\n"), "\n") + "\n"
	for _, c := range changing {
		text = c.what.ReplaceAllString(text, c.by)
	}
	return strings.ReplaceAll(text, "\x1b", "␛")
}

// parameters are the first two numbers of a control sequence.
func parameters(seq string) (first, second int) {
	inner := strings.Trim(seq, "\x1b[ABCDHJKm")
	one, two, _ := strings.Cut(inner, ";")
	first, _ = strconv.Atoi(one)
	second, _ = strconv.Atoi(two)
	return first, second
}
