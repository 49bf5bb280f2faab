package actions_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/screen"
)

func TestActionsAreDescribedInWords(t *testing.T) {
	at := screen.Point{X: 0.512, Y: 0.334}
	words := map[string]actions.Action{
		`tap (0.512,0.334)`:           actions.Click{At: at},
		`tap (0.512,0.334) twice`:     actions.DoubleClick{At: at},
		`hold (0.512,0.334) for 1.5s`: actions.LongPress{At: at},
		`type "two\nlines"`:           actions.Type{Text: "two\nlines"},
		`empty the field`:             actions.Type{Clear: true},
		`tap (0.512,0.334), empty the field, type "世界", press Enter`: actions.Type{
			Text:   "世界",
			At:     &at,
			Clear:  true,
			Submit: true,
		},
		`slide from (0.512,0.334) to (1.000,1.000) in 2s`: actions.Slide{
			From: at,
			To:   corner,
			Took: 2 * time.Second,
		},
		`scroll down at (0.512,0.334)`: actions.Scroll{
			At:        at,
			Direction: actions.Down,
		},
		`drag from (0.512,0.334) to (1.000,1.000)`: actions.Drag{
			From: at,
			To:   corner,
		},
		`open "Clock"`:            actions.OpenApp{App: "Clock"},
		`go back`:                 actions.Back{},
		`go to the home screen`:   actions.Home{},
		`show the recent apps`:    actions.Recents{},
		`press the key volume_up`: actions.HotKey{Key: actions.KeyVolumeUp},
		`wait 1m0s`:               actions.Wait{For: time.Hour},
		`ask "which \x1b[31m?"`:   actions.Info{Question: "which \x1b[31m?"},
		`note "` + strings.Repeat("长", 79) + `…"`: actions.Note{Text: strings.Repeat("长", 81)},
		`done: "set"`:           actions.Complete{Report: "set"},
		`done`:                  actions.Complete{},
		`give up: "no account"`: actions.Abort{Reason: "no account"},
		`give up`:               actions.Abort{},
	}
	said := map[string]bool{}
	for want, a := range words {
		require.Equal(t, want, actions.Describe(a))
		said[a.Verb()] = true
	}
	for _, a := range actions.Vocabulary() {
		require.True(t, said[a.Verb()], "no case describes %s", a.Verb())
	}
}
