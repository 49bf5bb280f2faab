package main

import (
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/terminal/story"
	"github.com/taploop/taploop/internal/text"
)

// atTerminal starts a command with all of its streams at a terminal of its own.
func (b *testEnv) atTerminal(columns uint16, env []string,
	args ...string) (p *process, master, slave *os.File, screen *transcript) {
	b.t.Helper()
	master, slave = openPTY(b.t)
	resize(b.t, slave, columns)
	screen = newTranscript()
	go func() { _, _ = io.Copy(screen, master) }() // ends when the test closes the terminal
	p = b.spawnAs(func(c *exec.Cmd) {
		c.Stdin, c.Stdout, c.Stderr = slave, slave, slave
		c.Env = append(c.Env, env...)
		c.SysProcAttr.Setctty = true
	}, args...)
	return p, master, slave, screen
}

// lines are what stays on a terminal: of a line that is rewritten nothing is left.
func lines(t *testing.T, shown string) (left []string) {
	t.Helper()
	require.NotContains(t, strings.NewReplacer("\r\x1b[J", "", "\x1b[1A", "").Replace(
		shown), "\x1b", "only the status line steers the terminal")
	for line := range strings.SplitSeq(shown, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if at := strings.LastIndex(line, "\x1b[J"); at >= 0 {
			line = line[at+len("\x1b[J"):]
		}
		left = append(left, line)
	}
	return left
}

func TestARunAtATerminalAsksThere(t *testing.T) {
	t.Parallel()
	for lang, words := range map[string]struct{ asks, thinking, step, tapped, other string }{
		"en_US.UTF-8": {"The agent asks:", "thinking", `(?m)^[✓?] +(\d) `, "tapped: ", `\p{Han}`},
		"zh_CN.UTF-8": {"手机助手提问：", "正在思考", `(?m)^[✓?] +(\d) `, "点击了：",
			`(?m)\b(asks|session|step|steps|of|after|doing|work|waiting|looking|getting)\b`},
	} {
		b := newTestEnv(t, demoTask, "")
		gate := b.holdAt("2/8")
		p, master, _, screen := b.atTerminal(80, []string{"LC_ALL=" + lang}, "run", b.task.Goal)
		gate.await(t)
		screen.await(t, `(`+words.thinking+` [12]s)`)
		gate.open()
		screen.await(t, `(`+words.asks+`)`)
		_, err := io.WriteString(master, "42\n")
		require.NoError(t, err)
		require.Zero(t, p.ends(), "%s", screen)
		shown := screen.await(t, `(?s)(.*in your size.*\n)`)
		ours := strings.NewReplacer(b.task.Goal, "", "put a size 42 pair of black Runner sneakers "+
			"into the cart, in your size.", "").Replace(shown)
		require.NotRegexp(t, words.other, ours)
		for _, now := range regexp.MustCompile(`(?:step|第) (\d+) (?:of at most|步（最多) (\d+)`).
			FindAllStringSubmatch(shown, -1) {
			n, err := strconv.Atoi(now[1])
			require.NoError(t, err)
			require.LessOrEqual(t, n, 8, "there is no such step")
		}
		require.NotContains(t, shown, story.In(lang[:2]).Queue, "the phone is free")
		require.Equal(t, 1, strings.Count(shown, "Which size do you wear?"), "%s", shown)

		left := lines(t, shown)
		require.NotContains(t, strings.Join(left, "\n"), words.thinking, "it was rewritten")
		steps := len(regexp.MustCompile(words.step).FindAllString(strings.Join(left, "\n"), -1))
		for _, line := range left {
			if strings.Contains(line, "taploop.db") {
				continue // the disk of a busy machine, which is told of whole
			}
			require.LessOrEqual(t, ansi.StringWidth(line), 80, "%q", line)
			require.Equal(t, -1, strings.IndexFunc(line, text.Dangerous), "%q", line)
		}
		require.Equal(t, 8, steps, "a step is one line:\n%s", strings.Join(left, "\n"))
		require.Contains(t, shown, words.tapped+"open the shoes", "%s", left)
		require.NotContains(t, shown, "So far:", "thoughts are not repeated")
		b.done(tripTouches)
	}
}

