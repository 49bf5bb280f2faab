package clients

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/mcp/wire"
	"github.com/taploop/taploop/internal/text"
)

// maxServers is how many servers a file may name.
const maxServers = 100

// variable matches a variable in a file: ${NAME} and ${NAME:-DEFAULT} of Claude, ${env:NAME},
// ${userHome}, ${workspaceFolder}, ${workspaceFolderBasename}, ${pathSeparator} and ${/} of Cursor,
// and ${input:ID}, which only VS Code can resolve.
var variable = regexp.MustCompile(`\$\{(?:(\w+):)?([A-Za-z_]\w*|/)(:-[^}]*)?\}`)

// wantServers explains the format of a file with servers.
const wantServers = `write {"mcpServers": {"NAME": {"command": "PROGRAM", "args": []}}}, or ` +
	`{"url": "https://..."} for a server over HTTP`

// ReadServers returns the servers in a file, sorted by name. path is the file's absolute path.
// Comments and trailing commas are allowed. Variables are expanded from env. Unknown members are
// ignored, as other programs do. An entry that cannot be used, as with an unset variable, says why,
// and is an error if there is no other. An error names the line.
func ReadServers(file []byte, path string, env map[string]string) ([]ServerSettings, error) {
	f, err := parseServers(file)
	if err != nil {
		return nil, err
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	known := variables(path, env)
	var list []ServerSettings
	for _, name := range slices.Sorted(maps.Keys(f.servers)) {
		s, offset, err := f.read(name)
		if err == nil && !s.Disabled {
			err = errors.Join(s.expand(known), s.check())
		}
		if err != nil {
			err = fmt.Errorf("server %s: %w", text.Quote(name, 80), err)
			s.Unusable = f.inLine(offset, err)
		}
		list = append(list, s)
	}
	usable := func(s ServerSettings) bool { return s.Unusable == nil && !s.Disabled }
	bad := slices.IndexFunc(list, func(s ServerSettings) bool { return s.Unusable != nil })
	if bad >= 0 && !slices.ContainsFunc(list, usable) {
		return nil, list[bad].Unusable
	}
	return list, nil
}

// serversFile is a parsed file with servers.
type serversFile struct {
	text    []byte
	tree    hujson.Value
	key     string // the member that contains the servers
	servers map[string]json.RawMessage
}

// place is where the servers are in the file, as a JSON pointer.
func (f *serversFile) place() string {
	if f.key == "" {
		return ""
	}
	return "/" + f.key
}

// read returns the settings of a server, and where an error is in the file.
func (f *serversFile) read(name string) (s ServerSettings, offset int, err error) {
	offset = f.tree.Find(f.place() + "/" + jsonPointer.Replace(name)).StartOffset
	s, err = readEntry(f.servers[name])
	if wrong, is := errors.AsType[*json.UnmarshalTypeError](err); is {
		offset += int(wrong.Offset)
		err = hint.Add(fmt.Errorf("%s cannot be of the kind %s", cmp.Or(wrong.Field, "it"),
			wrong.Value), wantServers)
	}
	s.Name = name
	return s, offset, err
}

// parseServers parses the file, and checks only its form.
func parseServers(file []byte) (*serversFile, error) {
	f := &serversFile{text: bytes.TrimPrefix(file, []byte("\ufeff")), key: "mcpServers"}
	var err error
	if f.tree, err = hujson.Parse(f.text); err != nil { // the error has the line
		return nil, hint.Add(errors.New(strings.TrimPrefix(err.Error(), "hujson: ")), wantServers)
	}
	plain := standard(f.tree) // keeps the offset of every byte
	var members struct {
		MCPServers map[string]json.RawMessage `json:"mcpServers"`
		Servers    map[string]json.RawMessage `json:"servers"` // of VS Code
	}
	if err := json.Unmarshal(plain, &members); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			err = f.inLine(int(wrong.Offset), fmt.Errorf("%s cannot be of the kind %s",
				cmp.Or(wrong.Field, "the whole"), wrong.Value))
		}
		return nil, hint.Add(err, wantServers)
	}
	f.servers = members.MCPServers
	if f.servers == nil {
		f.servers, f.key = members.Servers, "servers"
	}
	for _, key := range []string{"context_servers", "mcp/servers", "mcp", ""} { // Zed, opencode
		if raw := wire.At(plain, strings.Split(key, "/")...); f.servers == nil {
			if key == "" { // the servers are the whole
				raw = plain
			}
			f.servers, f.key = wire.Members(raw), key
		}
	}
	return f, nil
}

// check returns an error if the file has no servers, too many, or two of the same name.
func (f *serversFile) check() error {
	isServer := func(raw json.RawMessage) bool { return wire.Members(raw) != nil }
	whole := f.key == "" && !slices.ContainsFunc(slices.Collect(maps.Values(f.servers)), isServer)
	if len(f.servers) == 0 || whole || f.tree.Find(f.place()) == nil { // the key may differ in case
		return hint.Add(errors.New("it names no servers"), wantServers)
	}
	if len(f.servers) > maxServers {
		return fmt.Errorf("it names %d servers (at most %d)", len(f.servers), maxServers)
	}
	for _, place := range []string{"", f.place()} {
		if at, err := duplicateMember(f.tree, place); err != nil {
			return hint.Add(f.inLine(at, err), "give each server a name of its own")
		}
	}
	return nil
}

