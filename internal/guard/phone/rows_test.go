package phone_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/guard/phone"
	"github.com/taploop/taploop/internal/screen"
)

// A finger that stays on what has a menu for it presses nothing, unless that says so.
func TestAFingerThatStaysOpensAMenu(t *testing.T) {
	for name, c := range map[string]struct {
		label string
		menu  bool
		tap   bool
		does  string
		ask   bool
	}{
		"what the model says of it":   {label: "Versturen", menu: true, does: "Delete the chat", ask: true},
		"a menu":                      {label: "Versturen", menu: true},
		"a tap":                       {label: "Versturen", menu: true, tap: true, ask: true},
		"what has none":               {label: "Versturen", ask: true},
		"what is done by holding":     {label: "Touch and hold to unlock", menu: true, ask: true},
		"the same, in another script": {label: "長押しで送信", menu: true, ask: true},
	} {
		t.Run(name, func(t *testing.T) {
			e := drawnAs("android.widget.ImageButton", at(8, 9, 9.6, 9.6, "", 1, true))
			e.ContentDesc, e.LongClickable = c.label, c.menu
			look := screen.Observation{Elements: []screen.Element{at(0, 0, 10, 10, "", 0, false), e},
				State: screen.State{App: "com.example.notes", Size: drawnSize}}
			var a actions.Action = actions.LongPress{At: e.Bounds.Center()}
			if c.tap {
				a = actions.Click{At: e.Bounds.Center()}
			}
			p, err := guard.New(nil)
			require.NoError(t, err)
			v, err := phone.New(p, nil).Check(t.Context(), agentloop.Situation{Screen: look},
				actions.Decision{Action: a, Explain: c.does})
			require.NoError(t, err)
			require.Equal(t, c.ask, !v.Allowed())
		})
	}
}

