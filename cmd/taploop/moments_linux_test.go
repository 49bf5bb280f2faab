package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg" // pictures of requests
	_ "image/png"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/sandbox/apps"
	"github.com/taploop/taploop/internal/sandbox/ui"
)

// changingPage is an app behind the real adb and adbd whose page becomes another one, and a model
// that taps its button and thinks meanwhile.
type changingPage struct {
	*stepBench
	random *rand.Rand

	mu      sync.Mutex
	button  image.Point // in thousandths
	what    int         // the page that is shown
	becomes int         // what it becomes when it changes
	changed int         // how many captures there were then
	seen    int         // the page in the picture that the model was sent last
	replied int         // how many captures there were when it replied
	taps    []string    // faults, "" for each tap that was as it should be
	late    int         // taps on a page that changed behind the last look
	windows []time.Duration
}

// The pages: what one becomes stands in its place, over it, or above it.
const (
	firstPage = iota
	otherButton
	lateRow
	ownDialog
	pages
)

// stripes are the colours by which the pages are told apart in a picture.
var stripes = [pages]color.RGBA{{G: 255, A: 255}, {R: 255, A: 255}, {R: 255, B: 255, A: 255},
	{R: 255, G: 255, A: 255}}

func stripe(page int) *ui.View {
	c := stripes[page]
	return ui.Column().Height(40).
		Fill(ui.RGB(uint32(c.R)<<16 | uint32(c.G)<<8 | uint32(c.B)))
}

var anyPicture = regexp.MustCompile(`data:image/[a-z]+;base64,([A-Za-z0-9+/=]+)`)

// shown is the page in the picture of a request, or -1 if it has none.
func (c *changingPage) shown(request []byte) int {
	all := anyPicture.FindAllSubmatch(request, -1)
	if len(all) == 0 { // a judge is asked
		return -1
	}
	b, err := base64.StdEncoding.DecodeString(string(all[len(all)-1][1]))
	require.NoError(c.b, err)
	img, _, err := image.Decode(bytes.NewReader(b))
	require.NoError(c.b, err)
	var count [pages]int
	far := func(a uint32, b uint8) bool { return max(a>>8, uint32(b))-min(a>>8, uint32(b)) > 70 }
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			r, g, b, _ := img.At(x, y).RGBA()
			for p, s := range stripes {
				if !far(r, s.R) && !far(g, s.G) && !far(b, s.B) {
					count[p]++
				}
			}
		}
	}
	require.Greater(c.b, slices.Max(count[:]), 100, "no page is in the picture")
	return slices.Index(count[:], slices.Max(count[:]))
}

func (c *changingPage) view() *ui.View {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.what
	column := ui.Column(stripe(now)).Gap(20).Pad(20, 60)
	if now == lateRow {
		column.Add(ui.Button("Just loaded", func() { c.tapped() }))
	}
	label := "Next"
	if now == otherButton {
		label = "Another"
	}
	column.Add(ui.Button(label, func() { c.tapped() }), ui.Button("Last", func() { c.tapped() }))
	if now == ownDialog {
		card := ui.Column().Fill(ui.Surface).Pad(24, 24, 24, 24).Align(ui.Center, ui.Center).
			Add(stripe(now), ui.Button("Fine", func() { c.tapped() })).Modal()
		return ui.Stack(column, ui.Stack(card).Fill(ui.Scrim).Modal().OnTap(func() { c.tapped() }))
	}
	return column
}

// tapped notes a tap. It is a fault if no look began behind the model's reply, or if the page is
// another one than in the model's picture and a look began since it changed. If none did, nothing
// could see the change any more: such taps are counted apart.
func (c *changingPage) tapped() {
	c.mu.Lock()
	defer c.mu.Unlock()
	fault, looks := "", c.captures()
	switch {
	case looks <= c.replied:
		fault = "nothing was looked at since the model replied"
	case c.seen != c.what && looks > c.changed:
		fault = fmt.Sprintf("page %d, decided on page %d, looked at %d times since it changed",
			c.what, c.seen, looks-c.changed)
	case c.seen != c.what:
		c.late++
	}
	if last, err := os.Stat(c.counted + ".last"); err == nil {
		c.windows = append(c.windows, time.Since(last.ModTime()))
	}
	c.taps = append(c.taps, fault)
}

