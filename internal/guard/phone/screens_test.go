package phone_test

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"image"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/device"
	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/guard/phone"
	"github.com/taploop/taploop/internal/screen"
)

// drawn is a screen of the testdata: Android's accessibility XML, in which want says of an element
// whether a person would want to be asked about a touch ("ask", "either", or nothing), and enter
// the same of the enter key in a field.
type drawn struct {
	name, app string
	list      []screen.Element
	want      []string
	enter     []string
	typed     []string
}

var drawnSize = screen.Size{W: 1080, H: 2400}

// labels are what the nodes of a dump say of themselves for the test, by their bounds.
func (d *drawn) labels(t *testing.T, dump []byte) {
	want, enter := map[screen.Rect]string{}, map[screen.Rect]string{}
	typed := map[screen.Rect]string{}
	in := xml.NewDecoder(bytes.NewReader(dump))
	for {
		token, err := in.Token()
		if err != nil {
			require.ErrorIs(t, err, io.EOF)
			break
		}
		e, is := token.(xml.StartElement)
		if !is {
			continue
		}
		attr := map[string]string{}
		for _, a := range e.Attr {
			attr[a.Name.Local] = a.Value
		}
		if d.app = cmp.Or(d.app, attr["app"]); e.Name.Local != "node" {
			continue
		}
		var r image.Rectangle
		_, err = fmt.Sscanf(attr["bounds"], "[%d,%d][%d,%d]",
			&r.Min.X, &r.Min.Y, &r.Max.X, &r.Max.Y)
		require.NoError(t, err, d.name)
		at := screen.RectOf(r, drawnSize)
		want[at] = cmp.Or(want[at], attr["want"])
		enter[at] = cmp.Or(enter[at], attr["enter"])
		typed[at] = cmp.Or(typed[at], attr["type"])
	}
	for _, e := range d.list {
		d.typed = append(d.typed, typed[e.Bounds])
		d.want, d.enter = append(d.want, want[e.Bounds]), append(d.enter, enter[e.Bounds])
	}
}

// says is the words on the element i, for messages.
func (d *drawn) says(i int) string {
	for n := i; n < len(d.list) && (n == i || d.list[n].Depth > d.list[i].Depth); n++ {
		if e := &d.list[n]; e.Text+e.ContentDesc+e.Hint != "" {
			return strconv.Quote(cmp.Or(e.Text, e.ContentDesc, e.Hint))
		}
	}
	return d.list[i].Name()
}

func drawnScreens(t *testing.T) (all []drawn) {
	files, err := filepath.Glob("testdata/screens/*.xml")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 60)
	for _, f := range files {
		b, err := os.ReadFile(f)
		require.NoError(t, err)
		d := drawn{name: filepath.Base(f)}
		d.list, err = device.ParseElements(b, drawnSize, 0)
		require.NoError(t, err, f)
		d.labels(t, b)
		all = append(all, d)
	}
	return all
}

// score is how the policy did on screens.
type score struct {
	asked, missed, needless, harmless int
	wrong                             []string
}

// touches decides about each touch of the screen, and about the enter key of its field.
func (s *score) touches(p *guard.Policy, d *drawn) (needless int) {
	look := screen.Observation{Elements: d.list, At: time.Now()}
	look.State.App, look.State.Size = d.app, drawnSize
	for i := range d.list {
		e := &d.list[i]
		if e.Clickable {
			a := actions.Click{At: e.Bounds.Center()}
			needless += s.one(p, d.name, d.want[i], d.says(i), look, a)
		}
		if e.Editable && e.Focused {
			needless += s.one(p, d.name, d.enter[i], d.says(i), look, actions.HotKey{Key: "enter"})
		}
		if e.Editable {
			at := e.Bounds.Center()
			a := actions.Type{Text: "1234", At: &at}
			needless += s.one(p, d.name, d.typed[i], d.says(i), look, a)
		}
	}
	return needless
}

func (s *score) one(
	p *guard.Policy, screen, want, label string, look screen.Observation, a actions.Action,
) (needless int) {
	_, said := phone.Decide(p, phone.Subjects(look, "", actions.Decision{Action: a}))
	asks, how := said.Verdict == guard.Ask, ""
	switch {
	case want == "either":
	case want == "ask" && asks:
		s.asked++
	case want == "ask":
		s.missed++
		how = "passes"
	case asks:
		s.needless++
		s.harmless++
		needless, how = 1, "is asked about"
	default:
		s.harmless++
	}
	if how != "" {
		s.wrong = append(s.wrong, fmt.Sprintf("%s: %s %s %s (%s)", screen, a.Verb(), label, how,
			said.Reason))
	}
	return needless
}

// What a person would want to be asked about is asked about, on screens of apps of many kinds and
// languages, and nearly nothing else.
func TestScreensOfManyKindsAreJudgedRightly(t *testing.T) {
	p, err := guard.New(nil)
	require.NoError(t, err)
	var s score
	for _, d := range drawnScreens(t) {
		require.LessOrEqual(t, s.touches(p, &d), 3, d.name)
	}
	t.Log(strings.Join(s.wrong, "\n"))
	t.Logf("recall %d/%d, precision %d/%d, harmless asked %d/%d", s.asked, s.asked+s.missed,
		s.asked, s.asked+s.needless, s.needless, s.harmless)
	require.Greater(t, s.asked, 60)
	require.GreaterOrEqual(t, float64(s.asked), 0.95*float64(s.asked+s.missed), "recall")
	require.GreaterOrEqual(t, float64(s.asked), 0.95*float64(s.asked+s.needless), "precision")
	require.LessOrEqual(t, float64(s.needless), 0.01*float64(s.harmless))
}
