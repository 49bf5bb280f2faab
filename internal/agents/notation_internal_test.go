package agents

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// testTools are a tool with two arguments, two with one, and one without.
func testTools() map[string]Tool {
	object := func(name string) Tool {
		return Tool{Schema: json.RawMessage(`{"type": "object", "properties": {` + name + `}}`)}
	}
	return map[string]Tool{"add": object(`"a": {}, "b": {}`), "list_devices": object(""),
		"notes_search": object(`"query": {}`), "phone": object(`"task": {}`)}
}

// A call in whatever notation is read with its arguments, or asked for again, and is no answer. An
// answer that has code, JSON, tags or names of tools in it is one. The files have replies with what
// becomes of them: call, which is read where calls are written as text, and its arguments; quoted,
// the same, and an answer where calls are native; again; answer.
func TestNoNotationOfACallIsAnAnswer(t *testing.T) {
	for _, name := range []string{"known", "fresh", "blind"} {
		file, err := os.ReadFile("testdata/" + name + ".txt")
		require.NoError(t, err)
		for _, one := range strings.Split("\n"+string(file), "\n== ")[1:] {
			title, reply, _ := strings.Cut(one, "\n")
			title, want, _ := strings.Cut(title, ": ")
			kind, title, _ := strings.Cut(title, " ")
			for _, textual := range []bool{true, false} {
				calls, problem := inText(behindThoughts(strings.TrimSpace(reply)), testTools(), textual)
				got := ""
				for _, c := range calls {
					got += " " + c.Name + " " + string(plainArguments(c.Arguments))
				}
				read := textual && (kind == "call" || kind == "quoted")
				again := kind == "again" || kind == "call" && !textual
				if (problem != "") != again || read != (got != "") || read && got != " "+want {
					t.Errorf("%s %q (textual %v): calls%s, problem %q", kind, title, textual, got,
						problem)
				}
			}
		}
	}
}
