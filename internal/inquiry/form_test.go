package inquiry_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/inquirytest"
)

func to(v float64) *float64 { return &v }

// trip is a form with every type of field.
func trip() []inquiry.Field {
	return []inquiry.Field{
		{Name: "name", Label: "On whose name?", Type: inquiry.TextField, Min: to(2), Max: to(20)},
		{Name: "size", Type: inquiry.ChoiceField, Options: []string{"Small", "Large"},
			Default: "small"},
		{Name: "extras", Type: inquiry.ChoicesField, Options: []string{"Window", "Aisle", "Meal"},
			Optional: true, Max: to(2)},
		{Name: "pay", Type: inquiry.YesNoField},
		{Name: "bags", Type: inquiry.NumberField, Min: to(0), Max: to(3), Default: 1},
		{Name: "day", Type: inquiry.DateField},
		{Name: "note", Type: inquiry.TextField, Optional: true},
	}
}

const (
	tripAnswer = `{"name":"Ann","size":"Large","extras":["Window","Meal"],"pay":false,` +
		`"bags":2,"day":"2028-02-29"}`
	tripSpelt = " {\"day\" : \"2028-02-29\",\n\"note\":null, \"bags\":2.0e0, " +
		"\"pay\":false,\"extras\":[\"meal\",\"Window\"], \"size\":\" large \", " +
		"\"name\":\"\\u0041nn \"}\n"
)

func TestAnAnswerToAFormIsKeptInOneSpelling(t *testing.T) {
	b := broker()
	q := ask(t, b, inquiry.Question{Body: &inquiry.Form{Fields: trip()}})
	require.Equal(t, "Small", inquiry.As[inquiry.Form](q).Fields[1].Default,
		"a default has the question's spelling")
	require.Equal(t, 1.0, inquiry.As[inquiry.Form](q).Fields[4].Default)

	r := reply(tripSpelt)
	r.ID = "r1"
	won, err := b.Resolve(t.Context(), q.ID, r)
	require.NoError(t, err)
	require.Equal(t, tripAnswer, won.Question.Resolution.Response.Reveal())

	r.Response = tripAnswer
	again, err := b.Resolve(t.Context(), q.ID, r)
	require.NoError(t, err)
	require.True(t, again.Replayed, "another spelling is the same reply")
	// as programs write it that show a form with texts alone
	r.Response = `{"name":"Ann","size":"Large","extras":["Window","Meal"],"pay":"No",` +
		`"bags":" 2 ","day":"2028-02-29"}`
	again, err = b.Resolve(t.Context(), q.ID, r)
	require.NoError(t, err)
	require.True(t, again.Replayed)
	for _, other := range []string{strings.Replace(tripAnswer, "false", "true", 1), "{", "",
		strings.Repeat(" ", 65<<10) + tripAnswer} {
		r.Response = other
		_, err = b.Resolve(t.Context(), q.ID, r)
		require.ErrorIs(t, err, inquiry.ErrReplyIDReused)
	}
}

