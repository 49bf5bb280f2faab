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
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
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

// list is what a client gets, as JSON.
func (w *fixture) list() ([]byte, []listed) {
	w.t.Helper()
	got, err := w.client.ListTools(w.t.Context(), mcp.ListToolsRequest{})
	require.NoError(w.t, err)
	require.Empty(w.t, got.NextCursor)
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	require.NoError(w.t, enc.Encode(got.Tools))
	var tools []listed
	require.NoError(w.t, json.Unmarshal(b.Bytes(), &tools))
	return b.Bytes(), tools
}

func TestTheListOfToolsIsTheOneThatWasReviewed(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		got, _ := w.list()
		path := filepath.Join("testdata", "tools.json")
		if *update {
			require.NoError(t, os.WriteFile(path, got, 0o644))
		}
		want, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got),
			"go test ./tools -update rewrites it; then go generate ./tools")
	})
}

func TestEveryToolTellsAModelAllItNeeds(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		_, list := w.list()
		var names []string
		for _, tool := range list {
			names = append(names, tool.Name)
			require.Regexp(t, `^[a-z]+(_[a-z]+)*$`, tool.Name)
			require.LessOrEqual(t, len(tool.Name), 64)
			require.NotEmpty(t, tool.Title)
			require.Equal(t, tool.Title, tool.Annotations["title"])
			lines := strings.Split(tool.Description, "\n")
			require.GreaterOrEqual(t, len(lines), 6, tool.Name)
			for _, l := range lines {
				require.Greater(t, len(l), 15, "%s: %q", tool.Name, l)
			}
			require.Regexp(t, `(?i)\bUse it\b`, tool.Description, "when to use it")
			require.Regexp(t, `(?i)do not (use|start)|need not call|Use it only|never`,
				tool.Description, "when not")
			require.Contains(t, tool.Description, "Returns", "what comes back")
			require.NotRegexp(t, `<[a-z/]|https?://|(?i)api[_ ]?key|bearer|sk-`, tool.Description)
			for _, hint := range []string{"readOnlyHint", "destructiveHint", "idempotentHint",
				"openWorldHint"} {
				require.IsType(t, true, tool.Annotations[hint], "%s: %s", tool.Name, hint)
			}
			if tool.Annotations["readOnlyHint"] == true {
				require.Equal(t, false, tool.Annotations["destructiveHint"])
			}
			if _, takes := tool.Input["properties"].(in)["session_id"]; takes ||
				strings.Contains(tool.Name, "ask_agent") {
				require.Contains(t, tool.Description, "session_id", tool.Name)
				require.Regexp(t, `good for as long as|lives as long as`, tool.Description,
					"%s: how long ids live", tool.Name)
			}
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
		_, list := w.list()
		w.start("ask")
		before, touches := w.facts(), w.phones.touches("A")
		for _, tool := range list {
			a := tool.Annotations
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
		_, list := w.list()
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
			if by := describedBy[tool.Name]; by != "" {
				checkSame(t, tool, by, list)
				continue
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

// checkSame holds the outline of a result against the schema of the tool that describes it.
func checkSame(t *testing.T, tool listed, by string, list []listed) {
	t.Helper()
	i := slices.IndexFunc(list, func(l listed) bool { return l.Name == by })
	require.GreaterOrEqual(t, i, 0, by)
	require.Equal(t, required(list[i].Output), required(tool.Output), tool.Name)
	whole, outline := list[i].Output["properties"].(in), tool.Output["properties"].(in)
	require.Len(t, outline, len(whole), tool.Name)
	for name, p := range whole {
		require.Equal(t, p.(in)["type"], outline[name].(in)["type"], "%s.%s", tool.Name, name)
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
		_, list := w.list()
		defaults := map[string]map[string]any{}
		older := listed{Name: "ask_agent"}
		require.NoError(t, json.Unmarshal(encode(t, w.described(w.at("compat=gelab"), older.Name)),
			&older))
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
			"device_id": nil, "queue": false, "detached_ok": nil, "task": nil}
		require.Equal(t, with(maps.Clone(flags),
			in{"reset_environment": true, "reply_mode": "pass_to_client", "idempotency_key": nil,
				"supersede": false}),
			defaults["ask_agent_start_new_task"])
		require.Equal(t, with(maps.Clone(flags),
			in{"reset_environment": false, "reply_mode": nil, "session_id": nil,
				"reply_from_client": nil,
				"question_id":       nil, "reply_id": nil}), defaults["ask_agent_continue"])
		require.Equal(t, with(maps.Clone(flags),
			in{"reset_environment": nil, "reply_mode": nil, "session_id": nil,
				"reply_from_client": nil,
				"question_id":       nil, "reply_id": nil, "idempotency_key": nil,
				"supersede": nil}),
			defaults["ask_agent"])
		require.Equal(t, in{"session_id": nil, "question_id": nil, "since_step": nil,
			"wait_seconds": nil, "detail": nil}, defaults["ask_agent_wait"])
		require.Equal(t, in{"session_id": nil, "mode": "cancel"}, defaults["ask_agent_stop"])
		require.Equal(t, in{"state": nil, "limit": 20.0}, defaults["list_sessions"])
		require.Equal(t, in{"device_id": nil}, defaults["get_screenshot"])
		require.Empty(t, defaults["list_connected_devices"])
	})
}

// What the schema of the arguments lets through is taken, and what it does not is refused: clients
// and the server agree.
func TestTheSchemaAndTheCheckAgree(t *testing.T) {
	values := []any{nil, "", " ", "x", "pass_to_client", "cancel", "RUNNING", 0, 1, -1, 20, 1.5,
		2000, 1e12, true, false, []any{}, in{}, in{"a": 1}, strings.Repeat("x", 201)}
	bubble(t, func(t *testing.T, w *fixture) {
		_, list := w.list()
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
					// null is taken as left out, and a blank text as empty
					if v != nil && v != " " {
						require.Equal(t, fits, !refused, "%s %s: %s", tool.Name, b, a.text)
					}
				}
			}
		}
	})
}

