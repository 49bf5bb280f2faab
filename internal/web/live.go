package web

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/logs"
	"github.com/taploop/taploop/internal/mirror"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/screen"
)

// screens shows phones live, and passes touches on.
type screens struct{ *core }

// boundary stands between the parts of a live picture. No JPEG is searched for it: each part says
// how long it is.
const boundary = "taploop-picture"

// liveView describes a picture: as the body of a part without one, and as the headers of a part
// with one.
type liveView struct {
	Screen mirror.Screen `json:"screen"`
	ByHand int           `json:"by_hand"`
	Error  string        `json:"error,omitempty"`
	Hint   string        `json:"mend,omitempty"`
}

// live shows a phone, as multipart/x-mixed-replace: a part for each picture that differs from the
// one before. A listener that is slow misses those in between.
func (s *screens) live(w http.ResponseWriter, r *http.Request, v viewer) error {
	held, leave, err := s.takePlace(w, r, v)
	if err != nil {
		return err
	}
	defer leave()
	r = r.WithContext(held)
	if done, err := s.forward(w, r, v, r.PathValue("id")); done || err != nil {
		return err
	}
	if err := s.opts.Phones.Sees(held, r.PathValue("id"), v.owners()); err != nil {
		return err
	}
	logs.Learn(held, logs.Phone, r.PathValue("id"))
	look := s.opts.Phones.Watch(r.PathValue("id"))
	defer look.Close()
	ctx, end := s.untilClosing(held)
	defer end()
	first, err := look.Next(ctx)
	switch {
	case err != nil:
		return cmp.Or(context.Cause(ctx), errClosing)
	case first.Err != nil:
		return refuse("DEVICE_NOT_FOUND", first.Err)
	}
	l := s.stream(w, r, v)
	l.begin("multipart/x-mixed-replace; boundary=" + boundary)
	if err = l.send([]byte("--" + boundary + "\r\n")); err == nil {
		err = show(l, look, first)
	}
	_ = l.extend() // net/http writes the end of the stream
	return l.broken(err)
}

// show sends pictures until the listener, the server or the phone is gone, or the listener may not
// see the phone any more. The last description is repeated from time to time, so that both sides
// know that the other is there.
func show(l *listener, look *mirror.Viewer, p mirror.Picture) error {
	ping := time.NewTicker(l.s.opts.Ping)
	defer ping.Stop()
	for fresh := true; ; {
		at := l.r.PathValue("id")
		if l.s.opts.Phones.Sees(l.r.Context(), at, l.v.owners()) != nil {
			return errGone
		}
		if fresh {
			if err := l.send(part(p)); err != nil {
				return err
			}
		}
		var changed <-chan struct{}
		var err error
		if p, fresh, changed, err = look.Newest(); err != nil {
			return errGone // the phone's picture has ended
		}
		if fresh {
			continue
		}
		select {
		case <-changed:
		case <-ping.C:
			p.JPEG, fresh = nil, true
		case <-l.r.Context().Done():
			return errGone
		case <-l.s.ctx.Done():
			return errGone
		}
	}
}

// part is a picture on the wire, or its description alone. It ends with the boundary of
// the next one, so that no reader has to wait for that.
func part(p mirror.Picture) []byte {
	said := liveView{Screen: p.Screen, ByHand: p.ByHand}
	if p.Err != nil {
		said.Error, said.Hint = p.Err.Error(), hint.Of(p.Err)
	}
	kind, body := "image/jpeg", p.JPEG
	if body == nil {
		kind = "application/json"
		body, _ = json.Marshal(said) // nothing in it can fail
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "Content-Type: %s\r\nContent-Length: %d\r\n", kind, len(body))
	fmt.Fprintf(&b, "X-Taploop-Screen: %s\r\nX-Taploop-By-Hand: %d\r\n\r\n", p.Screen, p.ByHand)
	b.Write(body)
	fmt.Fprintf(&b, "\r\n--%s\r\n", boundary)
	return b.Bytes()
}

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

// gesture is the touch, or the error in the body.
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

// input touches a phone that a person has taken over. Typed text is not kept.
func (s *screens) input(w http.ResponseWriter, r *http.Request, v viewer) error {
	if done, err := s.forward(w, r, v, r.PathValue("id")); done || err != nil {
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
	touch := Touch{Serial: r.PathValue("id"), Owners: v.owners(), Kind: body.Type,
		By: v.actor()}
	err = s.opts.Phones.Touch(ctx, touch, g)
	if _, refused := errors.AsType[*runs.Error](err); refused {
		return err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return refuse("OUTCOME_UNKNOWN", fmt.Errorf("the phone did not take it in time: %w", err))
	}
	if err != nil {
		return refuse("NOT_CARRIED_OUT", fmt.Errorf("the phone did not take it: %w", err))
	}
	logs.Learn(ctx, logs.Phone, touch.Serial)
	return send(w, http.StatusOK, map[string]any{"ok": true})
}

// touchTime is the longest that a touch may take: typing is slow.
const touchTime = 2 * actions.MaxTouch
