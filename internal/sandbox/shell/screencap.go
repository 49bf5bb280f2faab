package shell

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/png"
	"strings"
	"sync"
)

// screencap writes the picture of the display: raw, or as PNG.
func screencap(c *invocation) int {
	letters, files := options(c.args)
	if strings.Trim(letters, "p") != "" || len(files) > 1 {
		return c.fail(exitFailure, "usage: screencap [-p] [FILENAME]")
	}
	file := strings.Join(files, "")
	img := c.sh.phone.Screenshot()
	head, pixels, err := encode(img, letters != "" || strings.HasSuffix(file, ".png"))
	if err == nil && file == "" {
		_, _ = c.stdout.Write(head)
		_, _ = c.stdout.Write(pixels)
		return exitOK
	}
	if err == nil {
		err = c.write(file, append(head, pixels...))
	}
	if err != nil {
		return c.fail(exitFailure, "Error opening file: %s (%s)", file, ErrorText(err))
	}
	return exitOK
}

// encode is a picture as screencap writes it. Before raw pixels stand the size, the pixel format
// RGBA_8888 and the colour space sRGB.
func encode(img *image.RGBA, asPNG bool) (head, pixels []byte, err error) {
	if !asPNG {
		for _, v := range []int{img.Rect.Dx(), img.Rect.Dy(), 1, 1} {
			head = binary.LittleEndian.AppendUint32(head, uint32(v))
		}
		return head, img.Pix, nil
	}
	var b bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestSpeed, BufferPool: &pngBuffers}
	err = enc.Encode(&b, img)
	return nil, b.Bytes(), err
}

// pngBuffers keeps the encoder's tables from one frame to the next.
var pngBuffers bufferPool

type bufferPool struct{ pool sync.Pool }

func (p *bufferPool) Get() *png.EncoderBuffer {
	b, _ := p.pool.Get().(*png.EncoderBuffer)
	return b
}

func (p *bufferPool) Put(b *png.EncoderBuffer) { p.pool.Put(b) }
