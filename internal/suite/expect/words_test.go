package expect_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/suite/expect"
)

// What a case expects is shown as its author would write it, in one line.
func TestAnExpectationIsShownAsItIsWritten(t *testing.T) {
	dir := t.TempDir()
	for line, want := range map[string]string{
		"app: com.a":           "app: com.a",
		`text: "a: b, {c} #1"`: `text: "a: b, {c} #1"`,
		"no_text: 😀 x":         "no_text: 😀 x",
		"element: {id: a, checked: false, count: 0}": "element: {id: a, checked: false, count: 0}",
		"answer: '(?i)ok', within: 90s":              "answer: (?i)ok, within: 1m30s",
		"setting: {namespace: global, name: a, value: ''}": "setting: {namespace: global, " +
			"name: a}",
		"query: {uri: content://a, rows: 0}":          "query: {uri: content://a, rows: 0}",
		"file: {path: /a, absent: true}":              "file: {path: /a, absent: true}",
		"shell: {command: id, output: '^u', code: 0}": "shell: {command: id, output: ^u, code: 0}",
		"logcat: {match: 'a.*b'}":                     "logcat: {match: a.*b}",
		`judged: "It is\n paid"`:                      `"judged": "It is\n paid"`,
	} {
		_, e := read(t, dir, line)
		require.Equal(t, want, expect.Words(e), line)
	}
}