func TestEveryFieldThatDoesNotFitIsTold(t *testing.T) {
	b := broker()
	q := ask(t, b, inquiry.Question{Body: &inquiry.Form{Fields: trip()}})
	for answer, want := range map[string]map[string]string{
		`{}`: {"name": "it is missing", "size": "it is missing", "pay": "it is missing",
			"bags": "it is missing", "day": "it is missing"},
		`{"name":null,"size":" ","extras":[],"pay":"","bags":" ","day":""}`: {
			"name": "it is missing", "size": "it is missing", "pay": "it is missing",
			"bags": "it is missing", "day": "it is missing"},
		`{"name":5,"size":true,"extras":7,"pay":"maybe","bags":"two","day":20280229}`: {
			"name":   "it is not text (want a JSON string)",
			"size":   `it is none of the options (want one of ["Small" "Large"])`,
			"extras": `it is not a list (want a JSON array of some of ["Window" "Aisle" "Meal"])`,
			"pay":    "it is neither true nor false",
			"bags":   "it is not a number",
			"day":    `it is not a date of the calendar (want one as "2026-01-31")`},
		with("name", `"A"`):     {"name": "it has 1 (at least 2 characters)"},
		with("name", `"  A  "`): {"name": "it has 1 (at least 2 characters)"},
		with("name", `"äöüäöüäöüäöüäöüäöüäöü"`): {"name": "it has 21 (at most 20 characters)"},
		with("name", `"a\u0000b"`):              {"name": "it contains a NUL character"},
		with("name", `{"a":1}`):                 {"name": "it is not text (want a JSON string)"},
		with("size",
			`"Medium"`): {"size": `it is none of the options (want one of ["Small" "Large"])`},
		with("extras", `["Meal","meal"]`): {"extras": `"Meal" is there twice`},
		with("extras", `["Meal",7]`): {"extras": "something in it is none of the options " +
			`(want some of ["Window" "Aisle" "Meal"])`},
		with("extras", `["Meal","Aisle","Window"]`): {"extras": "it has 3 (at most 2 choices)"},
		with("bags", `-1`):                          {"bags": "it is -1 (at least 0)"},
		with("bags", `3.5`):                         {"bags": "it is 3.5 (at most 3)"},
		with("bags", `1e400`):                       {"bags": "the number is too large"},
		with("bags",
			`1e-400`): {"bags": "the number has more digits than can be kept (about 15)"},
		with("bags",
			`1.00000000000000000001`): {"bags": "the number has more digits than can be kept " +
			"(about 15)"},
		with("day",
			`"2027-02-29"`): {"day": `it is not a date of the calendar (want one as "2026-01-31")`},
		with("day",
			`"2027-2-9"`): {"day": `it is not a date of the calendar (want one as "2026-01-31")`},
		with("colour",
			`"red"`): {"colour": "the form has no such field (it has name, size, extras, pay, " +
			"bags, day, note)"},
	} {
		_, err := b.Resolve(t.Context(), q.ID, reply(answer))
		var invalid *inquiry.InvalidReplyError
		require.ErrorAs(t, err, &invalid, answer)
		require.Equal(t, want, invalid.Fields, answer)
		for name, problem := range want {
			require.Contains(t, err.Error(), fmt.Sprintf("%q: %s", name, problem))
		}
	}
	require.True(t, strings.HasPrefix(resolveErr(t, b, q, `{}`),
		`the answer does not fit the form: "name": it is missing; "size"`),
		"in the order of the fields")
	got, err := b.Get(t.Context(), q.ID)
	require.NoError(t, err)
	require.Equal(t, q, got)
}

// with is the good answer with one other value.
func with(name, value string) string {
	var all map[string]json.RawMessage
	if err := json.Unmarshal([]byte(tripAnswer), &all); err != nil {
		panic(err)
	}
	all[name] = json.RawMessage(value)
	b, err := json.Marshal(all)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func resolveErr(t *testing.T, b *inquiry.Broker, q inquiry.Question, answer string) string {
	t.Helper()
	_, err := b.Resolve(t.Context(), q.ID, reply(answer))
	var invalid *inquiry.InvalidReplyError
	require.ErrorAs(t, err, &invalid, "%.100s", answer)
	return err.Error()
}

func TestWhatIsNoAnswerToAFormIsRefusedAsAWhole(t *testing.T) {
	b := broker()
	q := ask(t, b,
		inquiry.Question{Body: &inquiry.Form{Fields: []inquiry.Field{{Name: "a",
			Type:     inquiry.NumberField,
			Optional: true}}}})
	for answer, want := range map[string]string{
		"":                   "it is not a JSON object (want one JSON object with the fields a)",
		"yes":                "it is not a JSON object",
		"5":                  "it is not a JSON object",
		"null":               "it is not a JSON object",
		`["a"]`:              "it is not a JSON object",
		`{"a":1`:             "it is not JSON",
		`{"a":1,}`:           "it is not JSON",
		`{"a":1}{}`:          "something after the JSON object",
		`{"a":1} x`:          "something after the JSON object",
		`{"a":NaN}`:          "it is not JSON",
		`{"a":1,"a":2}`:      `"a" is there twice`,
		`{"a":1,"\u0061":1}`: `"a" is there twice`,
		`{"a":"` + strings.Repeat("x", 64<<10) +
			`"}`: "bytes (at most 65536)",
		`{"a":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`: "it is not JSON",
		"{\"a\":\"\xff\"}": "not valid UTF-8",
	} {
		require.Contains(t, resolveErr(t, b, q, answer), want)
	}
	var many strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&many, `,"k%d":1`, i)
	}
	require.Less(t, len(resolveErr(t, b, q, "{"+many.String()[1:]+"}")), 2000,
		"what is echoed is bounded")
	require.Less(t, len(resolveErr(t, b, q, `{"`+strings.Repeat("k", 60000)+`":1}`)), 500)
	long := reply(`{}`)
	long.ID = strings.Repeat("r", 201)
	_, err := b.Resolve(t.Context(), q.ID, long)
	require.EqualError(t, err, "the reply id is not plain text of at most 200 bytes")
	_, err = b.Resolve(t.Context(), q.ID, reply(`{"a":-0.0}`))
	require.NoError(t, err)
	got, err := b.Get(t.Context(), q.ID)
	require.NoError(t, err)
	require.Equal(t, `{"a":0}`, got.Resolution.Response.Reveal())
}

