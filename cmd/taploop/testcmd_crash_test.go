package main

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/model/scripted"
	"github.com/taploop/taploop/internal/suite"
)

// gradient is a picture that no screen looks like.
func gradient() []byte {
	img := image.NewGray(image.Rect(0, 0, 36, 80))
	for i := range img.Pix {
		img.Pix[i] = byte(i * 7)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// A crash of the app under test counts in every stage of a case, and for that case alone.
func TestACrashCountsFromTheFirstLineOfACaseToItsLast(t *testing.T) {
	t.Parallel()
	f := newTested(t, 1, "rules:\n"+say("", claim))
	code, all := f.test(`
app: com.taploop.sandbox.shop
each: {setup: [{shell: "{{before}}"}], teardown: [{shell: "{{after}}"}]}
cases:
- name: "{{n}}"
  task: do it
  with:
  - {n: fine, before: "true", after: "true"}
  - {n: before, before: am crash com.taploop.sandbox.shop, after: "true"}
  - {n: after, before: "true", after: am crash com.taploop.sandbox.shop}
  - {n: next, before: "true", after: "true"}
  - {n: broken, before: "am crash com.taploop.sandbox.shop; false", after: "true"}
  - {n: hung, before: pkill -STOP com.taploop.sandbox.shop, after: "true"}
  expect: none
`)
	require.Equal(t, exitNotCompleted, code, f.said)
	require.Equal(t, map[string]string{"fine": "passed", "before": "crashed", "after": "crashed",
		"next": "passed", "broken": "setup_failed suite", "hung": "crashed"}, outcomes(all), f.said)
	hung := all[len(all)-1]
	require.Contains(t, hung.Message, "shop did not respond: Input dispatching timed out")
	require.Contains(t, hung.Last().Trace, "\"main\" prio=5 tid=1 Stopped\n  at ")
}

// A crash is shown at the step at which it happened, whatever came after it.
func TestACrashIsLinkedAtItsStep(t *testing.T) {
	t.Parallel()
	f := newTested(t, 1, "rules:\n"+say("", "action:CLICK\tpoint:500,999", ", times: 4")+
		say("", claim))
	asked := 0
	f.asked = func(*scripted.Request) {
		if asked++; asked == 2 {
			f.phones[0].Apps.Crash("com.taploop.sandbox.shop", "java.lang.Error: no cart")
		}
	}
	code, all := f.test("app: com.taploop.sandbox.shop\ncases: [{name: a, task: t, expect: none}]")
	require.Equal(t, exitNotCompleted, code, f.said)
	require.Equal(t, suite.Crashed, all[0].Outcome)
	require.Equal(t, []int{5, 2}, []int{all[0].Last().Steps, all[0].Last().Step})
	page, err := os.ReadFile(filepath.Join(f.dir, "r", "index.html"))
	require.NoError(t, err)
	require.Contains(t, string(page), "steps.html#step-2\"")
}
