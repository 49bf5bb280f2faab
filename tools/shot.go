package tools

import (
	"context"
	"errors"
	"fmt"

	"github.com/taploop/taploop/tools/result"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/runs"
	"github.com/taploop/taploop/screen"
)

// The codes that only get_screenshot has.
const (
	privacyMode        runs.Code = "PRIVACY_MODE"
	secureScreen       runs.Code = "SECURE_SCREEN"
	deviceDisconnected runs.Code = "DEVICE_DISCONNECTED"
	deviceError        runs.Code = "DEVICE_ERROR"
)

func shotParams() []param { return []param{deviceParam} }

// screenshot looks at a phone.
func (t *Tools) screenshot(ctx context.Context, c *call) (*reply, error) {
	if t.opts.Privacy == PrivacyCaptions {
		return nil, runs.Refuse(privacyMode, "read screenshot_caption in the results of the task, or have your user look at the phone",
			"this server keeps pictures private")
	}
	p, err := t.opts.Phones.Open(ctx, c.args.text("device_id"))
	if err != nil {
		return nil, runs.Coded(runs.DeviceNotFound, err)
	}
	defer func() {
		if err := p.Close(); err != nil {
			t.log.WarnContext(ctx, "closing the phone", "serial", p.Device().ID, "err", err)
		}
	}()
	serial := p.Device().ID
	if err := t.mayLook(ctx, c, serial); err != nil {
		return nil, err
	}
	look, err := p.Look(ctx)
	if err != nil {
		return nil, unseen(err)
	}
	return shotReply(serial, look)
}

// mayLook refuses while a session of somebody else has the phone: what is on its screen is theirs.
func (t *Tools) mayLook(ctx context.Context, c *call, serial string) error {
	h, held, err := t.opts.Store.Holder(ctx, serial)
	if err != nil || !held {
		return err
	}
	s, err := t.opts.Store.Session(ctx, h.SessionID)
	if err != nil || s.Client == c.principal {
		return err
	}
	return runs.Refuse(runs.DeviceBusy, "wait until it is done, or use another phone", "phone %q is held by a session of somebody else, which is %s", serial, h.State)
}

func unseen(err error) error {
	code := deviceError
	switch {
	case errors.Is(err, screen.ErrSecure):
		code = secureScreen
	case errors.Is(err, screen.ErrDisconnected):
		code = deviceDisconnected
	}
	if hint.Of(err) == "" {
		err = hint.Add(err, "look at the phone, then try again")
	}
	return runs.Coded(code, err)
}

func shotReply(serial string, look screen.Observation) (*reply, error) {
	s := look.State
	body := result.Screenshot{DeviceID: serial, At: look.At, Size: [2]int{s.Size.W, s.Size.H}, On: s.On, Locked: s.Locked, App: s.App}
	r := &reply{}
	if look.Frame == nil {
		body.Notes = []string{"the screen is off, so there is no picture"}
		r.body, r.tail = body, "Note: the screen is off, so there is no picture; a new task wakes the phone."
		return r, nil
	}
	small := look.Frame.Within(longSide)
	var err error
	if r.jpeg, err = small.JPEG(quality); err != nil {
		return nil, fmt.Errorf("phone %s: %w", serial, err)
	}
	body.Picture = [2]int{small.Size().W, small.Size().H}
	r.body = body
	return r, nil
}
