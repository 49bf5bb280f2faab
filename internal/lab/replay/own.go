package replay

import (
	"cmp"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/internal/screen"
)

// Own returns an [Options.Own] for a model of the dialect. The model is shown a recorded reply if a
// dialect of the table with the same name wrote it. Otherwise it is shown the decision in its own
// form, or in words if the form has none for it.
func Own(known dialect.Table, d dialect.Dialect) func(actions.Reply, actions.Decision,
	screen.Size) actions.Reply {
	profile := d.Profile()
	return func(r actions.Reply, was actions.Decision, picture screen.Size) actions.Reply {
		for _, f := range known {
			if f.Name == profile.Name && f.Wrote(r) {
				return r
			}
		}
		if was.Action == nil {
			return actions.Reply{}
		}
		words := cmp.Or(was.Explain, actions.Describe(was.Action))
		was.Thought = cmp.Or(was.Thought, words)
		if write := known.Writer(profile.Name); write != nil && picture.Valid() {
			said, can := write(was, dialect.Scale{Coordinates: profile.Coordinates,
				Picture: profile.Fit.Size(picture)})
			if can {
				return said
			}
		}
		return actions.Reply{Text: words}
	}
}
