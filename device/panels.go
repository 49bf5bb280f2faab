package device

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"github.com/taploop/taploop/internal/screen"
)

// otherPanel is a picture that is not of the display.
type otherPanel struct{ error }

func (o otherPanel) Unwrap() error { return o.error }

// panelsCommand lists the phone's own panels: two of a phone that folds.
const panelsCommand = "dumpsys SurfaceFlinger --display-id"

var panelID = regexp.MustCompile(`(?m)^Display (\d+) \(HWC`)

// parsePanels returns the numbers of the panels, nil if there is only one.
func parsePanels(said string) (ids []string) {
	for _, found := range panelID.FindAllStringSubmatch(said, -1) {
		ids = append(ids, found[1])
	}
	if len(ids) < 2 {
		return nil
	}
	return ids
}

// captureLit captures the panel that shows the display. A phone that folds has two, and screencap
// takes either unless a panel is named. The panel that fitted is named from then on, until the
// phone is folded the other way.
func (c *capturer) captureLit(
	ctx context.Context, limit int, fits func(screen.Size) error, changes uint64,
) (*screen.Frame, error) {
	f, err := c.captureWhole(ctx, limit, fits, changes)
	if _, other := errors.AsType[otherPanel](err); !other {
		return f, err
	}
	before := c.panel.Load()
	for _, id := range c.panels {
		if before != nil && *before == id {
			continue
		}
		c.panel.Store(&id)
		now, failed := c.captureWhole(ctx, limit, fits, changes)
		if _, other := errors.AsType[otherPanel](failed); !other {
			return now, failed
		}
	}
	c.panel.Store(before)
	return nil, err
}

// of adds to a command of screencap which panel is meant.
func (c *capturer) of(command string) string {
	if id := c.panel.Load(); id != nil {
		return strings.Replace(command, "screencap", "screencap -d "+*id, 1)
	}
	return command
}
