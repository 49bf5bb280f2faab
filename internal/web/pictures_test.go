package web_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/chrometest"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
)

// scene is what pictures show: a question, and the label of a button of its card in Chinese.
type scene struct {
	name, button, label string
	question            inquiry.Question
}

// scenes are one of each card, with what makes it whole.
func scenes() []scene {
	channels := []inquiry.Channel{{Name: "elicit", Until: time.Now().Add(time.Minute)},
		{Name: "pass_to_client"}, {Name: "page"}, {Name: "command_line"}}
	approval := about(inquiry.Critical)
	approval.Task, approval.Channels = "renew the library books", channels
	return []scene{
		{"approval", ".reject", "拒绝", approval},
		{"inbox", ".refuse", "拒绝回答", inquiry.Question{Task: "order a pizza", Text: "Which size should the pizza have?",
			Body:     &inquiry.Ask{Options: []string{"Small", "Large"}, FreeText: true},
			Channels: channels}},
		{"form", ".refuse", "拒绝回答", inquiry.Question{Task: "book the train to the meeting", Text: "A few things before I book:",
			Body: &inquiry.Form{Fields: trip()}, Channels: channels,
			OnTimeout: inquiry.GiveUp}},
		{"draft", ".refuse", "拒绝回答", inquiry.Question{Kind: inquiry.KindInquiry, Client: "release-job",
			Text: "Please look over the announcement.", Channels: channels[2:],
			Body: &inquiry.Ask{Draft: "# Version 2.1\n\nThe search now finds what was archived.\n\n- Dates may be " +
				"typed in words.\n- A search can be saved under a name.\n\nThanks to all who " +
				"reported what was slow.\n"}}},
		{"takeover", ".cannot", "做不到", inquiry.Question{Kind: inquiry.KindTakeover, Task: "order a pizza",
			Text: "Please log in on the phone, and tell me when you are done.", Channels: channels}},
	}
}

// TestThePageInPictures keeps pictures of the page in the folder that TAPLOOP_PICTURES names.
func TestThePageInPictures(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("TAPLOOP_PICTURES")
	if dir == "" {
		dir = t.TempDir()
	}
	g := newRig(t, nil)
	p := g.login(chrometest.Chromium(t), "kitchen")
	for _, sc := range scenes() {
		q, err := sc.question, error(nil)
		if q.Client == "" {
			q = g.waiting("ann", q)
		} else {
			q, err = g.broker.Open(t.Context(), q)
			require.NoError(t, err)
		}
		taken := q.Kind == inquiry.KindTakeover
		shot := q.Frame != "" && !taken
		p.look("light", 1000, 640)
		p.do(chromedp.Reload())
		p.until(card(q, ".channels li") +
			" !== null && document.querySelectorAll('.steps li').length === " +
			map[bool]string{true: "1", false: "0"}[q.SessionID != ""])
		for _, c := range []struct {
			name, scheme string
			w, h         int64
		}{{"wide-light", "light", 1000, 640}, {"wide-dark", "dark", 1000, 640},
			{"narrow-light", "light", 390, 844}, {"narrow-dark", "dark", 390, 844}} {
			p.look(c.scheme, c.w, c.h)
			if taken {
				p.until(card(q, ".live-screen img") + ".naturalWidth > 0")
			}
			if shot {
				p.until(card(q, ".shot img") + ".naturalWidth > 0")
			}
			require.Equal(t, "true", p.text("document.documentElement.scrollWidth <= innerWidth"),
				"nothing sticks out at the side of %s", c.name)
			require.InDelta(t, 0, p.number(`document.querySelector("h1").getBoundingClientRect()`+
				`.left - document.querySelector("article").getBoundingClientRect().left`), 1,
				"one left edge on %s", c.name)
			if shot {
				require.Equal(t, "none", p.text(bars), "bars beside the picture on %s", c.name)
			}
			if shot && c.w < 500 {
				require.Equal(t, "question,shot,form", p.text(fmt.Sprintf(`["form", "shot", `+
					`"question"].sort((a, b) => %[1]s("." + a) - %[1]s("." + b)).join()`, top)),
					"what is answered is seen first on %s", c.name)
			}
			require.Equal(t, "", p.text(small),
				"what is pressed on %s is large enough for a finger", c.name)
			png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(dir, sc.name+"-"+c.name+".png"), png,
				0o644))
		}
		p.do(js(`document.getElementById("lang").click()`))
		p.until(`document.documentElement.lang === "zh" && ` + card(q, sc.button) +
			fmt.Sprintf(`.textContent === %q`, sc.label))
		require.Equal(t, "true", p.text("document.documentElement.scrollWidth <= innerWidth"))
		p.do(js(`document.getElementById("lang").click()`))
		require.NoError(t, g.broker.Withdraw(t.Context(), q.ID, "seen"))
		if q.SessionID != "" {
			g.ends(store.Run{ID: q.RunID, SessionID: q.SessionID},
				store.Change{To: store.Cancelled})
		}
	}
}

