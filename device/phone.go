package device

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/adb"
	"github.com/taploop/taploop/screen"
)

// Phone is one phone. Its methods may be called from several goroutines, but touches of two callers
// mix on the screen: a caller that touches holds the phone for itself.
type Phone struct {
	dev     *adb.Device
	info    Info
	timeout time.Duration
	names   map[string]string // app names of Options.Apps, folded
	marks   batch
	memory  Keyboards
	waits   waits
	log     *slog.Logger

	noDrag     atomic.Bool             // input has no draganddrop
	dumpUnread atomic.Bool             // what dumpsys window says of everything cannot be read
	dumping    atomic.Pointer[dumping] // the way of uiautomator that works; nil before it is known
	tellsLit   atomic.Bool             // it said by itself that the display is lit

	camera  *camera
	buffers buffers
	decoder screen.Decoder
	still   still

	panel screen.Size             // as it was when the phone was opened
	last  atomic.Pointer[reading] // of the last look; nil before the first
}

// lastReading is that of the last look, zero before the first.
func (p *Phone) lastReading() reading { return *cmp.Or(p.last.Load(), new(reading)) }

var _ actions.Surface = (*Phone)(nil)

// Info is what was read of the phone when it was opened.
func (p *Phone) Info() Info { return p.info }

// Close ends the use of the phone. A Phone holds no connection between calls, so there is nothing
// to wait for.
func (p *Phone) Close() error { return nil }

// failed puts what was being done, and on which phone, in front of an error; nil stays nil.
func (p *Phone) failed(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", doing, p.info.Serial, err)
}

// within bounds a call on the phone: its own patience and what the command itself takes.
func (p *Phone) within(
	ctx context.Context, command string, takes time.Duration,
) (context.Context, context.CancelFunc) {
	after := p.timeout + takes
	hung := &HungError{p.info.Serial, firstWords(command), after}
	return context.WithTimeoutCause(ctx, after, hung)
}

// firstWords is what of a command may be shown: not what it types.
func firstWords(command string) string {
	words := strings.Fields(command)
	return strings.Join(words[:min(len(words), 2)], " ")
}

// shell runs a line and returns what it gave. takes is how long the command itself lasts.
func (p *Phone) shell(ctx context.Context, line string, takes time.Duration) (adb.Result, error) {
	ctx, cancel := p.within(ctx, line, takes)
	defer cancel()
	r, err := p.dev.Shell(ctx, line)
	return r, explain(err)
}

// run runs a line that must succeed.
func (p *Phone) run(ctx context.Context, line string, takes time.Duration) error {
	p.still.forget()
	r, err := p.shell(ctx, line, takes)
	if err != nil {
		return err
	}
	return refusal(r)
}

// read runs several commands in one service and returns what each said on stdout.
func (p *Phone) read(ctx context.Context, commands ...string) ([]string, error) {
	r, err := p.shell(ctx, p.marks.line(commands), 0)
	if err != nil {
		return nil, err
	}
	sections, ok := p.marks.split(r.Stdout, len(commands))
	if !ok {
		return nil, fmt.Errorf("%s answered %d of %d commands: %s", p.info.Serial, len(sections),
			len(commands), firstLine(r.Text()))
	}
	return sections, nil
}
