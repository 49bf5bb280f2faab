package tools_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"github.com/tiktoken-go/tokenizer"

	"github.com/taploop/taploop/internal/inquiry/inquirytest/vote"
	"github.com/taploop/taploop/tools"
)

var update = flag.Bool("update", false, "rewrite testdata/tools.json")

// listed is a tool as it came over the wire.
type listed struct {
	Name        string         `json:"name"`
	Title       string         `json:"title"`
	Description string         `json:"description"`
	Annotations map[string]any `json:"annotations"`
	Input       map[string]any `json:"inputSchema"`
	Output      map[string]any `json:"outputSchema"`
}

// orBrief is the query of a list of tools, brief unless it says otherwise.
func orBrief(query string) string {
	if strings.Contains(query, "schemas=") {
		return query
	}
	return "schemas=brief&" + query
}

// list is what a client gets under this query, as JSON.
func (w *fixture) list(query string) ([]byte, []listed) {
	w.t.Helper()
	got, err := w.client.ListTools(w.at(orBrief(query)), mcp.ListToolsRequest{})
	require.NoError(w.t, err)
	require.Empty(w.t, got.NextCursor)
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	require.NoError(w.t, enc.Encode(got.Tools))
	var list []listed
	require.NoError(w.t, json.Unmarshal(b.Bytes(), &list))
	return b.Bytes(), list
}

// withoutTestKinds is a list of tools as the program has it: the kind of question that only these
// tests register is taken out of the enumerations, where it never stands first.
func withoutTestKinds(list []byte) []byte {
	w := vote.Kind.Empty().Waits()
	own := regexp.MustCompile(`,\s*"(` + string(vote.Kind) + "|" + w.State + "|" + w.Reason + `)"`)
	return own.ReplaceAll(list, nil)
}

// The lists that were reviewed, and what each may cost a conversation, in tokens of o200k.
func TestTheListOfToolsIsTheOneThatWasReviewed(t *testing.T) {
	o200k, err := tokenizer.Get(tokenizer.O200kBase)
	require.NoError(t, err)
	bubble(t, func(t *testing.T, w *fixture) {
		for file, c := range map[string]struct {
			query string
			most  int
		}{
			"tools.json":       {"schemas=brief", 3000},
			"tools.gelab.json": {"schemas=brief&compat=gelab", 2100},
			"tools.full.json":  {"schemas=full", 27_500},
		} {
			got, _ := w.list(c.query)
			got = withoutTestKinds(got)
			path := filepath.Join("testdata", file)
			if *update {
				require.NoError(t, os.WriteFile(path, got, 0o644))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, string(want), string(got),
				"go test ./tools -update rewrites it; then go generate ./tools")
			tokens, err := o200k.Count(w.sent(c.query))
			require.NoError(t, err)
			require.LessOrEqual(t, tokens, c.most, file)
			require.Greater(t, tokens, c.most/3, "it is counted")
			if file == "tools.full.json" {
				isDocumented(t, "tools.md", tokens)
			}
		}
	})
}

// With delegate_goal, which is off by default, the list is longer by that tool.
func TestTheToolForGoalsCostsLittle(t *testing.T) {
	o200k, err := tokenizer.Get(tokenizer.O200kBase)
	require.NoError(t, err)
	bubble(t, func(t *testing.T, w *fixture) {
		without, err := o200k.Count(w.sent("schemas=brief"))
		require.NoError(t, err)
		w.topts.Goals = true
		list := w.sent("schemas=brief")
		require.Contains(t, list, `"delegate_goal"`)
		with, err := o200k.Count(list)
		require.NoError(t, err)
		require.InDelta(t, 200, with-without, 50, "of %d", with)
		isDocumented(t, "host.md", with)
	})
}

// isDocumented checks what a page says of the tokens of a whole list, to three parts of a hundred.
func isDocumented(t *testing.T, page string, tokens int) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "docs", page))
	require.NoError(t, err)
	said := regexp.MustCompile(`about ([\d,]+) tokens`).FindSubmatch(b)
	require.NotNil(t, said, page)
	n, err := strconv.Atoi(strings.ReplaceAll(string(said[1]), ",", ""))
	require.NoError(t, err)
	require.InEpsilon(t, tokens, n, 0.03, page)
}

// sent is the list as it is on the wire.
func (w *fixture) sent(query string) string {
	w.t.Helper()
	srv := server.NewMCPServer("taploop", "test", server.WithToolCapabilities(false))
	tools.New(&w.topts).Register(srv)
	return string(encode(w.t, srv.HandleMessage(w.at(query),
		[]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))))
}

