package expect_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/suite"
	"github.com/taploop/taploop/internal/suite/expect"
)

// phone shows a picture and elements, and is otherwise empty.
type phone struct {
	expect.Screen
	frame    *screen.Frame
	elements []screen.Element
	secure   bool
	looks    int
	appear   int // the elements are there from this look on
}

func (p *phone) Look(context.Context) (screen.Observation, error) {
	p.looks++
	if p.secure {
		return screen.Observation{}, screen.ErrSecure
	}
	return screen.Observation{Frame: p.frame}, nil
}

func (p *phone) Elements(context.Context) ([]screen.Element, error) {
	if p.looks < p.appear {
		return nil, nil
	}
	return p.elements, nil
}

// on is the phone with nothing inside.

// read reads the expectation of a suite with one case.
func read(t *testing.T, dir, line string) (*suite.Suite, *suite.Expect) {
	t.Helper()
	file := filepath.Join(dir, "s.yaml")
	require.NoError(t, os.WriteFile(file,
		[]byte("cases: [{name: a, task: t, expect: [{"+line+"}]}]"), 0o600))
	items, err := suite.Read(t.Context(), []string{file}, suite.Options{})
	require.NoError(t, err)
	return items[0].Suite, &items[0].Stages[0].Expect[0]
}

func TestElementsAreFoundByTheirMarks(t *testing.T) {
	p := &phone{elements: []screen.Element{
		{ResourceID: "com.a:id/send", Class: "android.widget.Button", Text: "Send now",
			Enabled: true},
		{ResourceID: "com.a:id/agree", Class: "android.widget.CheckBox", ContentDesc: "I agree",
			Checkable: true, Enabled: true}}}
	for line, want := range map[string]string{
		"text: Send":                         "",
		"text: agree":                        "",
		"text: Cancel":                       "the screen says: Send now | I agree",
		"no_text: Cancel":                    "",
		"no_text: now":                       `it is on the screen: "Send now"`,
		"element: {id: send}":                "",
		"element: {id: com.a:id/send}":       "",
		"element: {class: Button}":           "",
		"element: {text: Send}":              "there is none like it",
		"element: {desc: I agree}":           "",
		"element: {enabled: true, count: 2}": "",
		"element: {enabled: true, count: 3}": "there are 2",
		"element: {id: agree, checked: true}": "the nearest is com.a:id/agree \"I agree\", and " +
			"checked is false",
	} {
		_, e := read(t, t.TempDir(), line)
		c, err := expect.Check(t.Context(), e, &expect.Facts{Screen: p})
		require.NoError(t, err)
		require.Equal(t, want, c.Got, line)
		require.Equal(t, want == "", c.OK, line)
	}
	_, e := read(t, t.TempDir(), "no_text: x")
	c, err := expect.Check(t.Context(), e, &expect.Facts{Screen: &phone{secure: true}})
	require.NoError(t, err)
	require.Equal(t, "the app in front forbids that its screen is read", c.Got)
}

func TestAnExpectationIsWaitedForWithinItsTime(t *testing.T) {
	_, e := read(t, t.TempDir(), "text: there, within: 5s")
	synctest.Test(t, func(t *testing.T) {
		p := &phone{elements: []screen.Element{{Text: "there"}}, appear: 4}
		began := time.Now()
		c, err := expect.Check(t.Context(), e, &expect.Facts{Screen: p})
		require.NoError(t, err)
		require.True(t, c.OK)
		require.Equal(t, 900*time.Millisecond, time.Since(began))
		p = &phone{}
		began = time.Now()
		c, err = expect.Check(t.Context(), e, &expect.Facts{Screen: p})
		require.NoError(t, err)
		require.False(t, c.OK)
		require.Equal(t, 5*time.Second, time.Since(began))
	})
}

// painted is a screen with a square at the top, in that shade.
func painted(w, h int, shade uint8) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.SetGray(x, y, color.Gray{Y: 200})
			if y < h/4 {
				img.SetGray(x, y, color.Gray{Y: shade})
			}
		}
	}
	return img
}

