package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/agents"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
)

// shownAgent is an agent of a session of taploop host, with what it called.
type shownAgent struct {
	ID     string      `json:"id"` // of the call that began it; "1" has the goal
	Role   string      `json:"role,omitempty"`
	Goal   string      `json:"goal"`
	Calls  []shownCall `json:"calls"`
	Answer string      `json:"answer,omitempty"`
}

type shownCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Args      string `json:"args"`
	Result    string `json:"result,omitempty"`
	Failed    bool   `json:"failed,omitempty"`
	Unknown   bool   `json:"outcome_unknown,omitempty"`
	SessionID string `json:"session_id,omitempty"` // of the phone task
}

// maxShown is how many characters of arguments and results are shown.
const maxShown = 2000

// shownAgents are the agents of a session, each behind the one that called it, and what they have
// come to.
func shownAgents(ctx context.Context, db *store.Store, run store.Run) (
	[]shownAgent, agents.Spent, error) {
	journal, err := db.Entries(run).All(ctx)
	if err != nil {
		return nil, agents.Spent{}, err
	}
	states, spent, err := agents.Read(journal)
	if err != nil {
		return nil, spent, err
	}
	list := []shownAgent{}
	for _, id := range slices.SortedFunc(maps.Keys(states), compareIDs) {
		s := states[id]
		a := shownAgent{ID: id, Role: s.Begin.Role, Goal: s.Begin.Goal, Calls: []shownCall{}}
		a.Answer, _ = s.Answer()
		for _, c := range s.Calls() {
			shown := shownCall{ID: c.ID, Name: c.Name, SessionID: s.Sessions[c.ID],
				Args: text.Cut(string(c.Args), maxShown)}
			if r, ended := s.Result(c.ID); ended {
				shown.Result = text.Cut(r.Text, maxShown)
				shown.Failed, shown.Unknown = r.Failed, r.Unknown
			}
			a.Calls = append(a.Calls, shown)
		}
		list = append(list, a)
	}
	return list, spent, nil
}

func (a shownAgent) print(p sheet) {
	by := strings.Repeat("  ", strings.Count(a.ID, "-"))
	fmt.Fprintln(p.to)
	p.line(fmt.Sprintf("%sagent %s ", by, a.ID), strings.TrimSpace(a.Role+" "+a.Goal))
	for _, c := range a.Calls {
		if c.Result == "" {
			c.Result = "(no result)"
		}
		p.line(fmt.Sprintf("%s  %s  ", by, c.ID), c.Name+" "+c.Args)
		if c.SessionID != "" {
			p.line(by+"    session ", c.SessionID)
		}
		label := "= "
		if c.Failed {
			label = "failed: "
		}
		p.line(by+"    "+label, text.Cut(c.Result, 400))
	}
	p.line(by+"  answer: ", a.Answer)
}

// compareIDs orders agents as a tree is read: 1, 1-2, 1-2-1, 1-10.
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