func TestTheSettingSaysHowMuchTheListSays(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.topts.Schemas = ""
		brief, full := w.sent(""), w.sent("schemas=full")
		require.Equal(t, brief, w.sent("schemas=brief"))
		for _, rare := range []string{"outputSchema", "maxLength", "idempotency_key",
			"enable_final_screenshot"} {
			require.NotContains(t, brief, rare)
			require.Contains(t, full, rare)
		}
		w.topts.Schemas = tools.SchemasFull
		require.Equal(t, full, w.sent(""))
		require.Equal(t, brief, w.sent("schemas=brief"), "a connection may differ")
		require.NotContains(t, w.sent("compat=gelab&schemas=brief"), "enable_")
		w.topts.Schemas = ""
		a, err := w.try(w.at("schemas=all"), "list_sessions", nil, nil)
		require.NoError(t, err)
		require.Equal(t, "INVALID_ARGUMENT", a.code())
		require.Contains(t, a.text, "use full, brief, inquiry")
		listed := w.described(w.at("desc.ask_agent_start_new_task.queue=Wait+in+line."), start)
		require.Contains(t, words(listed, "queue"), "Wait in line.", "what is described is listed")
	})
}

// Words that a model reads in every conversation say nothing twice.
func TestTheListSaysEachThingOnce(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		_, list := w.list("")
		seen := map[string]string{}
		for _, tool := range list {
			for line := range strings.SplitSeq(tool.Description, "\n") {
				for sentence := range strings.SplitSeq(line, ". ") {
					sentence = strings.ToLower(strings.Trim(sentence, ". "))
					require.Empty(t, seen[sentence], "%s: %s", tool.Name, sentence)
					seen[sentence] = tool.Name
				}
			}
		}
	})
}

func TestEveryToolTellsAModelAllItNeeds(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		_, list := w.list("")
		var names []string
		for _, tool := range list {
			names = append(names, tool.Name)
			require.Regexp(t, `^[a-z]+(_[a-z]+)*$`, tool.Name)
			require.LessOrEqual(t, len(tool.Name), 64)
			require.NotEmpty(t, tool.Title)
			lines := strings.Split(tool.Description, "\n")
			require.GreaterOrEqual(t, len(lines), 2, tool.Name)
			for _, l := range lines {
				require.Greater(t, len(l), 15, "%s: %q", tool.Name, l)
			}
			require.NotRegexp(t, `<[a-z/]|https?://|(?i)api[_ ]?key|bearer|sk-`, tool.Description)
		}
		require.ElementsMatch(t, []string{"list_connected_devices", "ask_agent_start_new_task",
			"ask_agent_continue", "ask_agent_wait", "ask_agent_stop",
			"list_sessions", "get_screenshot", "send_inquiry",
			"list_pending_questions", "answer_question"}, names)
	})
}

func TestTheHintsAreTrue(t *testing.T) {
	want := map[string][3]bool{ // read-only, destructive, idempotent
		"list_connected_devices": {true, false, true}, "list_sessions": {true, false,
			true}, "get_screenshot": {true, false, true},
		"list_pending_questions": {true, false, true}, "send_inquiry": {false, false,
			false}, "answer_question": {false, true, true},
		"ask_agent_wait": {false, false, true}, "ask_agent_stop": {false, true, true},
		"ask_agent_start_new_task": {false, true, false}, "ask_agent_continue": {false, true,
			false}, "ask_agent": {false, true, false},
	}
	bubble(t, func(t *testing.T, w *fixture) {
		_, list := w.list("")
		w.start("ask")
		before, touches := w.facts(), w.phones.touches("A")
		for _, tool := range list {
			a := tool.Annotations
			require.Equal(t, true, a["openWorldHint"], tool.Name)
			require.Equal(t, want[tool.Name],
				[3]bool{a["readOnlyHint"].(bool), a["destructiveHint"].(bool),
					a["idempotentHint"].(bool)}, tool.Name)
			if a["readOnlyHint"] == true {
				require.False(t, w.call(tool.Name, in{}).raw.IsError)
				require.Equal(t, before, w.facts(), tool.Name)
				require.Equal(t, touches, w.phones.touches("A"), tool.Name)
			}
		}
	})
}

// combinators are refused by several clients at the top of a schema.
var combinators = []string{"anyOf", "oneOf", "allOf", "not", "if", "enum", "$ref", "$defs"}

