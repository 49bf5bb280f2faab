package device

import (
	"context"
	"errors"
	"fmt"
	"image"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/adb"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/screen"
)

// form is one of the two ways in which screencap gives a picture. Raw pixels are quick to make and
// long to carry, PNG is the other way round; which is faster depends on the phone and on the way to
// it.
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

const (
	maxCapture = 160 << 20              // bytes; an 8K screen of raw pixels is 133 MB
	remeasure  = 200                    // captures between two tries of the slower form
	never      = time.Hour              // what a form takes that has given no whole picture yet
	quick      = 200 * time.Millisecond // of raw pixels, which then are not held against PNG
	spares     = 1.5                    // times PNG's are what raw pixels may take
)

// meter measures both forms and says which one to take.
type meter struct {
	took  [2]time.Duration // of each form, 0 when it is not known: the better one of the last two
	last  [2]time.Duration // the last one
	since int              // captures since the slower form was tried
}

// next is the form of the next capture: raw pixels where they are quick. Else each once, then the
// better one, and now and then the other one again. To pack a picture is the most work that a step
// asks of a phone, so PNG has to be quicker by a good part.
func (m *meter) next() form {
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

// note records a capture that worked. One that took long may have been an accident, two were not:
// what stands in the way of a capture makes it longer, and nothing makes it shorter.
func (m *meter) note(f form, took time.Duration) {
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
}

// tear records a capture that was no whole picture. The next one does not wait for a form that may
// never work on this phone, such as raw pixels of an unknown format.
func (m *meter) tear(f form) {
	if m.took[f] == 0 {
		m.took[f] = never
	}
	m.since = 0
}

// camera is what a host keeps of a phone that was open: what its captures cost.
type camera struct {
	mu    sync.Mutex
	meter meter
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

// shoot captures one frame: the one before, when the phone says that its display has not moved. The
// bytes end where the stream ends, so a torn one is known by its size only. A picture is decoded
// when its header says that it shows the display: as it was at the last look, else as it is, which
// comes through now.
func (p *Phone) shoot(ctx context.Context, now <-chan reading) (*screen.Frame, error) {
	switch f, err := p.unmoved(ctx); {
	case err != nil:
		return nil, err
	case f != nil:
		if err := p.expected(ctx, f.Size(), now); err != nil {
			return nil, err
		}
		return f, nil
	}
	buf, err := p.buffers.take(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { p.buffers.giveBack(buf) }()
	p.camera.mu.Lock()
	f := p.camera.meter.next()
	p.camera.mu.Unlock()
	limit := p.captureLimit()
	if f == formRaw && limit < maxCapture {
		buf = slices.Grow(buf[:0], limit+1)
	}
	began := time.Now()
	within, cancel := p.within(ctx, f.command(), 0)
	defer cancel()
	var sum screen.Sum
	b, err := p.dev.Exec(within, f.command(), buf, limit, sum.Seen)
	switch {
	case errors.Is(err, adb.ErrTooMuch):
		return nil, tornError{fmt.Errorf("screencap gave more than a picture of the display: %w", err)}
	case err != nil:
		return nil, explain(err)
	}
	buf = b
	took := time.Since(began)
	if size, err := screen.Measure(b); err == nil { // else decoding says better what is wrong
		if err := p.expected(ctx, size, now); err != nil {
			return nil, err
		}
	}
	began = time.Now()
	frame, err := p.decoder.Decode(b, &sum)
	p.camera.mu.Lock()
	defer p.camera.mu.Unlock()
	if err != nil {
		p.camera.meter.tear(f)
		return nil, tornError{fmt.Errorf("screencap gave no whole picture: %w", err)}
	}
	p.camera.meter.note(f, took+time.Since(began))
	if f == formRaw {
		p.still.remember(frame, sum.CRC())
	} else {
		p.still.forget()
	}
	return frame, nil
}

// captureLimit is how many bytes a capture may have: the raw pixels of the largest display that the
// phone has reported, and some room for what comes in front of them.
func (p *Phone) captureLimit() int {
	g, most := p.lastReading().geometry, 0
	for _, s := range []screen.Size{p.panel, p.info.Size, g.panel, g.natural, g.now} {
		most = max(most, 4*s.W*s.H)
	}
	if most == 0 {
		return maxCapture
	}
	return min(most+1<<20, maxCapture)
}

// expected is nil for a capture whose size is the display's.
func (p *Phone) expected(ctx context.Context, size screen.Size, now <-chan reading) error {
	last := p.lastReading()
	if last.State.Size.Valid() && last.shows(size) == nil {
		return nil
	}
	select {
	case r := <-now:
		return r.shows(size)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// tornError is a picture that is not whole or does not belong to the state read with it: worth a
// second look.
type tornError struct{ error }

func (t tornError) Unwrap() error { return t.error }

// sumCommand is the CRC-32 of the raw pixels, as toybox prints it: in hexadecimal, of gzip's kind
// and without the length. It travels in the place of 10 MB, and costs the phone no more than those.
const sumCommand = "screencap 2>/dev/null | cksum -HLPN 2>/dev/null"

const (
	sumAnswer = 64 // bytes that the answer has at most
	mostInRow = 31 // captures in a row for which the phone is not asked for their sum
)

// still finds out on the phone itself whether the display still shows what was captured last. Where
// that was in vain the next captures are taken at once, each time twice as many: something moves
// there. Its zero value knows no capture.
type still struct {
	mu      sync.Mutex
	frame   *screen.Frame // captured last as raw pixels; nil once the phone was touched
	sum     uint32        // of its capture
	without int           // captures for which the sum is not asked for
	failed  int           // what without was after the last one that was another
	unable  bool          // the phone has no such command
}

// forget has the next capture taken without asking for its sum: it will be another one.
func (s *still) forget() { s.remember(nil, 0) }

func (s *still) remember(f *screen.Frame, sum uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.frame, s.sum = f, sum
}

// worth is what a capture may be the same as, nil when that is not asked for.
func (s *still) worth() (*screen.Frame, uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.unable:
		return nil, 0
	case s.frame != nil && s.without > 0:
		s.without--
		return nil, 0
	}
	return s.frame, s.sum
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

// unmoved is the frame that was captured last when the display still shows it, to the pixel, and
// nobody has touched it since. It is nil when that is not known.
func (p *Phone) unmoved(ctx context.Context) (*screen.Frame, error) {
	f, sum := p.still.worth()
	if f == nil {
		return nil, nil
	}
	ctx, cancel := p.within(ctx, sumCommand, 0)
	defer cancel()
	answer, err := p.dev.Exec(ctx, sumCommand, nil, sumAnswer, nil)
	if err != nil && !errors.Is(err, adb.ErrTooMuch) {
		return nil, explain(err)
	}
	if !p.still.same(string(answer), sum) {
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

// shows is nil for the size of a picture that is one of the display. It is not the display's own
// size always, some versions capture physical pixels while an override is set, but never larger
// than both.
func (r reading) shows(size screen.Size) error {
	logical, panel := r.State.Size, r.geometry.panel
	overridden := r.geometry.natural != panel
	fits := alike(size, logical) ||
		overridden && (alike(size, panel) || alike(size, panel.Turned()))
	most := max(logical.W*logical.H, panel.W*panel.H)
	if fits && size.W*size.H <= most+most/20 { // rounding, of a small one
		return nil
	}
	err := fmt.Errorf("the picture is %s, the display %s", size, logical)
	if alike(size, logical.Turned()) {
		return tornError{hint.Add(err, "the display was turning; look again")}
	}
	return tornError{hint.Add(err, "screencap shows another display than the one that "+
		"takes touches; fold or unfold the phone, or switch the other display off")}
}

// alike reports whether two sizes have the same shape, within what rounding makes of it.
func alike(a, b screen.Size) bool {
	const slack = 0.015
	if !a.Valid() || !b.Valid() {
		return false
	}
	x, y := a.W*b.H, b.W*a.H
	return float64(max(x, y)-min(x, y)) <= slack*float64(max(x, y))
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
