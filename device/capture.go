package device

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/adb"
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