func TestAFormIsRefusedWithoutAnAnswer(t *testing.T) {
	b := broker()
	q := ask(t, b, inquiry.Question{Body: &inquiry.Form{Fields: trip()}})
	won, err := b.Resolve(t.Context(), q.ID, inquiry.Reply{Type: inquiry.TypeDecline,
		Response: "not now", Channel: "http"})
	require.NoError(t, err)
	require.Equal(t, inquiry.Refused, won.Question.Status)
}

func TestSilenceAnswersAFormWithItsDefault(t *testing.T) {
	b := broker()
	q := ask(t, b, inquiry.Question{Body: &inquiry.Form{Fields: trip()}, OnTimeout: inquiry.Default,
		DefaultAnswer: tripSpelt})
	require.NoError(t, b.Sweep(t.Context(), q.AttentionUntil))
	got, err := b.Get(t.Context(), q.ID)
	require.NoError(t, err)
	require.Equal(t, inquiry.TimedOut, got.Status)
	require.Equal(t, tripAnswer, got.Resolution.Response.Reveal())
}

func TestTheAnswerToADraftIsTheWholeText(t *testing.T) {
	b := inquiry.NewBroker(new(inquirytest.Memory), &inquiry.Options{MaxAnswer: 30})
	q := ask(t, b, inquiry.Question{Body: &inquiry.Ask{Draft: "# Plan\n"}})
	require.Equal(t, "the answer is empty", resolveErr(t, b, q, " \n"))
	won, err := b.Resolve(t.Context(), q.ID, reply("  code\n\n# Plan <b>\n"))
	require.NoError(t, err)
	require.Equal(t, "  code\n\n# Plan <b>\n", won.Question.Resolution.Response.Reveal())
}

