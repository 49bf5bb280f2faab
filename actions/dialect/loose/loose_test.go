package loose_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/taploop/taploop/actions/dialect/loose"
)

type (
	list   = []any
	object = loose.Object
	number = loose.Number
)

func TestObjectsAsModelsWriteThem(t *testing.T) {
	action := func(v any) object { return object{{Name: "action", Value: v}} }
	for _, c := range []struct {
		name, in string
		want     object
		rest     string
	}{
		{"plain", `{"action": "tap", "x": 5}`,
			object{{Name: "action", Value: "tap"}, {Name: "x", Value: number("5")}}, ""},
		{"prose behind it", ` {"action": true} and so on}`, action(true), " and so on}"},
		{"single quotes", `{'action': 'tap'}`, action("tap"), ""},
		{"an apostrophe within", `{'action': 'don't stop'}`, action("don't stop"), ""},
		{"unescaped quotes within", `{"action": "say "hi" now"}`, action(`say "hi" now`), ""},
		{"a raw line break", "{\"action\": \"a\nb\"}", action("a\nb"), ""},
		{"escapes", `{"action": "a\n\"b\"\\ é 😀 \d"}`,
			action("a\n\"b\"\\ é 😀 \\d"), ""},
		{"escapes of two halves", `{"action": "\ud83e\udd8a\u0041 \ud83e \ud83e\u0041 \u12"}`,
			action("🦊A \uFFFD \uFFFDA \\u12"), ""},
		{"a trailing comma", `{"action": [1, 2,],}`, action(list{number("1"), number("2")}), ""},
		{"bare keys and words", `{action: tap here}`, action("tap here"), ""},
		{"Python", `{'action': (True, False, None)}`, action(list{true, false, nil}), ""},
		{"an equals sign", `{action='tap'}`, action("tap"), ""},
		{"full width", `{"action"：［057，1］}`, action(list{number("057"), number("1")}), ""},
		{"comments", "{ // what\n\"action\": /* now */ 1}", action(number("1")), ""},
		{"one whose last bracket is missing", `{"action": {"x": 1}`,
			action(object{{Name: "x", Value: number("1")}}), ""},
		{"zero and signs", `{"action": [0, -1.5, 1e3]}`,
			action(list{number("0"), number("-1.5"), number("1e3")}), ""},
		{"empty", `{}`, object{}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, rest, err := loose.ReadObject(c.in)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
			require.Equal(t, c.rest, rest)
		})
	}
}

func TestCallsAsModelsWriteThem(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     loose.Call
		rest     string
	}{
		{"named", `do(action="Tap", element=[500, 92])`, loose.Call{Name: "do", Args: object{
			{Name: "action", Value: "Tap"},
			{Name: "element", Value: list{number("500"), number("92")}}}}, ""},
		{"with brackets in a text", `finish(message="done (really), \"all\" of it") bye`,
			loose.Call{Name: "finish", Args: object{
				{Name: "message", Value: `done (really), "all" of it`}}}, " bye"},
		{"without a name", `click((10,20))`, loose.Call{Name: "click", Args: object{
			{Value: list{number("10"), number("20")}}}}, ""},
		{"without arguments", `press_home ( )`, loose.Call{Name: "press_home", Args: object{}}, ""},
		{"what looks like a name in a text", `do(action="Type", text="to "Bob", address: "x"")`,
			loose.Call{Name: "do", Args: object{{Name: "action", Value: "Type"},
				{Name: "text", Value: `to "Bob", address: "x"`}}}, ""},
		{"a list in a text", `finish(message="Found "A", "B" and "C".")`,
			loose.Call{Name: "finish", Args: object{
				{Name: "message", Value: `Found "A", "B" and "C".`}}}, ""},
		{"full width", `do（action＝“Tap”，element=［1，2］）`,
			loose.Call{Name: "do", Args: object{{Name: "action", Value: "Tap"},
				{Name: "element", Value: list{number("1"), number("2")}}}}, ""},
		{"a Chinese text", `do(action="Type", text="你好，"世界"")`,
			loose.Call{Name: "do", Args: object{{Name: "action", Value: "Type"},
				{Name: "text", Value: `你好，"世界"`}}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, rest, err := loose.ReadCall(c.in)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
			require.Equal(t, c.rest, rest)
		})
	}
}

