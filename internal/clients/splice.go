package clients

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// errTaken says that there is an entry of our name that says something else.
var errTaken = errors.New("the entry is another one")

// put adds the entry to the servers in text, which is JSON. Only that is inserted, everything else
// stays as it is.
func (f jsonForm) put(text []byte, e any, force bool) ([]byte, error) {
	root, err := object(text)
	if err != nil {
		return nil, err
	}
	servers, err := member(root, f.key)
	if err != nil {
		return nil, err
	}
	if servers == nil {
		return insertMember(text, root, root, 1, f.key, map[string]any{Entry: e})
	}
	list, ok := servers.Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("%q in it is no object", f.key)
	}
	ours, err := member(servers, Entry)
	switch {
	case err != nil:
		return nil, err
	case ours == nil:
		return insertMember(text, root, servers, 2, Entry, e)
	case holds(*ours, e):
		return text, errPresent
	case !force:
		return nil, errTaken
	}
	lay := layoutOf(text, root)
	value, err := encode(e, lay.indent(text, list, 2), lay.unit)
	return slices.Concat(text[:ours.StartOffset], lay.lines(value), text[ours.EndOffset:]), err
}

func object(text []byte) (*hujson.Value, error) {
	v, err := hujson.Parse(text)
	if err != nil {
		return nil, err
	}
	if _, ok := v.Value.(*hujson.Object); !ok {
		return nil, errors.New("it holds no JSON object")
	}
	return &v, nil
}

// member is the value at key, nil when there is none. With two of them it is open which one a
// client takes.
func member(of *hujson.Value, key string) (*hujson.Value, error) {
	var found *hujson.Value
	members := of.Value.(*hujson.Object).Members
	for i := range members {
		if name, ok := members[i].Name.Value.(hujson.Literal); !ok || name.String() != key {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("it has %q twice", key)
		}
		found = &members[i].Value
	}
	return found, nil
}

// holds reports whether the value says all that the entry does. It may say more: people add
// variables and the like.
func holds(v hujson.Value, e any) bool {
	v = v.Clone()
	v.Standardize()
	var has, want map[string]any
	b, err := json.Marshal(e)
	if err != nil || json.Unmarshal(b, &want) != nil || json.Unmarshal(v.Pack(), &has) != nil {
		return false
	}
	for key, value := range want {
		if !reflect.DeepEqual(has[key], value) {
			return false
		}
	}
	// An entry that names a program and an address is not read as ours by every client.
	for _, other := range []string{"command", "url", "httpUrl"} {
		if has[other] != nil && want[other] == nil {
			return false
		}
	}
	return true
}

// appendTo adds v to the array at key of the root, unless an element has the id already.
func appendTo(text []byte, key, id string, v any) ([]byte, error) {
	root, err := object(text)
	if err != nil {
		return nil, err
	}
	array, err := member(root, key)
	if err != nil {
		return nil, err
	}
	if array == nil {
		return insertMember(text, root, root, 1, key, []any{v})
	}
	list, ok := array.Value.(*hujson.Array)
	if !ok {
		return nil, fmt.Errorf("%q in it is no array", key)
	}
	gap := gap{closing: array.EndOffset - 1}
	for i := range list.Elements {
		gap.last = &list.Elements[i]
		if hasID(gap.last, id) {
			return text, errPresent
		}
	}
	gap.comma = gap.last != nil && gap.last.AfterExtra != nil
	lay := layoutOf(text, root)
	gap.outer = lay.unit
	gap.indent = lay.unit + lay.unit
	value, err := encode(v, gap.indent, lay.unit)
	return lay.insert(text, gap, value), err
}

func hasID(v *hujson.Value, id string) bool {
	if _, ok := v.Value.(*hujson.Object); !ok {
		return false
	}
	at, err := member(v, "id")
	if err != nil || at == nil {
		return false
	}
	literal, ok := at.Value.(hujson.Literal)
	return ok && literal.String() == id
}

// insertMember adds a member at the end of an object, which is depth levels deep in root.
func insertMember(text []byte, root, of *hujson.Value, depth int, key string,
	v any) ([]byte, error) {
	lay := layoutOf(text, root)
	list := of.Value.(*hujson.Object)
	gap := gap{closing: of.EndOffset - 1, indent: lay.indent(text, list, depth)}
	gap.outer = strings.TrimSuffix(gap.indent, lay.unit)
	if n := len(list.Members); n > 0 {
		gap.last = &list.Members[n-1].Value
		gap.comma = gap.last.AfterExtra != nil
	}
	value, err := encode(v, gap.indent, lay.unit)
	return lay.insert(text, gap, string(hujson.String(key))+": "+value), err
}
