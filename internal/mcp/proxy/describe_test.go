package proxy

import (
	"encoding/json"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/text"
)

// A list of tools in which everything is as no encoder would write it.
const uglyList = `{"nextCursor" : "<&>","z":1.50e+3, "tools":[ {"name":"b","title":"\u003c\/",` +
	`"description":"old","x":1,"x":2,"inputSchema":{"type":"object","a":[ ]}} ,{"name":"a"},` +
	`{"name":"\u0063","description" : null, "description":"twice"}, 7, "s"],"_meta":{"b":1,"a":2}}`

func TestADescriptionIsAllThatChangesToTheByte(t *testing.T) {
	raw := func(words string) string {
		b, err := text.Marshal(words)
		require.NoError(t, err)
		return string(b)
	}
	for name, c := range map[string]struct{ tool, words, old, want string }{
		"plain":     {"b", "new", `"old"`, ""},
		"quotes":    {"b", `say "x" \ 'y'`, `"old"`, ""},
		"newline":   {"b", "a\nb", `"old"`, ""},
		"emoji":     {"b", "🙂 <b>&", `"old"`, ""},
		"none was":  {"a", "new", `{"name":"a"}`, `{"name":"a","description":"new"}`},
		"escaped":   {"c", "new", `null, "description":"twice"`, `"new", "description":"new"`},
		"not there": {"nope", "new", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			found := map[string]string{}
			require.True(t, Describe(found, c.tool+"="+c.words))
			want := uglyList
			if c.old != "" {
				if c.want == "" {
					c.want = raw(c.words)
				}
				want = strings.Replace(want, c.old, c.want, 1)
			}
			got := describe(json.RawMessage(uglyList), found)
			require.Equal(t, want, string(got))
			require.True(t, json.Valid(got))
		})
	}
	for _, raw := range []string{"", "null", "7", `{"tools":7}`, `{"tools":[[],{}]}`, "{",
		`{"tools`} {
		require.Equal(t, raw, string(describe(json.RawMessage(raw), map[string]string{"a": "b"})))
	}
}

// What the query of a connection says is taken as words, whatever they are, and is bounded.
func TestDescriptionsOfAQuery(t *testing.T) {
	huge := strings.Repeat("你", maxDescription+100)
	q := url.Values{"desc.a": {"say \"x\"\nand 🙂"}, "desc.": {"no tool"}, "desc.empty": {""},
		"desc.huge": {huge}, "description": {"b==", "c", "=d", "e=\x00\x1b[2Jf", " = "},
		"else": {"x=y"}}
	r := httptest.NewRequest("GET", "/proxy/up/mcp?"+q.Encode(), nil)
	got, _ := Connected(t.Context(), r).Value(descriptionsKey{}).(map[string]string)
	require.Len(t, []rune(got["huge"]), maxDescription)
	delete(got, "huge")
	require.Equal(t, map[string]string{"a": "say \"x\"\nand 🙂", "b": "=", "e": "[2Jf"}, got)
	none := httptest.NewRequest("GET", "/proxy/up/mcp?desc.=x&%zz", nil)
	require.Equal(t, t.Context(), Connected(t.Context(), none))
}

// Through the transport, too: only what the client asked to be described otherwise is otherwise.
func TestAListOfToolsPassesToTheByte(t *testing.T) {
	list := `{"z":1.50e+3,"tools":[{"name":"b","title":"<\u003c\/>","description":"old"}],"a":1}`
	for words, want := range map[string]string{"": list,
		"<new>": strings.Replace(list, "old", "<new>", 1)} {
		r, s := inFrontOf(t, tame, func(o *Options) {
			if words != "" {
				o.Descriptions = map[string]string{"b": words}
			}
		})
		s.when("tools/list", func(*scripted, *message) string { return list })
		r.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		require.Equal(t, `{"jsonrpc":"2.0","id":1,"result":`+want+`}`, r.next())
	}
}
