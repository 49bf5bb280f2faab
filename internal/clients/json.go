package clients

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// jsonForm is an object of servers at a key.
type jsonForm struct {
	key      string
	comments bool // the client allows comments and trailing commas
	// id of the input with which the client asks its user for a token, or ""
	ask string
}

func (f jsonForm) questions(s Server) []input {
	if f.ask == "" || s.URL == "" || !s.Token {
		return nil
	}
	return []input{{f.ask, "promptString", "Token of the taploop server", true}}
}

func (f jsonForm) snippet(e any, s Server) (string, error) {
	all := map[string]any{f.key: map[string]any{Entry: e}}
	if q := f.questions(s); q != nil {
		all["inputs"] = q
	}
	text, err := encode(all, "", "  ")
	return text + "\n", err
}

func (f jsonForm) merge(old []byte, e any, s Server, path string, force bool) ([]byte, error) {
	mark, text := cutMark(old)
	root, err := f.parse(text)
	if err != nil {
		return nil, unreadable(path, err)
	}
	lay := layoutOf(text, root)
	err = put(root, f.key, lay, e, force)
	if errors.Is(err, errTaken) {
		return nil, taken(path, "pass --force to replace it; a copy of the file is kept")
	}
	changed := !errors.Is(err, errPresent)
	if err != nil && changed {
		return nil, unreadable(path, err)
	}
	for _, q := range f.questions(s) {
		err := putQuestion(root, lay, q)
		if err != nil && !errors.Is(err, errPresent) {
			return nil, unreadable(path, err)
		}
		changed = changed || err == nil
	}
	if !changed {
		return nil, errPresent
	}
	return slices.Concat(mark, root.Pack()), nil
}

// parse returns the object in the file, or an error if the client cannot read it.
func (f jsonForm) parse(text []byte) (*hujson.Value, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	root, err := hujson.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("it is not JSON: %s", strings.TrimPrefix(err.Error(), "hujson: "))
	}
	if !f.comments && !root.IsStandard() {
		return nil, errors.New("it has comments or commas at the end of a list, which the client " +
			"does not read")
	}
	if _, ok := root.Value.(*hujson.Object); !ok {
		return nil, errors.New("it holds no JSON object")
	}
	return &root, nil
}