func TestAPictureOfAnyShapeFillsItsFrame(t *testing.T) {
	t.Parallel()
	g := newRig(t, nil)
	q := g.waiting("ann", inquiry.Question{})
	p := g.login(chrometest.Chromium(t), "kitchen")
	p.until(card(q, ".shot img") + ".naturalWidth > 0")
	for _, shape := range [][2]int{{2400, 1080}, {1080, 2400}, {1600, 2560}, {1440, 3600}} {
		p.do(js(fmt.Sprintf(`{
			const c = document.createElement("canvas");
			[c.width, c.height] = [%d, %d];
			c.toBlob((b) => { %s.src = URL.createObjectURL(b); });
		}`, shape[0], shape[1], card(q, ".shot img"))))
		p.until(fmt.Sprintf("%[1]s.naturalWidth === %[2]d && %[1]s.naturalHeight === %[3]d",
			card(q, ".shot img"), shape[0], shape[1]))
		for _, width := range []int64{1000, 390} {
			p.look("light", width, 844)
			require.Equal(t, "none", p.text(bars), "%v at %d", shape, width)
			require.Equal(t, "true", p.text("document.documentElement.scrollWidth <= innerWidth"))
		}
	}
}

// top is where something begins.
const top = `((s) => document.querySelector(s.replace(".form", "article form"))` +
	`.getBoundingClientRect().top)`

// bars says what shows beside the picture, or in the place of a part of it.
const bars = `((b, i) => {
	const [w, h] = [i.clientWidth, i.clientHeight], r = w / h / (i.naturalWidth / i.naturalHeight);
	if (Math.abs(r - 1) > 0.02) return "the picture is out of shape: " + r;
	return Math.abs(b.clientWidth - w) + Math.abs(b.clientHeight - h) > 2
		? b.clientWidth + "x" + b.clientHeight + " around " + w + "x" + h : "none";
})(document.querySelector(".shot"), document.querySelector(".shot img"))`

// small lists the controls that are lower than 36 pixels. Boxes are pressed by their labels.
const small = `[...document.querySelectorAll("button, textarea, select, label.box, " +
		"input:not([type=radio], [type=checkbox])")]
	.filter((e) => e.getClientRects().length && e.getBoundingClientRect().height < 36)
	.map((e) => e.outerHTML).join("\n")`

// number is the value of the expression.
func (p tab) number(expression string) (n float64) {
	p.t.Helper()
	_, err := fmt.Sscan(p.text(expression), &n)
	require.NoError(p.t, err)
	return n
}

// look sets the colours and the size of the window; a narrow one is a phone's, without a mouse.
func (p tab) look(scheme string, w, h int64) {
	p.t.Helper()
	p.do(chromedp.EmulateViewport(w, h), chromedp.Func(func(ctx context.Context,
		target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia,
			emulation.SetEmulatedMediaParams{
				Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		if err == nil {
			_, err = cdp.Call(ctx, target, emulation.SetTouchEmulationEnabled,
				emulation.SetTouchEmulationEnabledParams{Enabled: w < 500})
		}
		return err
	}))
}
