package device

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/taploop/taploop/internal/adb"
	"github.com/taploop/taploop/internal/screen"
)

// form is one of the two formats of screencap. Raw pixels are quick to make and long to transfer,
// PNG the other way round. The faster one depends on the phone and the connection.
type form int

const (
	formRaw form = iota
	formPNG
)

// The warning about several displays goes to stderr, which exec: mixes into the pixels.
func (f form) command() string {
	if f == formPNG {
		return "screencap -p 2>/dev/null"
	}
	return "screencap 2>/dev/null"
}

// sum is the CRC-32 of the capture, as toybox prints it: in hexadecimal, of gzip's kind and without
// the length. It travels in the place of 10 MB, and costs the phone no more than those.
func (f form) sum() string { return f.command() + " | cksum -HLPN 2>/dev/null" }

const (
	remeasure = 200                   // captures between two tries of the slower form
	never     = time.Hour             // what a form takes that has given no whole picture yet
	quick     = 75 * time.Millisecond // of raw pixels, which then are not held against PNG
	spares    = 1.2                   // times PNG's are what raw pixels may take
	lasts     = 24 * time.Hour        // what was measured, for later processes
)

// meter measures both forms and says which one to take. A host keeps that of a phone that was open,
// and its memory what was found out.
type meter struct {
	mu    sync.Mutex
	took  [2]time.Duration // of each form, 0 when it is not known: the better one of the last two
	last  [2]time.Duration // the last one
	since int              // captures since the slower form was tried
}

// pastCaptures outlive a process, for each way to a phone.
type pastCaptures interface {
	// SetCaptures remembers what captures take, in place of what it remembers.
	SetCaptures(ctx context.Context, way string, took json.RawMessage) error
	// Captures returns what was remembered last, or nil.
	Captures(ctx context.Context, way string) (json.RawMessage, error)
}

// next is the form of the next capture: raw pixels where they are quick. Else each once, then the
// better one, and now and then the other one again. To pack a picture is the most work that a step
// asks of a phone, so PNG has to be quicker by a fifth.
func (m *meter) next() form {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.took[formRaw] <= quick: // 0 as well
		return formRaw
	case m.took[formPNG] == 0:
		return formPNG
	case m.since >= remeasure:
		return 1 - m.better()
	}
	return m.better()
}

func (m *meter) better() form {
	if spares*float64(m.took[formPNG]) < float64(m.took[formRaw]) {
		return formPNG
	}
	return formRaw
}

// note records a capture that worked, and reports whether it shows that the other form is better,
// or which one is for the first time. One that took long may have been an accident, two were not:
// what stands in the way of a capture makes it longer, and nothing makes it shorter.
func (m *meter) note(f form, took time.Duration) (found bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	known, better := m.known(), m.better()
	took = max(took, 1)
	m.took[f] = took
	if m.last[f] > 0 {
		m.took[f] = min(took, m.last[f])
	}
	m.last[f] = took
	m.since++
	if f != m.better() {
		m.since = 0 // the other form has just been tried
	}
	return m.known() && (!known || better != m.better())
}

func (m *meter) known() bool { return m.took[formRaw] > 0 && m.took[formPNG] > 0 }

// tear records a capture that was no whole picture. The next one does not wait for a form that may
// never work on this phone, such as raw pixels of an unknown format.
func (m *meter) tear(f form) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.took[f] == 0 {
		m.took[f] = never
	}
	m.since = 0
}

// buffers are the memory of the captures that are on their way from all phones of a host: as many
// as the machine has cores to decode them, and no more than take some 160 MB at 1080x2400, however
// many phones there are. What has been used is used again before more is taken.
type buffers struct {
	taken chan struct{}
	used  chan []byte
}

const mostBuffers = 16

func newBuffers() buffers {
	n := min(max(2, runtime.GOMAXPROCS(0)), mostBuffers)
	return buffers{make(chan struct{}, n), make(chan []byte, n)}
}

