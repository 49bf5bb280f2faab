package actions_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/screen"
)

// wire is one full and one bare example of each member, as it is written.
var wire = map[string]actions.Action{
	`{"verb":"CLICK","at":{"x":0.5,"y":0.5}}`: actions.Click{
		At: middle,
	},
	`{"verb":"DOUBLE_CLICK","at":{"x":0.5,"y":0.5}}`: actions.DoubleClick{
		At: middle,
	},
	`{"verb":"LONGPRESS","at":{"x":0.5,"y":0.5}}`: actions.LongPress{
		At: middle,
	},
	`{"verb":"LONGPRESS","at":{"x":0.5,"y":0.5},"hold":"2.5s"}`: actions.LongPress{
		At:   middle,
		Hold: 2500 * time.Millisecond,
	},
	`{"verb":"TYPE","text":"a"}`: actions.Type{
		Text: "a",
	},
	`{"verb":"TYPE","text":"","at":{"x":0.5,"y":0.5},"clear":true,"submit":true}`: actions.Type{
		At:     &middle,
		Clear:  true,
		Submit: true,
	},
	`{"verb":"SLIDE","from":{"x":0.5,"y":0.5},"to":{"x":1,"y":1}}`: actions.Slide{
		From: middle,
		To:   corner,
	},
	`{"verb":"SLIDE","from":{"x":0.5,"y":0.5},"to":{"x":1,"y":1},"took":"1m0s"}`: actions.Slide{
		From: middle,
		To:   corner,
		Took: time.Minute,
	},
	`{"verb":"SCROLL","at":{"x":0.5,"y":0.5},"direction":"up"}`: actions.Scroll{
		At:        middle,
		Direction: actions.Up,
	},
	`{"verb":"DRAG","from":{"x":0.5,"y":0.5},"to":{"x":1,"y":1}}`: actions.Drag{
		From: middle,
		To:   corner,
	},
	`{"verb":"AWAKE","app":"Clock"}`: actions.OpenApp{
		App: "Clock",
	},
	`{"verb":"BACK"}`:    actions.Back{},
	`{"verb":"HOME"}`:    actions.Home{},
	`{"verb":"RECENTS"}`: actions.Recents{},
	`{"verb":"HOT_KEY","key":"menu"}`: actions.HotKey{
		Key: actions.KeyMenu,
	},
	`{"verb":"WAIT","for":"3s"}`: actions.Wait{
		For: 3 * time.Second,
	},
	`{"verb":"INFO","question":"q"}`: actions.Info{
		Question: "q",
	},
	`{"verb":"INFO","question":"q","options":["a","b"],"secret":true}`: actions.Info{
		Question: "q",
		Options:  []string{"a", "b"},
		Secret:   true,
	},
	`{"verb":"NOTE","text":"n"}`: actions.Note{
		Text: "n",
	},
	`{"verb":"COMPLETE","report":""}`: actions.Complete{},
	`{"verb":"ABORT","reason":"r"}`: actions.Abort{
		Reason: "r",
	},
}

func TestActionsAreWrittenAsTheirVerbAndFields(t *testing.T) {
	written := map[string]bool{}
	for want, a := range wire {
		b, err := actions.Marshal(a)
		require.NoError(t, err)
		require.Equal(t, want, string(b))
		back, err := actions.Unmarshal(b)
		require.NoError(t, err)
		require.Equal(t, a, back)
		written[a.Verb()] = true
	}
	for _, a := range actions.Vocabulary() {
		require.True(t, written[a.Verb()], "no case writes %s", a.Verb())
	}
}

func TestWhatIsWrittenIsReadBackEqual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := anyAction(t)
		b, err := actions.Marshal(a)
		require.NoError(t, err)
		back, err := actions.Unmarshal(b)
		require.NoError(t, err, "%s", b)
		require.Equal(t, a, back, "%s", b)
	})
}

