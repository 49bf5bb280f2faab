package schema_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/tools/schema"
)

type dish struct {
	Name   string   `json:"name" max:"20"`
	Spices []string `json:"spices,omitempty" max:"3" each:"10"`
	Hot    bool     `json:"hot" default:"false"`
	Grams  *float64 `json:"grams,omitempty" max:"1000"`
	Taste  any      `json:"taste,omitempty"`
}

type order struct {
	table
	Dishes []dish          `json:"dishes,omitempty" max:"2"`
	Pay    means           `json:"pay" default:"cash"`
	Seats  int             `json:"seats" min:"1" max:"8" default:"2"`
	Extra  json.RawMessage `json:"extra,omitempty" listed:"rare odd"`
}

type means string

type table struct {
	Table string `json:"table" max:"5"`
}

const words = `
table: The table. It is near the door.
dishes: What to bring.
pay: How it is paid.
seats: For how many.
extra: Anything else.
`

func orders() *schema.Schema {
	types := schema.NewTypes()
	schema.AddEnum[means](types, "cash", "card")
	dishWords := "name: N.\nspices: S.\nhot: H.\ngrams: G.\ntaste: T."
	schema.Add[dish](types, schema.ParseWords(dishWords, nil))
	return schema.For[order](types, schema.ParseWords(words, nil))
}

func TestATypeIsASchema(t *testing.T) {
	require.JSONEq(t, `{"type":"object","additionalProperties":false,"required":["table"],"properties":{
		"table":{"type":"string","description":"The table. It is near the door.","minLength":1,"maxLength":5},
		"dishes":{"type":"array","description":"What to bring.","minItems":1,"maxItems":2,"items":{
			"type":"object","additionalProperties":false,"required":["name"],"properties":{
				"name":{"type":"string","description":"N.","minLength":1,"maxLength":20},
				"spices":{"type":"array","description":"S.","minItems":1,"maxItems":3,
					"items":{"type":"string","minLength":1,"maxLength":10}},
				"hot":{"type":"boolean","description":"H.","default":false},
				"grams":{"type":"number","description":"G.","minimum":0,"maximum":1000},
				"taste":{"description":"T."}}}},
		"pay":{"type":"string","description":"How it is paid.","enum":["cash","card"],"default":"cash"},
		"seats":{"type":"integer","description":"For how many.","minimum":1,"maximum":8,"default":2},
		"extra":{"type":"object","description":"Anything else.","additionalProperties":true}
	}}`, string(schema.JSON(orders())))
}

func TestAKeyWithoutADescriptionIsAMistakeOfTheProgram(t *testing.T) {
	require.PanicsWithValue(t, "schema: table.table has no description", func() {
		schema.For[table](schema.NewTypes(), nil)
	})
}

func TestWordsAddToThoseThatAreShared(t *testing.T) {
	shared := schema.ParseWords("table: A table.\nseats: Seats.", nil)
	s := schema.For[table](schema.NewTypes(), schema.ParseWords("table+: By the door.", shared))
	require.Equal(t, "A table. By the door.", s.Properties["table"].Description)
}

func TestAModelReadsWhatIsListed(t *testing.T) {
	require.JSONEq(t, `{"type":"object","required":["table"],"properties":{
		"table":{"type":"string","description":"The table. It is near the door."},
		"dishes":{"type":"array","description":"What to bring.","items":{"type":"object"}},
		"pay":{"type":"string","description":"How it is paid.","enum":["cash","card"],"default":"cash"},
		"seats":{"type":"integer","description":"For how many.","default":2}
	}}`, string(schema.JSON(schema.Listed[order](orders(),
		func(string) bool { return false }))))
	more := schema.Listed[order](orders(), func(group string) bool { return group == "odd" })
	require.Equal(t, orders().PropertyOrder, more.PropertyOrder)
	require.NotNil(t, orders().Properties["extra"], "the whole schema stays as it is")
	require.NotNil(t, orders().Properties["seats"].Maximum)
}

func TestSectionsOfAText(t *testing.T) {
	require.Equal(t, map[string]string{"A": "x: 1\ny: 2", "B": ""},
		schema.Sections("# A\nx: 1\ny: 2\n\n# B\n"))
}

func TestArgumentsAreReadIntoTheirType(t *testing.T) {
	var o order
	given, err := schema.Read(orders(), json.RawMessage(`{
		"table":"7","seats":"4","extra":{"a":[1]},"pay":null,
		"dishes":[{"name":"soup","spices":["salt"],"taste":3,"grams":"12.5","hot":"true"}]}`),
		&o)
	require.NoError(t, err)
	grams := 12.5
	require.Equal(t, order{table: table{"7"}, Seats: 4, Pay: "cash",
		Extra: json.RawMessage(`{"a":[1]}`),
		Dishes: []dish{{Name: "soup", Spices: []string{"salt"}, Taste: 3.0, Hot: true,
			Grams: &grams}}}, o)
	require.Equal(t, map[string]bool{"table": true, "seats": true, "extra": true, "dishes": true},
		given)
}

