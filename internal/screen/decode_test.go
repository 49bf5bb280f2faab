package screen_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/screen"
)

const warning = "[Warning] Multiple displays were found, but no display id was specified! " +
	"Defaulting to the first display found,\n" +
	"however this default is not guaranteed to be consistent across captures.\n\n"

// decoded is the frame of one capture alone.
func decoded(b []byte) (*screen.Frame, error) {
	return new(screen.Decoder).Decode(b, new(screen.Sum))
}

// picture has a different colour at each pixel.
func picture(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.SetNRGBA(x, y, color.NRGBA{R: uint8(x), G: uint8(y), B: uint8(x ^ y), A: 0xff})
		}
	}
	return img
}

func pngOf(t testing.TB, img image.Image) []byte {
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, img))
	return b.Bytes()
}

// rawHeader is what screencap writes in front of the pixels: three words, or four since Android 9.
func rawHeader(words ...uint32) []byte {
	var b []byte
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

func rawOf(img *image.NRGBA, more ...uint32) []byte {
	head := append([]uint32{uint32(img.Rect.Dx()), uint32(img.Rect.Dy()), 1}, more...)
	return append(rawHeader(head...), img.Pix...)
}

// pngClaiming is a PNG whose header claims a size and that ends there.
func pngClaiming(w, h uint32) []byte {
	chunk := binary.BigEndian.AppendUint32([]byte("IHDR"), w)
	chunk = append(binary.BigEndian.AppendUint32(chunk, h), 8, 6, 0, 0, 0)
	b := append([]byte("\x89PNG\r\n\x1a\n"), 0, 0, 0, 13)
	b = append(b, chunk...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(chunk))
}

func TestDecodeGivesThePixelsWhateverTheForm(t *testing.T) {
	img := picture(9, 17)
	transparent := picture(9, 17)
	for i := 3; i < len(transparent.Pix); i += 4 {
		transparent.Pix[i] = 0 // some phones leave the alpha of raw pixels empty
	}
	grown := image.NewNRGBA64(img.Rect) // 16 bits a channel
	for y := range 17 {
		for x := range 9 {
			grown.Set(x, y, img.At(x, y))
		}
	}
	for name, b := range map[string][]byte{
		"png":                    pngOf(t, img),
		"png of 16 bits":         pngOf(t, grown),
		"png after a warning":    append([]byte(warning), pngOf(t, img)...),
		"raw of old Android":     rawOf(img),
		"raw":                    rawOf(img, 0),
		"raw of a wide gamut":    rawOf(img, 7),
		"raw without alpha":      rawOf(transparent, 1),
		"raw RGBX":               append(rawHeader(9, 17, 2, 1), img.Pix...),
		"raw after a warning":    append([]byte(warning), rawOf(img, 1)...),
		"old raw after a notice": append([]byte("\n"), rawOf(img)...),
		"width is a newline":     rawOf(picture(10, 3), 1),
	} {
		t.Run(name, func(t *testing.T) {
			f, err := decoded(b)
			require.NoError(t, err)
			want := img
			if f.Size().W == 10 {
				want = picture(10, 3)
			}
			require.Equal(t, want.Rect, f.Image().Rect)
			require.Equal(t, want.Pix, f.Image().Pix)
		})
	}
}

func TestDecodeDoesNotKeepItsInput(t *testing.T) {
	b := rawOf(picture(4, 4), 1)
	f, err := decoded(b)
	require.NoError(t, err)
	clear(b)
	require.Equal(t, picture(4, 4).Pix, f.Image().Pix)
}

func TestDecodeRefusesWhatIsNotAWholePicture(t *testing.T) {
	whole, raw := pngOf(t, picture(300, 300)), rawOf(picture(30, 30), 1)
	damaged := bytes.Clone(whole)
	damaged[len(damaged)/2] ^= 0xff
	for _, c := range []struct {
		name string
		in   []byte
		want string
	}{
		{"nothing", nil, `neither PNG nor raw pixels: 0 bytes starting ""`},
		{"a message", []byte("screencap: not found\n"),
			`neither PNG nor raw pixels: 21 bytes starting "screencap: not found\n"`},
		{"a long message", bytes.Repeat([]byte("error\n"), 10000),
			`neither PNG nor raw pixels: 60000 bytes starting "error\nerror\n`},
		{"a warning and nothing", []byte(warning), "neither PNG nor raw pixels"},
		{"only the magic", whole[:8], "reading a PNG of 8 bytes: unexpected EOF"},
		{"a truncated PNG", whole[:len(whole)/2], "unexpected EOF"},
		{"a damaged PNG", damaged, "reading a PNG"},
		{"a PNG whose newlines a shell changed",
			bytes.ReplaceAll(whole, []byte("\n"), []byte("\r\n")), "neither PNG nor raw pixels"},
		{"a PNG after too much text", append(bytes.Repeat([]byte("x\n"), 2100), whole...),
			"neither PNG nor raw pixels"},
		{"truncated raw pixels", raw[:len(raw)-1],
			"raw pixels of 30x30 want 3600 bytes after the header, got 3603"},
		{"raw pixels and more", append(bytes.Clone(raw), 0), "raw pixels of 30x30 want 3600 bytes"},
		{"a raw header", raw[:16], "raw pixels of 30x30 want 3600 bytes after the header, got 4"},
		{"no width", append(rawHeader(0, 30, 1, 1), raw[16:]...), "neither PNG nor raw pixels"},
		{"16 bits a pixel", append(rawHeader(30, 30, 4, 1), raw[16:]...),
			"raw pixels in format 4 (want 1, RGBA_8888, or 2, RGBX_8888)"},
		{"an absurd raw size", rawHeader(0xffffffff, 0xffffffff, 1, 1),
			"neither PNG nor raw pixels"},
		{"a raw size that overflows", rawHeader(0x8000, 0x8000, 1, 1),
			"neither PNG nor raw pixels"},
		{"a raw size in bounds that no screen has", rawHeader(16384, 16384, 1, 1),
			"neither PNG nor raw pixels"},
		{"an absurd PNG size", pngClaiming(1<<20, 1),
			"1048576x1 is larger than any screen"},
		{"a PNG of too many pixels", pngClaiming(16384, 16384),
			"16384x16384 is larger than any screen"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := decoded(c.in)
			require.ErrorContains(t, err, c.want)
			require.Nil(t, f)
		})
	}
}