func TestTheSchemasAreOnesThatEveryClientTakes(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		_, list := w.list("schemas=full")
		for _, tool := range list {
			for _, s := range []in{tool.Input, tool.Output} {
				require.Equal(t, "object", s["type"], tool.Name)
				require.Equal(t, false, s["additionalProperties"], tool.Name)
				for _, c := range combinators {
					require.NotContains(t, s, c, tool.Name)
				}
			}
			for name, p := range tool.Input["properties"].(in) {
				checkParam(t, tool, name, p.(in))
			}
			for _, name := range required(tool.Input) {
				require.Contains(t, tool.Input["properties"], name)
			}
			checkOutput(t, tool.Name, tool.Output)
		}
	})
}

func required(s in) (names []string) {
	list, _ := s["required"].([]any)
	for _, n := range list {
		names = append(names, n.(string))
	}
	return names
}

func checkParam(t *testing.T, tool listed, name string, p in) {
	t.Helper()
	where := tool.Name + "." + name
	require.Regexp(t, `^[a-z]+(_[a-z]+)*$`, name, where)
	require.Greater(t, len(p["description"].(string)), 10, where)
	for _, c := range combinators {
		if c != "enum" {
			require.NotContains(t, p, c, where)
		}
	}
	switch p["type"] {
	case "integer", "number":
		require.Contains(t, p, "minimum", where)
		require.Contains(t, p, "maximum", where)
	case "string":
		if _, enum := p["enum"]; !enum {
			require.Contains(t, p, "maxLength", where)
		}
	case "array":
		require.Contains(t, p, "maxItems", where)
		item := p["items"].(in)
		require.NotEmpty(t, item["type"], where)
		fields, _ := item["properties"].(in)
		for name, field := range fields {
			if name != "default" { // of any type
				checkParam(t, listed{Name: where, Input: item}, name, field.(in))
			}
		}
	case "boolean", "object":
	default:
		t.Errorf("%s has the type %v", where, p["type"])
	}
	if def, found := p["default"]; found {
		require.NotContains(t, required(tool.Input), name, where)
		require.NoError(t, compileSchema(t, encode(t, p)).Validate(def), where)
	}
}

func checkOutput(t *testing.T, where string, s in) {
	t.Helper()
	props, _ := s["properties"].(in)
	for name, p := range props {
		if where != "" && !slices.Contains([]string{"intermediate_logs"}, name) {
			require.NotEmpty(t, p.(in)["description"], "%s.%s", where, name)
		}
		checkOutput(t, where+"."+name, p.(in))
	}
	if items, found := s["items"].(in); found {
		checkOutput(t, where+"[]", items)
	}
}

func encode(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return b
}

func TestTheParametersOfTheReferenceAreThere(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		_, list := w.list("schemas=full")
		defaults := map[string]map[string]any{}
		older := listed{Name: "ask_agent"}
		require.NoError(t, json.Unmarshal(encode(t,
			w.described(w.at("compat=gelab&schemas=full"), older.Name)), &older))
		for _, tool := range append(list, older) {
			defaults[tool.Name] = map[string]any{}
			for name, p := range tool.Input["properties"].(in) {
				defaults[tool.Name][name] = p.(in)["default"]
			}
		}
		flags := map[string]any{"detail": "steps", "enable_intermediate_logs": nil,
			"enable_intermediate_image_caption": nil, "enable_intermediate_screenshots": nil,
			"enable_final_screenshot": nil, "enable_final_image_caption": nil, "extra_info": nil,
			"wait_seconds": nil, "max_steps": 20.0,
			"device_id": nil, "queue": false, "detached_ok": nil, "task": nil,
			"verify": nil, "answer_schema": nil}
		require.Equal(t, with(maps.Clone(flags),
			in{"reset_environment": true, "reply_mode": "pass_to_client", "idempotency_key": nil,
				"supersede": false, "phone": nil, "priority": "normal", "queue_seconds": nil}),
			defaults["ask_agent_start_new_task"])
		require.Equal(t, with(maps.Clone(flags),
			in{"reset_environment": false, "reply_mode": nil, "session_id": nil,
				"reply_from_client": nil, "message": nil,
				"question_id": nil, "reply_id": nil, "decisions": nil, "reply_type": nil,
				"remember":        nil,
				"idempotency_key": nil}),
			defaults["ask_agent_continue"])
		require.Equal(t, with(maps.Clone(flags),
			in{"reset_environment": nil, "reply_mode": nil, "session_id": nil,
				"reply_from_client": nil,
				"question_id":       nil, "reply_id": nil, "decisions": nil, "reply_type": nil,
				"remember":        nil,
				"idempotency_key": nil,
				"supersede":       nil}),
			defaults["ask_agent"])
		require.Equal(t, in{"session_id": nil, "question_id": nil, "since_step": nil,
			"wait_seconds": nil, "detail": nil}, defaults["ask_agent_wait"])
		require.Equal(t, in{"session_id": nil, "mode": "cancel"}, defaults["ask_agent_stop"])
		require.Equal(t, in{"state": nil, "limit": 20.0}, defaults["list_sessions"])
		require.Equal(t, in{"device_id": nil, "elements": nil}, defaults["get_screenshot"])
		require.Empty(t, defaults["list_connected_devices"])
	})
}

