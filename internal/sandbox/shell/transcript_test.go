package shell_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/taploop/taploop/internal/golden"
	"github.com/taploop/taploop/internal/patient"
	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/sandbox/shell"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// morning is when the phones of these tests are made; their clocks stand still.
var morning = time.Date(2026, 3, 14, 7, 15, 0, 0, time.UTC)

func newShell() *shell.Shell { return shellOf(image.Point{}) }

// newSmall has few pixels, for lines that capture them: the race detector makes a PNG cost seconds.
func newSmall() *shell.Shell { return shellOf(image.Pt(270, 600)) }

func shellOf(size image.Point) *shell.Shell {
	still := 0.0
	return shell.New(sandbox.New(&sandbox.Options{Size: size, Now: func() time.Time {
		return morning
	}, AnimationScale: &still}))
}

// result is what a line gave.
type result struct {
	stdout, stderr string
	code           int
}

func run(t testing.TB, sh *shell.Shell, line string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patient.Lid)
	defer cancel()
	var stdout, stderr bytes.Buffer
	code := sh.Run(ctx, line, strings.NewReader("one\ntwo\n"), &stdout, &stderr)
	require.NoError(t, ctx.Err(), "the line did not end: %s", line)
	return result{stdout.String(), stderr.String(), code}
}

// TestTranscripts runs the lines of each file, one phone a file, and compares what came: stdout as
// it is, stderr after "! ", the exit code after "? " when it is not 0, and a missing newline as
// "\".
func TestTranscripts(t *testing.T) {
	golden.Run(t, "testdata/transcripts", func(t *testing.T, c *golden.Case) {
		sh := newShell()
		if c.Name == "screencap" {
			sh = newSmall()
		}
		var out strings.Builder
		for _, line := range commands(c.Section(t, "transcript")) {
			r := run(t, sh, line)
			fmt.Fprintf(&out, "$ %s\n%s%s", strings.ReplaceAll(line, "\n", "\n> "),
				block("", r.stdout), block("! ", r.stderr))
			if r.code != 0 {
				fmt.Fprintf(&out, "? %d\n", r.code)
			}
		}
		c.Want(t, "transcript", out.String())
	})
}

// commands are the lines after "$ ", with what follows after "> ".
func commands(transcript string) []string {
	var out []string
	for line := range strings.Lines(transcript) {
		line = strings.TrimSuffix(line, "\n")
		if cmd, ok := strings.CutPrefix(line, "$ "); ok {
			out = append(out, cmd)
		} else if more, ok := strings.CutPrefix(line, "> "); ok && len(out) > 0 {
			out[len(out)-1] += "\n" + more
		}
	}
	return out
}

func block(prefix, text string) string {
	if text == "" {
		return ""
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\\\n"
	}
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString(prefix + line)
	}
	return out.String()
}
