package calibrate

import (
	"fmt"
	"strings"

	"github.com/taploop/taploop/internal/lab"
	"github.com/taploop/taploop/internal/text"
)

// Settings are the keys of a model's configuration that were found, with their values.
func (r Report) Settings() map[string]string {
	set := map[string]string{"dialect": r.Dialect, "coordinates": r.Coordinates,
		"image_size": r.ImageSize}
	if r.Dialect != r.Prompted && !strings.HasPrefix(r.Coordinates, "pixels") {
		delete(set, "image_size") // the asked dialect's, not that of the other one
	}
	return set
}

// Fields are the report in words, each with its name. A field without words may be left out.
func (r Report) Fields() [][2]string {
	list := [][2]string{{"dialect", r.dialect()}}
	add := func(name, format string, args ...any) {
		list = append(list, [2]string{name, fmt.Sprintf(format, args...)})
	}
	if r.Sure {
		add("places", "coordinates %s of a picture of size %s", r.Coordinates, r.ImageSize)
	} else {
		add("places", "not clear: too few targets were hit, or none on one of the displays, "+
			"however its replies are read")
	}
	for _, w := range r.AsGood {
		add("or", "%s, which these targets do not tell apart", w)
	}
	if r.Asked > r.Unanswered {
		r.hits(add)
	}
	if r.Unreadable+r.Unanswered > 0 {
		add("without", "a place: %d replies, no reply: %d", r.Unreadable, r.Unanswered)
		add("error", "%s", r.LastError)
	}
	if r.Example != "" {
		add("such as", "%q", r.Example)
	}
	return list
}

// hits says how well the replies hit, and what they cost.
func (r Report) hits(add func(name, format string, args ...any)) {
	add("hits", "%d of %d, %s (95%%: %s to %s)", r.Hits, r.Asked,
		lab.Percent(r.Share), lab.Percent(r.Low), lab.Percent(r.High))
	group := func(g Group) string { return fmt.Sprintf("%s %d/%d", g.Name, g.Hits, g.All) }
	add("of them", "%s", strings.Join(text.Each(r.Groups, group), ", "))
	if r.Hits > 0 || r.Pixels > 0 {
		add("off by", "%.0f px of the target's middle (median; 90%% under %.0f)", r.Pixels,
			r.Pixels90)
	}
	add("time", "%.1fs a reply (median; 90%% under %.1fs)", r.Seconds, r.Seconds90)
	add("tokens", "%.0f sent, %.0f received (median)", r.PromptTokens, r.CompletionTokens)
}

// dialect says in which dialect the model was asked and replies.
func (r Report) dialect() string {
	switch r.Dialect {
	case "":
		return "none that is known; it was asked in " + r.Prompted
	case r.Prompted:
		return fmt.Sprintf("%s (%d of %d replies)", r.Dialect, r.Forms[r.Dialect], r.Asked)
	}
	return fmt.Sprintf("%s (%d of %d replies), although it was asked in %s; once that is set, "+
		"calibrate again", r.Dialect, r.Forms[r.Dialect], r.Asked, r.Prompted)
}
