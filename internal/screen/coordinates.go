package screen

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Coordinates is how a model writes a place on a picture: as two numbers. The zero value is pixels
// of the picture that the model was sent, x first.
type Coordinates struct {
	Unit   float64 // the value at the right and the lower edge, such as 1000 or 1. 0 means pixels
	YFirst bool    // y stands in front of x
}

// edges is what the right and the lower edge of a picture of that size have.
func (c Coordinates) edges(picture Size) (w, h float64) {
	if c.Unit == 0 {
		return float64(picture.W), float64(picture.H)
	}
	return c.Unit, c.Unit
}

// Point is the place that the two numbers name on a picture of that size. What lies beyond the
// picture, or has a fraction where thousandths or pixels are meant, is an *OffScale.
func (c Coordinates) Point(first, second float64, picture Size) (Point, error) {
	p := c.point(first, second, picture)
	fraction := c.Unit != 1 && (0 < first && first < 1 || 0 < second && second < 1)
	if !p.Valid() || fraction {
		off := &OffScale{Coordinates: c, Picture: picture, Fractions: p.Valid()}
		if first >= 0 && second >= 0 {
			off.fitting(first, second)
		}
		return Point{}, off
	}
	return p, nil
}

func (c Coordinates) point(first, second float64, picture Size) Point {
	x, y := first, second
	if c.YFirst {
		x, y = second, first
	}
	w, h := c.edges(picture)
	return Point{x / w, y / h}
}

// Numbers is the place as the model would write it.
func (c Coordinates) Numbers(p Point, picture Size) (first, second float64) {
	w, h := c.edges(picture)
	if c.YFirst {
		return p.Y * h, p.X * w
	}
	return p.X * w, p.Y * h
}

// OffScale says that two numbers are no place in the coordinates that were taken for the model's.
type OffScale struct {
	Coordinates Coordinates // that were taken for the model's
	Picture     Size        // that the model was sent
	Fractions   bool        // the numbers look like fractions, and are not meant to be
	Fit         []Coordinates
}

// Error describes the error, to be put behind the name of a place.
func (e *OffScale) Error() string {
	w, h := e.Coordinates.edges(e.Picture)
	ranges := fmt.Sprintf("x and y go from 0 to %v", w)
	if w != h {
		ranges = fmt.Sprintf("x goes from 0 to %v and y from 0 to %v", w, h)
	}
	if e.Fractions {
		return "looks like fractions, but " + ranges
	}
	return "is off the screen, where " + ranges
}

// fitting notes in which other coordinates the numbers would be a place, likelier ones first.
func (e *OffScale) fitting(first, second float64) {
	units := []float64{1000, 0}
	switch {
	case e.Fractions || first <= 1 && second <= 1:
		units = []float64{1}
	case first > 1000 || second > 1000:
		units = []float64{0}
	}
	for _, yFirst := range []bool{e.Coordinates.YFirst, !e.Coordinates.YFirst} {
		for _, u := range units {
			c := Coordinates{u, yFirst}
			if c != e.Coordinates && c.point(first, second, e.Picture).Valid() {
				e.Fit = append(e.Fit, c)
			}
		}
	}
}

const inPixels, yFirst = "pixels", " yx"

// String is the form that ParseCoordinates reads.
func (c Coordinates) String() string {
	s := inPixels
	if c.Unit != 0 {
		s = strconv.FormatFloat(c.Unit, 'f', -1, 64)
	}
	if c.YFirst {
		s += yFirst
	}
	return s
}

// ParseCoordinates reads what the right and the lower edge have, 1 to 10000, or pixels, with yx
// behind it where y comes first: 1000, 999, 1, pixels, 1000 yx.
func ParseCoordinates(s string) (Coordinates, error) {
	unit, y := strings.CutSuffix(s, yFirst)
	if unit == inPixels {
		return Coordinates{YFirst: y}, nil
	}
	n, err := strconv.Atoi(unit)
	if err != nil || n < 1 || n > 10000 {
		return Coordinates{}, errors.New("want 1000, 999, 1 for fractions, or pixels for those " +
			"of the picture that is sent; where y comes first with yx behind it, such as 1000 yx")
	}
	return Coordinates{float64(n), y}, nil
}
