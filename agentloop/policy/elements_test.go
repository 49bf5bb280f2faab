package policy_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/agentloop/policy"
	"github.com/taploop/taploop/internal/screen"
)

// numbering is a dialogue that wants the elements of the screen, or not, and notes what it is asked
// for.
type numbering struct {
	dialogue
	wants bool
	asked []dialect.Situation
}

func (n *numbering) Profile() dialect.Profile {
	p := n.dialogue.Profile()
	p.Elements = n.wants
	return p
}

func (n *numbering) Prompt(s dialect.Situation) (dialect.Request, error) {
	n.asked = append(n.asked, s)
	return n.dialogue.Prompt(s)
}

// reader is a phone that lists its screen.
type reader struct {
	list  []screen.Element
	err   error
	times int
}

func (r *reader) Elements(context.Context) ([]screen.Element, error) {
	r.times++
	return r.list, r.err
}

// Elements are read before the prompt when the dialect wants them. That they cannot be had is told
// to the model, and ends nothing.
func TestElementsAreReadForADialectThatWantsThem(t *testing.T) {
	button := []screen.Element{{Text: "Send", Clickable: true}}
	moving := errors.New("the screen does not come to rest")
	for name, c := range map[string]struct {
		wants bool
		phone *reader
		list  []screen.Element
		notes []string
		times int
	}{
		"it wants them":    {true, &reader{list: button}, button, nil, 1},
		"it does not":      {false, &reader{list: button}, nil, nil, 0},
		"the phone cannot": {true, nil, nil, nil, 0},
		"the screen is busy": {true, &reader{err: moving}, nil, []string{"The elements of this " +
			"screen are not numbered (the screen does not come to rest). Name places on the " +
			"picture by their coordinates."}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, `rules:
  - reply: I tap it.
    tool_calls: [{name: tap, arguments: {x: 0.5, y: 0.25}}]
`)
			d := &numbering{wants: c.wants}
			r.Policy = policy.New(d, r.client, nil)
			s := situation(t)
			if c.phone != nil {
				s.Reader = c.phone
			}
			got, err := r.Next(t.Context(), s)
			require.NoError(t, err)
			require.Equal(t, c.list, got.Elements, "what the model was shown is told")
			require.Len(t, d.asked, 1)
			require.Equal(t, c.list, d.asked[0].Screen.Elements)
			require.Equal(t, c.notes, d.asked[0].Notes)
			if c.phone != nil {
				require.Equal(t, c.times, c.phone.times)
			}
		})
	}
}
