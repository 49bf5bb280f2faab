package agents

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/mcp/wire"
	"github.com/taploop/taploop/internal/model"
	"github.com/taploop/taploop/internal/shape"
	"github.com/taploop/taploop/internal/text"
)

// Tool is a tool that agents may call.
type Tool struct {
	Name        string // as models know it: letters, digits, _ and -, at most 64 characters
	Description string
	Schema      json.RawMessage // of its arguments
	Server      string          // "" for the host's own tools
	Of          string          // the server's name for it

	prompt string // the server's prompt that it returns, "" for a tool
	conn   *connection
}

const (
	maxName        = 64
	maxDescription = 2000
)

var unnamable = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// toolName converts s to a name that all endpoints accept.
func toolName(s string) string {
	s = unnamable.ReplaceAllString(s, "_")
	return cmp.Or(s[:min(len(s), maxName)], "_")
}

// catalog returns the tools of all servers. A tool whose name is not unique among them and the
// host's own tools gets its server's name as a prefix.
func catalog(conns []*connection, own []Tool) []Tool {
	owners, taken := map[string]int{}, map[string]bool{}
	for _, t := range own {
		owners[t.Name]++
		taken[t.Name] = true
	}
	for _, c := range conns {
		names := map[string]bool{}
		for _, t := range c.tools {
			names[toolName(t.Name)] = true
		}
		for name := range names {
			owners[name]++
		}
	}
	var all []Tool
	for _, c := range conns {
		for _, t := range c.tools {
			name, base := toolName(t.Name), toolName(c.Name+"_"+t.Name)
			if strings.Trim(name, "_-") == "" { // only letters that endpoints refuse
				base = toolName(c.Name + "_tool")
				name = base
			}
			if owners[name] > 1 {
				name = base
			}
			for n := 2; taken[name]; n++ {
				suffix := fmt.Sprintf("_%d", n)
				name = base[:min(len(base), maxName-len(suffix))] + suffix
			}
			taken[name] = true
			says := t.Description
			if name != t.Name { // the name may say nothing, as when all letters were replaced
				says = fmt.Sprintf("%s of %s. %s", text.Quote(t.Name, 200),
					text.Quote(c.Name, 100), says)
			}
			all = append(all, Tool{Name: name, Server: c.Name, Of: t.Name, conn: c,
				prompt:      t.Prompt,
				Schema:      usableSchema(t.Schema),
				Description: text.Cut(text.Lines(says), maxDescription)})
		}
	}
	return all
}

// maxSchema is the size in bytes of the largest schema that models see.
const maxSchema = 32 << 10

// usableSchema returns the schema, or one that allows everything if endpoints would refuse it and
// so the whole request. The server checks the arguments in any case.
func usableSchema(schema json.RawMessage) json.RawMessage {
	if of, err := shape.Parse(schema); err == nil && len(schema) <= maxSchema &&
		of.Schema.Type == "object" {
		return schema
	}
	return json.RawMessage(`{"type":"object"}`)
}

// allows reports whether one of the patterns matches the tool's name or SERVER/NAME. nil allows
// every tool, an empty list none.
func allows(patterns []string, t Tool) bool {
	if patterns == nil {
		return true
	}
	for _, p := range patterns {
		for _, name := range []string{t.Name, t.Server + "/" + t.Of} {
			if ok, err := path.Match(p, name); ok && err == nil {
				return true
			}
		}
	}
	return false
}

// Unmatched returns the patterns of roles that match no tool, as ROLE: PATTERN. It omits patterns
// for servers that cannot be reached.
func (h *Host) Unmatched() (list []string) {
	tools := append(h.builtinTools(), h.tools...)
	roles := map[string]Role{"main": h.opts.Main}
	maps.Copy(roles, h.opts.Roles)
	for _, name := range slices.Sorted(maps.Keys(roles)) {
		for _, p := range roles[name].Tools {
			named := slices.ContainsFunc(tools, func(t Tool) bool { return allows([]string{p}, t) })
			down := slices.ContainsFunc(h.down, func(d Down) bool {
				return strings.HasPrefix(p, d.Server+"/")
			})
			if !named && !down {
				list = append(list, name+": "+p)
			}
		}
	}
	return list
}

