package play

import (
	"context"
	"errors"

	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/suite"
)

// keep keeps files about the attempt. What cannot be had is noted.
func (t *try) keep(ctx context.Context) {
	if t.opts.Keep == nil {
		return
	}
	if t.got.Session != "" {
		t.note("", t.scene.Files(ctx, t.got.Session, t.scene.Plain(t.got.Message), t.file))
	}
	if t.got.Outcome.Good() || gone(&t.got) {
		return
	}
	log, err := t.scene.Admin.Logcat(ctx, t.facts.Since)
	if err == nil {
		err = t.file("logcat.txt", "text/plain", []byte(log))
	}
	t.note("", err)
	look, err := t.scene.Phone.Look(ctx)
	if look.Frame != nil {
		var jpeg []byte
		if jpeg, err = look.Frame.JPEG(85); err == nil {
			err = t.file("screen.jpg", "image/jpeg", jpeg)
		}
	}
	if !errors.Is(err, screen.ErrSecure) {
		t.note("", err)
	}
}

// file keeps one file, without the secrets if it is a text.
func (t *try) file(name, media string, b []byte) error {
	if media != "image/jpeg" && media != "image/png" {
		b = t.opts.Mask.Bytes(b)
	}
	path, err := t.opts.Keep(t.at, name, b)
	if err == nil {
		t.got.Files = append(t.got.Files, suite.Attachment{Name: name, Path: path, Type: media})
	}
	return err
}