// FuzzDecode: a frame of a size that a screen can have, or an error that says something; never a
// panic. What it takes is bounded by the size, so a frame in bounds is memory in bounds.
func FuzzDecode(f *testing.F) {
	small := picture(5, 3)
	for _, seed := range [][]byte{
		nil, []byte(warning), pngOf(f, small), rawOf(small), rawOf(small, 1),
		append([]byte(warning), rawOf(small, 1)...),
		append([]byte(warning), pngOf(f, small)...),
		pngOf(f, image.NewPaletted(image.Rect(0, 0, 3, 2),
			color.Palette{color.Black, color.White})),
		pngOf(f, image.NewGray16(image.Rect(0, 0, 2, 2))), pngClaiming(1<<31-1, 1<<31-1),
		rawHeader(5, 3, 1, 1),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		frame, err := decoded(b)
		if err != nil {
			require.Nil(t, frame)
			require.NotEmpty(t, err.Error())
			require.Less(t, len(err.Error()), 500)
			return
		}
		size := frame.Size()
		require.True(t, size.Valid())
		require.LessOrEqual(t, size.W*size.H, 40<<20)
		img := frame.Image()
		require.Equal(t, image.Rect(0, 0, size.W, size.H), img.Rect)
		require.Len(t, img.Pix, size.W*size.H*4)
		require.Equal(t, 4*size.W, img.Stride)
		require.True(t, img.Opaque())
	})
}

func TestTheSameCaptureIsTheSameFrame(t *testing.T) {
	var d screen.Decoder
	first, err := d.Decode(rawOf(picture(9, 9), 1), new(screen.Sum))
	require.NoError(t, err)
	again, err := d.Decode(rawOf(picture(9, 9), 1), new(screen.Sum))
	require.NoError(t, err)
	require.Same(t, first, again)

	_, err = d.Decode([]byte("screencap: not found\n"), new(screen.Sum))
	require.ErrorContains(t, err, "neither PNG nor raw pixels")
	other, err := d.Decode(rawOf(picture(9, 8), 1), new(screen.Sum))
	require.NoError(t, err)
	require.NotSame(t, first, other)
	require.Equal(t, picture(9, 8).Pix, other.Image().Pix)
}