// The host's own tools.
const (
	usePhone   = "use_phone"
	askPerson  = "ask_person"
	readResult = "read_result"
)

func object(properties string, required ...string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(
		`{"type":"object","properties":{%s},"required":["%s"]}`, properties,
		strings.Join(required, `","`)))
}

// unknownArgument returns the name of an argument that the tool does not have, or "", and those
// that it has.
func (t *Tool) unknownArgument(args json.RawMessage) (unknown, takes string) {
	known := wire.Members(wire.At(t.Schema, "properties"))
	for _, name := range slices.Sorted(maps.Keys(wire.Members(args))) {
		if known[name] == nil {
			return name, strings.Join(slices.Sorted(maps.Keys(known)), ", ")
		}
	}
	return "", ""
}

// builtinTools returns the host's own tools that agents may use.
func (h *Host) builtinTools() []Tool {
	list := []Tool{{Name: readResult,
		Description: "Reads on in a result that was cut: the text from a character on.",
		Schema: object(`"id":{"type":"string","description":"the call's id, as the cut result `+
			`names it"},"offset":{"type":"integer","minimum":0}`, "id", "offset")}}
	if h.opts.Phones != nil {
		list = append(list, Tool{Name: usePhone,
			Description: "Has a task done on an Android phone by an agent that sees its screen, " +
				"in one app, and returns what came of it. Tasks that are called together are " +
				"done at the same time, as far as phones are free.",
			Schema: object(`"task":{"type":"string","description":"what is to be done and what `+
				`is to be told, in a sentence or two, with everything that has to be known"}`,
				"task")})
	}
	if h.opts.People != nil {
		list = append(list, Tool{Name: askPerson,
			Description: "Asks the person whose goal it is, and waits for the answer. Only for " +
				"what cannot be found out otherwise.",
			Schema: object(`"question":{"type":"string"},`+
				`"choices":{"type":"array","items":{"type":"string"}}`, "question")})
	}
	return list
}

// roleTools returns a tool for each role.
func (h *Host) roleTools() []Tool {
	var list []Tool
	for _, name := range slices.Sorted(maps.Keys(h.opts.Roles)) {
		list = append(list, Tool{Name: toolName("ask_" + name), Of: name,
			Description: text.Cut(text.Lines(fmt.Sprintf("Hands a part of the goal to another "+
				"agent, %s, and returns its answer. %s", name, h.opts.Roles[name].Description)),
				maxDescription),
			Schema: object(`"goal":{"type":"string","description":"what it is to reach, with `+
				`everything that it has to know: it sees nothing of this conversation"}`, "goal")})
	}
	return list
}

// toolsOf returns the tools of an agent with this role and depth.
func (h *Host) toolsOf(r Role, depth int) map[string]Tool {
	tools := map[string]Tool{}
	for _, t := range h.tools {
		if allows(r.Tools, t) {
			tools[t.Name] = t
		}
	}
	for _, t := range h.builtinTools() {
		if t.Name == readResult || allows(r.Tools, t) {
			tools[t.Name] = t
		}
	}
	for _, t := range h.roleTools() {
		if depth < h.limits.Depth && slices.Contains(r.Roles, t.Of) {
			tools[t.Name] = t
		}
	}
	return tools
}

// modelTools returns the tools in the form for models, sorted by name.
func modelTools(tools map[string]Tool) []model.Tool {
	var list []model.Tool
	for _, name := range slices.Sorted(maps.Keys(tools)) {
		t := tools[name]
		list = append(list,
			model.Tool{Name: name, Description: t.Description, Parameters: t.Schema})
	}
	return list
}