// leniently reports whether clients write v for a value of the property's kind, or for one that
// they leave out.
func leniently(property in, v any) bool {
	_, words := v.(string)
	_, object := v.(in)
	_, list := v.([]any)
	switch property["type"] {
	case "boolean":
		return v == 0 || v == 1
	case "array":
		return words || object || list
	}
	return v == 0
}

// What the schema of the arguments lets through is taken, and what it does not is refused: clients
// and the server agree.
func TestTheSchemaAndTheCheckAgree(t *testing.T) {
	values := []any{nil, "", " ", "x", "pass_to_client", "cancel", "RUNNING", 0, 1, -1, 20, 1.5,
		2000, 1e12, true, false, []any{}, in{}, in{"a": 1}, strings.Repeat("x", 201)}
	bubble(t, func(t *testing.T, w *fixture) {
		_, list := w.list("schemas=full")
		for _, tool := range list {
			schema := compileSchema(t, encode(t, tool.Input))
			for name := range tool.Input["properties"].(in) {
				for _, v := range values {
					arguments := in{"session_id": "nosuch", "task": "x", "device_id": "nosuch",
						"wait_seconds": 0, "prompt": "x?", "question_id": "nosuch"}
					if tool.Name == "send_inquiry" {
						delete(arguments,
							map[bool]string{true: "prompt",
								false: "question_id"}[name == "question_id"])
					}
					maps.DeleteFunc(arguments,
						func(k string,
							_ any) bool {
							return tool.Input["properties"].(in)[k] == nil
						})
					arguments[name] = v
					b := encode(t, arguments)
					doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
					require.NoError(t, err)
					fits := schema.Validate(doc) == nil
					a := w.call(tool.Name, arguments)
					refused := a.raw.IsError && a.Error.Code == "INVALID_ARGUMENT" &&
						misfit.MatchString(a.Error.Message)
					// null and a blank text are taken as left out
					if v != nil && v != " " && v != "" && (fits ||
						!leniently(tool.Input["properties"].(in)[name].(in), v)) {
						require.Equal(t, fits, !refused, "%s %s: %s", tool.Name, b, a.text)
					}
				}
			}
		}
	})
}

// misfit tells a value that is none from arguments that do not go together.
var misfit = regexp.MustCompile(
	`^\w+ (is (a (text|number|list)|an object|true or false|empty|missing|")|` +
		`has \d+ (characters|bytes))`)

// What is listed to models is what the whole schema has, in fewer words.
func TestTheBriefListIsTrue(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		_, brief := w.list("")
		_, full := w.list("schemas=full")
		require.Len(t, brief, len(full))
		for i, tool := range brief {
			require.Nil(t, tool.Output)
			require.Equal(t, full[i].Name, tool.Name)
			require.Equal(t, required(full[i].Input), required(tool.Input))
			properties, _ := tool.Input["properties"].(in)
			for name, p := range properties {
				whole := full[i].Input["properties"].(in)[name].(in)
				for _, key := range []string{"type", "description", "enum"} {
					require.Equal(t, whole[key], p.(in)[key], "%s.%s", tool.Name, name)
				}
			}
		}
	})
}

func TestBothErasOfTheProtocolGetTheSame(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		_, old := w.list("")
		require.NoError(t, w.client.Close())
		w.modern()
		got, modern := w.list("")
		require.NotEmpty(t, got)
		require.Equal(t, old, modern)
		a := w.start("tap ask")
		require.Equal(t, asks, a.code())
		require.Equal(t, done, w.withProgress("p", "ask_agent_continue",
			in{"session_id": a.SessionID, "reply_from_client": "red"}).code())
		messages, _ := w.progressed("p")
		require.NotEmpty(t, messages)
	})
}

func TestTheDocumentsAreMadeFromTheList(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "tools.md"))
	require.NoError(t, err)
	bubble(t, func(t *testing.T, w *fixture) {
		_, list := w.list("")
		for _, tool := range list {
			first, _, _ := strings.Cut(tool.Description, "\n")
			require.Contains(t, string(page),
				"| [`"+tool.Name+"`](#"+tool.Name+") | "+first+" |", "run go generate ./tools")
			for line := range strings.SplitSeq(tool.Description, "\n") {
				require.Contains(t, string(page), line, "run go generate ./tools")
			}
		}
	})
}
