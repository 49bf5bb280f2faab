//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/app/serve"
	"github.com/taploop/taploop/internal/app/simulation"
	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/screen"
)

// green phones are others with every picture painted over.
type green struct{ runs.Phones }

func (g green) Open(ctx context.Context, serial string) (runs.Phone, error) {
	p, err := g.Phones.Open(ctx, serial)
	if err != nil {
		return nil, err
	}
	return &greenPhone{Phone: p, painted: map[*screen.Frame]*screen.Frame{}}, nil
}

type greenPhone struct {
	runs.Phone

	mu      sync.Mutex
	painted map[*screen.Frame]*screen.Frame // so that a frame that stays the same does so, too
}

func (p *greenPhone) Look(ctx context.Context) (screen.Observation, error) {
	o, err := p.Phone.Look(ctx)
	o.Frame = p.paint(o.Frame)
	return o, err
}

func (p *greenPhone) Frame(ctx context.Context) (*screen.Frame, error) {
	f, err := p.Phone.Frame(ctx)
	return p.paint(f), err
}

func (p *greenPhone) paint(f *screen.Frame) *screen.Frame {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f == nil || p.painted[f] != nil {
		return p.painted[f]
	}
	img := image.NewRGBA(image.Rect(0, 0, f.Size().W, f.Size().H))
	draw.Draw(img, img.Bounds(), image.NewUniform(color.RGBA{G: 255, A: 255}), image.Point{},
		draw.Src)
	p.painted[f], _ = screen.NewFrame(img) // fails only for one without pixels
	return p.painted[f]
}

func requireGreen(t *testing.T, b []byte, what string) {
	t.Helper()
	img, err := jpeg.Decode(bytes.NewReader(b))
	require.NoError(t, err, what)
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			r, g, b, _ := img.At(x, y).RGBA()
			if r>>8 > 8 || g>>8 < 247 || b>>8 > 8 {
				require.FailNow(t, "a picture is not painted over", "%s, at %d,%d", what, x, y)
			}
		}
	}
}

// What is around the phones is so for all who are shown one: the model, a client, the store, and
// the people who look at it live.
func TestAMaskAroundThePhonesIsOverEveryPicture(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	var mu sync.Mutex
	var sent []string // the pictures that the model got
	inner := b.model(t)
	asked := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		mu.Lock()
		for _, m := range dataURL.FindAllStringSubmatch(string(body), -1) {
			sent = append(sent, m[1])
		}
		mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		inner.ServeHTTP(w, r)
	}))
	t.Cleanup(asked.Close)
	set := &app.Settings{Log: slog.New(slog.DiscardHandler), Options: config.Options{Environ: b.env,
		Flags: map[string]any{"model.base_url": asked.URL + "/v1"}}}
	require.NoError(t, set.Load())
	svc, err := serve.Start(t.Context(), set,
		app.Options{Around: func(p runs.Phones) runs.Phones { return green{p} }})
	require.NoError(t, err)
	defer func() { require.NoError(t, svc.Close()) }()

	st, err := svc.Manager.Start(t.Context(), runs.StartRequest{Task: b.task.Goal, MaxSteps: 2,
		Settings: runs.Settings{DetachedOK: true}})
	require.NoError(t, err)
	st, err = svc.Manager.Wait(t.Context(),
		runs.WaitRequest{SessionID: st.Session.ID, Budget: patience})
	require.NoError(t, err)
	steps, err := svc.Store.Steps(t.Context(), st.Session.ID, 0)
	require.NoError(t, err)
	require.Len(t, steps, 2)
	for _, s := range steps {
		kept, err := svc.Store.Frame(t.Context(), s.FrameID)
		require.NoError(t, err)
		requireGreen(t, kept, "the store's")
	}
	mu.Lock()
	defer mu.Unlock()
	require.NotEmpty(t, sent)
	for _, s := range sent {
		picture, err := base64.StdEncoding.DecodeString(s)
		require.NoError(t, err)
		requireGreen(t, picture, "the model's")
	}
	requireGreen(t, screenshotOf(t, svc), "the client's")
	h := serve.NewHands(svc.Parts, set.Log)
	defer func() { require.NoError(t, h.Close()) }()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	viewer := h.Watch(simulation.DefaultSerial)
	defer viewer.Close()
	live, err := viewer.Next(ctx)
	require.NoError(t, err)
	require.NoError(t, live.Err)
	requireGreen(t, live.JPEG, "the page's")
}

var dataURL = regexp.MustCompile(`data:image/jpeg;base64,([A-Za-z0-9+/=]+)`)

// screenshotOf is the picture that get_screenshot gives a client.
func screenshotOf(t *testing.T, svc *serve.Service) []byte {
	c, err := client.NewInProcessClient(svc.MCP)
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close()) }()
	require.NoError(t, c.Start(t.Context()))
	_, err = c.Initialize(t.Context(), mcp.InitializeRequest{})
	require.NoError(t, err)
	got, err := c.CallTool(t.Context(), callOf("get_screenshot"))
	require.NoError(t, err)
	for _, block := range got.Content {
		if picture, is := block.(mcp.ImageContent); is {
			b, err := base64.StdEncoding.DecodeString(picture.Data)
			require.NoError(t, err)
			return b
		}
	}
	require.FailNow(t, "no picture", "%+v", got)
	return nil
}
