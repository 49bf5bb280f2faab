package shell_test

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/taploop/taploop/internal/golden"
)

// FuzzLinesStayOnThePhone runs any text as a line. The law: it returns soon after its deadline, it
// never shows the host's secret, and the host's folder is as it was.
func FuzzLinesStayOnThePhone(f *testing.F) {
	for _, c := range golden.Load(f, "testdata/transcripts") {
		for _, line := range commands(c.Section(f, "transcript")) {
			f.Add(line)
		}
	}
	f.Add("cat <(. secret) ${x@P} $((PPID)) ~root && exec 3<>secret; coproc x; [[ -O . ]] &")
	h := newHost(f)
	f.Setenv("TAPLOOP_TEST_SECRET", secret)
	f.Fuzz(func(t *testing.T, line string) {
		t.Chdir(h.dir)
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		var out bytes.Buffer
		began := time.Now()
		newSmall().Run(ctx, line, strings.NewReader("in\n"), &out, &out)
		if took := time.Since(began); took > 20*time.Second {
			t.Fatalf("it took %s", took)
		}
		if strings.Contains(out.String(), secret) && !strings.Contains(line, secret) {
			t.Fatalf("it shows the host's secret: %q", out.String())
		}
		if names, err := os.ReadDir("."); err != nil || len(names) != 1 {
			t.Fatalf("it changed the host's folder: %v %v", names, err)
		}
	})
}