func TestAFormThatMakesNoSenseIsNotAsked(t *testing.T) {
	b := inquiry.NewBroker(new(inquirytest.Memory), &inquiry.Options{MaxAnswer: 1000})
	form := func(f ...inquiry.Field) inquiry.Question {
		return inquiry.Question{Text: "x", Body: &inquiry.Form{Fields: f}}
	}
	one := func(typ inquiry.FieldType, change func(*inquiry.Field)) inquiry.Question {
		f := inquiry.Field{Name: "a", Type: typ}
		if typ == inquiry.ChoiceField || typ == inquiry.ChoicesField {
			f.Options = []string{"Mon", "Tue"}
		}
		if change != nil {
			change(&f)
		}
		return form(f)
	}
	text := inquiry.Field{Name: "a", Type: inquiry.TextField}
	for _, c := range []struct {
		want string
		q    inquiry.Question
	}{
		{"the form has no fields", inquiry.Question{Text: "x",
			Body: &inquiry.Form{Fields: []inquiry.Field{}}}},
		{"the form has 51 fields (at most 50)", form(make([]inquiry.Field, 51)...)},
		{`two fields are named "a"`, form(text, text)},
		{`field 1 is named ""`, form(inquiry.Field{Type: inquiry.TextField})},
		{`field 1 is named "a b"`, one(inquiry.TextField, func(f *inquiry.Field) {
			f.Name = "a b"
		})},
		{`field 1 is named "a\n"`, one(inquiry.TextField, func(f *inquiry.Field) {
			f.Name = "a\n"
		})},
		{`field 1 is named "größe"`, one(inquiry.TextField, func(f *inquiry.Field) {
			f.Name = "größe"
		})},
		{"at most 64 of them", one(inquiry.TextField, func(f *inquiry.Field) {
			f.Name = strings.Repeat("a", 65)
		})},
		{`field "a": unknown type "colour" (want one of ["text"`, one("colour", nil)},
		{"the label is not plain text", one(inquiry.TextField, func(f *inquiry.Field) {
			f.Label = "a\xff"
		})},
		{"the label is not plain text of at most 2000 bytes",
			one(inquiry.TextField, func(f *inquiry.Field) {
				f.Label = strings.Repeat("a", 2001)
			})},
		{`type "text" has no options`, one(inquiry.TextField, func(f *inquiry.Field) {
			f.Options = []string{"a"}
		})},
		{"there are 0 options (want 1 to 100)", one(inquiry.ChoiceField, func(f *inquiry.Field) {
			f.Options = nil
		})},
		{"there are 101 options", one(inquiry.ChoicesField, func(f *inquiry.Field) {
			f.Options = make([]string, 101)
		})},
		{"an option is empty", one(inquiry.ChoiceField, func(f *inquiry.Field) {
			f.Options = []string{"a", " "}
		})},
		{`the option "a" is there twice`, one(inquiry.ChoiceField, func(f *inquiry.Field) {
			f.Options = []string{"a", "a"}
		})},
		{"min is 2 and max is 1", one(inquiry.NumberField, func(f *inquiry.Field) {
			f.Min, f.Max = to(2), to(1)
		})},
		{"min and max are finite numbers", one(inquiry.NumberField, func(f *inquiry.Field) {
			f.Max = to(math.NaN())
		})},
		{"min and max are finite numbers", one(inquiry.NumberField, func(f *inquiry.Field) {
			f.Min = to(math.Inf(1))
		})},
		{`type "date" has no min and no max`, one(inquiry.DateField, func(f *inquiry.Field) {
			f.Min = to(1)
		})},
		{"they are whole numbers from 0", one(inquiry.TextField, func(f *inquiry.Field) {
			f.Max = to(1.5)
		})},
		{"they are whole numbers from 0", one(inquiry.TextField, func(f *inquiry.Field) {
			f.Min = to(-1)
		})},
		{"min is 3, of 2 options", one(inquiry.ChoicesField, func(f *inquiry.Field) {
			f.Min = to(3)
		})},
		{"max is 0, so nothing fits", one(inquiry.TextField, func(f *inquiry.Field) {
			f.Max = to(0)
		})},
		{"the default does not fit: it is not a number",
			one(inquiry.NumberField, func(f *inquiry.Field) {
				f.Default = "one"
			})},
		{"the default does not fit: it is 3 (at most 2)",
			one(inquiry.NumberField, func(f *inquiry.Field) {
				f.Max, f.Default = to(2), 3
			})},
		{"the default does not fit: it is none of the options",
			one(inquiry.ChoiceField, func(f *inquiry.Field) {
				f.Default = "Wed"
			})},
		{"the default does not fit: json:", one(inquiry.TextField, func(f *inquiry.Field) {
			f.Default = make(chan int)
		})},
		{"a draft has no options besides",
			inquiry.Question{Text: "x", Body: &inquiry.Ask{Draft: "d", Options: []string{"a"}}}},
		{"ask for each secret in a question of its own",
			inquiry.Question{Text: "x", Body: &inquiry.Form{Fields: trip()}, Secret: true}},
		{"ask for each secret in a question of its own",
			inquiry.Question{Text: "x", Body: &inquiry.Ask{Draft: "d"}, Secret: true}},
		{"the draft cannot be answered as it is: the answer has 1001 bytes (at most 1000)",
			inquiry.Question{Text: "x", Body: &inquiry.Ask{Draft: strings.Repeat("d", 1001)}}},
		{`the default answer does not fit: the answer does not fit the form: "name": it is missing`,
			inquiry.Question{Text: "x", Body: &inquiry.Form{Fields: trip()},
				OnTimeout:     inquiry.Default,
				DefaultAnswer: `{}`}},
	} {
		_, err := b.Open(t.Context(), c.q)
		require.ErrorContains(t, err, c.want)
	}
	all, err := b.List(t.Context(), inquiry.Filter{})
	require.NoError(t, err)
	require.Empty(t, all)
}

