package actions_test

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/screen"
)

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
	v := reflect.New(reflect.TypeOf(rapid.SampledFrom(actions.Vocabulary()).Draw(t, "verb"))).Elem()
	draw(t, v)
	return v.Interface().(actions.Action)
}

func draw(t *rapid.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(rapid.String().Draw(t, "text"))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "flag"))
	case reflect.Int64:
		v.SetInt(rapid.Int64().Draw(t, "time"))
	case reflect.Float64:
		v.SetFloat(rapid.Float64Range(-2, 2).Draw(t, "coordinate"))
	case reflect.Slice:
		if n := rapid.IntRange(0, 3).Draw(t, "length"); n > 0 { // none is nil
			v.Set(reflect.MakeSlice(v.Type(), n, n))
		}
		for i := range v.Len() {
			draw(t, v.Index(i))
		}
	case reflect.Pointer:
		if rapid.Bool().Draw(t, "there") {
			v.Set(reflect.New(v.Type().Elem()))
			draw(t, v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			draw(t, v.Field(i))
		}
	default:
		t.Fatalf("%v is not drawn", v.Type())
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
		`{"verb":"CLICK","at":[0.5,0.5]}`: `decoding CLICK: at cannot be a JSON array`,
		`{"verb":"CLICK","at":{"x":0.5}}`: `is written as`,
		`{"verb":"CLICK","at":{"x":0.5,"y":1,"z":1}}`:              `is written as`,
		`{"verb":"CLICK","At":{"x":0.5,"y":1}}`:                    `is written as`,
		`{"verb":"CLICK","at":{"x":0.5,"y":1},"AT":{"x":0,"y":0}}`: `is written as`,
		`{"verb":"CLICK","at":{"x":"0.5","y":1}}`:                  `at cannot be a JSON string`,
		`{"verb":"TYPE","text":"a","at":{"x":1}}`:                  `is written as`,
		`{"verb":"WAIT","for":3}`:                                  `for cannot be a JSON number`,
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

func TestAnActionIsNamedWithItsArguments(t *testing.T) {
	for _, c := range []struct {
		verb string
		args map[string]any
		want any // an action, or a part of an error
	}{
		{"CLICK", map[string]any{"at": map[string]any{"x": 0.5, "y": 1}},
			actions.Click{At: screen.Point{X: 0.5, Y: 1}}},
		{"TYPE", map[string]any{"text": "hi", "clear": false, "at": nil, "submit": true},
			actions.Type{Text: "hi", Submit: true}},
		{"BACK", nil, actions.Back{}},
		{"click", map[string]any{"at": map[string]any{"x": 0.5, "y": 1}}, nil},
		{"CLICK", nil, `CLICK has no "at" (it wants: at)`}, // and not the corner at 0,0
		{"WAIT", map[string]any{"seconds": 60}, `WAIT has no argument "seconds" (it has: for)`},
		{"CLICK", map[string]any{"at": map[string]any{"x": 0.5, "y": 1.5}}, nil},
		{"CLICK", map[string]any{"at": map[string]any{"x": 0.5}}, nil},
		{"CLICK", map[string]any{"At": map[string]any{"x": 0.5, "y": 1}}, nil},
		{"CLICK", map[string]any{"at": []any{0.5, 0.5}}, nil},
		{"BACK", map[string]any{"verb": "CLICK"}, nil},
		{"BACK", map[string]any{"much": 1}, `BACK has no argument "much" (it has: none)`},
		{"TYPE", map[string]any{"text": ""}, nil},
		{"TYPE", map[string]any{"text": "a\x07"}, nil},
		{"TYPE", map[string]any{"text": func() {}}, nil},
	} {
		got, err := actions.Named(c.verb, c.args)
		if _, is := c.want.(actions.Action); !is {
			part, _ := c.want.(string)
			require.ErrorContains(t, err, part, "%s %v", c.verb, c.args)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.want, got)
		args, err := actions.Args(got)
		require.NoError(t, err)
		again, err := actions.Named(c.verb, args)
		require.NoError(t, err)
		require.Equal(t, got, again)
	}
}
