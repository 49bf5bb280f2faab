// Package screens_test holds the guard against screens of many apps, each touch of them. Nothing in
// it runs side by side, so it goes without the race detector.
package screens_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"image"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tiktoken-go/tokenizer"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/device"
	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/guard/judge"
	"github.com/taploop/taploop/internal/guard/phone"
	"github.com/taploop/taploop/internal/model"
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

// drawnScreens is all of them, which tests share and do not change.
func drawnScreens(t *testing.T) []drawn {
	drawnOnce.Do(func() { drawnAll = parsedScreens(t) })
	return drawnAll
}

var (
	drawnOnce sync.Once
	drawnAll  []drawn
)

func parsedScreens(t *testing.T) (all []drawn) {
	files, err := filepath.Glob("../testdata/screens/*.xml")
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
	decide                            func(screen.Observation, actions.Action) (asks bool)
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
	if s.decide == nil {
		_, said := phone.Decide(p, phone.Subjects(look, "", actions.Decision{Action: a}))
		return s.note(want, said.Verdict == guard.Ask, fmt.Sprintf("%s: %s %s", screen, a.Verb(),
			label), said.Reason)
	}
	return s.note(want, s.decide(look, a), fmt.Sprintf("%s: %s %s", screen, a.Verb(), label), "")
}

// note counts a touch, and what is wrong about it.
func (s *score) note(want string, asks bool, touch, why string) (needless int) {
	how := ""
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
		s.wrong = append(s.wrong, fmt.Sprintf("%s %s (%s)", touch, how, why))
	}
	return needless
}

// holds logs what is wrong, and requires these shares.
func (s *score) holds(t *testing.T, recall, precision float64) {
	t.Log(strings.Join(s.wrong, "\n"))
	t.Logf("recall %d/%d, precision %d/%d, harmless asked %d/%d", s.asked, s.asked+s.missed,
		s.asked, s.asked+s.needless, s.needless, s.harmless)
	require.Greater(t, s.asked, 60)
	require.GreaterOrEqual(t, float64(s.asked), recall*float64(s.asked+s.missed), "recall")
	require.GreaterOrEqual(t, float64(s.asked), precision*float64(s.asked+s.needless),
		"precision")
	require.LessOrEqual(t, float64(s.needless), 0.01*float64(s.harmless))
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
	s.holds(t, 0.95, 0.95)
}

// labelling is a judging model that knows what a person would want to be asked about.
type labelling struct {
	wanted map[string]bool   // by key
	kept   map[string]string // its memory, by app and label
	asked  int
	tokens int // of what it was asked, and of its answers
	enc    tokenizer.Codec
}

func (l *labelling) Complete(_ context.Context, r model.Request) (model.Response, error) {
	l.asked++
	var in struct{ Labels []string }
	if err := json.Unmarshal([]byte(r.Messages[1].Parts[0].Text), &in); err != nil {
		return model.Response{}, err
	}
	acts := map[string]string{}
	for _, one := range in.Labels {
		if n, label, _ := strings.Cut(one, " "); l.wanted[label] {
			acts[n] = string(judge.Other)
		}
	}
	b, err := json.Marshal(acts)
	for _, text := range []string{r.Messages[0].Parts[0].Text, r.Messages[1].Parts[0].Text, string(b)} {
		ids, _, err := l.enc.Encode(text)
		if err != nil {
			return model.Response{}, err
		}
		l.tokens += len(ids)
	}
	return model.Response{Text: string(b)}, err
}

func (l *labelling) Judged(_ context.Context, app string, list []string) (map[string]string, error) {
	known := map[string]string{}
	for _, one := range list {
		if act, is := l.kept[app+one]; is {
			known[one] = act
		}
	}
	return known, nil
}

func (l *labelling) Remember(_ context.Context, app string, acts map[string]string) error {
	for label, act := range acts {
		l.kept[app+label] = act
	}
	return nil
}

// With a judge that knows every label, a screen costs at most one request of 300 tokens, mostly, and
// nothing is asked twice.
func TestScreensAreJudgedRightlyWithAJudge(t *testing.T) {
	p, err := guard.New(nil)
	require.NoError(t, err)
	enc, err := tokenizer.Get(tokenizer.O200kBase)
	require.NoError(t, err)
	var s score
	var tokens []int
	for _, d := range drawnScreens(t) {
		m := &labelling{wanted: map[string]bool{}, kept: map[string]string{}, enc: enc}
		g := phone.New(p, &phone.Options{Judge: judge.New(judge.Options{Model: m, Memory: m,
			Timeout: time.Minute})})
		look := screen.Observation{Elements: d.list, At: time.Now()}
		look.State.App, look.State.Size = d.app, drawnSize
		now := agentloop.Situation{Screen: look, Reader: listed(d.list)}
		for i := range d.list {
			if d.want[i] != "ask" {
				continue
			}
			click := actions.Decision{Action: actions.Click{At: d.list[i].Bounds.Center()}}
			for _, sub := range phone.Subjects(look, "", click) {
				m.wanted[judge.Key(sub.Label())] = true
			}
		}
		g.Preview(t.Context(), now)
		require.LessOrEqual(t, m.asked, 1, d.name)
		if m.asked > 0 { // else there is nothing to ask
			g.Preview(t.Context(), now)
		}
		s.decide = func(look screen.Observation, a actions.Action) bool {
			now.Screen = look
			v, err := g.Check(t.Context(), now, actions.Decision{Action: a})
			require.NoError(t, err)
			return !v.Allowed()
		}
		require.LessOrEqual(t, s.touches(p, &d), 3, d.name)
		require.LessOrEqual(t, m.asked, 1, d.name)
		if m.asked > 0 {
			tokens = append(tokens, m.tokens)
		}
	}
	slices.Sort(tokens)
	t.Logf("%d screens are judged, for %d tokens at the median and %d at most", len(tokens),
		tokens[len(tokens)/2], tokens[len(tokens)-1])
	require.LessOrEqual(t, tokens[len(tokens)/2], 300)
	require.LessOrEqual(t, tokens[len(tokens)-1], 600)
	s.holds(t, 0.97, 0.95)
}

// listed is a phone that lists these.
type listed []screen.Element

func (l listed) Elements(context.Context) ([]screen.Element, error) { return l, nil }