func TestAQuestionSharesNothingWithWhoeverAsked(t *testing.T) {
	b := broker()
	fields := trip()
	fields[2].Default = []any{"Meal"}
	q := ask(t, b, inquiry.Question{Body: &inquiry.Form{Fields: fields}})
	before, err := json.Marshal(q)
	require.NoError(t, err)
	fields[0].Name, fields[1].Options[0], *fields[0].Min = "x", "x", 9
	fields[2].Default.([]any)[0] = "x"
	inquiry.As[inquiry.Form](q.Clone()).Fields[2].Default.([]any)[0] = "y"
	after, err := json.Marshal(q)
	require.NoError(t, err)
	require.Equal(t, string(before), string(after))
}

func TestAFormIsAFlatJSONSchemaInTheOrderOfItsFields(t *testing.T) {
	q := ask(t, broker(), inquiry.Question{Body: &inquiry.Form{Fields: trip()}})
	require.Equal(t, `{"type":"object","properties":{`+
		`"name":{"maxLength":20,"minLength":2,"title":"On whose name?","type":"string"},`+
		`"size":{"default":"Small","enum":["Small","Large"],"type":"string"},`+
		`"extras":{"items":{"enum":["Window","Aisle","Meal"],"type":"string"},`+
		`"maxItems":2,"type":"array"},`+
		`"pay":{"type":"boolean"},`+
		`"bags":{"default":1,"maximum":3,"minimum":0,"type":"number"},`+
		`"day":{"format":"date","type":"string"},`+
		`"note":{"type":"string"}},"required":["name","size","pay","bags","day"]}`,
		string(inquiry.Schema(inquiry.As[inquiry.Form](q).Fields)))
	require.Nil(t, inquiry.Schema(nil))
}

// FuzzAnswerToAForm: an answer is refused, in few words, and the question stays open; or what is
// kept is one JSON object that is the same reply again.
func FuzzAnswerToAForm(f *testing.F) {
	for _, s := range []string{tripAnswer, tripSpelt, `{}`, `{"bags":1e400}`,
		`{"day":"2027-02-29"}`, with("extras", `["Meal"]`), with("bags", "-0"), with("x", "1"),
		"\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		b := broker()
		q := ask(t, b, inquiry.Question{Body: &inquiry.Form{Fields: trip()}})
		r := reply(answer)
		r.ID = "r"
		won, err := b.Resolve(t.Context(), q.ID, r)
		if err != nil {
			var invalid *inquiry.InvalidReplyError
			require.ErrorAs(t, err, &invalid)
			require.Less(t, len(err.Error()), 8000)
			q, err := b.Get(t.Context(), q.ID)
			require.NoError(t, err)
			require.True(t, q.Open())
			return
		}
		kept := won.Question.Resolution.Response.Reveal()
		var values map[string]any
		require.NoError(t, json.Unmarshal([]byte(kept), &values))
		require.LessOrEqual(t, len(values), len(inquiry.As[inquiry.Form](q).Fields))
		for _, spelling := range []string{kept, answer} {
			r.Response = spelling
			again, err := b.Resolve(t.Context(), q.ID, r)
			require.NoError(t, err)
			require.True(t, again.Replayed)
		}
	})
}

// FuzzForm: a form is refused, or it survives being stored and its schema is JSON.
func FuzzForm(f *testing.F) {
	for _, fields := range [][]inquiry.Field{trip(), {{Name: "a", Type: inquiry.TextField}}, {}} {
		b, err := json.Marshal(fields)
		require.NoError(f, err)
		f.Add(string(b))
	}
	f.Fuzz(func(t *testing.T, form string) {
		var fields []inquiry.Field
		if json.Unmarshal([]byte(form), &fields) != nil || len(fields) == 0 {
			return
		}
		b := broker()
		q, err := b.Open(t.Context(), inquiry.Question{Text: "x",
			Body: &inquiry.Form{Fields: fields}})
		if err != nil {
			return
		}
		require.True(t, json.Valid(inquiry.Schema(inquiry.As[inquiry.Form](q).Fields)))
		text, err := json.Marshal(inquiry.As[inquiry.Form](q).Fields)
		require.NoError(t, err)
		var back []inquiry.Field
		require.NoError(t, json.Unmarshal(text, &back))
		again, err := b.Open(t.Context(),
			inquiry.Question{Text: "x", Body: &inquiry.Form{Fields: back}})
		require.NoError(t, err)
		require.Equal(t, inquiry.As[inquiry.Form](q).Fields, inquiry.As[inquiry.Form](again).Fields)
	})
}
