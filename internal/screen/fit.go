package screen

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Fit says in which size a frame is shown to a model. The zero value is the frame's own size.
type Fit struct {
	Exact    Size // this size for any frame, without the aspect, alone
	Long     int  // the most pixels of the long side, aspect kept, 0 means any
	Multiple int  // of which each side is a multiple, as in Qwen's smart_resize, 0 means 1
	Min, Max int  // bounds of the number of pixels, with Multiple, 0 means none
}

// Size is the size in which a frame of that size is shown.
func (f Fit) Size(frame Size) Size {
	if f.Exact.Valid() {
		return f.Exact
	}
	if f.Long > 0 {
		frame = fitted(frame, f.Long)
	}
	if f.Multiple > 1 || f.Min > 0 || f.Max > 0 {
		frame = f.multiples(frame)
	}
	return frame
}

// multiples is smart_resize of qwen-vl-utils. It rounds the sides to multiples, half to even as in
// Python, and then scales both if the picture has too many or too few pixels.
func (f Fit) multiples(s Size) Size {
	factor := float64(max(f.Multiple, 1))
	w, h := float64(s.W), float64(s.H)
	side := func(n float64) int { return int(max(n, 1) * factor) }
	out := Size{side(math.RoundToEven(w / factor)), side(math.RoundToEven(h / factor))}
	switch n := out.W * out.H; {
	case f.Max > 0 && n > f.Max:
		by := math.Sqrt(w * h / float64(f.Max))
		return Size{side(math.Floor(w / by / factor)), side(math.Floor(h / by / factor))}
	case n < f.Min:
		by := math.Sqrt(float64(f.Min) / (w * h))
		return Size{side(math.Ceil(w * by / factor)), side(math.Ceil(h * by / factor))}
	}
	return out
}

// FullSize is the Fit that shows a frame in its own size, as a text.
const FullSize = "full"

// String is the form that ParseFit reads.
func (f Fit) String() string {
	if f.Exact.Valid() {
		return f.Exact.String()
	}
	var parts []string
	for _, p := range f.numbers() {
		if *p.value > 0 {
			parts = append(parts, fmt.Sprintf("%s=%d", p.name, *p.value))
		}
	}
	if parts == nil {
		return FullSize
	}
	return strings.Join(parts, ",")
}

// fitNumber is one of a Fit's numbers and the bounds of what can be set.
type fitNumber struct {
	name      string
	value     *int
	low, high int
}

func (f *Fit) numbers() []fitNumber {
	return []fitNumber{{"long", &f.Long, minShown, maxShown}, {"multiple", &f.Multiple, 1, 512},
		{"min", &f.Min, 1, maxShown * maxShown}, {"max", &f.Max, 1, maxShown * maxShown}}
}

// Bounds of a side of the picture that can be set.
const (
	minShown = 28
	maxShown = 8192
)

var errFit = errors.New("want full, WxH with sides from 28 to 8192 such as 728x728, or of long, " +
	"multiple, min and max those that shall hold, such as long=1280 or " +
	"multiple=28,min=3136,max=12845056")

// ParseFit reads full, an exact size such as 728x728, or names with numbers such as long=1280 or
// multiple=28,min=3136,max=12845056.
func ParseFit(s string) (Fit, error) {
	s = strings.ReplaceAll(s, " ", "")
	if s == FullSize {
		return Fit{}, nil
	}
	if w, h, found := strings.Cut(s, "x"); found && !strings.Contains(s, "=") {
		return exactFit(w, h)
	}
	var f Fit
	for part := range strings.SplitSeq(s, ",") {
		name, value, _ := strings.Cut(part, "=")
		n, err := strconv.Atoi(value)
		if err != nil || !f.set(name, n) {
			return Fit{}, errFit
		}
	}
	if f.Max > 0 && f.Max < max(f.Min, f.Multiple*f.Multiple) {
		return Fit{}, errFit
	}
	return f, nil
}

func (f *Fit) set(name string, n int) bool {
	for _, p := range f.numbers() {
		if p.name == name && *p.value == 0 && n >= p.low && n <= p.high {
			*p.value = n
			return true
		}
	}
	return false
}

func exactFit(w, h string) (Fit, error) {
	width, errW := strconv.Atoi(w)
	height, errH := strconv.Atoi(h)
	if errors.Join(errW, errH) != nil || min(width, height) < minShown ||
		max(width, height) > maxShown {
		return Fit{}, errFit
	}
	return Fit{Exact: Size{width, height}}, nil
}
