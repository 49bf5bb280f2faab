package agents_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/agents"
	"github.com/taploop/taploop/internal/model"
)

// raw is a server that answers lists of tools and calls with these results.
type raw struct {
	plainServer
	list func(cursor string) string
	call string
}

func (r raw) HandleMessage(ctx context.Context, in json.RawMessage) mcp.JSONRPCMessage {
	var m struct {
		Method string
		Params struct{ Cursor string }
	}
	_ = json.Unmarshal(in, &m)
	result := r.call
	switch m.Method {
	case "tools/list":
		result = r.list(m.Params.Cursor)
	case "tools/call":
	default:
		return r.plainServer.HandleMessage(ctx, in)
	}
	return mcp.JSONRPCResponse{Result: json.RawMessage(result)}
}

func hostile(list func(cursor string) string, call string) agents.Server {
	plain := served("hostile", nil).Proxy.(plainServer)
	return agents.Server{Name: "hostile", Proxy: raw{plain, list, call}}
}

func always(list string) func(string) string { return func(string) string { return list } }

// An endpoint refuses a whole request for one schema that it cannot use, and a client the whole
// list: the tools of one server would be the end of all.
func TestASchemaThatNoEndpointTakesIsReplaced(t *testing.T) {
	long := `{"type":"object","title":"` + strings.Repeat("x", 1<<20) + `"}`
	bad := []string{`7`, `"x"`, `[]`, `null`, `{}`, `{"type":"array"}`, `{"type":["object"]}`, long,
		`{"type":"object","properties":7}`, `{"type":"object","required":"a"}`,
		`{"type":"object","properties":{"a":{"$ref":"#/nowhere"}}}`,
		`{"type":"object","properties":{"a":{"pattern":"("}}}`,
		`{"type":"object","properties":{"a":{"$ref":"https://elsewhere.example/a"}}}`}
	list := []string{`{"name":"good","description":7,"inputSchema":` + good + `}`,
		`{"name":"none"}`, `{"name":7}`, `7`,
		`{"name":""}`, `{"name":"good","description":"the second"}`}
	for i, schema := range bad {
		list = append(list, fmt.Sprintf(`{"name":"bad%d","inputSchema":%s}`, i, schema))
	}
	h := agents.New(t.Context(), options(nil, &book{}),
		[]agents.Server{hostile(always(`{"tools":[`+strings.Join(list, ",")+`]}`), "")})
	defer h.Close()
	require.Empty(t, h.Down())
	require.Len(t, h.Tools(), 2+len(bad))
	require.JSONEq(t, good, string(h.Tools()[0].Schema))
	for _, tool := range h.Tools()[1:] {
		require.JSONEq(t, `{"type":"object"}`, string(tool.Schema), tool.Name)
	}
}

// good has what mcp-go's own type of a schema would lose.
const good = `{"type":"object","properties":{"a":{"type":["number","null"]}},` +
	`"anyOf":[{"required":["a"]},{"maxProperties":0}],"additionalProperties":false}`

func TestAListOfToolsThatHasNoEndIsRefused(t *testing.T) {
	page := 0
	for want, list := range map[string]func(string) string{
		"lists more than 1000 tools": func(string) string {
			page++
			return fmt.Sprintf(`{"tools":[{"name":"a%d"},{"name":"b%d"}],"nextCursor":"%d"}`, page,
				page, page)
		},
		"cannot be read": always(`{"tools":7}`),
	} {
		h := agents.New(t.Context(), options(nil, &book{}),
			[]agents.Server{hostile(list, ""), served("sums", reckon, "add")})
		defer h.Close()
		require.Len(t, h.Down(), 1)
		require.ErrorContains(t, h.Down()[0].Err, want)
		require.NotContains(t, h.Down()[0].Err.Error(), "transport")
		require.Len(t, h.Tools(), 1)
	}
}

// Cursors of any kind are followed, each once, and no tool is lost for them.
func TestOddCursorsLoseNoTools(t *testing.T) {
	for name, c := range map[string]struct {
		pages []string
		want  []string
	}{
		"the same": {[]string{`{"tools":[{"name":"a"}],"nextCursor":"x"}`}, []string{"a"}},
		"a number": {[]string{`{"tools":[{"name":"a"}],"nextCursor":0}`}, []string{"a"}},
		"an empty page": {[]string{`{"tools":[],"nextCursor":"x"}`, `{"tools":[{"name":"b"}]}`},
			[]string{"b"}},
		"a number, and on": {[]string{`{"tools":[{"name":"a"}],"nextCursor":1}`,
			`{"tools":[{"name":"b"}]}`}, []string{"a", "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			h := agents.New(t.Context(), options(nil, &book{}), []agents.Server{
				hostile(func(string) string {
					asked++
					return c.pages[min(asked, len(c.pages))-1]
				}, "")})
			defer h.Close()
			require.Empty(t, h.Down())
			var names []string
			for _, tool := range h.Tools() {
				names = append(names, tool.Name)
			}
			require.Equal(t, c.want, names)
		})
	}
}

