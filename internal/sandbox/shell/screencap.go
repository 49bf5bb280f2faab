package shell

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/png"
	"io"
	"strings"
	"sync"
)

// screencap writes the picture of the display: raw, or as PNG.
func screencap(c *invocation) int {
	letters, files := options(c.args)
	display := ""
	if strings.HasSuffix(letters, "d") && len(files) > 0 {
		display, files = files[0], files[1:]
	}
	if strings.Trim(letters, "pd") != "" || len(files) > 1 {
		return c.fail(exitFailure, "usage: screencap [-p] [-d DISPLAY] [FILENAME]")
	}
	file := strings.Join(files, "")
	img, err := c.sh.panel(c.stderr, display)
	if err != nil {
		return c.fail(exitFailure, "%v", err)
	}
	head, pixels, err := encode(img, strings.Contains(letters, "p") ||
		strings.HasSuffix(file, ".png"))
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

// Numbers of the panels of a phone that folds. The closed one is the first.
const (
	closedPanel = "4619827677550801153"
	openPanel   = "4619827677550801152"
)

// panel is what a panel shows. Without a number it is the first one.
func (s *Shell) panel(stderr io.Writer, display string) (*image.RGBA, error) {
	closed := s.phone.Display.Closed()
	switch {
	case closed == (image.Point{}) && display == "", display == openPanel:
		return s.phone.Screenshot(), nil
	case closed == (image.Point{}) || display != "" && display != closedPanel:
		return nil, errNoPanel(display)
	case display == "":
		complain(stderr, "[Warning] Multiple displays were found, but no display id was "+
			"specified! Defaulting to the first display found, however this default is not "+
			"guaranteed to be consistent across captures. A display id should be specified.")
	}
	dark := image.NewRGBA(image.Rectangle{Max: closed})
	for i := 3; i < len(dark.Pix); i += 4 {
		dark.Pix[i] = 0xff
	}
	return dark, nil
}

func dumpSurfaceFlinger(c *invocation, args []string) string {
	if strings.Join(args, " ") != "--display-id" {
		return ""
	}
	line := "Display %s (HWC display %d): port=%d pnpId=GGL displayName=\"Common Panel\"\n"
	open := fmt.Sprintf(line, openPanel, 0, 0)
	if c.sh.phone.Display.Closed() == (image.Point{}) {
		return open
	}
	return fmt.Sprintf(line, closedPanel, 1, 1) + open
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

// errNoPanel is Android's complaint of an unknown display, in its words.
type errNoPanel string

func (e errNoPanel) Error() string {
	return fmt.Sprintf("Display Id '%s' is not valid.", string(e))
}