func TestTheStatusLineCountsNoStepThatThereIsNot(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	p, _, _, screen := b.atTerminal(80, []string{"LC_ALL=zh_CN.UTF-8"}, "run", "--max-steps", "2",
		b.task.Goal)
	require.Equal(t, exitNotCompleted, p.ends(), "%s", screen)
	shown := screen.await(t, `(?s)(.*继续：taploop continue \w+)`)
	require.Contains(t, shown, "第 2 步（最多 2 步）")
	require.NotContains(t, shown, "第 3 步")
	require.Regexp(t, `已暂停，用时 .* 秒，2 步，.* 个 token`, shown)
	require.Contains(t, shown, "本次的步数已用完")
}

func TestARunThatWaitsForItsPhoneSaysSo(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	_, errs, code := b.run("run", b.task.Goal)
	require.Equal(t, exitWaiting, code, "%s", errs)
	p, _, _, screen := b.atTerminal(80, nil, "run", "--queue", b.task.Goal)
	screen.await(t, `(waiting for the phone)`)
	id := regexp.MustCompile(`session (\w+) on`).FindStringSubmatch(errs)
	require.Len(t, id, 2, "%s", errs)
	_, errs, code = b.run("stop", id[1])
	require.Zero(t, code, "%s", errs)
	screen.await(t, `(step 1 of at most)`)
	p.kill()
}

func TestAtATerminalOtherModesHoldAndProgramsAreNotAsked(t *testing.T) {
	t.Parallel()
	for name, how := range map[string]struct{ env, args []string }{
		"JSON":     {nil, []string{"--json"}},
		"a flag":   {nil, []string{"--reply-mode", "pass_to_client"}},
		"variable": {[]string{"TAPLOOP_REPLY_MODE=pass_to_client"}, nil},
	} {
		b := newTestEnv(t, demoTask, "")
		p, _, _, screen := b.atTerminal(80, how.env, append([]string{"run", b.task.Goal},
			how.args...)...)
		require.Equal(t, exitWaiting, p.ends(), "%s: %s", name, screen)
		require.NotContains(t, screen.String(), "The agent asks", name)
	}
}

func TestWhoLeavesTheTerminalsQuestionLeavesItToLater(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	p, master, _, screen := b.atTerminal(80, nil, "run", b.task.Goal)
	screen.await(t, `(The agent asks:)`)
	screen.await(t, `(stop the task\): )`)
	_, err := io.WriteString(master, "\x04") // Ctrl-D
	require.NoError(t, err)
	require.Equal(t, exitWaiting, p.ends(), "%s", screen)
	screen.await(t, `(taploop continue \w+ --reply TEXT)`)
	_, errs, code := b.run("continue", "--reply", "42")
	require.Zero(t, code, "%s", errs)
	b.done(tripTouches)
}

