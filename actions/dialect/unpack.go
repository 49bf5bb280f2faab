package dialect

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect/loose"
)

// unpacked is a reply without what its model puts around a call: its text has the call as a JSON
// object in its line, behind the thought. ok is false if the reply has no such call, or if it may
// be a part of another one, as a text that is typed.
func (t Table) unpacked(r actions.Reply) (plain actions.Reply, ok bool) {
	var text string
	text, r.Reasoning = Said(r)
	body := thoughtless(text)
	thought := strings.TrimSuffix(strings.TrimSpace(text), body)
	if len(r.Calls) > 0 || ThinkTag.MatchString(body) {
		return r, false
	}
	lines, before, ok := loose.Unpack(body)
	if !ok {
		lines, ok = structured(Unfenced(body))
		before = ""
	}
	r.Text = thought + "\n" + lines
	if _, two := structured(before); two {
		return r, false
	}
	return r, ok && t.prose(before)
}

// prose reports whether a text closes what it opens and has no action in it.
func (t Table) prose(s string) bool {
	for _, pair := range []string{"{}", "()", "[]", "｛｝", "（）"} {
		open, closed := []rune(pair)[0], []rune(pair)[1]
		if strings.Count(s, string(open)) != strings.Count(s, string(closed)) {
			return false
		}
	}
	return !slices.ContainsFunc(t, func(f Family) bool {
		return f.Wrote(actions.Reply{Text: s})
	})
}

// structured is the JSON object of an action that is written as an outline or in elements.
func structured(body string) (object string, ok bool) {
	o, ok := loose.ReadOutline(body)
	if !ok {
		o, ok = loose.ReadElements(body)
	}
	if ok {
		o, ok = ActionIn(o, func(string) bool { return len(o) == 1 })
	}
	if !ok {
		return "", false
	}
	b, err := json.Marshal(o)
	return string(b), err == nil
}