// Clients send lists and objects as JSON texts, empty texts for what is unset, and dummies.
func TestArgumentsAsClientsMangleThem(t *testing.T) {
	var o order
	given, err := schema.Read(orders(), json.RawMessage(`{"table":"7","pay":"","seats":"",
		"extra":"{\"a\":1}","dishes":"[{\"name\":\"soup\",\"hot\":\"False\"}]"}`), &o)
	require.NoError(t, err)
	require.Equal(t, json.RawMessage(`{"a":1}`), o.Extra)
	require.EqualValues(t, "cash", o.Pay)
	require.Equal(t, "soup", o.Dishes[0].Name)
	require.False(t, o.Dishes[0].Hot)
	require.Equal(t, map[string]bool{"table": true, "extra": true, "dishes": true}, given)
	_, err = schema.Read(orders(), json.RawMessage(`{"table":"7","dishes":"soup, fish"}`), &o)
	require.EqualError(t, err, "dishes is a text (want a list)")
	given, err = schema.Read(orders(), json.RawMessage(`"{\"table\":\"8\"}"`), &o)
	require.NoError(t, err, "the whole object as a text")
	require.Equal(t, map[string]bool{"table": true}, given)
	none, err := schema.Read(new(schema.Schema), json.RawMessage(`{"random_string":"x"}`), new(any))
	require.NoError(t, err)
	require.Empty(t, none)
}

func TestWhatIsWrongWithAnArgument(t *testing.T) {
	for arguments, want := range map[string][2]string{
		`{}`:   {"table is missing", "pass table: The table"},
		`null`: {"table is missing", "pass table: The table"},
		``:     {"table is missing", "pass table: The table"},
		`""`:   {"table is missing", "pass table: The table"},
		`"7"`: {"the arguments are not a JSON object",
			"pass a JSON object, for example {}"},
		`[1]`: {"the arguments are not a JSON object",
			"pass a JSON object, for example {}"},
		`{"table":"7"} {}`: {"there is something after the arguments",
			"pass one JSON object"},
		`{"table":"7","tip":1}`: {`there is no argument "tip"`,
			"leave it out; the arguments are: table, dishes, pay, seats, extra"},
		`{"table":7}`:        {"table is a number (want a text)", "pass table as a text"},
		`{"table":" "}`:      {"table is empty", "pass a text"},
		`{"table":"secret"}`: {"table has 6 characters (at most 5)", "pass a shorter text"},
		`{"table":"a\u0007"}`: {"table has the control character U+0007",
			"leave control characters out"},
		`{"table":"7","pay":"gold"}`: {`pay is "gold", which is not one of its values`,
			"use one of: cash, card"},
		`{"table":"7","seats":9}`: {`seats is "9" (want 1 to 8)`,
			"pass a number from 1 to 8, or leave seats out"},
		`{"table":"7","seats":"many"}`: {"seats is a text (want a whole number)",
			"pass seats as a whole number, or leave seats out"},
		`{"table":"7","seats":"4 5"}`: {"seats is a text (want a whole number)",
			"pass seats as a whole number, or leave seats out"},
		`{"table":"7","seats":"9"}`: {`seats is "9" (want 1 to 8)`,
			"pass a number from 1 to 8, or leave seats out"},
		`{"table":"7","seats":"true"}`: {"seats is true or false (want a whole number)",
			"pass seats as a whole number, or leave seats out"},
		`{"table":"7","extra":"{"}`: {"extra is a text (want an object)",
			"pass extra as an object, or leave extra out"},
		`{"table":"7","seats":1.5}`: {`seats is "1.5" (want a whole number)`,
			"pass a whole number"},
		`{"table":"7","seats":1e999}`: {`seats is "1e999" (want 1 to 8)`,
			"pass a number from 1 to 8, or leave seats out"},
		`{"table":"7","extra":[]}`: {"extra is a list (want an object)",
			"pass extra as an object, or leave extra out"},
		`{"table":"7","dishes":[{"name":"a"},{"name":"b"},{"name":"c"}]}`: {"dishes has 3 items " +
			"(at most 2)", "pass fewer"},
		`{"table":"7","dishes":["soup"]}`: {"dishes[0] is a text " +
			"(want an object)", "pass dishes[0] as an object"},
		`{"table":"7","dishes":[{}]}`: {"dishes[0]: name is " +
			"missing", "pass name: N"},
		`{"table":"7","dishes":[{"name":"a","spices":[{}]}]}`: {"dishes[0]: " +
			"spices[0] is an object (want a text)", "pass spices[0] as a text"},
	} {
		_, err := schema.Read(orders(), json.RawMessage(arguments), new(order))
		require.Error(t, err, arguments)
		require.Equal(t, want, [2]string{err.Error(), hint.Of(err)}, arguments)
	}
}

