package model

import (
	"bytes"
	"context"
	"image"
	"image/jpeg"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// screenshot is a JPEG of 728x728 about as heavy as a phone's screen.
func screenshot(b *testing.B) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	img := image.NewRGBA(image.Rect(0, 0, 728, 728))
	for i := range img.Pix {
		img.Pix[i] = 0xff
	}
	for range 400 { // words, buttons and icons
		x, y, w, h, c := r.IntN(728), r.IntN(728), r.IntN(80)+2, r.IntN(16)+2, byte(r.IntN(256))
		for j := y; j < min(y+h, 728); j++ {
			for i := x; i < min(x+w, 728); i++ {
				o := img.PixOffset(i, j)
				img.Pix[o], img.Pix[o+1] = c, byte(i*j)
			}
		}
	}
	var out bytes.Buffer
	require.NoError(b, jpeg.Encode(&out, img, &jpeg.Options{Quality: 85}))
	return out.Bytes()
}

// BenchmarkCall is the client's own share of a step: everything from the request to the wire and
// from the wire to the reply.
func BenchmarkCall(b *testing.B) {
	pic := screenshot(b)
	var sent int
	c, err := New(
		&Options{
			Temperature: new(float64),
			Transport: oneReply(func(r *http.Request) (*http.Response, error) {
				n, err := io.Copy(io.Discard, r.Body)
				sent = int(n)
				body := `{"choices":[{"message":{"content":"<THINK>x</THINK>explain:a` +
					`\taction:CLICK\tpoint:1,2\tsummary:b"},"finish_reason":"stop"}]}`
				return &http.Response{
					StatusCode: 200,
					Body:       io.NopCloser(strings.NewReader(body)),
				}, err
			}),
		},
	)
	require.NoError(b, err)
	req := Request{
		Messages: []Message{
			{
				Role:  "user",
				Parts: []Part{{Text: strings.Repeat("prompt ", 600)}, {JPEG: pic}, {Text: "now"}},
			},
		},
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Complete(context.Background(), req); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(pic)), "jpeg-bytes")
	b.ReportMetric(float64(sent), "sent-bytes")
}

// oneReply is a transport made of a function.
type oneReply func(*http.Request) (*http.Response, error)

func (f oneReply) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
