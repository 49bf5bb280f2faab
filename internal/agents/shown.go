package agents

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/text"
)

// Shown describes an agent and its calls for people and programs.
type Shown struct {
	ID     string      `json:"id"` // of the call that started it, or First
	Role   string      `json:"role,omitempty"`
	Goal   string      `json:"goal"`
	Calls  []ShownCall `json:"calls"`
	Answer string      `json:"answer,omitempty"`
}

// ShownCall is a call of an agent.
type ShownCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Args      string `json:"args"`
	Result    string `json:"result,omitempty"`
	Failed    bool   `json:"failed,omitempty"`
	Unknown   bool   `json:"outcome_unknown,omitempty"`
	SessionID string `json:"session_id,omitempty"` // of a task on a phone
}

// maxShown is how many characters of arguments and results are shown.
const maxShown = 2000

// Show returns the agents in a session's journal, each after its caller, and their total.
func Show(journal []json.RawMessage) ([]Shown, Spent, error) {
	states, spent, err := Read(journal)
	if err != nil {
		return nil, spent, err
	}
	list := []Shown{}
	for _, id := range slices.SortedFunc(maps.Keys(states), compareIDs) {
		s := states[id]
		a := Shown{ID: id, Role: s.Begin.Role, Goal: s.Begin.Goal, Calls: []ShownCall{}}
		a.Answer, _ = s.Answer()
		for _, c := range s.Calls() {
			shown := ShownCall{ID: c.ID, Name: c.Name, SessionID: s.Sessions[c.ID],
				Args: text.Cut(string(c.Args), maxShown)}
			if r, ended := s.ended[c.ID]; ended {
				shown.Result = text.Cut(r.Text, maxShown)
				shown.Failed, shown.Unknown = r.Failed, r.Unknown
			}
			a.Calls = append(a.Calls, shown)
		}
		list = append(list, a)
	}
	return list, spent, nil
}

// compareIDs orders agents depth first: 1, 1-2, 1-2-1, 1-10.
func compareIDs(a, b string) int {
	pad := func(id string) []string {
		parts := strings.Split(id, "-")
		for i, p := range parts {
			parts[i] = strings.Repeat("0", max(9-len(p), 0)) + p
		}
		return parts
	}
	return slices.Compare(pad(a), pad(b))
}
