package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/taploop/taploop/runs"
	"github.com/taploop/taploop/session"
	"github.com/taploop/taploop/session/export"
	"github.com/taploop/taploop/tools/result"
)

const (
	longSide  = 1280 // of a picture that leaves
	smallSide = 640  // of one of an earlier step
	quality   = 80
	// bytes of all pictures of a result. Many clients refuse results above a megabyte.
	maxPictures = 300_000
)

// pictures are the screens of the result's steps, as long as there is room: the last one is chosen
// first, then the earlier ones from the end. They are in the order of the steps.
func (t *tasks) pictures(ctx context.Context, body *result.Result, st runs.Status,
	o resultOptions) (list [][]byte, err error) {
	var wanted []session.StepRecord
	if o.FinalScreenshot && st.Last != nil {
		wanted = append(wanted, *st.Last)
	}
	if o.Screenshots {
		earlier := slices.Clone(result.Earlier(st))
		slices.Reverse(earlier)
		wanted = append(wanted, earlier...)
	}
	room, missing := maxPictures, 0
	for i, step := range wanted {
		if step.FrameID == "" { // the display was off
			continue
		}
		sides := []int{smallSide}
		if i == 0 && o.FinalScreenshot {
			sides = []int{longSide, smallSide}
		}
		jpeg, err := t.picture(ctx, step.FrameID, sides, room)
		if err != nil {
			return nil, err
		}
		if jpeg == nil {
			missing++
			continue
		}
		room -= len(jpeg)
		list, body.Pictures = append(list, jpeg), append(body.Pictures, step.Index)
	}
	slices.Reverse(list)
	slices.Reverse(body.Pictures)
	if missing > 0 {
		body.Notes = append(body.Notes, fmt.Sprintf("%d pictures are left out: "+
			"they are not kept any more, or the result would be too large", missing))
	}
	return list, nil
}

// picture is a frame in the first of the sizes that fits into room; nil when none does, or when the
// frame is not kept any more.
func (t *tasks) picture(ctx context.Context, frameID string, sides []int, room int) ([]byte,
	error) {
	frame, err := t.Store.Frame(ctx, frameID)
	if errors.Is(err, session.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, side := range sides {
		small, err := export.Shrink(frame, side, quality)
		if err != nil {
			return nil, fmt.Errorf("frame %s: %w", frameID, err)
		}
		if len(small) <= room {
			return small, nil
		}
	}
	return nil, nil
}
