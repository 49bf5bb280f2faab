package device

import (
	"context"
	"fmt"

	"github.com/taploop/taploop/internal/adb"
)

// States returns the states of the phones that the server has now, by id. It asks only phones that
// it does not know yet, so that it can be called often.
func (h *Host) States(ctx context.Context) (map[string]string, error) {
	entries, err := h.entries(ctx)
	if err != nil {
		return nil, fmt.Errorf("looking at the phones: %w", err)
	}
	known := func(e adb.Entry) bool { return h.said(e).known() }
	list := h.survey(ctx, entries, func(e adb.Entry) bool { return !known(e) }, h.waits.list)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	states := map[string]string{}
	for _, f := range h.gather(ctx, list) {
		states[f.id] = f.addresses[0].State
	}
	return states, nil
}
