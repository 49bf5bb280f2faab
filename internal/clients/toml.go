package clients

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/taploop/taploop/internal/mcp/wire"
)

// tomlForm is a table of servers. It adds a server as a separate table at the end of the file and
// moves nothing else.
type tomlForm struct{ table string }

func (f tomlForm) snippet(e any, _ Server) (string, error) {
	b, err := toml.Marshal(e)
	if err != nil {
		return "", err
	}
	return "[" + f.table + "." + Entry + "]\n" + string(b), nil
}

func (f tomlForm) merge(old []byte, e any, s Server, path string, _ bool) ([]byte, error) {
	mark, text := cutMark(old)
	before, err := readTOML(text)
	if err != nil {
		return nil, unreadable(path, err)
	}
	snippet, err := f.snippet(e, s)
	if err != nil {
		return nil, err
	}
	servers, _ := before[f.table].(map[string]any)
	if ours, ok := servers[Entry]; ok {
		return f.present(ours, snippet, path)
	}
	after := appendLines(text, snippet)
	got, err := readTOML(after)
	if err != nil { // the servers are an inline table, which cannot be extended
		return nil, unreadable(path, fmt.Errorf("[%s] cannot be added at its end",
			f.table+"."+Entry))
	}
	if servers, _ = got[f.table].(map[string]any); servers != nil {
		delete(servers, Entry)
		if _, had := before[f.table]; !had && len(servers) == 0 {
			delete(got, f.table)
		}
	}
	if !reflect.DeepEqual(before, got) {
		return nil, unreadable(path, errors.New("merging would change more than the entry"))
	}
	return slices.Concat(mark, after), nil
}

// present returns errPresent if the table equals ours. It never replaces a table, because its lines
// may be anywhere in the file.
func (f tomlForm) present(ours any, snippet, path string) ([]byte, error) {
	want, err := readTOML([]byte(snippet))
	if err != nil {
		return nil, err
	}
	if holds(wire.Encode(ours), wire.At(wire.Encode(want), f.table, Entry)) {
		return nil, errPresent
	}
	return nil, taken(path, "edit it by hand, or remove it and call again; this is what it would "+
		"become:\n"+strings.TrimSpace(snippet))
}

func readTOML(text []byte) (map[string]any, error) {
	all := map[string]any{}
	err := toml.Unmarshal(text, &all)
	if at, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, column := at.Position()
		return nil, fmt.Errorf("it is not TOML: line %d, column %d: %s", line, column,
			strings.TrimPrefix(at.Error(), "toml: "))
	}
	return all, err
}

// appendLines appends lines to a text after an empty line.
func appendLines(text []byte, lines string) []byte {
	eol := "\n"
	if bytes.Contains(text, []byte("\r\n")) {
		eol = "\r\n"
		lines = strings.ReplaceAll(lines, "\n", eol)
	}
	out := bytes.Clone(text)
	if len(out) > 0 {
		if !bytes.HasSuffix(out, []byte("\n")) {
			out = append(out, eol...)
		}
		out = append(out, eol...)
	}
	return append(out, lines...)
}