// misfit tells a value that is none from arguments that do not go together.
var misfit = regexp.MustCompile(
	`^\w+ (is (a (text|number|list)|an object|true or false|empty|missing|")|has \d+ (characters|bytes))`)

func TestBothErasOfTheProtocolGetTheSame(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		_, old := w.list()
		require.NoError(t, w.client.Close())
		w.modern()
		got, modern := w.list()
		require.NotEmpty(t, got)
		require.Equal(t, old, modern)
		a := w.start("tap ask")
		require.Equal(t, asks, a.code())
		require.Equal(t, done, w.aloud("p", "ask_agent_continue",
			in{"session_id": a.SessionID, "reply_from_client": "red"}).code())
		messages, _ := w.told("p")
		require.NotEmpty(t, messages)
	})
}

func TestTheDocumentsAreMadeFromTheList(t *testing.T) {
	_, err := os.Stat(filepath.Join("..", "docs", "tools.md"))
	require.NoError(t, err)
	readme, err := os.ReadFile(filepath.Join("..", "README.md"))
	require.NoError(t, err)
	bubble(t, func(t *testing.T, w *fixture) {
		_, list := w.list()
		page, err := os.ReadFile(filepath.Join("..", "docs", "tools.md"))
		require.NoError(t, err)
		for _, tool := range list {
			first, _, _ := strings.Cut(tool.Description, "\n")
			require.Contains(t, string(readme), "`"+tool.Name+"`")
			require.Contains(t, string(readme), first, "run go generate ./tools")
			for line := range strings.SplitSeq(tool.Description, "\n") {
				require.Contains(t, string(page), line, "run go generate ./tools")
			}
		}
	})
}
