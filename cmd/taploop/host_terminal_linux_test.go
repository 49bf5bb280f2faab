package main

import (
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/app/simulation"
	"github.com/taploop/taploop/internal/sandbox/shell"
	"github.com/taploop/taploop/internal/text"
)

func typeAt(t *testing.T, master *os.File, line string) {
	t.Helper()
	_, err := io.WriteString(master, line)
	require.NoError(t, err)
}

func TestAHostAtATerminalAsksThere(t *testing.T) {
	t.Parallel()
	for lang, words := range map[string]struct{ asks, calls, decide string }{
		"en_US.UTF-8": {"The agent asks:", "The agent calls “pay_seat” of “travel”", `Decide \(y: do it`},
		"zh_CN.UTF-8": {"手机助手提问：", "助手调用 “travel” 的 “pay_seat”", "请决定（y 同意"},
	} {
		x := newHostEnv(t, seatScript)
		p, master, _, screen := x.atTerminal(80, []string{"LC_ALL=" + lang}, "host", "--mcp",
			x.file, "Book a seat")
		screen.await(t, `(?s)`+words.asks+`.*1\. window.*(2\. aisle.*(?:: |：))`)
		typeAt(t, master, "2\n")
		screen.await(t, `(?s)travel .*(?:pay|支付) seat.*`+words.calls+`.*(`+words.decide+`)`)
		typeAt(t, master, "maybe\n")
		screen.await(t, `("maybe" is no decision.*)`)
		require.Zero(t, x.paid.Load())
		typeAt(t, master, `/edit {"name": "pay_seat", "args": {"seat": "9A"}}`+"\n")
		require.Zero(t, p.ends(), "%s", screen)
		require.EqualValues(t, 1, x.paid.Load())
		shown := screen.await(t, `(?s)(.*Booked\.\r\n)`)
		require.Contains(t, shown, "paid for 9A")
		for line := range strings.SplitSeq(shown, "\r\n") {
			require.Equal(t, -1, strings.IndexFunc(line, text.Dangerous), "%q", line)
		}
	}
}

// Without a goal the agents are talked to, in one session, until the person ends it.
func TestAHostWithoutAGoalIsAConversation(t *testing.T) {
	t.Parallel()
	x := newHostEnv(t, "- {when: 'The person says: and tomorrow', reply: \"Rain tomorrow.\"}\n"+
		"- {when: 'weather today', reply: \"Sunny today.\"}\n")
	p, master, _, screen := x.atTerminal(80, nil, "host", "--mcp", x.file)
	screen.await(t, `(What is to be reached\?.*: )`)
	typeAt(t, master, "\n")
	screen.await(t, `(?s)(reached\?.*reached\?.*: )`)
	typeAt(t, master, "weather today\n")
	screen.await(t, `(?s)(Sunny today\..*And then\?.*: )`)
	typeAt(t, master, "and tomorrow\n")
	screen.await(t, `(?s)(Rain tomorrow\..*And then\?.*: )`)
	typeAt(t, master, "\x04")
	require.Zero(t, p.ends(), "%s", screen)
	out, errs, code := x.run("sessions", "list", "--json")
	require.Zero(t, code, errs)
	require.Equal(t, 1, strings.Count(out, `"session_id"`), out)
	_, errs, code = x.run("host", "--mcp", x.file)
	require.Equal(t, exitUsage, code, errs)
	require.Contains(t, errs, "there is no goal")
}

// What waits is asked again by who goes on, and left open by who leaves.
func TestAHostAtATerminalIsPausedAndGoesOn(t *testing.T) {
	t.Parallel()
	x := newHostEnv(t, seatScript)
	p, _, _, screen := x.atTerminal(80, nil, "host", "--mcp", x.file, "Book a seat")
	screen.await(t, `(?s)The agent asks:.*(the task\): )`)
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGINT))
	require.Equal(t, exitInterrupted, p.ends(), "%s", screen)
	id := screen.await(t, `(?s)\npaused: .*taploop host --resume (\w+)`)

	p, master, _, screen := x.atTerminal(80, nil, "continue", id)
	screen.await(t, `(?s)The agent asks:.*(the task\): )`)
	typeAt(t, master, "\x04") // Ctrl-D: it is answered elsewhere
	q := screen.await(t, `(?s)\r\nwaits for a reply: .*- aisle\r\n  taploop reply (\w+) `)
	_, errs, code := x.run("reply", q, "aisle")
	require.Zero(t, code, errs)
	q = screen.await(t, `taploop reply (\w+) --approve`)
	require.Zero(t, x.paid.Load())
	_, errs, code = x.run("reply", q, "--approve")
	require.Zero(t, code, errs)
	require.Zero(t, p.ends(), "%s", screen)
	require.EqualValues(t, 1, x.paid.Load())
}

func TestAHostAtATerminalAsksWhatItsPhonesAsk(t *testing.T) {
	t.Parallel()
	task, _ := newPhone().Task(demoTask)
	b := newTestEnv(t, demoTask, "- {when: 'Result of the call', reply: \"In the cart.\"}\n"+
		toolCallRule("Get shoes", `{"tool": "use_phone", "arguments": {"task": "`+task.Goal+`"}}`),
		"TAPLOOP_HOST_TEXTUAL=true")
	p, master, _, screen := b.atTerminal(80, nil, "host", "Get shoes")
	screen.await(t, simulation.DefaultSerial+`: .*\(session (\w+)\)`)
	screen.await(t, `(?s)The agent asks:.*(the task\): )`)
	typeAt(t, master, "42\n")
	require.Zero(t, p.ends(), "%s", screen)
	screen.await(t, `(?s)(`+simulation.DefaultSerial+` 8: .*In the cart\.)`)
	b.done(tripTouches)
}

func TestTasksOfAHostAreDoneOnAllPhonesAtOnce(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, pricesScript(0), "TAPLOOP_HOST_TEXTUAL=true")
	b.sim.ADB.Attach("sandbox-2", shell.New(newPhone()))
	first, second := b.holdOn("Look up the price here"), b.holdOn("Look up the price there")
	p := b.spawn("host", "Compare the prices")
	first.await(t)
	second.await(t) // while the first phone is at work
	first.open()
	second.open()
	require.Zero(t, p.ends(), "%s", p.stderr)
	require.Regexp(t, `(?s)sandbox-1: Look up.*sandbox-2: Look up|sandbox-2: .*sandbox-1: Look up`,
		p.stderr.String())
	require.Equal(t, 2, strings.Count(p.stderr.String(), "= 12 euros"))
}
