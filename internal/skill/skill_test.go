package skill

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const onePress = `name: buy
description: Buys it
task: Buy {{what}}
params:
  type: object
  properties: {what: {type: string}}
steps:
- say: open it
  action: {verb: CLICK, at: {x: 0.5, y: 0.25}}
  targets:
  - {label: Shop, locators: [{text: Shop}], x: 0.5, y: 0.5}
- say: find {{what}}
  action: {verb: TYPE, text: "{{what}}"}
`

func TestWhatIsWrongInAFileIsToldWhereItStands(t *testing.T) {
	s, err := Parse("buy.yaml", []byte(onePress))
	require.NoError(t, err)
	require.Len(t, s.Steps, 2)
	for _, c := range []struct{ old, new, want string }{
		{"x: 0.5, y: 0.25", "x: 7, y: 0.25", "buy.yaml:9:11: step 1: 7, 0.25 is not on the screen"},
		{"x: 0.5, y: 0.25", "x: 0.5, y: -0.1", "buy.yaml:9:11: step 1: 0.5, -0.1 is not on"},
		{"verb: CLICK", "verb: KLICK", "buy.yaml:9:11: step 1: "},
		{"TYPE, text", "TYPE, words", "buy.yaml:13:11: step 2: "},
		{"[{text: Shop}]", "[]", "buy.yaml:8:3: step 1: a target has no locators"},
		{"type: object", `$ref: "#"`, "buy.yaml:5:3: params: the schema refers to itself"},
		{"type: object", "type: objekt", "buy.yaml:5:3: params: "},
		{"find {{what}}", "find {{thing}}", "buy.yaml:12:1: {{thing}}: params have no such"},
		{"name: buy", "name: ../buy", "buy.yaml:1:7: name: "},
	} {
		_, err := Parse("buy.yaml", []byte(strings.Replace(onePress, c.old, c.new, 1)))
		require.ErrorContains(t, err, c.want, c.new)
	}
}
