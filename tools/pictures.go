package tools

import (
	"context"
	"errors"
	"fmt"

	"github.com/taploop/taploop/runs"
	"github.com/taploop/taploop/session"
	"github.com/taploop/taploop/session/export"
	"github.com/taploop/taploop/tools/result"
)

const (
	longSide  = 1280 // of a picture that leaves
	smallSide = 640  // of one in the logs
	leastSide = 320  // of one that still tells something
	quality   = 80
	// bytes of all data URLs of a result, which holds each twice: as structure and as text
	maxPictures = 400_000
)

// addPictures puts screens into the result: the last one first, then the logs from the end, as long
// as there is room. Many clients refuse results above a megabyte.
func (t *tasks) addPictures(ctx context.Context, body *result.Result, st runs.Status,
	o resultOptions) error {
	a := &album{frames: t.Store, room: maxPictures}
	if o.FinalScreenshot && st.Last != nil {
		if err := a.add(ctx, &body.Final.Screenshot, st.Last.FrameID, longSide); err != nil {
			return err
		}
	}
	steps := result.Earlier(st)
	steps = steps[len(steps)-len(body.Logs):] // those that were not left out
	for i := len(body.Logs) - 1; i >= 0 && o.Screenshots; i-- {
		if err := a.add(ctx, &body.Logs[i].Screenshot, steps[i].FrameID, smallSide); err != nil {
			return err
		}
	}
	if a.missing > 0 {
		body.Notes = append(body.Notes, fmt.Sprintf("%d pictures are left out: "+
			"they are not kept any more, or the result would be too large", a.missing))
	}
	return nil
}

// album is the pictures of one result.
type album struct {
	frames  Store
	room    int // in bytes
	missing int // pictures for which there is none, or that are not kept any more
}

// add sets to to the frame as a data URL, smaller when there is less room for it.
func (a *album) add(ctx context.Context, to *string, frameID string, side int) error {
	if frameID == "" { // the display was off
		return nil
	}
	if a.room == 0 {
		a.missing++
		return nil
	}
	b, err := a.frames.Frame(ctx, frameID)
	switch {
	case errors.Is(err, session.ErrNotFound):
		a.missing++
		return nil
	case err != nil:
		return err
	}
	for ; side >= leastSide; side /= 2 {
		url, err := export.DataURL(b, side, quality)
		if err != nil {
			return fmt.Errorf("frame %s: %w", frameID, err)
		}
		if len(url) <= a.room {
			a.room -= len(url)
			*to = url
			return nil
		}
	}
	a.room = 0
	a.missing++
	return nil
}