// What a model is shown is made while the capture is read, once it is known in which size.
func TestACaptureIsMadeInTheSizesThatTheOneBeforeWasAskedForIn(t *testing.T) {
	shown, other := screen.Size{W: 7, H: 5}, screen.Size{W: 5, H: 5}
	at := func(i int) []byte { return rawOf(picture(9, 9+i), 1) }
	made := func(f *screen.Frame, s screen.Size) bool {
		first := f.Resized(s)
		return first == f.Resized(s)
	}
	var d screen.Decoder
	first, err := d.Decode(at(0), new(screen.Sum))
	require.NoError(t, err)
	require.False(t, made(first, shown), "nobody has asked for it yet")

	second, err := d.Decode(at(1), new(screen.Sum))
	require.NoError(t, err)
	require.True(t, made(second, shown))
	require.False(t, made(second, other))
	same, err := decoded(at(1))
	require.NoError(t, err)
	require.Equal(t, same.Resized(shown).Image(), second.Resized(shown).Image())

	small, err := d.Decode(rawOf(picture(6, 6), 1), new(screen.Sum))
	require.NoError(t, err)
	require.Equal(t, shown, small.Resized(shown).Size(), "a frame that is smaller is enlarged")
}

// A frame that is made in the sizes that are asked for holds no pixels besides: what else is asked
// of it is made of the largest of those.
func TestAFrameIsWholeOnlyWhereItsPicturesDoNotSuffice(t *testing.T) {
	capture := func(i int) []byte { return rawOf(picture(90, 3000+i), 1) }
	var d screen.Decoder
	frame := func(i int) *screen.Frame {
		f, err := d.Decode(capture(i), new(screen.Sum))
		require.NoError(t, err)
		return f
	}
	asked := screen.Size{W: 60, H: 2000}
	first := frame(0)
	require.Equal(t, picture(90, 3000).Pix, first.Image().Pix, "it is not known what is asked for")
	first.Resized(asked)

	second := frame(1)
	require.NotEqual(t, picture(90, 3001).Pix, second.Image().Pix)
	require.Equal(t, image.Rect(0, 0, 90, 3001), second.Image().Rect)
	for _, s := range []screen.Size{{W: 30, H: 1000}, {W: 90, H: 2500}, {W: 100, H: 4000}} {
		whole, err := decoded(capture(1))
		require.NoError(t, err)
		require.Equal(t, s, second.Resized(s).Size())
		requireAlike(t, whole.Resized(s).Image(), second.Resized(s).Image(), 12)
	}

	require.Equal(t, picture(90, 3002).Pix, func() []byte {
		second.Resized(screen.Size{W: 91, H: 3}) // which no frame of that width can be made in
		return frame(2).Image().Pix
	}())
	for w := range 5 {
		first.Resized(screen.Size{W: 40 + w, H: 40})
	}
	require.Equal(t, picture(90, 3003).Pix, frame(3).Image().Pix, "too many sizes")
}

// requireAlike holds the brightness of one picture against another's, on average within a bound.
func requireAlike(t *testing.T, want, got *image.YCbCr, bound float64) {
	t.Helper()
	sum := 0
	for i, v := range want.Y {
		sum += max(int(v), int(got.Y[i])) - min(int(v), int(got.Y[i]))
	}
	require.Less(t, float64(sum)/float64(len(want.Y)), bound)
}

// A frame that is held packs its pixels in bands; the last one is short, and a row may be longer
// than a band.
func TestARawCaptureIsUnpackedAsItWas(t *testing.T) {
	for _, size := range []image.Point{{1, 1}, {100, 163}, {100, 164}, {16384, 3}, {1000, 33}} {
		img := picture(size.X, size.Y)
		f, err := decoded(rawOf(img, 1))
		require.NoError(t, err)
		require.Equal(t, img.Pix, f.Image().Pix, size)
	}
}

// The sum of a capture is the same however it arrives, and another one for any other capture.
func TestACaptureIsKnownAgainHoweverItArrives(t *testing.T) {
	img := picture(300, 300) // longer than what is summed up at once
	capture := rawOf(img, 1)
	var d screen.Decoder
	first, err := d.Decode(capture, new(screen.Sum))
	require.NoError(t, err)
	for _, part := range []int{1 << 20, 131072, 1000, 65537} {
		var sum screen.Sum
		for n := part; n < len(capture); n += part {
			sum.Seen(capture[:n])
		}
		again, err := d.Decode(capture, &sum)
		require.NoError(t, err)
		require.Same(t, first, again, part)
	}
	for _, at := range []int{16, 131071, 131072, 262143, len(capture) - 2} {
		other := bytes.Clone(capture)
		other[at] ^= 0x10
		var sum screen.Sum
		sum.Seen(other[:200_000])
		f, err := d.Decode(other, &sum)
		require.NoError(t, err)
		require.NotSame(t, first, f, at)
		first, capture = f, other
	}
}
