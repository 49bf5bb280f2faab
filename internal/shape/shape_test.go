package shape

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
)

// ladder has n levels of two references each to the next one, under a keyword.
func ladder(n int, rung string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"l%d":`+rung+`,`, i, i+1, i+1)
	}
	return `{"$ref":"#/$defs/l0","$defs":{` + b.String() + fmt.Sprintf(`"l%d":true}}`, n)
}

func TestASchemaIsRefusedThatWouldNeverEnd(t *testing.T) {
	for raw, why := range map[string]string{
		`{"$ref":"#"}`: "refers to itself",
		`{"$REF":"#"}`: "refers to itself",
		`{"$id":"https://x.example/s","$ref":"https://x.example/s#"}`:      "refers to itself",
		`{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`:    "refers to itself",
		`{"$ref":"#/%24defs/a","$defs":{"a":{"$ref":"#/%24defs/a"}}}`:      "refers to itself",
		`{"$ref":"#/$defs/a~1b","$defs":{"a/b":{"allOf":[{"$ref":"#"}]}}}`: "refers to itself",
		`{"$dynamicAnchor":"n","anyOf":[{"$dynamicRef":"#n"}]}`:            "refers to itself",
		`{"$anchor":"n","oneOf":[{"$ref":"#n"}]}`:                          "refers to itself",
		`{"not":{"$ref":"#"}}`:                                       "refers to itself",
		`{"if":true,"then":{"$ref":"#"}}`:                            "refers to itself",
		`{"if":false,"else":{"$ref":"#"}}`:                           "refers to itself",
		`{"if":{"$ref":"#"}}`:                                        "refers to itself",
		`{"dependentSchemas":{"a":{"$ref":"#"}}}`:                    "refers to itself",
		`{"properties":{"n":{"allOf":[{"$ref":"#/properties/n"}]}}}`: "refers to itself",
		`{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":{"$ref":"#"}}}`: "refers to itself",
		ladder(40, `{"anyOf":[{"$ref":"#/$defs/l%d"},{"$ref":"#/$defs/l%d"}]}`):                   "too often",
		ladder(40, `{"allOf":[{"$ref":"#/$defs/l%d"}],"not":{"$ref":"#/$defs/l%d"}}`):             "too often",
		strings.Repeat(`{"not":`, 5000) + "{}" + strings.Repeat("}", 5000):                        "levels",
		`{"$ref":"https://elsewhere.example/s"}`:                                                  "no part of it",
		`{"items":{"$id":"https://x.example/s","$ref":"#"}}`:                                      "$id",
		`[]`:                "want a JSON Schema",
		`true`:              "want a JSON Schema",
		`{"type":"objekt"}`: `type "objekt", which nothing fits`,
		`{"type":"object","properties":{"n":{"type":"int"}}}`:     `type "int", which nothing fits`,
		`{"anyOf":[{"type":"string"},{"items":{"type":"text"}}]}`: `type "text", which nothing fits`,
		`{"items":{"type":["text"]}}`:                             `type "text", which nothing fits`,
		`{"description":"` + strings.Repeat("x", most) + `"}`:     "bytes",
	} {
		_, err := Parse([]byte(raw))
		require.ErrorContains(t, err, why, "%.200s", raw)
	}
}

func TestAValueIsHeldAgainstASchemaWithBoundedWork(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	tree := `{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#"}}},
		"required":["kids"]}`
	for name, c := range map[string]struct{ schema, value, why string }{
		"one of two types": {`{"type": ["string", "null"]}`, `null`, ""},
		"nothing":          {`{"properties":{"n":{"type":"string"}}}`, `{"n":null}`, `type: null has type "null", want "string"`},
		"a part":           {`{"$defs":{"n":{"type":"integer"}},"items":{"$ref":"#/$defs/n"}}`, `["x"]`, "integer"},
		"a tree":           {tree, `{"kids":[{"kids":[]},{"kids":[{"kids":[]}]}]}`, ""},
		"a wrong tree":     {tree, `{"kids":[{"kids":[]},{"kids":[{}]}]}`, "kids"},
		"doubled a level":  {`{"anyOf":[{"items":{"$ref":"#"}},{"items":{"$ref":"#"}}]}`, deep(40), "too often"},
		"deep":             {`{"items":{"$ref":"#"}}`, deep(9000), "too deep"},
		"doubled keys": {`{"allOf":[{"additionalProperties":{"$ref":"#"}},{"patternProperties":{"":{"$ref":"#"}}}]}`,
			strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40), "too often"},
		"many values": {`{"items":{"type":"integer"}}`, "[" + strings.Repeat("1,", 20000) + "1]", ""},
		"a tuple":     {`{"prefixItems":[{"type":"string"},{"type":"integer"}]}`, `["a",1]`, ""},
		"older":       {`{"$schema":"http://json-schema.org/draft-04/schema#","type":"string"}`, `1`, "string"},
		"a property that is named so": {`{"properties":{"$ref":{"type":"string"},"type":{"enum":["x"]}}}`,
			`{"$ref":"#","type":"x"}`, ""},
		"a value like a schema": {`{"const":{"$ref":"#","type":"bus"}}`, `{"$ref":"#","type":"bus"}`, ""},
	} {
		s, err := Parse([]byte(c.schema))
		require.NoError(t, err, name)
		var value any
		require.NoError(t, json.Unmarshal([]byte(c.value), &value), name)
		if err = s.Validate(value); c.why == "" {
			require.NoError(t, err, name)
			continue
		}
		require.ErrorContains(t, err, c.why, name)
	}
}

// What strings.EqualFold takes for equal has one fold, and no two names of the same case have.
func TestNamesThatDifferInCaseHaveOneFold(t *testing.T) {
	for r := range unicode.MaxRune {
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			require.Equal(t, fold(string(r)), fold(string(other)))
		}
	}
	require.NotEqual(t, fold("path"), fold("paths"))
}
