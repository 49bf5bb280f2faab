package device

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"regexp"
	"time"

	"github.com/taploop/taploop/internal/adb"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/text"
)

// dumpTime is how long uiautomator may take: it waits a second for the screen to rest, at most ten,
// and on some screens it never ends.
const dumpTime = 8 * time.Second

// Elements lists the elements on the screen in the order of uiautomator, parents before their
// children, at most the last 20,000. It touches nothing, and leaves nothing on the phone. Bounds
// refer to the frame of the last look. A password field comes without its text. screen.ErrSecure
// means that the window in front forbids capture, which forbids reading it, too.
func (p *Phone) Elements(ctx context.Context) ([]screen.Element, error) {
	list, err := p.elements(ctx)
	return list, p.failed("listing the elements on", err)
}

func (p *Phone) elements(ctx context.Context) ([]screen.Element, error) {
	before := p.display.lastReading()
	if p.display.last.Load() == nil {
		var err error
		if before, err = p.display.readState(ctx); err != nil {
			return nil, err
		}
	}
	if err := before.listable(); err != nil {
		return nil, err
	}
	dump, err := p.dumper.dump(ctx)
	if err != nil {
		return nil, err
	}
	after, err := p.display.readState(ctx)
	if err == nil {
		err = after.listable()
	}
	switch {
	case err != nil:
		return nil, err
	case after.App != before.App || after.Activity != before.Activity || after.Size != before.Size:
		return nil, fmt.Errorf("%w: another one came to the front", errOtherScreen)
	}
	return ParseElements(dump, before.Size, before.Rotation)
}

// listable returns nil if the elements of the screen may be read.
func (r reading) listable() error {
	switch {
	case !r.On:
		return fmt.Errorf("%w: its display is off", errNoWindow)
	case r.Secure && !r.Locked:
		return hint.Add(screen.ErrSecure, hintSecure)
	}
	return nil
}

// dump returns uiautomator's output for the window in front. It writes to the terminal that exec:
// provides, with a sentence behind the dump. Where that fails it writes to a file that other users
// of the phone cannot read, and removes it afterwards. The next call first tries the way that
// worked.
func (d *dumper) dump(ctx context.Context) ([]byte, error) {
	var way dumping
	if known := d.way.Load(); known != nil {
		way = *known
	}
	for {
		dump, err := d.dumpOnce(ctx, way)
		if err != nil {
			return nil, err
		}
		switch fault := dumpFault(dump); {
		case dumpStart.Match(dump):
			d.way.Store(&way)
			return dump, nil
		case !way.unlimited && noTimeout.Match(dump):
			way.unlimited = true
		case fault == nil && !way.toFile:
			way.toFile = true
		case fault == nil:
			return nil, fmt.Errorf("%w: %s", errNoDump,
				text.Quote(cmp.Or(firstLine(string(dump[:min(len(dump), 4096)])), "nothing"), 200))
		default:
			return nil, fault
		}
	}
}

var noTimeout = regexp.MustCompile(`\btimeout: (?:inaccessible or )?(?:not found|applet not found)`)

// dumpFault is what uiautomator says instead of a dump, nil when it is nothing known.
func dumpFault(said []byte) error {
	switch {
	case bytes.Contains(said, []byte("could not get idle state")):
		return ErrNotIdle
	case bytes.Contains(said, []byte("null root node")):
		return errNoWindow
	}
	return nil
}

// dumpOnce runs uiautomator. The phone ends it after a while, even if the connection is lost.
func (d *dumper) dumpOnce(ctx context.Context, way dumping) ([]byte, error) {
	limit := min(d.timeout, dumpTime)
	run := fmt.Sprintf("timeout -s KILL %d uiautomator dump ", int(math.Ceil(limit.Seconds())))
	if way.unlimited {
		run = "uiautomator dump "
	}
	line := run + "/dev/tty"
	if way.toFile {
		file := "/data/local/tmp/taploop-" + rand.Text() + ".xml"
		line = "umask 077; trap 'rm -f " + file + "' EXIT; trap 'exit 1' HUP INT TERM; " + run +
			file + "; cat " + file
	}
	began := time.Now()
	within, cancel := d.within(ctx, "uiautomator dump", limit)
	defer cancel()
	dump, err := d.exec(within, line, nil, maxDump+maxSaid, nil)
	var hung *hungError
	switch {
	case errors.Is(err, adb.ErrTooMuch) && dumpStart.Match(dump):
		return dump, nil // what fits of it
	case errors.Is(err, adb.ErrTooMuch):
		return nil, fmt.Errorf("%w: over %d bytes", errHugeDump, maxDump)
	case way.unlimited && ctx.Err() == nil && errors.As(err, &hung),
		err == nil && time.Since(began) >= limit && !dumpStart.Match(dump):
		return nil, fmt.Errorf("%w: over %v", ErrSlowDump, limit)
	}
	return dump, explain(err)
}

// maxSaid is how much may be said around a dump.
const maxSaid = 64 << 10
