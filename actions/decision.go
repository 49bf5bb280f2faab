package actions

import (
	"encoding/json"
	"slices"

	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/text"
)

// Field is one key and value as the model wrote them.
type Field struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Decision is an action with what the model said around it.
type Decision struct {
	Action  Action
	Thought string  // why, for the trace
	Explain string  // the step in words, for people
	Summary string  // the model's new summary of the task so far, or "" to keep the former one
	Note    string  // to be kept for later steps, whatever the action
	Fields  []Field // the reply's fields in the model's own order, for agent_action

	// Secret says that Action touches one of the keys by which a secret is entered. Its point and
	// the texts do not tell which: that is Key, which is never written down. A secret decision
	// without a Key cannot be carried out.
	Secret bool
	Key    *screen.Point
}

// Touch returns the action as it is carried out: that of a secret decision touches its key.
func (d Decision) Touch() Action {
	if d.Key == nil {
		return d.Action
	}
	return Moved(d.Action, func(screen.Point) screen.Point { return *d.Key })
}

// decisionJSON is the stored form of a decision.
type decisionJSON struct {
	Action  json.RawMessage `json:"action"` // null if there is no action
	Thought string          `json:"thought,omitempty"`
	Explain string          `json:"explain,omitempty"`
	Summary string          `json:"summary,omitempty"`
	Note    string          `json:"note,omitempty"`
	Fields  []Field         `json:"fields,omitempty"`
	Secret  bool            `json:"secret,omitempty"`
}

// MarshalJSON writes the decision with its action as [Marshal] does, or null.
func (d Decision) MarshalJSON() ([]byte, error) {
	j := decisionJSON{json.RawMessage("null"), d.Thought, d.Explain, d.Summary, d.Note,
		d.Fields, d.Secret}
	if d.Action != nil {
		var err error
		if j.Action, err = Marshal(d.Action); err != nil {
			return nil, err
		}
	}
	return json.Marshal(j)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (d *Decision) UnmarshalJSON(b []byte) error {
	var j decisionJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	*d = Decision{Thought: j.Thought, Explain: j.Explain, Summary: j.Summary, Note: j.Note,
		Fields: j.Fields, Secret: j.Secret}
	if len(j.Action) == 0 || string(j.Action) == "null" {
		return nil
	}
	var err error
	d.Action, err = Unmarshal(j.Action)
	return err
}

// Texts returns the decision with f applied to every text in it, for example to mask a secret.
func (d Decision) Texts(f func(string) string) Decision {
	if d.Action != nil {
		d.Action = Texts(d.Action, f)
	}
	d.Thought = f(d.Thought)
	d.Explain = f(d.Explain)
	d.Summary = f(d.Summary)
	d.Note = f(d.Note)
	d.Fields = text.Each(d.Fields, func(e Field) Field { return Field{e.Key, f(e.Value)} })
	return d
}

// Remember returns before with what the decision adds: its note and the text of a NOTE. A text that
// is in before is not added again.
func (d Decision) Remember(before []string) []string {
	texts := []string{d.Note}
	if n, is := d.Action.(Note); is {
		texts = append(texts, n.Text)
	}
	all := slices.Clip(before)
	for _, t := range texts {
		if t != "" && !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	return all
}
