package serve

import (
	"context"
	"errors"
	"log/slog"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/mirror"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/web"
)

// Hands are the phones as people look at them and touch them. It implements web.Hands.
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
				return nil, e.Unwrap() // the page has codes of its own
			}
			return p, err
		}})}
}

// Close ends the captures.
func (h *Hands) Close() error { return h.mirror.Close() }

var _ mirror.TouchSensor = runs.Phone(nil)

var errNotYours = errors.New("no session of yours has this phone")

// Watch implements web.Hands. A client sees a phone while one of its sessions has it.
func (h *Hands) Watch(ctx context.Context, serial string, client *string) (*mirror.Viewer, error) {
	if client != nil {
		_, held, err := h.manager.HeldBy(ctx, serial, client)
		if err != nil {
			return nil, err
		}
		if !held {
			return nil, &web.Conflict{Code: string(runs.NothingToTakeOver), Err: hint.Add(
				errNotYours, "start a task on it, or use an operator's token")}
		}
	}
	return h.mirror.Watch(serial), nil
}

// Touch implements web.Hands.
func (h *Hands) Touch(ctx context.Context, t web.Touch, g actions.Gesture) error {
	by := runs.ByHand{Serial: t.Serial, Client: t.Client, By: actor(t.By), What: t.Kind}
	err := h.manager.Touch(ctx, by, func(ctx context.Context) error {
		return h.mirror.Touch(ctx, t.Serial, g.Do)
	})
	return conflict(err)
}

// actor is a person or a program of the web as the runs know them.
func actor(p web.Person) runs.Actor {
	if p.Program {
		return runs.Actor{Channel: p.Channel, Authority: inquiry.AuthorityToken, Name: p.Name}
	}
	return runs.Actor{Channel: p.Channel, Authority: inquiry.AuthorityHumanToken, Name: p.Name}
}

// conflict is why a run or a phone could not be used, for the web; any other error stays as it is.
func conflict(err error) error {
	if e, refused := errors.AsType[*runs.Error](err); refused {
		return &web.Conflict{Code: string(e.Code), Err: err}
	}
	return err
}