func TestWhatIsNoneIsRefusedWithItsPlace(t *testing.T) {
	for in, want := range map[string]string{
		"":                   "it ends too early",
		"tap it":             `want { at "tap it"`,
		`{"a": `:             "it ends too early",
		`{"a" "b"}`:          `want a name and : at "}"`,
		`{"a": ]}`:           `want a value at "]}"`,
		`{"a`:                "it ends too early",
		`{"a": {"x": [1, 2`:  "it ends too early",
		`{"a": {"x": [1, 2]`: "it ends too early",
		`{"a": "b"`:          "it ends too early",
		`{'a': 'say ")}`:     "it ends too early",
		deep("{a:", 20):      "it is nested more than 16 deep",
		"{'a': [1 2, {}x}":   `want , or ]`,
	} {
		_, rest, err := loose.ReadObject(in)
		require.ErrorContains(t, err, want, in)
		require.Equal(t, in, rest)
	}
}

func deep(s string, n int) string {
	all := ""
	for range n {
		all += s
	}
	return all
}

func TestANameThatComesTwiceIsSeen(t *testing.T) {
	o, _, err := loose.ReadObject(`{"a": 1, "b": 2, "a": 3}`)
	require.NoError(t, err)
	require.Equal(t, "a", o.Doubled())
	require.Equal(t, number("1"), o.Get("a"))
	require.Nil(t, o.Get("c"))
}

// Whatever is well-formed JSON is read as what it is.
func TestJSONIsReadAsWhatItIs(t *testing.T) {
	var values func(depth int) *rapid.Generator[any]
	values = func(depth int) *rapid.Generator[any] {
		leaves := rapid.OneOf(
			rapid.Custom(func(t *rapid.T) any { return rapid.Bool().Draw(t, "bool") }),
			rapid.Custom(func(t *rapid.T) any { return rapid.String().Draw(t, "text") }),
			rapid.Custom(func(t *rapid.T) any {
				return float64(rapid.IntRange(-5000, 5000).Draw(t, "number")) / 8
			}),
			rapid.Just(any(nil)))
		if depth == 0 {
			return leaves
		}
		return rapid.OneOf(leaves,
			rapid.Custom(func(t *rapid.T) any {
				return rapid.SliceOfN(values(depth-1), 0, 4).Draw(t, "list")
			}),
			rapid.Custom(func(t *rapid.T) any {
				return rapid.MapOfN(rapid.String(), values(depth-1), 0, 4).Draw(t, "object")
			}))
	}
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.MapOfN(rapid.StringN(1, 8, -1), values(3), 1, 4).Draw(t, "in")
		b, err := json.Marshal(in)
		require.NoError(t, err)
		var want any
		require.NoError(t, json.Unmarshal(b, &want))
		got, rest, err := loose.ReadObject(string(b))
		require.NoError(t, err, string(b))
		require.Empty(t, rest)
		require.Equal(t, want, plain(got), string(b))
	})
}

// plain is a value as encoding/json reads it.
func plain(v any) any {
	switch v := v.(type) {
	case object:
		m := map[string]any{}
		for _, e := range v {
			m[e.Name] = plain(e.Value)
		}
		return m
	case list:
		out := list{}
		for _, e := range v {
			out = append(out, plain(e))
		}
		return out
	case number:
		return v.Float()
	}
	return v
}

// The law: an error and nothing taken, or a value that ends where the rest begins; never a panic.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{`{"a": [1, 'b', {c: d}]}`, `do(x="a\u12", y=(1,2)`,
		"{'a': 'b\", ",
		"（", `{"\ud83d\ude00": "`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, read := range []func(string) (string, error){
			func(s string) (string, error) {
				_, rest, err := loose.ReadObject(s)
				return rest, err
			},
			func(s string) (string, error) { _, rest, err := loose.ReadCall(s); return rest, err },
		} {
			rest, err := read(s)
			require.LessOrEqual(t, len(rest), len(s))
			require.Equal(t, s[len(s)-len(rest):], rest)
			if err != nil {
				require.Equal(t, s, rest)
				require.Less(t, len(err.Error()), 300)
			}
		}
		require.False(t, math.IsNaN(loose.Number("1").Float()))
	})
}