// Whoever asked first: a question that was left at the terminal, and one that a program was to
// answer.
func TestContinueAtATerminalAsksTheOpenQuestionThere(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(b *testEnv){
		"left at the terminal": func(b *testEnv) {
			p, master, _, screen := b.atTerminal(80, nil, "run", b.task.Goal)
			screen.await(t, `(stop the task\): )`)
			_, err := io.WriteString(master, "\x04") // Ctrl-D
			require.NoError(t, err)
			require.Equal(t, exitWaiting, p.ends(), "%s", screen)
		},
		"passed to a client": func(b *testEnv) {
			_, errs, code := b.run("run", b.task.Goal)
			require.Equal(t, exitWaiting, code, "%s", errs)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newTestEnv(t, demoTask, "")
			begin(b)
			p, master, _, screen := b.atTerminal(80, []string{"LC_ALL=zh_CN.UTF-8"}, "continue")
			screen.await(t, `(请回答（/refuse 不回答，/delegate 由助手决定，/timeout 超时，/stop 停止）：)`)
			_, err := io.WriteString(master, "\x04")
			require.NoError(t, err)
			require.Equal(t, exitWaiting, p.ends(), "%s", screen)

			for name, args := range map[string][]string{"JSON": {"--json"},
				"a flag": {"--reply-mode", "pass_to_client"}} {
				p, _, _, screen := b.atTerminal(80, nil, append([]string{"continue"}, args...)...)
				require.Equal(t, exitWaiting, p.ends(), "%s: %s", name, screen)
				require.NotContains(t, screen.String(), "The agent asks", name)
			}

			p, master, _, screen = b.atTerminal(80, nil, "continue", "--max-steps", "30")
			screen.await(t, `(The agent asks:)`)
			_, err = io.WriteString(master, "42\n")
			require.NoError(t, err)
			require.Zero(t, p.ends(), "%s", screen)
			require.Equal(t, 1, strings.Count(screen.String(), "Which size"), "%s", screen)
			b.done(tripTouches)
		})
	}
}

// Long and hostile words stay within their lines, also when the terminal is made narrower.
func TestWordsOfTheModelKeepToTheirLines(t *testing.T) {
	t.Parallel()
	const evil = `\x1b[2J\x1b]0;mine\x07\u202e`
	script := `- when: "Task: "
  times: 1
  reply: "<THINK> x </THINK>\nexplain:` + evil + strings.Repeat(" very long words", 12) +
		strings.Repeat("很长的话", 20) + `\taction:WAIT\tvalue:3\tsummary:waited"
- when: "summary"
  times: 0
  reply: "<THINK> x </THINK>\nexplain:end\taction:COMPLETE\treturn:all done\tsummary:done"
- when: "."
  reply: "<THINK> x </THINK>\nexplain:end\taction:COMPLETE\treturn:all done\tsummary:done"
`
	b := newTestEnv(t, demoTask, script)
	p, _, slave, screen := b.atTerminal(60, nil, "run", "be rude")
	screen.await(t, `(doing: wait)`)
	resize(t, slave, 20)
	require.Zero(t, p.ends(), "%s", screen)
	shown := screen.await(t, `(?s)(.*all done\r\n)`)
	left := lines(t, regexp.MustCompile(`\r\x1b\[\d+A\x1b\[J`).ReplaceAllString(shown,
		"\r\x1b[J"))
	for _, line := range left {
		require.Equal(t, -1, strings.IndexFunc(line, text.Dangerous), "%q", line)
	}
	require.NotContains(t, strings.Join(left, "\n"), "doing:")
	require.Regexp(t, `(?m)\r\x1b\[[1-9]A\x1b\[J`, shown, "the wrapped line is taken away whole")
}

func TestARunLogsOnlyWhenAskedTo(t *testing.T) {
	t.Parallel()
	const prose = "- reply: I have finished.\n"
	b := newTestEnv(t, demoTask, prose)
	_, errs, code := b.run("run", b.task.Goal)
	require.Equal(t, exitModel, code)
	require.NotContains(t, errs, "level=")
	require.Contains(t, errs, "paused after")
	_, errs, _ = b.run("-v", "run", b.task.Goal)
	require.Contains(t, errs, "level=WARN")
}

func TestTheServersConsoleAsksAtTheTerminalThatItHas(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	master, slave := openPTY(t)
	p := b.spawnAs(func(c *exec.Cmd) { // stderr is a log
		c.Stdin = slave
		c.SysProcAttr.Setctty = true
	}, "serve", "--http", "127.0.0.1:0")
	url := p.stderr.await(t, `(?m)^listening on (http://\S+/mcp)$`)
	s := &clientProcess{p, connect(t, legacy, over(t, url, nil)), url}
	s.answerAt(master, b.task.Goal)
}
