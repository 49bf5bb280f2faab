package screen

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/png"
)

// What a phone can claim is bounded before memory is taken for it: no screen is longer or holds
// more pixels (8K has 33 million).
const (
	maxSide   = 16384
	maxPixels = 40 << 20
)

// maxPreamble is how much text may stand in front of the data.
const maxPreamble = 4096

var pngMagic = []byte("\x89PNG\r\n\x1a\n")

// Decode reads what screencap writes: PNG, or the raw form (width, height and pixel format as
// little-endian uint32, since Android 9 a colour space too, then RGBA rows). Lines of text in front
// of the data, as screencap's warning about several displays, are passed over. A picture that is
// not whole is an error.
func Decode(b []byte) (*Frame, error) {
	if i := bytes.Index(b[:min(len(b), maxPreamble)], pngMagic); i >= 0 {
		return decodePNG(b[i:])
	}
	f, err := decodeRaw(b)
	if err == nil {
		return f, nil
	}
	for rest := b; ; {
		line, after, found := bytes.Cut(rest, []byte("\n"))
		if !found || !isText(line) || len(b)-len(after) > maxPreamble {
			return nil, err
		}
		if f, err := decodeRaw(after); err == nil {
			return f, nil
		}
		rest = after
	}
}

// isText tells a line of a message from a raw header, which has zero bytes in it.
func isText(line []byte) bool { return !bytes.ContainsRune(line, 0) }

func decodePNG(b []byte) (*Frame, error) {
	cfg, err := png.DecodeConfig(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("reading a PNG of %d bytes: %w", len(b), err)
	}
	if absurd(cfg.Width, cfg.Height) {
		return nil, fmt.Errorf("a PNG of %dx%d is larger than any screen", cfg.Width, cfg.Height)
	}
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("reading a PNG of %d bytes: %w", len(b), err)
	}
	return NewFrame(img)
}

func absurd(w, h int) bool { return w > maxSide || h > maxSide || w*h > maxPixels }

// Pixel formats of the raw form that are four bytes a pixel with red first (Android's PixelFormat).
const (
	formatRGBA8888 = 1
	formatRGBX8888 = 2
)

func decodeRaw(b []byte) (*Frame, error) {
	if len(b) < 12 {
		return nil, fmt.Errorf("neither PNG nor raw pixels: %d bytes starting %q", len(b),
			b[:min(len(b), 40)])
	}
	w, h := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
	format := binary.LittleEndian.Uint32(b[8:])
	if w == 0 || h == 0 || w > maxSide || h > maxSide || absurd(int(w), int(h)) {
		return nil, fmt.Errorf("neither PNG nor raw pixels: %d bytes starting %q", len(b),
			b[:min(len(b), 40)])
	}
	if format != formatRGBA8888 && format != formatRGBX8888 {
		return nil, fmt.Errorf("raw pixels in format %d (want 1, RGBA_8888, or 2, RGBX_8888)",
			format)
	}
	n := int(w) * int(h) * 4
	header := len(b) - n
	if header != 12 && header != 16 {
		return nil, fmt.Errorf("raw pixels of %dx%d want %d bytes after the header, got %d", w, h,
			n, len(b)-12)
	}
	pix := bytes.Clone(b[header:])
	for i := 3; i < n; i += 4 {
		pix[i] = 0xff
	}
	return &Frame{&image.RGBA{Pix: pix, Stride: int(w) * 4,
		Rect: image.Rect(0, 0, int(w), int(h))}}, nil
}
