package clients

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/tailscale/hujson"

	"github.com/taploop/taploop/internal/mcp/wire"
)

// errTaken means that an entry of the same name differs.
var errTaken = errors.New("the entry is another one")

// put inserts the entry into the servers at the key in root and changes nothing else.
func put(root *hujson.Value, key string, lay layout, e any, force bool) error {
	servers, err := member(root, key)
	if err != nil {
		return err
	}
	if servers == nil {
		return lay.addMember(root, 1, key, map[string]any{Entry: e})
	}
	list, ok := servers.Value.(*hujson.Object)
	if !ok {
		return fmt.Errorf("%q in it is no object", key)
	}
	ours, err := member(servers, Entry)
	switch {
	case err != nil:
		return err
	case ours == nil:
		return lay.addMember(servers, 2, Entry, e)
	case holds(standard(*ours), wire.Encode(e)):
		return errPresent
	case !force:
		return errTaken
	}
	value, err := lay.value(e, lay.indent(list, 2))
	ours.Value = value.Value
	return err
}

// member returns the value at key, or nil. It returns an error if the key occurs twice, as clients
// differ in which value they use.
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

// standard is a value as JSON without comments.
func standard(v hujson.Value) json.RawMessage {
	v = v.Clone()
	v.Standardize()
	return v.Pack()
}

// holds reports whether an entry contains everything that is wanted. It may contain more, such as
// variables that people add.
func holds(entry, wanted json.RawMessage) bool {
	var has, want map[string]any
	if json.Unmarshal(entry, &has) != nil || json.Unmarshal(wanted, &want) != nil {
		return false
	}
	for key, value := range want {
		if !reflect.DeepEqual(has[key], value) {
			return false
		}
	}
	// Clients differ in how they read an entry with both a program and an address.
	return !slices.ContainsFunc([]string{"command", "url", "httpUrl"}, func(other string) bool {
		return has[other] != nil && want[other] == nil
	})
}

// input is an input of VS Code.
type input struct {
	ID          string `json:"id"`
	Type        string `json:"type"`
	Description string `json:"description"`
	Password    bool   `json:"password"`
}

// putQuestion adds the question to the inputs in root, unless one of them has its id.
func putQuestion(root *hujson.Value, lay layout, q input) error {
	array, err := member(root, "inputs")
	if err != nil {
		return err
	}
	if array == nil {
		return lay.addMember(root, 1, "inputs", []input{q})
	}
	list, ok := array.Value.(*hujson.Array)
	if !ok {
		return errors.New(`"inputs" in it is no array`)
	}
	var last *hujson.Value
	for i := range list.Elements {
		last = &list.Elements[i]
		if at := last.Find("/id"); at != nil {
			if id, ok := at.Value.(hujson.Literal); ok && id.String() == q.ID {
				return errPresent
			}
		}
	}
	indent := lay.unit + lay.unit
	v, err := lay.value(q, indent)
	lay.place(&v, &v, last, &list.AfterExtra, indent)
	list.Elements = append(list.Elements, v)
	return err
}
