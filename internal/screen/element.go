package screen

import (
	"image"
	"slices"
	"strings"

	"github.com/disintegration/imaging"

	"github.com/taploop/taploop/internal/text"
)

// Rect is a part of a frame as fractions of its sides.
type Rect struct {
	Min Point `json:"min"`
	Max Point `json:"max"`
}

// RectOf is the part of a frame of size s that the pixels r cover. What of r is not on the frame is
// cut off.
func RectOf(r image.Rectangle, s Size) Rect {
	r = r.Intersect(image.Rect(0, 0, s.W, s.H))
	w, h := float64(max(s.W, 1)), float64(max(s.H, 1))
	return Rect{Point{float64(r.Min.X) / w, float64(r.Min.Y) / h},
		Point{float64(r.Max.X) / w, float64(r.Max.Y) / h}}
}

// Valid reports whether r is on the frame and has an area.
func (r Rect) Valid() bool {
	return r.Min.Valid() && r.Max.Valid() && r.Min.X < r.Max.X && r.Min.Y < r.Max.Y
}

// Center is the middle of r.
func (r Rect) Center() Point { return Point{(r.Min.X + r.Max.X) / 2, (r.Min.Y + r.Max.Y) / 2} }

// Area is the share of the frame that r covers.
func (r Rect) Area() float64 { return (r.Max.X - r.Min.X) * (r.Max.Y - r.Min.Y) }

// Contains reports whether p is in r, without the right and the lower edge.
func (r Rect) Contains(p Point) bool {
	return p.X >= r.Min.X && p.X < r.Max.X && p.Y >= r.Min.Y && p.Y < r.Max.Y
}

// Pixels is the part of a picture of size s that r covers, at least one pixel.
func (r Rect) Pixels(s Size) image.Rectangle {
	at := r.Min.Pixel(s)
	round := func(f float64, n int) int { return min(max(int(f*float64(n)+0.5), 0), n) }
	return image.Rect(at.X, at.Y, max(round(r.Max.X, s.W), at.X+1),
		max(round(r.Max.Y, s.H), at.Y+1))
}

// Crop is the part of a picture that r covers.
func (r Rect) Crop(img image.Image) image.Image {
	b := img.Bounds()
	return imaging.Crop(img, r.Pixels(Size{W: b.Dx(), H: b.Dy()}).Add(b.Min))
}

// MaxElementText is the most characters in a text of an element. A longer one keeps its two ends.
const MaxElementText = 1000

// Element is something on the screen, as the phone lists it for those who do not see the picture.
// The names are uiautomator's. Texts are an app's own words: they may hold anything.
type Element struct {
	Bounds      Rect   `json:"bounds"`         // the visible part
	Text        string `json:"text,omitempty"` // never of a password field
	ContentDesc string `json:"content_desc,omitempty"`
	Hint        string `json:"hint,omitempty"`        // what a field is for, if Text differs
	Class       string `json:"class,omitempty"`       // for example android.widget.Button
	ResourceID  string `json:"resource_id,omitempty"` // for example com.app:id/send
	// Depth is 1 more than the number of listed elements that contain it, which come before it.
	// Views that are not listed do not count. Their children lie in the listed ones around them.
	Depth int `json:"depth"`

	Clickable     bool `json:"clickable,omitempty"`
	LongClickable bool `json:"long_clickable,omitempty"` // a finger that stays on it does something
	Scrollable    bool `json:"scrollable,omitempty"`
	Editable      bool `json:"editable,omitempty"` // a text field
	Password      bool `json:"password,omitempty"`
	Checkable     bool `json:"checkable,omitempty"`
	Checked       bool `json:"checked,omitempty"`
	Selected      bool `json:"selected,omitempty"` // the one of several that is chosen
	Enabled       bool `json:"enabled,omitempty"`
	Focused       bool `json:"focused,omitempty"`
}

// Actionable reports whether a touch of e, or a finger drawn over it, is meant to do something.
func (e *Element) Actionable() bool { return e.Touchable() || e.Scrollable }

// Touchable reports whether e takes touches: a tap, or a finger that stays.
func (e *Element) Touchable() bool {
	return e.Clickable || e.LongClickable || e.Editable || e.Checkable
}

// Name is what the resource id calls e, in lower case: com.app:id/btnSend_now is "btn send now". It
// is "" for an id without words, such as one that a shrinker has shortened.
func (e *Element) Name() string {
	words := text.Words(e.ResourceID)
	if len(words) == 1 && (len(words[0]) < 4 || !strings.ContainsAny(words[0], "aeiouy")) {
		return ""
	}
	if !slices.ContainsFunc(words, func(w string) bool { return len(w) > 2 }) {
		return ""
	}
	return strings.Join(words, " ")
}

// Large is the share of the screen from which on an element says nothing of a place on it.
const Large = 0.5

// At is the element that answers a touch at a place: the smallest that takes touches, or the
// smallest. It is -1 if there is none that is smaller than this share of the screen.
func At(list []Element, where Point, smaller float64) int {
	best := -1
	for i := range list {
		e := &list[i]
		if !e.Bounds.Contains(where) || e.Bounds.Area() >= smaller {
			continue
		}
		if best < 0 || e.Touchable() && !list[best].Touchable() ||
			e.Touchable() == list[best].Touchable() &&
				e.Bounds.Area() <= list[best].Bounds.Area() {
			best = i
		}
	}
	return best
}

// End is the index behind what lies in the element i.
func End(list []Element, i int) int {
	n := i + 1
	for n < len(list) && list[n].Depth > list[i].Depth {
		n++
	}
	return n
}
