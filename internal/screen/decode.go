package screen

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image/png"
	"slices"
	"sync"

	"github.com/taploop/taploop/internal/screen/pixels"
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

// decode makes pictures of these sizes along with the frame. The frame keeps its pixels if there
// are no sizes, or if one of them cannot be made.
func decode(b []byte, sizes []Size) (*Frame, error) {
	at, size, err := locate(b)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(b[at:], pngMagic) {
		return decodePNG(b[at:], sizes)
	}
	return decodeRaw(b[at:], size, sizes)
}

// Measure is the size of the picture that a Decoder would read, from its header alone: before
// memory is taken for it a caller can see whether that size is one to expect.
func Measure(b []byte) (Size, error) {
	_, size, err := locate(b)
	return size, err
}

// locate finds the picture in what screencap wrote, and measures it.
func locate(b []byte) (at int, size Size, err error) {
	if i := bytes.Index(b[:min(len(b), maxPreamble)], pngMagic); i >= 0 {
		size, err = measurePNG(b[i:])
		return i, size, err
	}
	size, err = measureRaw(b)
	for rest := b; err != nil; {
		line, after, found := bytes.Cut(rest, []byte("\n"))
		// a raw header has zero bytes in it
		if !found || bytes.ContainsRune(line, 0) || len(b)-len(after) > maxPreamble {
			return 0, Size{}, err
		}
		rest = after
		if s, bad := measureRaw(rest); bad == nil {
			return len(b) - len(rest), s, nil
		}
	}
	return 0, size, nil
}

func measurePNG(b []byte) (Size, error) {
	cfg, err := png.DecodeConfig(bytes.NewReader(b))
	if err == nil && absurd(cfg.Width, cfg.Height) {
		err = fmt.Errorf("%dx%d is larger than any screen", cfg.Width, cfg.Height)
	}
	if err != nil {
		return Size{}, fmt.Errorf("reading a PNG of %d bytes: %w", len(b), err)
	}
	return Size{cfg.Width, cfg.Height}, nil
}

// decodePNG reads a PNG. One of another kind than screencap's is unpacked as a whole.
func decodePNG(b []byte, sizes []Size) (*Frame, error) {
	f, err := func() (*Frame, error) {
		src, pt, err := pixels.OpenPNG(b)
		if err != nil {
			return nil, err
		}
		if size := (Size{pt.X, pt.Y}); src != nil {
			f, err := newFrame(size, src, sizes)
			if err == nil && !suffice(sizes, size) {
				f.src = pixels.PNG(bytes.Clone(b)) // b is the caller's
			}
			return f, err
		}
		img, err := png.Decode(bytes.NewReader(b))
		if err != nil {
			return nil, err
		}
		return NewFrame(img)
	}()
	if err != nil {
		return nil, fmt.Errorf("reading a PNG of %d bytes: %w", len(b), err)
	}
	return f, nil
}

func absurd(w, h int) bool { return w > maxSide || h > maxSide || w*h > maxPixels }

// Pixel formats of the raw form that are four bytes a pixel with red first (Android's PixelFormat).
const (
	formatRGBA8888 = 1
	formatRGBX8888 = 2
)

func measureRaw(b []byte) (Size, error) {
	none := fmt.Errorf("neither PNG nor raw pixels: %d bytes starting %q", len(b),
		b[:min(len(b), 40)])
	if len(b) < 12 {
		return Size{}, none
	}
	w, h := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
	format := binary.LittleEndian.Uint32(b[8:])
	if w == 0 || h == 0 || w > maxSide || h > maxSide || absurd(int(w), int(h)) {
		return Size{}, none
	}
	if format != formatRGBA8888 && format != formatRGBX8888 {
		return Size{}, fmt.Errorf("raw pixels in format %d (want 1, RGBA_8888, or 2, RGBX_8888)",
			format)
	}
	n := int(w) * int(h) * 4
	if header := len(b) - n; header != 12 && header != 16 {
		return Size{}, fmt.Errorf("raw pixels of %dx%d want %d bytes after the header, got %d",
			w, h, n, len(b)-12)
	}
	return Size{int(w), int(h)}, nil
}

func decodeRaw(b []byte, size Size, sizes []Size) (*Frame, error) {
	stride := 4 * size.W
	b = b[len(b)-stride*size.H:]
	if suffice(sizes, size) {
		return newFrame(size, pixels.Raw(b, stride), sizes)
	}
	src := pixels.NewPacking(b, stride)
	f, err := newFrame(size, src, sizes)
	if err == nil {
		f.src = src.Packed() // b is the caller's
	}
	return f, err
}

// suffice reports whether a frame of that size needs no pixels but those of pictures in these
// sizes.
func suffice(sizes []Size, frame Size) bool {
	larger := func(s Size) bool { return s.larger(frame) }
	return len(sizes) > 0 && !slices.ContainsFunc(sizes, larger)
}

// Decoder decodes the captures of one phone, one after the other. A capture with the length and the
// CRC of the previous one gives the same Frame. The sizes that a frame was asked for are made along
// with the next one. Its zero value is ready. Any number of goroutines may use it.
type Decoder struct {
	mu     sync.Mutex
	seen   Sum // of the last capture
	last   *Frame
	wishes wishes
}

// Decode reads what screencap writes: PNG, or the raw form (width, height and pixel format as
// little-endian uint32, since Android 9 a colour space too, then RGBA rows). Lines of text in front
// of the data, as screencap's warning about several displays, are passed over. A picture that is
// not whole is an error. What seen has seen was the beginning of b.
func (d *Decoder) Decode(b []byte, seen *Sum) (*Frame, error) {
	seen.Seen(b)
	seen.add(b[seen.done:])
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.last != nil && *seen == d.seen {
		return d.last, nil
	}
	f, err := decode(b, d.wishes.sizes())
	if err == nil {
		f.wishes = &d.wishes
		d.seen, d.last = *seen, f
	}
	return f, err
}

// Sum tells a capture from others. It is computed while the capture arrives, as long as its bytes
// are still near the processor. Its zero value is ready for one capture.
type Sum struct {
	crc  uint32
	done int // bytes that are in it
}

// sumBlock is how many bytes are summed up at once.
const sumBlock = 128 << 10

// Seen adds the new bytes of all that have arrived so far.
func (s *Sum) Seen(all []byte) {
	for len(all)-s.done >= sumBlock {
		s.add(all[s.done:][:sumBlock])
	}
}

func (s *Sum) add(part []byte) {
	s.crc = crc32.Update(s.crc, crc32.IEEETable, part)
	s.done += len(part)
}

// CRC is the CRC-32, IEEE's, of a capture that was decoded.
func (s *Sum) CRC() uint32 { return s.crc }