// answer taps the button, and has the page change at any moment from the request on.
func (c *changingPage) answer(to http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if r.Method != http.MethodPost {
		_, _ = io.WriteString(to, `{"data": []}`)
		return
	}
	shown := c.shown(body)
	if shown < 0 {
		c.say(to, "{}")
		return
	}
	c.mu.Lock()
	done := len(c.taps) > 0
	thinks := time.Duration(c.random.IntN(900)) * time.Millisecond
	moment := time.Duration(c.random.IntN(1200)) * time.Millisecond
	c.seen = shown
	at := c.button
	if !done && c.what == firstPage {
		c.watch.Go(func() { c.change(moment) })
	}
	c.mu.Unlock()
	time.Sleep(thinks)
	c.mu.Lock()
	c.replied = c.captures()
	c.mu.Unlock()
	text := fmt.Sprintf("<THINK>it is there</THINK>\nexplain:the next page\taction:CLICK\t"+
		"point:%d,%d\tsummary:x", at.X, at.Y)
	if done {
		text = "<THINK>done</THINK>\nexplain:done\taction:COMPLETE\treturn:done\tsummary:done"
	}
	c.say(to, text)
}

func (c *changingPage) say(to http.ResponseWriter, text string) {
	_ = json.NewEncoder(to).Encode(map[string]any{"choices": []any{map[string]any{
		"finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": text}}}})
}

func (c *changingPage) change(after time.Duration) {
	time.Sleep(after)
	c.phone.Edit(func(*apps.Data) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.what, c.changed = c.becomes, c.captures()
	})
}

// A page that becomes another one while the model thinks, at any moment, through the real adb
// server and the real adbd: nothing is touched that the model has not seen.
// With TAPLOOP_TEST_LONG=1 there are 500.
func TestNothingIsTouchedThatChangedWhileTheModelThought(t *testing.T) {
	moments := rounds(4, 500)
	c := &changingPage{random: rand.New(rand.NewPCG(24, 5))}
	c.stepBench = newStepBench(t, &sandbox.Options{AnimationScale: new(float64), Apps: []*apps.App{
		{Package: "com.moments", Activity: ".Main", EN: "Moments", ZH: "Moments", Icon: "bag",
			Open: func(*apps.Task) *apps.Page {
				return &apps.Page{Activity: ".Main", View: c.view}
			}}}})
	c.slowCaptures(0, 0) // they are counted
	model := httptest.NewServer(http.HandlerFunc(c.answer))
	t.Cleanup(model.Close)
	c.model = model.URL + "/v1"
	dropped := 0
	for i := range moments {
		c.mu.Lock()
		c.what, c.becomes = firstPage, 1+i%(pages-1)
		c.taps = nil
		c.mu.Unlock()
		c.phone.Apps.ForceStop("com.moments")
		require.NoError(t, c.phone.Apps.Launch("com.moments"))
		size := c.phone.Display.Size()
		at := c.find(func(n *sandbox.Node) bool { return n.Text == "Next" })
		c.mu.Lock()
		c.button = image.Pt(at.X*1000/size.X, at.Y*1000/size.Y)
		c.mu.Unlock()
		cmd := c.agent(1)
		cmd.Env = append(cmd.Env, "TAPLOOP_GUARD_ENABLED=false") // nobody is to be asked
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		c.watch.Wait()
		c.mu.Lock()
		taps := slices.Clone(c.taps)
		c.mu.Unlock()
		for _, fault := range taps {
			require.Empty(t, fault, "moment %d\n%s", i, out)
		}
		require.NotEmpty(t, taps, "the task was carried on\n%s", out)
		dropped += strings.Count(string(out), "in the meantime")
	}
	t.Logf("%d of %d steps were dropped; %d pages changed behind the last look, which was %v "+
		"before the touch at the median and %v at most", dropped, moments, c.late,
		median(c.windows), slices.Max(c.windows))
}
