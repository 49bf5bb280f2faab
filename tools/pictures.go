package tools

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image/jpeg"

	"github.com/taploop/taploop/tools/result"

	"github.com/taploop/taploop/runs"
	"github.com/taploop/taploop/screen"
	"github.com/taploop/taploop/session"
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
	s resultOptions) error {
	room, missing := maxPictures, 0
	if s.FinalScreenshot && st.Last != nil {
		if err := t.picture(ctx, &body.Final.Screenshot, st.Last.FrameID, longSide, &room,
			&missing); err != nil {
			return err
		}
	}
	steps := result.Earlier(st)
	steps = steps[len(steps)-len(body.Logs):] // those that were not left out
	for i := len(body.Logs) - 1; i >= 0 && s.Screenshots; i-- {
		if err := t.picture(ctx, &body.Logs[i].Screenshot, steps[i].FrameID, smallSide, &room,
			&missing); err != nil {
			return err
		}
	}
	if missing > 0 {
		body.Notes = append(body.Notes,
			fmt.Sprintf("%d pictures are left out: they are not kept any more, "+
				"or the result would be too large", missing))
	}
	return nil
}

func (t *tasks) picture(ctx context.Context, to *string, frameID string, side int, room,
	missing *int) error {
	if frameID == "" { // the display was off
		return nil
	}
	if *room <= 0 {
		*missing++
		return nil
	}
	b, err := t.Store.Frame(ctx, frameID)
	switch {
	case errors.Is(err, session.ErrNotFound):
		*missing++
		return nil
	case err != nil:
		return err
	}
	for ; side >= leastSide; side /= 2 {
		url, err := dataURL(b, side)
		if err != nil {
			return fmt.Errorf("frame %s: %w", frameID, err)
		}
		if len(url) <= *room {
			*room -= len(url)
			*to = url
			return nil
		}
	}
	*room = 0
	*missing++
	return nil
}

// dataURL is a stored JPEG, made smaller, as a data URL.
func dataURL(b []byte, side int) (string, error) {
	img, err := jpeg.Decode(bytes.NewReader(b))
	if err != nil {
		return "", err
	}
	f, err := screen.NewFrame(img)
	if err != nil {
		return "", err
	}
	small, err := f.Within(side).JPEG(quality)
	if err != nil {
		return "", err
	}
	return "data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(small), nil
}
