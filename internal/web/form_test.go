package web_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
)

func to(v float64) *float64 { return &v }

// trip is a form with every type of field.
func trip() []inquiry.Field {
	return []inquiry.Field{
		{Name: "name", Label: "Who travels?", Type: inquiry.TextField, Min: to(2), Max: to(40)},
		{Name: "class", Label: "Class", Type: inquiry.ChoiceField,
			Options: []string{"Second", "First"}, Default: "Second"},
		{Name: "extras", Label: "Extras", Type: inquiry.ChoicesField,
			Options: []string{"Window seat", "Bicycle", "Meal"}, Optional: true, Max: to(2)},
		{Name: "flexible", Label: "Can the ticket be given back?", Type: inquiry.YesNoField},
		{Name: "bags", Label: "Bags", Type: inquiry.NumberField, Min: to(0), Max: to(3),
			Default: 1},
		{Name: "day", Label: "Day of travel", Type: inquiry.DateField},
	}
}

const tripAnswer = `{"name":"Ann","class":"First","extras":["Window seat","Meal"],` +
	`"flexible":false,"bags":2,"day":"2028-02-29"}`

func TestAFormIsAnsweredWithAnObjectOrItsText(t *testing.T) {
	g := newRig(t, nil)
	for name, body := range map[string]string{
		"object": `{"reply_id":"r1","response":` + tripAnswer + `}`,
		"text": `{"reply_id":"r1","response":"{\"day\":\"2028-02-29\",\"name\":\"Ann\",` +
			`\"class\":\"first\",\"extras\":[\"Meal\",\"window seat\"],\"flexible\":false,` +
			`\"bags\":2}"}`,
		"bare": `{"response":` + tripAnswer + `}`,
		"spaced ": `{"response": {"name" : "Ann ", "bags":2.0, "class":"FIRST", "extras":[` +
			`"Window seat","Meal"], "flexible":false, "day":"2028-02-29"} }`,
	} {
		q := g.waiting("ann", inquiry.Question{Body: &inquiry.Form{Fields: trip()}})
		a := g.post("/v1/inquiries/"+q.ID+"/reply", g.ann, body)
		require.Equal(t, 200, a.status, "%s: %s", name, a.text)
		stored, err := g.broker.Get(t.Context(), q.ID)
		require.NoError(t, err)
		require.Equal(t, tripAnswer, stored.Resolution.Response.Reveal(), name)
	}
	q := g.waiting("ann", inquiry.Question{Body: &inquiry.Form{Fields: trip()}})
	path := "/v1/inquiries/" + q.ID + "/reply"
	require.Equal(t, 200, g.post(path, g.ann, `{"reply_id":"r","response":`+tripAnswer+`}`).status)
	again := g.post(path, g.ann,
		`{"reply_id":"r","response":{"bags":2e0,"name":"Ann","class":"First","extras":["Meal",`+
			`"Window seat"],"flexible":false,"day":"2028-02-29"}}`)
	require.Equal(t, 200, again.status, again.text)
	require.Equal(t, true, again.json(t)["replayed"])
	require.Equal(t, 422, g.post(path, g.ann, `{"reply_id":"r","response":{}}`).status)
}

func TestWhatDoesNotFitAFormIsToldPerField(t *testing.T) {
	g := newRig(t, nil)
	q := g.waiting("ann", inquiry.Question{Body: &inquiry.Form{Fields: trip()}})
	path := "/v1/inquiries/" + q.ID + "/reply"
	a := g.post(path, g.ann,
		`{"response":{"name":"A","class":"Third","extras":[],"bags":9,"flexible":true,`+
			`"day":"2027-02-29","colour":"red"}}`)
	require.Equal(t, 400, a.status, a.text)
	m := a.json(t)
	require.Equal(t, "INVALID_REPLY", m["error"].(map[string]any)["code"])
	require.Equal(t, map[string]any{
		"name":   "it has 1 (at least 2 characters)",
		"class":  `it is none of the options (want one of ["Second" "First"])`,
		"bags":   "it is 9 (at most 3)",
		"day":    `it is not a date of the calendar (want one as "2026-01-31")`,
		"colour": "the form has no such field (it has name, class, extras, flexible, bags, day)",
	}, m["fields"])
	for body, want := range map[string]string{
		`{"response":"Ann"}`:                       "not a JSON object",
		`{"response":{"name":"A","name":"B"}}`:     "is there twice",
		`{"type":"decline","response":{"bags":1}}`: "only the answer to a form",
		`{"response":{"bags":1e999}}`:              "the number is too large",
	} {
		a := g.post(path, g.ann, body)
		require.Equal(t, 400, a.status, "%s: %s", body, a.text)
		require.Contains(t, a.text, want)
	}
	require.Equal(t, "pending", g.get("/v1/inquiries/"+q.ID, g.ann).json(t)["status"])
	require.Equal(t, 200, g.post(path, g.ann, `{"type":"decline"}`).status)
}

func TestAProgramSeesTheSchemaTheDraftAndTheChannels(t *testing.T) {
	g := newRig(t, nil)
	form := g.waiting("ann", inquiry.Question{Body: &inquiry.Form{Fields: trip()},
		Channels: []inquiry.Channel{{Name: "elicit"}, {Name: "page"}}})
	m := g.get("/v1/inquiries/"+form.ID, g.ann).json(t)
	schema := m["input_schema"].(map[string]any)
	require.Equal(t, []any{"name", "class", "flexible", "bags", "day"}, schema["required"])
	require.Equal(t, map[string]any{"title": "Class", "type": "string",
		"enum": []any{"Second", "First"}, "default": "Second"},
		schema["properties"].(map[string]any)["class"])
	require.Len(t, m["fields"], 6)
	require.Equal(t, []any{map[string]any{"channel": "elicit"}, map[string]any{"channel": "page"}},
		m["channels"])

	draft := g.waiting("ann", inquiry.Question{Body: &inquiry.Ask{Draft: "# Plan\n"}})
	m = g.get("/v1/inquiries/"+draft.ID, g.ann).json(t)
	require.Equal(t, "# Plan\n", m["draft"])
	require.NotContains(t, m, "input_schema")
	a := g.post("/v1/inquiries/"+draft.ID+"/reply", g.ann, `{"response":"# Plan\n\n1. go\n"}`)
	require.Equal(t, 200, a.status, a.text)
	require.Equal(t, "# Plan\n\n1. go\n",
		a.json(t)["inquiry"].(map[string]any)["resolution"].(map[string]any)["response"])
}