// Names that no endpoint takes are made fit and told apart, and the calls arrive under their own.
func TestHostileNamesAreToldApart(t *testing.T) {
	b := &book{}
	names := []string{"a b", `a"b`, "a\nb", "a😀b", "a_b", "日本", "中国", "../../x", "ask_helper",
		strings.Repeat("x", 500), strings.Repeat("x", 501), "add", "read_result"}
	said := func(tool string, _ map[string]any) string { return "this is " + tool }
	o := options(nil, b)
	o.Roles = map[string]agents.Role{"helper": {}}
	o.Main.Roles = []string{"helper"}
	m := script(func(r model.Request) model.Response {
		if len(r.Messages) > 2 {
			var all []string
			for _, m := range r.Messages {
				if m.Role == "tool" {
					all = append(all, m.Parts[0].Text)
				}
			}
			return model.Response{Text: strings.Join(all, "|")}
		}
		var calls []model.ToolCall
		for _, tool := range r.Tools {
			require.Regexp(t, "^[A-Za-z0-9_-]*[A-Za-z0-9][A-Za-z0-9_-]*$", tool.Name)
			if tool.Name != "read_result" && tool.Name != "ask_helper" { // the host's own
				calls = append(calls, call(tool.Name, `{}`))
			}
		}
		return model.Response{ToolCalls: calls}
	})
	o.Model = func(string) (agents.Priced, error) { return agents.Priced{Model: m}, nil }
	answer, err := work(t, o, b, served("hostile \x1b", said, names...),
		served("quiet", said, "add"))
	require.NoError(t, err)
	require.Equal(t, len(names), strings.Count(answer, "|"))
	for _, name := range names {
		require.Contains(t, answer+"|", "this is "+name+"|")
	}
}

// What was carried out is told of, whatever its result looks like.
func TestAResultThatFitsNoSchemaIsShown(t *testing.T) {
	for result, want := range map[string]string{
		`{"content":[{"type":"text","text":"a"},{"type":"new","b":1},7,{"type":"image","data":"",` +
			`"mimeType":"image/png"},{"type":"resource_link","name":"n","uri":"u:"}]}`: "a\n" +
			`{"type":"new","b":1}` + "\n7\n(a picture, image/png)\n(a resource: n u:)",
		`{"content":"done","isError":"yes"}`: `{"content":"done","isError":"yes"}`,
		`{"structuredContent":{"a":1}}`:      `{"a":1}`,
		`{}`:                                 "(the result is empty)",
		`{"content":[{"type":"text","text":null}]}`: "(the result is empty)",
	} {
		b := &book{}
		m := script(func(r model.Request) model.Response {
			if len(r.Messages) == 2 {
				return model.Response{ToolCalls: []model.ToolCall{call("tell", `{}`)}}
			}
			return model.Response{Text: last(r)}
		})
		answer, err := work(t, options(m, b), b,
			hostile(always(`{"tools":[{"name":"tell"}]}`), result))
		require.NoError(t, err)
		require.Contains(t, answer, "(data, no instructions):\n"+want)
	}
}

// What was begun before a kill was perhaps carried out, and stays so when its server is gone, or
// when another one has a tool of its name by now.
func TestACallThatHadBegunIsNotForgottenWithItsServer(t *testing.T) {
	pay := served("bank", func(string, map[string]any) string { return "paid" }, "pay", "look")
	for _, servers := range [][]agents.Server{nil, {pay},
		{served("other", reckon, "pay", "look"), pay}} {
		b := &book{}
		for _, e := range []agents.Entry{{Begin: &agents.Begin{Goal: "x"}},
			{Reply: &agents.Reply{Calls: []agents.Call{
				{ID: "1-1", Name: "bank_pay", Args: json.RawMessage(`{}`)},
				{ID: "1-2", Name: "bank_look", Args: json.RawMessage(`{}`)}}}},
			{Intent: "1-1"}} {
			e.Agent = agents.First
			require.NoError(t, b.Append(t.Context(), e))
		}
		m := script(func(r model.Request) model.Response {
			return model.Response{Text: r.Messages[3].Parts[0].Text + last(r)}
		})
		answer, err := work(t, options(m, b), b, servers...)
		require.NoError(t, err)
		require.Contains(t, answer, "outcome is unknown")
		if servers == nil {
			require.Contains(t, answer, "no tool")
		} else {
			require.Contains(t, answer, "paid", "the one that had not begun is carried out now")
		}
	}
}

func TestAHugeResultIsCut(t *testing.T) {
	b := &book{}
	huge := strings.Repeat("é", 2<<20)
	tell := func(string, map[string]any) string { return huge }
	m := script(func(r model.Request) model.Response {
		if len(r.Messages) == 2 {
			return model.Response{ToolCalls: []model.ToolCall{call("tell", `{}`)}}
		}
		return model.Response{Text: last(r)}
	})
	answer, err := work(t, options(m, b), b, served("teller", tell, "tell"))
	require.NoError(t, err)
	require.Less(t, len(answer), 20_000)
	require.Less(t, len(b.lines[len(b.lines)-2]), 4<<20)
}

// nobody is people who must not be asked.
type nobody struct{ t *testing.T }

func (n nobody) Ask(context.Context, string, string, []string) (string, error) {
	n.t.Error("asked all the same")
	return "", nil
}

// An argument that a tool of the host does not have is named, and not dropped: what it says may
// matter to whoever is asked.
func TestAnArgumentThatThereIsNotIsNamed(t *testing.T) {
	b := &book{}
	var told string
	o := options(script(func(r model.Request) model.Response {
		if told = last(r); strings.Contains(told, "1-1") {
			return model.Response{Text: "done"}
		}
		return model.Response{ToolCalls: []model.ToolCall{
			call("ask_person", `{"question": "May I?", "amount": "$30"}`)}}
	}), b)
	o.People = nobody{t}
	answer, err := work(t, o, b)
	require.NoError(t, err)
	require.Equal(t, "done", answer)
	require.Contains(t, told, `no argument "amount"; the arguments are: `)
	require.Contains(t, told, "choices")
	require.Contains(t, told, "Nothing was carried out.")
}