// take waits for one. The caller gives it back.
func (b buffers) take(ctx context.Context) ([]byte, error) {
	select {
	case b.taken <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	select {
	case buf := <-b.used:
		return buf, nil
	default:
		return nil, nil
	}
}

func (b buffers) giveBack(buf []byte) {
	b.used <- buf
	<-b.taken
}

// capturer takes pictures of a phone's display.
type capturer struct {
	*shell
	meter   *meter
	found   func(context.Context) // out which form is the better one; nil before the phone is open
	buffers buffers
	decoder screen.Decoder
	still   still
	panels  []string               // of a phone that has several
	panel   atomic.Pointer[string] // the one in use, nil for the one that screencap takes
}

// capture gives one frame, of at most limit bytes: the one before, when the phone says that its
// display has not moved. fits is asked whether a picture of that size is of the display.
func (c *capturer) capture(
	ctx context.Context, limit int, fits func(screen.Size) error,
) (*screen.Frame, error) {
	changes := c.changes.Load()
	f, err := c.unmoved(ctx, changes)
	if f == nil && err == nil {
		return c.captureLit(ctx, limit, fits, changes)
	}
	if err == nil {
		err = fits(f.Size())
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// captureWhole has the phone make a picture. The bytes end where the stream ends, so a torn one is
// known by its size only. It is decoded when its header says that it fits.
func (c *capturer) captureWhole(
	ctx context.Context, limit int, fits func(screen.Size) error, changes uint64,
) (*screen.Frame, error) {
	buf, err := c.buffers.take(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { c.buffers.giveBack(buf) }()
	form := c.meter.next()
	if form == formRaw && limit < maxCapture {
		buf = slices.Grow(buf[:0], limit+1)
	}
	began := time.Now()
	var sum screen.Sum
	b, err := c.bytes(ctx, c.of(form.command()), buf, limit, sum.Seen)
	switch {
	case errors.Is(err, adb.ErrTooMuch):
		return nil, tornError{fmt.Errorf("screencap gave more than a picture of the display: %w",
			err)}
	case err != nil:
		return nil, err
	}
	buf = b
	took := time.Since(began)
	if size, err := screen.Measure(b); err == nil { // otherwise decoding has the better error
		if err := fits(size); err != nil {
			return nil, otherPanel{err}
		}
	}
	began = time.Now()
	f, err := c.decoder.Decode(b, &sum)
	if err != nil {
		c.meter.tear(form)
		return nil, tornError{fmt.Errorf("screencap gave no whole picture: %w", err)}
	}
	if c.meter.note(form, took+time.Since(began)) && c.found != nil {
		c.found(ctx)
	}
	c.still.remember(form, f, sum.CRC(), changes)
	return f, nil
}

func (t tornError) Unwrap() error { return t.error }

const (
	sumAnswer = 64 // bytes that the answer has at most
	mostInRow = 31 // captures in a row for which the phone is not asked for their sum
)

// still finds out on the phone itself whether the display still shows what was captured last. Where
// that was in vain the next captures are taken at once, each time twice as many: something moves
// there. Its zero value knows no capture.
type still struct {
	mu      sync.Mutex
	frame   *screen.Frame // the last capture
	of      form          // its form
	sum     uint32        // of its bytes
	changes uint64        // of the shell, before it
	without int           // captures for which the sum is not asked for
	failed  int           // what without was after the last one that was another
	unable  bool          // the phone has no such command
}

func (s *still) remember(of form, f *screen.Frame, sum uint32, changes uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.frame, s.of = f, of
	s.sum, s.changes = sum, changes
}

// worth is what a capture may be the same as, its form and sum, nil when that is not asked for:
// after a change it will be another one.
func (s *still) worth(changes uint64) (*screen.Frame, form, uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.unable, s.frame == nil, s.changes != changes:
		return nil, 0, 0
	case s.without > 0:
		s.without--
		return nil, 0, 0
	}
	return s.frame, s.of, s.sum
}

// same takes what the phone answered and reports whether it was the sum.
func (s *still) same(answer string, sum uint32) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, err := strconv.ParseUint(strings.TrimSpace(answer), 16, 32)
	s.unable = err != nil
	if err == nil && uint32(now) == sum {
		s.failed = 0
		return true
	}
	s.failed = min(2*s.failed+1, mostInRow)
	s.without = s.failed
	return false
}

// unmoved returns the last captured frame if the display still shows exactly it and has not been
// touched since, and nil otherwise, also where a capture in the other form is the quicker answer.
func (c *capturer) unmoved(ctx context.Context, changes uint64) (*screen.Frame, error) {
	f, of, sum := c.still.worth(changes)
	if f == nil || of != c.meter.next() {
		return nil, nil
	}
	answer, err := c.bytes(ctx, c.of(of.sum()), nil, sumAnswer, nil)
	if err != nil && !errors.Is(err, adb.ErrTooMuch) {
		return nil, err
	}
	if !c.still.same(string(answer), sum) {
		return nil, nil
	}
	return f, nil
}

// fit makes a picture cover the logical display exactly, so that a fraction of the frame is the
// same fraction of the display.
func fit(f *screen.Frame, r reading) (*screen.Frame, error) {
	if err := r.shows(f.Size()); err != nil {
		return nil, err
	}
	if alike(f.Size(), r.State.Size) {
		return f, nil
	}
	return letterbox(f, r.State.Size)
}

// letterbox cuts the bars off that surround a display whose override has another shape than its
// panel.
func letterbox(f *screen.Frame, logical screen.Size) (*screen.Frame, error) {
	size := f.Size()
	w, h := size.W, size.W*logical.H/logical.W
	if h > size.H {
		w, h = size.H*logical.W/logical.H, size.H
	}
	if w < 1 || h < 1 {
		return nil, errors.New("the display's override size leaves nothing of the picture")
	}
	at := image.Pt((size.W-w)/2, (size.H-h)/2)
	part := image.Rectangle{Min: at, Max: at.Add(image.Pt(w, h))}
	return screen.NewFrame(f.Image().SubImage(part))
}
