package dialect_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/loose"
	"github.com/taploop/taploop/internal/screen"
)

var forms = dialect.Forms{
	{Name: "hold", Also: "long_press", Want: "hold(at)", Action: actions.LongPress{},
		Args: "At=at|#|x,y Hold?=seconds|time"},
	{Name: "enter", Action: actions.HotKey{Key: actions.KeyEnter}},
	{Name: "key", Action: actions.HotKey{}, Args: "Key=name"},
	{Name: "write", Action: actions.Type{Submit: true}, Args: "Text=text Clear?=clear At?=at"},
	{Name: "pause", Action: dialect.UsualWait, Args: "For=seconds"},
	{Name: "ask", Action: actions.Info{}, Args: "kind:question Question=text Options?=options"},
}

func arguments(t *testing.T, object string) *dialect.Args {
	values, _, err := loose.ReadObject(object)
	require.NoError(t, err)
	return &dialect.Args{Values: values, Scale: dialect.Scale{
		Coordinates: screen.Coordinates{Unit: 1000}}}
}

// What has no argument, and what an argument that is left out says, is in the form.
func TestAFormIsReadFieldByField(t *testing.T) {
	at := screen.Point{X: 0.5, Y: 0.25}
	for _, c := range []struct {
		name, arguments string
		want            actions.Action
	}{
		{"hold", `{"at": [500, 250]}`, actions.LongPress{At: at}},
		{"ho\u200bld", `{"at": [500, 250]}`, actions.LongPress{At: at}},
		{"Long-Press", `{"x": 500, "y": 250, "time": 2}`,
			actions.LongPress{At: at, Hold: 2 * time.Second}},
		{"enter", `{"name": "back"}`, actions.HotKey{Key: actions.KeyEnter}},
		{"key", `{"name": "KEYCODE_VOLUME UP"}`, actions.HotKey{Key: actions.KeyVolumeUp}},
		{"write", `{"text": " a "}`, actions.Type{Text: " a ", Submit: true}},
		{"write", `{"text": "a", "at": [500, 250], "clear": true}`,
			actions.Type{Text: "a", At: &at, Clear: true, Submit: true}},
		{"pause", `{}`, dialect.UsualWait},
		{"pause", `{"seconds": 1000}`, actions.Wait{For: actions.MaxWait}},
		{"ask", `{"text": " q ", "options": "a | b"}`,
			actions.Info{Question: "q", Options: []string{"a", "b"}}},
		{"ask", `{"text": "q", "options": ["a|b", ""]}`,
			actions.Info{Question: "q", Options: []string{"a|b"}}},
	} {
		got, err := forms.Decode(c.name, arguments(t, c.arguments), "")
		require.NoError(t, err, c.name)
		require.Equal(t, c.want, got, c.name)
	}
	for name, want := range map[string]string{
		" ":     "the name of the action is missing; expected one of these",
		"dance": `unknown action "dance"; expected one of these`,
		"hold":  "the field at is missing; expected hold(at)",
	} {
		_, err := forms.Decode(name, arguments(t, `{}`), "one of these")
		require.EqualError(t, err, want)
	}
}

// The first form is written that can say all of the action.
func TestAnActionIsWrittenInTheFormThatSaysIt(t *testing.T) {
	for _, c := range []struct {
		action actions.Action
		form   string
		want   []dialect.Argument
	}{
		{actions.LongPress{Hold: time.Second / 2}, "hold",
			[]dialect.Argument{{"at", screen.Point{}}, {"seconds", json.Number("0.5")}}},
		{actions.HotKey{Key: actions.KeyEnter}, "enter", nil},
		{actions.HotKey{Key: actions.KeyMenu}, "key", []dialect.Argument{{"name", "menu"}}},
		{actions.Type{Text: "a", Submit: true}, "write", []dialect.Argument{{"text", "a"}}},
		{actions.Type{Text: "a"}, "", nil}, // this family submits every text
		{actions.Info{Question: "q"}, "ask",
			[]dialect.Argument{{"kind", "question"}, {"text", "q"}}},
		{actions.Info{Question: "q", ByHand: true}, "", nil},
		{actions.Back{}, "", nil},
	} {
		form, got := forms.Write(c.action)
		require.Equal(t, c.form != "", form != nil, "%v", c.action)
		if form != nil {
			require.Equal(t, c.form, form.Name)
			require.Equal(t, c.want, got)
		}
	}
}
