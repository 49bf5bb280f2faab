package tools_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/screen"
)

// masked are phones with every picture painted over in red.
type masked struct{ runs.Phones }

type maskedPhone struct{ runs.Phone }

func (m masked) Open(ctx context.Context, serial string) (runs.Phone, error) {
	p, err := m.Phones.Open(ctx, serial)
	if err != nil {
		return nil, err
	}
	return maskedPhone{p}, nil
}

func (m maskedPhone) Look(ctx context.Context) (screen.Observation, error) {
	look, err := m.Phone.Look(ctx)
	if err != nil || look.Frame == nil {
		return look, err
	}
	size := look.Frame.Size()
	img := image.NewRGBA(image.Rect(0, 0, size.W, size.H))
	draw.Draw(img, img.Bounds(), image.NewUniform(color.RGBA{200, 0, 0, 255}), image.Point{},
		draw.Src)
	look.Frame, err = screen.NewFrame(img)
	return look, err
}

func TestAMaskAroundThePhonesIsSeenByAllWhoLook(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		phones := masked{w.phones}
		w.end()
		w.fopts.Phones, w.topts.Phones = phones, phones
		w.begin()

		st := w.start("tap ask")

		picture, err := w.policy.last().Screen.Frame.JPEG(90)
		require.NoError(t, err)
		red(t, picture, "what decides")
		stored, err := w.store.Frame(t.Context(), lastFrame(t, w, st.SessionID))
		require.NoError(t, err)
		red(t, stored, "the store")
		asked, err := w.manager.Broker().Get(t.Context(), st.Question.ID)
		require.NoError(t, err)
		shown, err := w.store.Frame(t.Context(), asked.Frame)
		require.NoError(t, err)
		red(t, shown, "the question")
		looked := w.call("get_screenshot", in{"device_id": "A"}).raw.Content[1].(mcp.ImageContent)
		b, err := base64.StdEncoding.DecodeString(looked.Data)
		require.NoError(t, err)
		red(t, b, "get_screenshot")
	})
}

func lastFrame(t *testing.T, w *fixture, sessionID string) string {
	t.Helper()
	steps, err := w.store.Steps(t.Context(), sessionID, 0)
	require.NoError(t, err)
	require.NotEmpty(t, steps)
	return steps[0].FrameID
}

// red reports a picture that shows anything but the mask.
func red(t *testing.T, picture []byte, who string) {
	t.Helper()
	img, err := jpeg.Decode(bytes.NewReader(picture))
	require.NoError(t, err, who)
	r, g, b, _ := img.At(img.Bounds().Dx()/2, img.Bounds().Dy()/2).RGBA()
	require.Greater(t, r>>8, uint32(150), who)
	require.Less(t, max(g, b)>>8, uint32(50), who)
}
