package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/screen"
)

// inputBody is a touch of a person. Places are fractions of the picture, from its upper left
// corner.
type inputBody struct {
	Type   string   `json:"type"` // tap, swipe, text or key
	X      *float64 `json:"x"`    // of a tap, and where a swipe begins
	Y      *float64 `json:"y"`
	ToX    *float64 `json:"to_x"` // where a swipe ends
	ToY    *float64 `json:"to_y"`
	MS     int      `json:"ms"` // how long a swipe takes, or the finger rests for a tap
	Text   *string  `json:"text"`
	Submit bool     `json:"submit"` // Enter after the text
	Key    string   `json:"key"`
}

const hold = 400 // ms from which a tap is a long press

// gesture is the touch, or what is wrong with the body.
func (b inputBody) gesture() (actions.Gesture, error) {
	var g actions.Gesture
	if b.MS < 0 {
		return nil, badRequest(`"ms" is %d (want 0 or more)`, b.MS)
	}
	switch b.Type {
	case "tap":
		at, err := point("x", b.X, "y", b.Y)
		if err != nil {
			return nil, err
		}
		g = actions.Click{At: at}
		if b.MS >= hold {
			g = actions.LongPress{At: at, Hold: b.took()}
		}
	case "swipe":
		from, err := point("x", b.X, "y", b.Y)
		if err != nil {
			return nil, err
		}
		to, err := point("to_x", b.ToX, "to_y", b.ToY)
		if err != nil {
			return nil, err
		}
		g = actions.Slide{From: from, To: to, Took: b.took()}
	case "text":
		if b.Text == nil {
			return nil, badRequest(`there is no "text"`)
		}
		g = actions.Type{Text: *b.Text, Submit: b.Submit}
	case "key":
		g = actions.HotKey{Key: actions.Key(b.Key)}
	default:
		return nil, badRequest("unknown type %.40q (want tap, swipe, text or key)", b.Type)
	}
	if err := g.Validate(); err != nil {
		return nil, badRequest("%w", err)
	}
	return g, nil
}

func (b inputBody) took() time.Duration { return time.Duration(b.MS) * time.Millisecond }

// point is a place on the screen.
func point(nameX string, x *float64, nameY string, y *float64) (screen.Point, error) {
	if x == nil || y == nil {
		return screen.Point{}, badRequest("%q and %q are needed (want fractions of the picture, "+
			"0 to 1)", nameX, nameY)
	}
	return screen.Point{X: *x, Y: *y}, nil
}

// input touches a phone that a person has taken over. What is typed is kept nowhere.
func (s *Server) input(w http.ResponseWriter, r *http.Request, v viewer) error {
	if err := v.person(ofPeople); err != nil {
		return err
	}
	var body inputBody
	if err := receive(r, &body); err != nil {
		return err
	}
	g, err := body.gesture()
	if err != nil {
		return err
	}
	// half a touch would leave the phone in an unknown state
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), touchTime)
	defer cancel()
	touch := Touch{Serial: r.PathValue("id"), Client: v.client(), Kind: body.Type,
		By: v.actor()}
	err = s.opts.Hands.Touch(ctx, touch, g)
	if _, refused := errors.AsType[*Conflict](err); refused {
		return err
	}
	if err != nil {
		return refuse("NOT_CARRIED_OUT", fmt.Errorf("the phone did not take it: %w", err))
	}
	return send(w, http.StatusOK, map[string]any{"ok": true})
}

// touchTime is the longest that a touch may take: typing is slow.
const touchTime = 2 * actions.MaxTouch