// anyAction draws a member with any field values, valid or not, that JSON can hold.
func anyAction(t *rapid.T) actions.Action {
	text := func(name string) string { return rapid.String().Draw(t, name) }
	point := func(name string) screen.Point {
		f := rapid.Float64Range(-2, 2)
		return screen.Point{X: f.Draw(t, name+".x"), Y: f.Draw(t, name+".y")}
	}
	span := time.Duration(rapid.Int64().Draw(t, "span"))
	flag := rapid.Bool().Draw(t, "flag")
	switch a := rapid.SampledFrom(actions.Vocabulary()).Draw(t, "verb").(type) {
	case actions.Click:
		return actions.Click{At: point("at")}
	case actions.DoubleClick:
		return actions.DoubleClick{At: point("at")}
	case actions.LongPress:
		return actions.LongPress{At: point("at"), Hold: span}
	case actions.Type:
		out := actions.Type{Text: text("text"), Clear: flag, Submit: rapid.Bool().Draw(t, "submit")}
		if rapid.Bool().Draw(t, "at?") {
			at := point("at")
			out.At = &at
		}
		return out
	case actions.Slide:
		return actions.Slide{From: point("from"), To: point("to"), Took: span}
	case actions.Scroll:
		return actions.Scroll{At: point("at"), Direction: actions.Direction(text("direction"))}
	case actions.Drag:
		return actions.Drag{From: point("from"), To: point("to")}
	case actions.OpenApp:
		return actions.OpenApp{App: text("app")}
	case actions.Back, actions.Home, actions.Recents:
		return a
	case actions.HotKey:
		return actions.HotKey{Key: actions.Key(text("key"))}
	case actions.Wait:
		return actions.Wait{For: span}
	case actions.Info:
		out := actions.Info{Question: text("question"), Secret: flag}
		if n := rapid.IntRange(0, 3).Draw(t, "options"); n > 0 {
			out.Options = rapid.SliceOfN(rapid.String(), n, n).Draw(t, "option")
		}
		return out
	case actions.Note:
		return actions.Note{Text: text("text")}
	case actions.Complete:
		return actions.Complete{Report: text("report")}
	case actions.Abort:
		return actions.Abort{Reason: text("reason")}
	default:
		t.Fatalf("%T is not drawn", a)
		return nil
	}
}

func TestOnlyWhatIsWrittenIsRead(t *testing.T) {
	for in, want := range map[string]string{
		``:                                `decoding an action: unexpected end of JSON input`,
		`[]`:                              `decoding an action: json: cannot unmarshal array`,
		`{"verb":"BACK"`:                  `decoding an action: unexpected end of JSON input`,
		`{"verb":"BACK",}`:                `decoding an action: invalid character '}'`,
		`{"verb":"BACK"} {"verb":"HOME"}`: `decoding an action: invalid character '{'`,
		`{"verb":7}`:                      `decoding an action: json: cannot unmarshal number`,
		`null`:                            `decoding an action: unknown verb ""`,
		`{}`:                              `decoding an action: unknown verb ""`,
		`{"verb":"DANCE"}`:                `decoding an action: unknown verb "DANCE"`,
		`{"verb":"back"}`:                 `decoding an action: unknown verb "back"`,
		`{"VERB":"BACK"}`:                 `decoding BACK: "{\"VERB\":\"BACK\"}" is written as`,
		`{"verb":"BACK","at":{}}`:         `is written as "{\"verb\":\"BACK\"}"`,
		`{"verb":"CLICK"}`:                `decoding CLICK: "{\"verb\":\"CLICK\"}" is written as`,
		`{"verb":"CLICK","at":null}`:      `is written as`,
		`{"verb":"CLICK","at":[0.5,0.5]}`: `decoding CLICK: json: cannot unmarshal array`,
		`{"verb":"CLICK","at":{"x":0.5}}`: `is written as`,
		`{"verb":"CLICK","at":{"x":0.5,"y":1,"z":1}}`:              `is written as`,
		`{"verb":"CLICK","At":{"x":0.5,"y":1}}`:                    `is written as`,
		`{"verb":"CLICK","at":{"x":0.5,"y":1},"AT":{"x":0,"y":0}}`: `is written as`,
		`{"verb":"CLICK","at":{"x":"0.5","y":1}}`:                  `cannot unmarshal string`,
		`{"verb":"TYPE","text":"a","at":{"x":1}}`:                  `is written as`,
		`{"verb":"WAIT","for":3}`:                                  `cannot unmarshal number`,
		`{"verb":"WAIT","for":"soon"}`:                             `time: invalid duration "soon"`,
	} {
		t.Run(in, func(t *testing.T) {
			a, err := actions.Unmarshal([]byte(in))
			require.ErrorContains(t, err, want)
			require.Nil(t, a)
		})
	}
}

func TestOnlyMembersOfTheVocabularyAreWritten(t *testing.T) {
	for _, a := range []actions.Action{
		nil, &actions.Back{}, (*actions.Click)(nil), struct{ actions.Back }{},
	} {
		_, err := actions.Marshal(a)
		require.ErrorContains(t, err, "is not in the vocabulary")
	}
	_, err := actions.Marshal(actions.Click{At: screen.Point{X: math.NaN()}})
	require.ErrorContains(t, err, "encoding CLICK: ")
}

func TestActionsOfOlderLimitsCanStillBeRead(t *testing.T) {
	long := actions.Note{Text: strings.Repeat("a", actions.MaxText+1)}
	b, err := actions.Marshal(long)
	require.NoError(t, err)
	back, err := actions.Unmarshal(b)
	require.NoError(t, err)
	require.Equal(t, long, back)
	require.Error(t, back.Validate())
}