func TestAPictureIsComparedWhereItIsSaid(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, img image.Image) {
		f, err := os.Create(filepath.Join(dir, name))
		require.NoError(t, err)
		require.NoError(t, png.Encode(f, img))
		require.NoError(t, f.Close())
	}
	write("same.png", painted(180, 400, 0))
	write("large.png", painted(360, 800, 0))
	write("other.png", painted(180, 400, 255))
	write("top.png", painted(180, 400, 0).SubImage(image.Rect(0, 0, 180, 100)))
	write("wide.png", painted(400, 180, 0))
	near := painted(180, 400, 0)
	for n := range 15 * 15 { // a spot
		near.SetGray(n%15, 300+n/15, color.Gray{})
	}
	write("near.png", near)
	frame, err := screen.NewFrame(painted(180, 400, 0))
	require.NoError(t, err)
	for line, want := range map[string]string{
		"picture: {like: same.png}":                       "",
		"picture: {like: large.png}":                      "",
		"picture: {like: other.png}":                      "looks different",
		"picture: {like: other.png, tolerance: 0.3}":      "",
		"picture: {like: other.png, region: 0 0.3 1 0.7}": "",
		"picture: {like: other.png, region: 0 0 1 0.25}":  "100.0% looks different",
		"picture: {like: top.png, region: 0 0 1 0.25}":    "",
		"picture: {like: wide.png}":                       "another shape",
		"picture: {like: near.png}":                       "",
		"picture: {like: near.png, tolerance: 0}":         "looks different (at most 0.0%)",
		"picture: {like: same.png, tolerance: 0}":         "",
	} {
		s, e := read(t, dir, line)
		c, err := expect.Check(t.Context(), e, &expect.Facts{Screen: &phone{frame: frame}, Suite: s})
		require.Equal(t, want == "", c.OK, "%s: %s", line, c.Got)
		if want == "another shape" { // this is no fault of the screen
			require.ErrorContains(t, err, want)
			continue
		}
		require.NoError(t, err)
		require.Contains(t, c.Got, want, line)
	}
}

func TestAClaimNeedsTwoYeses(t *testing.T) {
	_, e := read(t, t.TempDir(), "judged: it is paid")
	for answers, want := range map[string]bool{"yy": true, "yn": false, "n": false} {
		left := answers
		f := &expect.Facts{Screen: &phone{}, Judge: func(_ context.Context, claim string) (
			bool, string, error) {
			require.Equal(t, "it is paid", claim)
			yes := strings.HasPrefix(left, "y")
			left = left[1:]
			return yes, "seen", nil
		}}
		c, err := expect.Check(t.Context(), e, f)
		require.NoError(t, err)
		require.Equal(t, want, c.OK)
		require.True(t, c.Judged)
		require.Empty(t, left)
	}
	_, slow := read(t, t.TempDir(), "judged: it is paid, within: 5s")
	synctest.Test(t, func(t *testing.T) { // a no is final, and comes when the time is over
		began, asked := time.Now(), 0
		c, err := expect.Check(t.Context(), slow, &expect.Facts{Screen: &phone{},
			Judge: func(context.Context, string) (bool, string, error) {
				asked++
				return asked > 1, "seen", nil
			}})
		require.NoError(t, err)
		require.False(t, c.OK)
		require.Equal(t, 1, asked)
		require.Equal(t, 5*time.Second, time.Since(began))
	})
	broken := errors.New("no model")
	_, err := expect.Check(t.Context(), e, &expect.Facts{Screen: &phone{},
		Judge: func(context.Context, string) (bool, string, error) {
			return false, "", broken
		}})
	require.ErrorIs(t, err, broken)
}

// inside is a phone that has these settings, and tells null of one that is not there.
type inside struct {
	expect.Inside
	has map[string]string
}

func (p inside) Setting(_ context.Context, _, name string) (string, error) {
	return cmp.Or(p.has[name], "null"), nil
}

// A setting that is not there has no value, and no word stands for that but the empty one.
func TestASettingThatIsNotThereHasNoValue(t *testing.T) {
	on := &expect.Facts{Inside: inside{has: map[string]string{"there": "1"}}}
	for _, c := range []struct {
		name, value string
		ok          bool
	}{{"there", "1", true}, {"there", "2", false}, {"there", "", false}, {"gone", "", true},
		{"gone", "null", false}, {"gone", "1", false}} {
		_, e := read(t, t.TempDir(), fmt.Sprintf(
			"setting: {namespace: global, name: %s, value: %q}", c.name, c.value))
		got, err := expect.Check(t.Context(), e, on)
		require.NoError(t, err)
		require.Equal(t, c.ok, got.OK, "%+v: %s", c, got.Got)
	}
}
