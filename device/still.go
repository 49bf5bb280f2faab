package device

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"

	"github.com/taploop/taploop/internal/adb"
	"github.com/taploop/taploop/screen"
)

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
