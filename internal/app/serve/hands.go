package serve

import (
	"context"
	"errors"
	"log/slog"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/mirror"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/web"
)

// Hands are the phones as people look at them and touch them. It implements web.Phones.
type Hands struct {
	manager *runs.Manager
	mirror  *mirror.Mirror
}

// NewHands shows the phones of d. The caller closes it.
func NewHands(d *app.Parts, log *slog.Logger) *Hands {
	return &Hands{d.Manager, mirror.New(&mirror.Options{Log: log,
		Open: func(ctx context.Context, serial string) (mirror.Phone, error) {
			p, err := d.Phones.Open(ctx, serial)
			if e, coded := errors.AsType[*runs.Error](err); coded {
				return nil, e.Unwrap() // the page has other codes
			}
			return p, err
		}})}
}

// Close ends the captures.
func (h *Hands) Close() error { return h.mirror.Close() }

var _ mirror.TouchSensor = runs.Phone(nil)

// Watch implements web.Phones.
func (h *Hands) Watch(serial string) *mirror.Viewer { return h.mirror.Watch(serial) }

// Sees implements web.Phones. Not all see all phones: the others see one while a session of theirs
// has it.
func (h *Hands) Sees(ctx context.Context, serial string, of store.Owners) error {
	if of == nil {
		return nil
	}
	if _, held, err := h.manager.HeldBy(ctx, serial, of); held || err != nil {
		return err
	}
	return runs.Refuse(runs.NothingToTakeOver,
		"start a task there, take your session there over, or use an operator's token",
		"no session of yours has this phone")
}

// Touch implements web.Phones.
func (h *Hands) Touch(ctx context.Context, t web.Touch, g actions.Gesture) error {
	by := runs.ByHand{Serial: t.Serial, Owners: t.Owners, By: t.By, What: t.Kind}
	return h.manager.Touch(ctx, by, func(ctx context.Context) error {
		return h.mirror.Touch(ctx, t.Serial, g.Do)
	})
}