// Whatever is sent: it is refused with a hint, or it is what the schema allows by the library's own
// judgement.
func FuzzArguments(f *testing.F) {
	for _, s := range []string{`{}`, `null`, `{"table":"7","seats":4.0}`,
		`{"table":"7","extra":{"a":[1]},"pay":null}`,
		`{"table":"7","dishes":[{"name":"a","spices":["x"],"taste":{},"grams":1e3,"hot":true}]}`,
		`{"table":7}`, `[`} {
		f.Add(s)
	}
	resolved, err := orders().Resolve(nil)
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, arguments string) {
		var o order
		given, err := schema.Read(orders(), json.RawMessage(arguments), &o)
		if err != nil {
			require.NotEmpty(t, hint.Of(err), "%v", err)
			return
		}
		require.True(t, given["table"])
		require.NotEmpty(t, strings.TrimSpace(o.Table))
		b, err := json.Marshal(o)
		require.NoError(t, err)
		var value any
		require.NoError(t, json.Unmarshal(b, &value))
		require.NoError(t, resolved.Validate(value), "%s", b)
	})
}

// Callers take names for one another. The error names the argument that was meant.
func TestTheNearestNameIsToldForAWrongOne(t *testing.T) {
	goOn := []string{"session_id", "task", "reply_from_client", "question_id", "reply_id",
		"reply_type", "decisions", "device_id", "max_steps", "wait_seconds", "reset_environment",
		"enable_final_image_caption", "enable_intermediate_image_caption"}
	ask := []string{"prompt", "context", "options", "fields", "draft", "default_answer",
		"timeout_seconds", "on_timeout", "question_id", "wait_seconds"}
	answer := []string{"question_id", "response", "values", "decline"}
	for _, c := range []struct {
		given string
		names []string
		want  string
	}{
		{"reply", goOn, "reply_from_client"},
		{"answer", goOn, "reply_from_client"},
		{"replyFromClient", goOn, "reply_from_client"},
		{"reply_from_clinet", goOn, "reply_from_client"},
		{"sesion_id", goOn, "session_id"},
		{"SessionID", goOn, "session_id"},
		{"thread-id", goOn, "session_id"},
		{"serial", goOn, "device_id"},
		{"instruction", goOn, "task"},
		{"timeout", goOn, "wait_seconds"},
		{"caption", goOn, "enable_final_image_caption"},
		{"question", ask, "prompt"},
		{"choices", ask, "options"},
		{"timeout", ask, "timeout_seconds"},
		{"default", ask, "default_answer"},
		{"message", answer, "response"},
		{"reply_from_client", answer, "response"},
		{"colour", answer, ""},
		{"", answer, ""},
		{"_", nil, ""},
	} {
		require.Equal(t, c.want, schema.Nearest(c.given, c.names), c.given)
	}
	_, err := schema.Read(orders(), json.RawMessage(`{"tabel":"7"}`), new(order))
	require.EqualError(t, err, `there is no argument "tabel"`)
	require.Equal(t, "pass it as table; the arguments are: table, dishes, pay, seats, extra",
		hint.Of(err))
}

// A list may be one text, one object, or have numbers for texts.
func TestAListIsReadInOtherForms(t *testing.T) {
	s := schema.For[dish](schema.NewTypes(), schema.ParseWords("name: n\nspices: s\nhot: h\n"+
		"grams: g\ntaste: t", nil))
	for given, want := range map[string][]string{`"salt, pepper"`: {"salt", "pepper"}, `"salt"`: {"salt"},
		`"盐、胡椒"`: {"盐", "胡椒"}, `"a, b\nc"`: {"a, b", "c"}, `[1, 2.5]`: {"1", "2.5"},
		`"[\"a, b\"]"`: {"a, b"}, `[]`: nil, `"[]"`: nil, `"null"`: nil} {
		var d dish
		_, err := schema.Read(s, json.RawMessage(`{"name":"x","spices":`+given+`}`), &d)
		require.NoError(t, err, given)
		require.Equal(t, want, d.Spices, given)
	}
	for given, want := range map[string]bool{`"yes"`: true, `1`: true, `"1"`: true, `"No"`: false,
		`0`: false, `"true"`: true} {
		var d dish
		_, err := schema.Read(s, json.RawMessage(`{"name":"x","hot":`+given+`}`), &d)
		require.NoError(t, err, given)
		require.Equal(t, want, d.Hot, given)
	}
}
