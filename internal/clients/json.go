package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/tailscale/hujson"
)

// jsonForm is an object of servers below a key.
type jsonForm struct {
	key      string
	comments bool // the client reads comments and trailing commas, too
	// id of the input by which the client asks its user for a token, "" when it does not
	ask string
}

// question is an input of VS Code.
type question struct {
	ID          string `json:"id"`
	Type        string `json:"type"`
	Description string `json:"description"`
	Password    bool   `json:"password"`
}

func (f jsonForm) questions(s Server) []question {
	if f.ask == "" || s.URL == "" || !s.Token {
		return nil
	}
	return []question{{f.ask, "promptString", "Token of the taploop server", true}}
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
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	before, err := f.parse(text)
	if err != nil {
		return nil, unreadable(path, err)
	}
	after, err := f.put(text, e, force)
	if errors.Is(err, errTaken) {
		return nil, taken(path, "pass --force to replace it; a copy of the file is kept")
	}
	changed := !errors.Is(err, errPresent)
	if err != nil && changed {
		return nil, unreadable(path, err)
	}
	for _, q := range f.questions(s) {
		next, err := appendTo(after, "inputs", q.ID, q)
		if err != nil && !errors.Is(err, errPresent) {
			return nil, unreadable(path, err)
		}
		after, changed = next, changed || err == nil
	}
	if !changed {
		return nil, errPresent
	}
	if err := f.same(before, after); err != nil {
		return nil, unreadable(path, err)
	}
	return append(mark, after...), nil
}

// cutMark takes the byte order mark off that some editors of Windows write.
func cutMark(b []byte) (mark, text []byte) {
	m := []byte("\xef\xbb\xbf")
	if rest, ok := bytes.CutPrefix(b, m); ok {
		return m, rest
	}
	return nil, b
}

// parse gives the values of the file, or why it is not what the client reads.
func (f jsonForm) parse(text []byte) (map[string]any, error) {
	v, err := hujson.Parse(bytes.Clone(text)) // it is changed below
	if err != nil {
		return nil, fmt.Errorf("it is not JSON: %s", strings.TrimPrefix(err.Error(), "hujson: "))
	}
	if !f.comments && !v.IsStandard() {
		return nil,
			errors.New(
				"it has comments or commas at the end of a list, which the client does not read")
	}
	v.Standardize()
	d := json.NewDecoder(bytes.NewReader(v.Pack()))
	d.UseNumber()
	var all map[string]any
	if err := d.Decode(&all); err != nil {
		return nil, errors.New("it holds no JSON object")
	}
	return all, nil
}

// same makes sure that after differs from before in our entries alone.
func (f jsonForm) same(before map[string]any, after []byte) error {
	got, err := f.parse(after)
	if err != nil {
		return fmt.Errorf("merging went wrong: %w", err)
	}
	for _, all := range []map[string]any{before, got} {
		prune(all, f.key, func(servers any) any {
			m, _ := servers.(map[string]any)
			delete(m, Entry)
			return m
		}, func(v any) bool { m, ok := v.(map[string]any); return ok && len(m) == 0 })
		prune(all, "inputs", f.others, func(v any) bool {
			a, ok := v.([]any)
			return ok && len(a) == 0
		})
	}
	if !reflect.DeepEqual(before, got) {
		return errors.New("merging would change more than the entry")
	}
	return nil
}

// others are the inputs that are not ours.
func (f jsonForm) others(inputs any) any {
	list, _ := inputs.([]any)
	kept := []any{}
	for _, v := range list {
		if m, _ := v.(map[string]any); f.ask == "" || m["id"] != f.ask {
			kept = append(kept, v)
		}
	}
	return kept
}

// prune replaces what is at key by what edit makes of it, and removes it when nothing is left.
func prune(all map[string]any, key string, edit func(any) any, empty func(any) bool) {
	v, ok := all[key]
	if !ok {
		return
	}
	if all[key] = edit(v); empty(all[key]) {
		delete(all, key)
	}
}

// encode is v as JSON. Each line but the first begins with the prefix.
func encode(v any, prefix, indent string) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent(prefix, indent)
	err := e.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}
