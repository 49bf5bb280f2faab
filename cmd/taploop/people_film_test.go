//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/chrometest"
)

// film is pictures of a page, one after the other.
type film struct {
	browserPage
	dir    string
	frames []image.Image
}

// look sets the colours and the size of the window.
func (f *film) look(scheme string, w, h int64) {
	f.t.Helper()
	f.do(chromedp.EmulateViewport(w, h), chromedp.Func(func(ctx context.Context,
		target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia,
			emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
				{Name: "prefers-color-scheme", Value: scheme}}})
		return err
	}))
}

// take takes a picture, for the film and, with a name, as a file.
func (f *film) take(name string) {
	f.t.Helper()
	b, err := chromedp.Run(f.ctx, chromedp.CaptureScreenshot())
	require.NoError(f.t, err)
	if name != "" {
		require.NoError(f.t, os.WriteFile(filepath.Join(f.dir, name+".png"), b, 0o644))
		return
	}
	img, err := png.Decode(bytes.NewReader(b))
	require.NoError(f.t, err)
	f.frames = append(f.frames, img)
}

// save writes the film in the colours that it has most of.
func (f *film) save(name string) {
	f.t.Helper()
	colors := f.palette()
	out := &gif.GIF{}
	nearest := map[color.RGBA]uint8{}
	for i, img := range f.frames {
		p := image.NewPaletted(img.Bounds(), colors)
		for y := range p.Rect.Dy() {
			for x := range p.Rect.Dx() {
				c := color.RGBAModel.Convert(img.At(x, y)).(color.RGBA)
				at, known := nearest[c]
				if !known {
					at = uint8(colors.Index(c))
					nearest[c] = at
				}
				p.Pix[y*p.Stride+x] = at
			}
		}
		out.Image, out.Delay = append(out.Image, p), append(out.Delay, 160)
		if i == len(f.frames)-1 {
			out.Delay[i] = 400
		}
	}
	var b bytes.Buffer
	require.NoError(f.t, gif.EncodeAll(&b, out))
	require.NoError(f.t, os.WriteFile(filepath.Join(f.dir, name+".gif"), b.Bytes(), 0o644))
}

// palette is the 256 colours of most pixels, of those that differ by more than a shade.
func (f *film) palette() color.Palette {
	count := map[color.RGBA]int{}
	for _, img := range f.frames {
		for y := range img.Bounds().Dy() {
			for x := range img.Bounds().Dx() {
				c := color.RGBAModel.Convert(img.At(x, y)).(color.RGBA)
				count[color.RGBA{c.R &^ 3, c.G &^ 3, c.B &^ 3, 255}]++
			}
		}
	}
	var all []color.RGBA
	for c := range count {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b color.RGBA) int { return count[b] - count[a] })
	var p color.Palette
	for _, c := range all[:min(len(all), 256)] {
		p = append(p, c)
	}
	return p
}

// A person who has only the page does on the simulated phone what the readme promises: starts a task,
// watches it, answers its question and reads its result. TAPLOOP_PICTURES names the folder that keeps
// the pictures.
func TestAPersonWhoHasOnlyThePageGetsATaskDone(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("TAPLOOP_PICTURES")
	if dir == "" {
		dir = t.TempDir()
	}
	b := newTestEnv(t, demoTask, "")
	b.serve()
	f := &film{dir: dir, browserPage: (&crashHarness{testEnv: b}).opens(chrometest.Chromium(t), "Ann")}
	f.look("light", 1000, 640)
	f.until(`document.querySelector("#phone option:nth-child(2)") !== null`)
	f.runs(`document.getElementById("task").focus()`)
	f.do(chromedp.KeyEvent(b.task.Goal))
	f.take("")
	f.runs(`document.querySelector(".start .main").click()`)
	f.until(`document.querySelector(".run-card .see img")?.naturalWidth > 0`)
	f.runs(`document.querySelector("#work").scrollIntoView()`)
	for n := 1; n < 4; n++ {
		f.until(fmt.Sprintf(`parseInt(document.querySelector(".run-card .now")?.textContent) >= %d`, n))
		f.take("")
	}
	f.until(`document.querySelector("article.card .shot img")?.naturalWidth > 0`)
	f.runs(`document.querySelector("#waiting").scrollIntoView()`)
	f.take("")
	for _, c := range []struct {
		name, scheme string
		w, h         int64
	}{{"narrow-light", "light", 390, 844}, {"narrow-dark", "dark", 390, 844},
		{"wide-dark", "dark", 1000, 640}, {"wide-light", "light", 1000, 640}} {
		f.look(c.scheme, c.w, c.h)
		f.runs(`document.querySelector("#waiting").scrollIntoView()`)
		f.take("inbox-" + c.name)
	}
	f.runs(`document.querySelector("article.card :is(textarea, input)").focus()`)
	f.do(chromedp.KeyEvent("42"))
	f.take("")
	f.runs(`document.querySelector("article.card button.main").click()`)
	f.until(`document.querySelector("#recent-list .badge")?.textContent === "Done"`)
	f.runs(`document.querySelector("#recent-list a.name").click()`)
	f.until(`document.querySelector(".head .result.good") !== null && ` +
		`document.querySelector(".step .shot img")?.naturalWidth > 0 && ` +
		`[...document.querySelectorAll(".thumb")].every((e) => e.hasAttribute("width"))`)
	f.take("")
	for _, c := range []struct {
		name, scheme string
		w            int64
	}{{"session-narrow-dark", "dark", 390}, {"session-wide-light", "light", 1000}} {
		f.look(c.scheme, c.w, 844)
		f.take(c.name)
	}
	f.save("tour")
	info, err := os.Stat(filepath.Join(dir, "tour.gif"))
	require.NoError(t, err)
	require.Less(t, info.Size(), int64(2<<20), "it is shown in the readme")
}
