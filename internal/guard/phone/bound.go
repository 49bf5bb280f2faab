package phone

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/screen"
)

// bound is the stored form of the things that an approval is for. Its texts are digests, which show
// whether things are the same without revealing them.
type bound struct {
	Action  string `json:"action"`
	App     string `json:"app"`
	Element string `json:"element"`
	Screen  string `json:"screen"` // of the elements with their places, or of the picture
	// the picture beside the elements, which do not show what is only drawn, without the status bar
	// and what says that it moves by itself
	Drawn *screen.Mosaic `json:"drawn,omitempty"`
	// the picture, when there are elements: for when they cannot be had any more
	Picture string `json:"picture,omitempty"`
	// where it is touched: a small change there matters
	At *screen.Point `json:"at,omitempty"`
	To *screen.Point `json:"to,omitempty"` // where it is drawn to, too
	// it is a touch of one place, which may be repeated a little beside it, or for longer
	Touch bool `json:"touch,omitempty"`
}

// bind is what the action on the screen is about.
func bind(look screen.Observation, a actions.Action, list []guard.Subject) bound {
	written, err := actions.Marshal(a)
	if err != nil {
		written = []byte(actions.Describe(a)) // no member of the vocabulary
	}
	b := bound{Action: digest(string(written)), App: look.State.App}
	for _, s := range list {
		b.Element = digest(b.Element, fmt.Sprintf("%+v", s.Element))
	}
	if p := places(look, a); len(p) > 0 {
		b.At = &p[0]
		if len(p) > 1 {
			b.To = &p[1]
		}
	}
	traits := a.Traits()
	b.Touch = traits.Pointed()
	if look.Frame == nil {
		return b
	}
	if len(look.Elements) == 0 {
		b.Screen = pixels(look)
		return b
	}
	b.Screen = layout(look)
	drawn := look.Frame.Mosaic()
	still := drawn.Everything().Without(screen.Rect{Max: screen.Point{X: 1, Y: look.Bar}})
	drawn = drawn.Only(still.Except(still.Moving(look.Elements, nil)))
	b.Drawn, b.Picture = &drawn, pixels(look)
	return b
}

// layout returns the digest of the elements' texts and places, without a blinking cursor, the
// status bar and the texts that say that they change by themselves.
func layout(look screen.Observation) string {
	h := sha256.New()
	for _, e := range look.Elements {
		if e.Bounds.Max.Y <= look.Bar {
			continue
		}
		if e.Focused = false; e.Moves() {
			e.Text, e.ContentDesc = "", ""
		}
		_ = json.NewEncoder(h).Encode(e) // a hash takes everything, and an element can be encoded
	}
	return base64.RawStdEncoding.EncodeToString(h.Sum(nil))
}

// boundSide is the longest side of the picture that is bound: a figure that is another, or a
// letter, is another in it.
const boundSide = 1280

// pixels is the digest of the picture below the status bar.
func pixels(look screen.Observation) string {
	img := look.Frame.Within(boundSide).Image()
	top := min(int(math.Ceil(look.Bar*float64(img.Rect.Dy()))), img.Rect.Dy())
	colours := (top + 1) / 2
	return digest(fmt.Sprint(look.Frame.Size()), string(img.Y[top*img.YStride:]),
		string(img.Cb[colours*img.CStride:]), string(img.Cr[colours*img.CStride:]))
}

func digest(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return base64.RawStdEncoding.EncodeToString(h.Sum(nil))
}

// String returns the stored form of b.
func (b bound) String() string {
	out, err := json.Marshal(b)
	if err != nil { // a point that is no number: it is never the same as any other
		return ""
	}
	return string(out)
}

func parseBound(s string) (b bound, ok bool) {
	return b, s != "" && json.Unmarshal([]byte(s), &b) == nil
}

// pictured reports whether b is of a picture whose elements were not to be had.
func (b bound) pictured() bool { return b.Screen != "" && b.Drawn == nil }

// withElementsOf is b, of a picture whose elements could not be had, with those of then when the
// picture is the same to the pixel.
func (b bound) withElementsOf(then bound) bound {
	if then.Picture != "" && then.Picture == b.Screen {
		b.Element, b.Screen = then.Element, then.Screen
		b.Drawn, b.Picture = then.Drawn, then.Picture
	}
	return b
}

// diff says what differs from b, or "" for nothing.
func (b bound) diff(now bound) string {
	switch {
	case b.Action != now.Action:
		return "the action"
	case b.Element != now.Element:
		return "what is under the finger"
	}
	return b.screenDiff(now)
}

// repeated reports whether now is what b was about once more: the same action, or a touch of the
// same element.
func (b bound) repeated(now bound, list []screen.Element) bool {
	if b.Touch && now.Touch && b.At != nil && now.At != nil && b.Element == now.Element {
		then := candidates(list, *b.At)
		if len(then) > 0 && slices.Equal(then, candidates(list, *now.At)) {
			return b.screenDiff(now) == ""
		}
	}
	return b.diff(now) == ""
}

// screenDiff says what of the screen is another than in b, whatever is done on it.
func (b bound) screenDiff(now bound) string {
	switch {
	case b.App != now.App:
		return "the app in front"
	case b.Screen != now.Screen || b.Screen == "" || !b.similar(now):
		return "the screen"
	}
	return ""
}

// margin is the share of the width at both sides in which scroll bars come and go.
const margin = 0.015

// similar reports whether the pictures show the same, to the last letter.
func (b bound) similar(now bound) bool {
	if b.Drawn == nil || now.Drawn == nil {
		return b.Drawn == now.Drawn
	}
	return b.Drawn.Changed(*now.Drawn).Without(screen.Rect{Max: screen.Point{X: margin, Y: 1}}).
		Without(screen.Rect{Min: screen.Point{X: 1 - margin}, Max: screen.Point{X: 1, Y: 1}}).
		Empty()
}
