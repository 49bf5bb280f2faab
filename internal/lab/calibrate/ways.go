package calibrate

import (
	"cmp"
	"encoding/json"
	"image"
	"maps"
	"slices"

	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/internal/lab"
	"github.com/taploop/taploop/internal/screen"
)

// Way is a way in which a model may reckon: its coordinates, and the size of the picture in whose
// pixels it reckons, when it reckons in pixels.
type Way struct {
	Coordinates screen.Coordinates
	Fit         screen.Fit

	sent  screen.Fit // how the picture was sent
	Hits  int
	Error float64 // mean distance from the targets, as a share of the screen's width, at most far
}

// MarshalJSON writes the settings as they are in the configuration.
func (w Way) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"coordinates": w.Coordinates.String(),
		"image_size": w.Fit.String(), "hits": w.Hits, "error": w.Error})
}

// farthest bounds the share that one answer adds to an error: how far off a place is that is wrong
// says nothing.
const farthest = 0.5

// alike is by how much two ways' errors may differ when the answers do not tell them apart: about
// two pixels of 1080.
const alike = 0.002

// sureShare is the share of targets that has to be hit for a way to be called the model's.
const sureShare = 0.5

// choose finds the way that explains the answers best. Where several do, the dialect's own is
// taken, then the picture that was sent.
func (r *Report) choose(own dialect.Profile, answers []*answer) {
	ways := waysOf(own, answers)
	for i := range ways {
		ways[i].weigh(answers)
	}
	best := slices.MinFunc(ways, func(a, b Way) int { return cmp.Compare(a.Error, b.Error) })
	as := func(w Way) bool { return w.Error <= best.Error+alike }
	chosen := ways[slices.IndexFunc(ways, as)]
	for _, w := range ways {
		switch {
		case w.same(chosen, answers):
		case as(w) && w.Hits > 0:
			r.AsGood = append(r.AsGood, w)
		case w.Hits > 0:
			r.Rejected = append(r.Rejected, w)
		}
	}
	slices.SortStableFunc(r.Rejected, func(a, b Way) int { return cmp.Compare(a.Error, b.Error) })
	r.Rejected = r.Rejected[:min(len(r.Rejected), 3)]
	r.Coordinates, r.ImageSize = chosen.Coordinates.String(), chosen.Fit.String()
	r.hold(chosen, answers)
	r.Sure = r.Dialect != "" && r.Share >= sureShare && chosen.everywhere(answers)
}

// everywhere reports whether something was hit on every screen: a way that explains the answers on
// some of them only is another model's.
func (w Way) everywhere(answers []*answer) bool {
	hit := map[*Screen]bool{}
	for _, a := range answers {
		p, ok := w.place(a)
		hit[a.screen] = hit[a.screen] || ok && p.In(a.target.Box)
	}
	return !slices.Contains(slices.Collect(maps.Values(hit)), false)
}

// usualSides are long sides that servers often shrink a picture to.
var usualSides = []int{512, 768, 1000, 1024, 1280, 1536, 1568, 2048}

// usualTokens are bounds of a picture that servers of the Qwen family often have, in tokens of 28
// by 28 pixels.
var usualTokens = []int{256, 512, 768, 1024, 1280, 2048, 2560}

// waysOf lists the ways that there are, likelier ones first. 999 and 1000 lie a pixel apart: the
// dialect's own of the two stands for both.
func waysOf(own dialect.Profile, answers []*answer) []Way {
	thousand := 1000.0
	if own.Coordinates.Unit == 999 {
		thousand = 999
	}
	fits := []screen.Fit{own.Fit}
	for _, factor := range []int{28, 32} {
		if fit := own.Fit; !fit.Exact.Valid() {
			fit.Multiple = factor
			fits = append(fits, fit)
		}
	}
	fits = append(fits, screen.Fit{}, screen.Fit{Multiple: 28}, screen.Fit{Multiple: 32},
		screen.Fit{Long: 1280}, screen.Fit{Long: 1280, Multiple: 28})
	for _, tokens := range usualTokens { // a server shrinks what has more
		fits = append(fits, screen.Fit{Multiple: 28, Max: tokens * 28 * 28})
	}
	ways := []Way{{Coordinates: own.Coordinates, Fit: own.Fit}}
	for _, y := range []bool{false, true} {
		for _, unit := range []float64{thousand, 1} {
			ways = append(ways, Way{Coordinates: screen.Coordinates{Unit: unit, YFirst: y},
				Fit: own.Fit})
		}
		for _, fit := range fits {
			ways = append(ways, Way{Coordinates: screen.Coordinates{YFirst: y}, Fit: fit})
		}
		for _, long := range append(usualSides, longSides(answers, y)...) {
			ways = append(ways, Way{Coordinates: screen.Coordinates{YFirst: y},
				Fit: screen.Fit{Long: long}})
		}
	}
	var once []Way
	for _, w := range ways {
		w.sent = own.Fit
		if !slices.Contains(once, w) {
			once = append(once, w)
		}
	}
	return once
}

// longSides returns the long sides of pictures in whose pixels the answers may be right: a usual
// side and a large one, as quantiles of the estimates from the answers.
func longSides(answers []*answer, yFirst bool) (long []int) {
	var sides []float64
	for _, a := range answers {
		if a.numbers == nil {
			continue
		}
		x, y := a.numbers[0], a.numbers[1]
		if yFirst {
			x, y = y, x
		}
		size, box := a.screen.Frame.Size(), a.target.Box
		if size.Landscape() {
			sides = append(sides, x/(float64(box.Min.X+box.Max.X)/2/float64(size.W)))
		} else {
			sides = append(sides, y/(float64(box.Min.Y+box.Max.Y)/2/float64(size.H)))
		}
	}
	for _, q := range []float64{0.5, 0.75} {
		if n := int(lab.Quantile(sides, q) + 0.5); n >= 28 && n <= 8192 {
			long = append(long, n)
		}
	}
	return long
}

// picture returns the size of the picture in whose pixels a model answers about the frame. A server
// shrinks to a long side exactly, while taploop may send slightly less to save work.
func (w Way) picture(frame screen.Size) screen.Size {
	if long := w.Fit.Long; long != w.sent.Long && long > 0 && long < max(frame.W, frame.H) {
		frame = frame.Scaled(long)
	}
	return w.Fit.Size(frame)
}

// place returns where an answer taps, read in this way. It is false without coordinates.
func (w Way) place(a *answer) (image.Point, bool) {
	if a.numbers == nil {
		return image.Point{}, false
	}
	size := a.screen.Frame.Size()
	p, err := w.Coordinates.Point(a.numbers[0], a.numbers[1], w.picture(size))
	return p.Pixel(size), err == nil
}

// same reports whether the two ways read all of the answers alike.
func (w Way) same(as Way, answers []*answer) bool {
	if w.Coordinates != as.Coordinates || w.Coordinates.Unit != 0 {
		return w.Coordinates == as.Coordinates
	}
	return !slices.ContainsFunc(answers, func(a *answer) bool {
		size := a.screen.Frame.Size()
		return w.picture(size) != as.picture(size)
	})
}

// weigh fills in how well the way explains the answers.
func (w *Way) weigh(answers []*answer) {
	w.Hits, w.Error = 0, 0
	for _, a := range answers {
		off := farthest
		if p, ok := w.place(a); ok {
			off = min(off, a.far(p)/float64(a.screen.Frame.Size().W))
			if p.In(a.target.Box) {
				w.Hits++
			}
		}
		w.Error += off / float64(len(answers))
	}
}
