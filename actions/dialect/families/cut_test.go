package families_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/dialecttest"
	"github.com/taploop/taploop/actions/dialect/families"
	"github.com/taploop/taploop/internal/screen"
)

// speak is a dialect as it is chosen.
func speak(t *testing.T, family string) dialect.Dialect {
	d, err := families.Known.New(family, &dialect.Options{Lang: "en"})
	require.NoError(t, err)
	return d
}

// read is what a dialect makes of a reply, in its own form or in another's; nil when the model is
// asked again.
func read(d dialect.Dialect, r actions.Reply, now dialect.Situation) actions.Action {
	got, err := d.Parse(r, now)
	if err != nil {
		got, _ = d.(dialect.Detector).Detect(r, now)
	}
	return got.Action
}

// hostile are texts that hold what may pass for the end of a text, a call or a reply.
var hostile = []string{`say ") or more`, `a "} b`, `a ') b`, `a ', x: 1} b`, "a\n\nb", `a)`, `it's`,
	`a </parameter></function> b`, `a </tool_call> b`, `"}}`, "说“好”，再见"}

// written are actions of every kind, those with texts with hostile ones, as the family writes them.
func written(t *testing.T, family string) (said []actions.Reply, meant []actions.Action) {
	require.NotNil(t, families.Known.Writer(family), "say how its models write")
	d := speak(t, family)
	at, to := screen.Point{X: 0.5, Y: 0.25}, screen.Point{X: 0.125, Y: 0.75}
	all := []actions.Action{actions.Click{At: at}, actions.Slide{From: at, To: to}, actions.Back{},
		actions.LongPress{At: at, Hold: 3 * time.Second}, actions.OpenApp{App: "a)"},
		actions.Scroll{At: at, Direction: actions.Down}, actions.Wait{For: 12 * time.Second}}
	for _, s := range hostile {
		all = append(all, actions.Type{Text: s}, actions.Type{Text: s, Clear: true},
			actions.Type{Text: s, Submit: true, Clear: true}, actions.Complete{Report: s})
	}
	p := d.Profile()
	for _, a := range all {
		r, can := families.Known.Writer(family)(actions.Decision{Action: a, Thought: "t",
			Explain: "e", Summary: "s"}, dialect.Scale{Coordinates: p.Coordinates,
			Picture: p.Fit.Size(dialecttest.Frame(t).Size())})
		if can {
			said, meant = append(said, r), append(meant, a)
		}
	}
	return said, meant
}

// begun are the beginnings of a reply, the last of them the whole.
func begun(r actions.Reply) []actions.Reply {
	var all []actions.Reply
	if len(r.Calls) > 0 {
		for i := range len(r.Calls[0].Arguments) + 1 {
			call := r.Calls[0]
			call.Arguments = call.Arguments[:i]
			all = append(all, actions.Reply{Text: r.Text, Calls: []actions.Call{call}})
		}
		return all
	}
	for i := range len(r.Text) + 1 {
		if utf8.ValidString(r.Text[:i]) {
			all = append(all, actions.Reply{Text: r.Text[:i]})
		}
	}
	return all
}

// The law: a reply that was cut off is never acted on. Where the endpoint does not say so, what is
// left of it is the whole action or none; gelab's lines do not show where they end.
func TestWhatWasCutOffIsNotActedOn(t *testing.T) {
	now := dialect.Situation{Screen: dialecttest.Observation(t)}
	for _, f := range families.Known {
		t.Run(f.Name, func(t *testing.T) {
			said, meant := written(t, f.Name)
			d := speak(t, f.Name)
			require.Greater(t, len(said), 20)
			for i, r := range said {
				require.Equal(t, meant[i], read(d, r, now), "%+v", r)
				r.Cut = true
				require.Nil(t, read(d, r, now), "%+v", r)
				if strings.HasPrefix(f.Name, "gelab") {
					continue
				}
				for _, part := range begun(r) {
					if got, err := d.Parse(part, now); err == nil {
						require.Equal(t, meant[i], got.Action, "%+v", part)
					}
				}
			}
		})
	}
}

// A thought that was never closed ends nowhere: what follows in it is no action.
func TestAnUnclosedThoughtIsNoAction(t *testing.T) {
	now := dialect.Situation{Screen: dialecttest.Observation(t)}
	var known []dialect.Dialect
	for _, f := range families.Known {
		known = append(known, speak(t, f.Name))
	}
	for _, own := range families.Known {
		said, _ := written(t, own.Name)
		for _, open := range []string{"<think>", "<THINK> ", "<think>I see.\n", "<TINK>a\n\n",
			"Hm. <think>\n", "<think>a</think> b <think>\n", "<seed:think>\n",
			"< Thinking >Hm:\n"} {
			for _, r := range said[:4] {
				if len(r.Calls) > 0 {
					continue // beside the text, not in it
				}
				if own := dialect.ThinkEnd.FindStringIndex(r.Text); own != nil {
					r.Text = strings.TrimSpace(r.Text[own[1]:])
				}
				r.Text = open + r.Text
				for _, d := range known {
					require.Nil(t, read(d, r, now), "%s in %s: %q", own.Name,
						d.Profile().Name, r.Text)
				}
			}
		}
	}
}