// inLine adds the line number of the offset to err.
func (f *serversFile) inLine(offset int, err error) error {
	before := f.text[:min(offset, len(f.text))]
	return fmt.Errorf("line %d: %w", 1+bytes.Count(before, []byte("\n")), err)
}

// duplicateMember returns an error and the offset of a member whose name is empty or repeated.
// Decoding would ignore one of the two.
func duplicateMember(tree hujson.Value, place string) (offset int, err error) {
	object, _ := tree.Find(place).Value.(*hujson.Object)
	known := map[string]bool{"": true}
	for _, m := range object.Members {
		name := m.Name.Value.(hujson.Literal).String()
		if known[name] {
			return m.Name.StartOffset, fmt.Errorf("the name %s is empty or was used before",
				text.Quote(name, 80))
		}
		known[name] = true
	}
	return 0, nil
}

var jsonPointer = strings.NewReplacer("~", "~0", "/", "~1")

// check returns an error if the settings cannot be used.
func (s *ServerSettings) check() error {
	u, err := url.Parse(s.URL)
	overHTTP := true
	switch strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(s.Type)) {
	case "stdio", "local":
		overHTTP = false
	case "":
		overHTTP = s.Command == ""
	case "http", "https", "streamablehttp", "remote":
	case "sse":
		return hint.Add(errors.New("type sse is the transport that MCP gave up in 2025, and is "+
			"not spoken here"), `most such servers have another address, often .../mcp: name that `+
			`with "type": "http", or write "disabled": true`)
	default:
		return hint.Add(fmt.Errorf("unknown type %s", text.Quote(s.Type, 80)), "want stdio or http")
	}
	switch {
	case s.Command != "" && s.URL != "", overHTTP && s.URL == "", !overHTTP && s.Command == "":
		return hint.Add(errors.New("it has not one of command and url, as its type wants"),
			wantServers)
	case overHTTP && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https"):
		return hint.Add(errors.New("its url is no address of an HTTP server"),
			"write https://HOST/PATH")
	}
	return nil
}

// variables returns the environment and the values of Cursor's variables. The workspace is the
// folder of the file, or of its .cursor or .vscode folder.
func variables(path string, env map[string]string) map[string]string {
	folder := filepath.Dir(path)
	if name := filepath.Base(folder); name == ".cursor" || name == ".vscode" {
		folder = filepath.Dir(folder)
	}
	all := map[string]string{"userHome": cmp.Or(env["HOME"], env["USERPROFILE"]),
		"workspaceFolder": folder, "workspaceFolderBasename": filepath.Base(folder),
		"pathSeparator": string(filepath.Separator), "/": string(filepath.Separator)}
	maps.Copy(all, env)
	return all
}

// ReadEnv parses a file with a NAME=VALUE on each line, optionally after export. Values may be
// quoted. # begins a comment. An error has the line, but no value.
func ReadEnv(file []byte) (map[string]string, error) {
	env := map[string]string{}
	n := 0
	for line := range strings.Lines(strings.TrimPrefix(string(file), "\ufeff")) {
		n++
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		m := assignment.FindStringSubmatch(line)
		if m == nil {
			return nil, fmt.Errorf("line %d is no NAME=VALUE", n)
		}
		value := m[2] + m[3]
		if m[2] == "" && m[3] == "" {
			value, _, _ = strings.Cut(m[4], " #")
		}
		env[m[1]] = strings.TrimSpace(value)
	}
	return env, nil
}

var assignment = regexp.MustCompile(
	`^(?:export\s+)?([A-Za-z_][\w.-]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^"'].*|))(?:\s*#.*)?$`)

// expand replaces the variables in the settings.
func (s *ServerSettings) expand(env map[string]string) error {
	var missing error
	put := func(value string) string {
		return variable.ReplaceAllStringFunc(value, func(v string) string {
			value, err := valueOf(variable.FindStringSubmatch(v), env)
			if missing == nil {
				missing = err
			}
			return value
		})
	}
	s.Command, s.URL = put(s.Command), put(s.URL)
	s.Dir = put(s.Dir)
	if s.EnvFile = put(s.EnvFile); s.EnvFile != "" && !filepath.IsAbs(s.EnvFile) {
		s.EnvFile = filepath.Join(env["workspaceFolder"], s.EnvFile)
	}
	for i := range s.Args {
		s.Args[i] = put(s.Args[i])
	}
	for _, m := range []map[string]string{s.Env, s.Headers} {
		for k, v := range m {
			m[k] = put(v)
		}
	}
	return missing
}

// valueOf returns the value for a match of variable.
func valueOf(match []string, env map[string]string) (string, error) {
	kind, name := match[1], match[2]
	fallback := match[3]
	if kind != "" && kind != "env" {
		return "", hint.Add(fmt.Errorf("%s cannot be filled in here", text.Cut(match[0], 80)),
			"write ${env:NAME}, and export NAME=VALUE")
	}
	value, ok := env[name]
	switch {
	case ok && (value != "" || fallback == ""):
		return value, nil
	case fallback != "":
		return strings.TrimPrefix(fallback, ":-"), nil
	}
	return "", hint.Add(fmt.Errorf("the variable %s is not set", name), "export "+name+"=VALUE")
}
