package shell

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/png"
	"strconv"
	"strings"
	"sync"
)

// displayID is the physical id of the one display, as SurfaceFlinger gives them out.
const displayID = "4619827259835644672"

const screencapUsage = `
usage: screencap [-hp] [-d display-id] [FILENAME]
   -h: print this
   -p: write a png
   -d: the physical display to capture (default: ` + displayID + `)
       "dumpsys SurfaceFlinger --display-id" lists them.
A FILENAME that ends with .png is written as a png.
Without FILENAME the picture goes to stdout.
`

func screencap(c *call) int {
	o, code, ok := screencapOptions(c)
	if !ok {
		return code
	}
	if o.display != displayID {
		return c.fail(exitFailure, "Failed to take screenshot. Status: -22")
	}
	img := c.sh.phone.Screenshot()
	if o.file == "" {
		return c.wrote(writeFrame(c, img, o.png))
	}
	data, err := encodeFrame(img, o.png)
	if err == nil {
		err = c.write(o.file, data)
	}
	if err != nil {
		return c.fail(exitFailure, "Error opening file: %s (%s)", o.file, strerror(err))
	}
	return exitOK
}

type screencapArgs struct {
	png           bool
	display, file string
}

// screencapOptions reads the options as getopt does: letters may stand together, and options may follow the file.
func screencapOptions(c *call) (o screencapArgs, code int, ok bool) {
	o.display = displayID
	var files []string
	for rest := c.args; len(rest) > 0; {
		arg := rest[0]
		rest = rest[1:]
		switch {
		case arg == "--png":
			o.png = true
		case arg == "--":
			files, rest = append(files, rest...), nil
		case len(arg) < 2 || arg[0] != '-':
			files = append(files, arg)
		default:
			for i := 1; i < len(arg); i++ {
				if arg[i] == 'p' {
					o.png = true
					continue
				}
				value := arg[i+1:]
				if arg[i] != 'd' || value == "" && len(rest) == 0 {
					return o, c.screencapUsage(arg[i]), false
				}
				if value == "" {
					value, rest = rest[0], rest[1:]
				}
				if _, err := strconv.ParseUint(value, 10, 64); err != nil {
					return o, c.fail(exitFailure, "Invalid display ID: Out of range [0, 2^64)."), false
				}
				o.display = value
				break
			}
		}
	}
	if len(files) > 1 {
		return o, c.screencapUsage('h'), false
	}
	if len(files) == 1 {
		o.file = files[0]
		o.png = o.png || strings.HasSuffix(o.file, ".png")
	}
	return o, 0, true
}

// screencapUsage says what was wrong with an option letter, if anything, and prints the usage.
func (c *call) screencapUsage(option byte) int {
	switch option {
	case 'h':
	case 'd':
		c.errf("screencap: option requires an argument -- d\n")
	default:
		c.errf("screencap: invalid option -- %c\n", option)
	}
	c.errf("%s", screencapUsage)
	return exitFailure
}

// rawHeader is what goes before raw pixels: size, pixel format RGBA_8888, colour space sRGB.
func rawHeader(img *image.RGBA) []byte {
	var h []byte
	for _, v := range []int{img.Rect.Dx(), img.Rect.Dy(), 1, 1} {
		h = binary.LittleEndian.AppendUint32(h, uint32(v))
	}
	return h
}

func writeFrame(c *call, img *image.RGBA, asPNG bool) error {
	if asPNG {
		data, err := encodeFrame(img, true)
		if err != nil {
			return err
		}
		_, err = c.stdout.Write(data)
		return err
	}
	if _, err := c.stdout.Write(rawHeader(img)); err != nil {
		return err
	}
	_, err := c.stdout.Write(img.Pix)
	return err
}

func encodeFrame(img *image.RGBA, asPNG bool) ([]byte, error) {
	if !asPNG {
		return append(rawHeader(img), img.Pix...), nil
	}
	var b bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestSpeed, BufferPool: &pngBuffers}
	err := enc.Encode(&b, img)
	return b.Bytes(), err
}

// pngBuffers keeps the encoder's tables from being made anew for each frame.
var pngBuffers bufferPool

type bufferPool struct{ pool sync.Pool }

func (p *bufferPool) Get() *png.EncoderBuffer {
	b, _ := p.pool.Get().(*png.EncoderBuffer)
	return b
}

func (p *bufferPool) Put(b *png.EncoderBuffer) { p.pool.Put(b) }
