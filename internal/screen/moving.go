package screen

import (
	"regexp"
	"strings"
)

var (
	// views that show moving content: a video, a game, a drawing under way
	playing = regexp.MustCompile(`(?i)(?:Surface|Texture|Video|Player|Animation|Gif\w*|Lottie\w*)` +
		`View$|ProgressBar$|ProgressIndicator$`)
	// views that change what they show by themselves, a clock or a banner
	changing = regexp.MustCompile(`(?i)Chronometer$|(?:Text|Digital|Analog)Clock$|` +
		`(?:View)?Flipper$|Switcher$|Marquee|Carousel|Banner|ViewPager2?$|Shimmer`)
	counting = regexp.MustCompile(`(?i)count_?down|chrono|timer|clock|elapsed|remaining`)
	seconds  = regexp.MustCompile(`\b\d{1,3}:[0-5]\d:[0-5]\d\b`)
)

// mostPlaying is the share of the screen up to which something on a page may play. What is larger
// is the page.
const mostPlaying = 0.5

// Plays reports whether the element says by its class that its picture moves all the time.
func (e *Element) Plays() bool { return playing.MatchString(e.Class) }

// Moves reports whether the element says that what it shows changes by itself: what plays, a clock,
// a banner, a text that counts seconds. A field that has the focus has a cursor that blinks.
func (e *Element) Moves() bool {
	if e.Plays() || changing.MatchString(e.Class) || e.Editable && e.Focused {
		return true
	}
	_, id, _ := strings.Cut(e.ResourceID, "/")
	counts := counting.MatchString(id) || seconds.MatchString(e.Text+" "+e.ContentDesc)
	return counts && strings.ContainsAny(e.Text+e.ContentDesc, "0123456789")
}

// Moving is what of a belongs to elements that move, at least partly, or lies in one. What is
// listed behind such an element covers it. If of is not nil, only those elements count for which it
// holds.
func (a Area) Moving(list []Element, of func(*Element) bool) Area {
	moves, any := make([]bool, len(list)), false
	var in []int // the elements around the next one
	for i := range list {
		e := &list[i]
		for len(in) > 0 && list[in[len(in)-1]].Depth >= e.Depth {
			in = in[:len(in)-1]
		}
		moves[i] = len(in) > 0 && moves[in[len(in)-1]] || e.Moves() && e.Bounds.Area() <=
			mostPlaying && (of == nil || of(e))
		any = any || moves[i]
		in = append(in, i)
	}
	if !any {
		return Area{}
	}
	return a.keep(func(_ int, at Rect) bool {
		for i := len(list) - 1; i >= 0; i-- {
			says := list[i].Text+list[i].ContentDesc != ""
			leaf := i == len(list)-1 || list[i+1].Depth <= list[i].Depth
			switch b := list[i].Bounds; {
			case moves[i] && at.overlaps(b):
				return true
			case !moves[i] && (says || leaf) && at.in(b):
				return false
			}
		}
		return false
	})
}
