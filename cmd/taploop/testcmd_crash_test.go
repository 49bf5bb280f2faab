package main

import (
	"bytes"
	"image"
	"image/png"
	"testing"

	"github.com/stretchr/testify/require"
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
  expect: none
`)
	require.Equal(t, exitNotCompleted, code, f.said)
	require.Equal(t, map[string]string{"fine": "passed", "before": "crashed", "after": "crashed",
		"next": "passed", "broken": "setup_failed suite"}, outcomes(all), f.said)
}
