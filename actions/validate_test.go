package actions_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/screen"
)

var (
	middle = screen.Point{X: 0.5, Y: 0.5}
	corner = screen.Point{X: 1, Y: 1}
	beyond = screen.Point{X: 1.2, Y: 0.5}
	top    = screen.Point{X: 1}
)

func TestWhatIsWrongIsToldWithFieldAndValueAndWhatIsAllowed(t *testing.T) {
	off := "(1.200,0.500) is off the screen (want x and y from 0 to 1, as fractions of the screen)"
	cases := []struct {
		name string
		a    actions.Action
		want string
	}{
		{"click beyond the frame", actions.Click{At: beyond}, "CLICK: the point " + off},
		{
			"a coordinate that is no number", actions.Click{At: screen.Point{X: math.NaN()}},
			"CLICK: the point (NaN,0.000) is off the screen (want x and y from 0 to 1, as " +
				"fractions of the screen)",
		},
		{"double click beyond", actions.DoubleClick{At: beyond}, "DOUBLE_CLICK: the point " + off},
		{"long press beyond", actions.LongPress{At: beyond}, "LONGPRESS: the point " + off},
		{
			"hold for an hour", actions.LongPress{At: middle, Hold: time.Hour},
			"LONGPRESS: the duration is 1h0m0s (want at most 30s, or none for the usual one)",
		},
		{
			"hold backwards", actions.LongPress{At: middle, Hold: -1},
			"LONGPRESS: the duration is -1ns (want at most 30s, or none for the usual one)",
		},
		{
			"type nothing", actions.Type{},
			"TYPE: the text is empty (say what to type; to empty a field set clear)",
		},
		{
			"type nothing and submit", actions.Type{Submit: true},
			"TYPE: the text is empty (say what to type; to empty a field set clear)",
		},
		{"type beyond", actions.Type{Text: "a", At: &beyond}, "TYPE: the point " + off},
		{"clear beyond", actions.Type{Clear: true, At: &beyond}, "TYPE: the point " + off},
		{
			"type NUL", actions.Type{Text: "a\x00b"},
			"TYPE: the text holds the control character U+0000 (want text; line breaks and tabs " +
				"are allowed)",
		},
		{
			"type an escape sequence", actions.Type{Text: "\x1b[31m"},
			"TYPE: the text holds the control character U+001B (want text; line breaks and tabs " +
				"are allowed)",
		},
		{
			"type a carriage return", actions.Type{Text: "a\r\n"},
			"TYPE: the text holds the control character U+000D (want text; line breaks and tabs " +
				"are allowed)",
		},
		{
			"type a C1 control", actions.Type{Text: "a\u0085"},
			"TYPE: the text holds the control character U+0085 (want text; line breaks and tabs " +
				"are allowed)",
		},
		{"type no UTF-8", actions.Type{Text: "\xff"}, "TYPE: the text is not UTF-8"},
		{
			"type a book", actions.Type{Text: strings.Repeat("字", 4001)},
			"TYPE: the text has 4001 characters (want at most 4000)",
		},
		{
			"slide from beyond", actions.Slide{From: beyond, To: middle},
			"SLIDE: the first point " + off,
		},
		{
			"slide to beyond", actions.Slide{From: middle, To: beyond},
			"SLIDE: the second point " + off,
		},
		{
			"slide nowhere", actions.Slide{From: middle, To: middle},
			"SLIDE: both points are (0.500,0.500) (want two different points; to hold a point " +
				"use LONGPRESS)",
		},
		{
			"slide for an hour", actions.Slide{From: middle, To: corner, Took: time.Hour},
			"SLIDE: the duration is 1h0m0s (want at most 30s, or none for the usual one)",
		},
		{
			"scroll beyond", actions.Scroll{At: beyond, Direction: actions.Up},
			"SCROLL: the point " + off,
		},
		{
			"scroll sideways", actions.Scroll{At: middle, Direction: "sideways"},
			`SCROLL: unknown direction "sideways" (want one of up, down, left, right)`,
		},
		{
			"drag from beyond", actions.Drag{From: beyond, To: middle},
			"DRAG: the first point " + off,
		},
		{"drag to beyond", actions.Drag{From: middle, To: beyond}, "DRAG: the second point " + off},
		{
			"drag nowhere", actions.Drag{From: middle, To: middle},
			"DRAG: both points are (0.500,0.500) (want two different points; to hold a point use " +
				"LONGPRESS)",
		},
		{
			"open nothing", actions.OpenApp{App: " "},
			"AWAKE: the app's name is empty (want 1 to 200 characters)",
		},
		{
			"open two lines", actions.OpenApp{App: "a\nb"},
			`AWAKE: the app's name "a\nb" holds a line break or a tab (want a name or a package ` +
				`on one line)`,
		},
		{
			"open a novel", actions.OpenApp{App: strings.Repeat("a", 201)},
			"AWAKE: the app's name has 201 characters (want at most 200)",
		},
		{
			"an unknown key", actions.HotKey{Key: "any"},
			`HOT_KEY: unknown key "any" (want one of back, home, recents, menu, enter, delete, ` +
				`power, wakeup, volume_up, volume_down)`,
		},
		{
			"a very long key", actions.HotKey{Key: actions.Key(strings.Repeat("k", 500))},
			`HOT_KEY: unknown key "` + strings.Repeat(
				"k", 39,
			) + `…" (want one of back, home, recents, menu, enter, delete, power, wakeup, ` +
				`volume_up, volume_down)`,
		},
		{
			"wait for nothing", actions.Wait{},
			"WAIT: the time is 0s (want more than 0, at most 1m0s)",
		},
		{
			"wait backwards", actions.Wait{For: -time.Second},
			"WAIT: the time is -1s (want more than 0, at most 1m0s)",
		},
		{
			"ask nothing", actions.Info{Question: "\n"},
			"INFO: the question is empty (want 1 to 4000 characters)",
		},
		{
			"ask with an empty option", actions.Info{Question: "q", Options: []string{"a", ""}},
			"INFO: option 2 is empty (want 1 to 200 characters)",
		},
		{
			"ask with too many options", actions.Info{Question: "q", Options: make([]string, 21)},
			"INFO: 21 options (want at most 20)",
		},
		{"note nothing", actions.Note{}, "NOTE: the text is empty (want 1 to 4000 characters)"},
		{
			"report an escape sequence", actions.Complete{Report: "\x1b]0;"},
			"COMPLETE: the report holds the control character U+001B (want text; line breaks and " +
				"tabs are allowed)",
		},
		{
			"a reason without end", actions.Abort{Reason: strings.Repeat("a", 20001)},
			"ABORT: the reason has 20001 characters (want at most 20000)",
		},
	}
	refused := map[string]bool{}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { require.EqualError(t, c.a.Validate(), c.want) })
		refused[c.a.Verb()] = true
	}
	for _, a := range actions.Vocabulary() { // what has fields has a way to be wrong
		switch a.(type) {
		case actions.Back, actions.Home, actions.Recents:
			require.NoError(t, a.Validate())
		default:
			require.True(t, refused[a.Verb()], "no case refuses %s", a.Verb())
		}
	}
}

func TestWhatIsAllowedIsNotRefused(t *testing.T) {
	for _, a := range []actions.Action{
		actions.Click{}, actions.Click{At: corner}, actions.DoubleClick{At: middle},
		actions.LongPress{At: middle}, actions.LongPress{At: middle, Hold: actions.MaxTouch},
		actions.Type{Text: " "}, actions.Type{
			Text: "two\nlines\tand a tab 👩‍👧",
		}, actions.Type{Clear: true},
		actions.Type{Text: strings.Repeat("字", actions.MaxText), At: &middle},
		actions.Slide{From: middle, To: corner}, actions.Scroll{
			At: middle, Direction: actions.Left,
		},
		actions.Drag{From: middle, To: corner},
		actions.OpenApp{App: "微信"}, actions.HotKey{Key: actions.KeyEnter},
		actions.Wait{For: time.Hour}, // cut when it is carried out
		actions.Info{
			Question: "which?", Options: []string{"a", "b"}, Secret: true,
		}, actions.Note{Text: "n"},
		actions.Complete{}, actions.Abort{},
	} {
		require.NoError(t, a.Validate(), "%#v", a)
	}
}
