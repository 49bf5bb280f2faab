package export

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/taploop/taploop/session"
)

// node is an agent of a session without a phone, or a phone's session that one has begun.
type node struct {
	ID, Name, Words string
	Outcome, Tone   string // of a phone's session
	Below           []*node
}

// entry is the part of a line of a host's journal that the tree is made of.
type entry struct {
	Agent string `json:"agent"`
	Begin *struct {
		Role string `json:"role"`
		Goal string `json:"goal"`
	} `json:"begin"`
	Session *struct {
		Call string `json:"call"`
		ID   string `json:"session_id"`
	} `json:"session"`
}

// tree is who worked in a session without a phone: agents, and below each those that it called and
// its phones. A phone of no agent, as the program ended meanwhile, is at the end.
func tree(ctx context.Context, src Source, t trajectory) ([]*node, error) {
	if !t.session.Phoneless() || len(t.runs) == 0 {
		return nil, nil
	}
	begun, err := src.Sessions(ctx, session.Filter{Parent: t.session.ID})
	if err != nil {
		return nil, err
	}
	phones := map[string]*node{}
	for _, x := range begun {
		n := &node{ID: x.ID, Name: tag(x.Serial)}
		if x.Latest != nil {
			n.Words = bounded(x.Latest.Task)
			n.Outcome, n.Tone = outcome(*x.Latest)
		}
		phones[x.ID] = n
	}
	journal, err := src.Entries(t.runs[len(t.runs)-1]).All(ctx)
	if err != nil {
		return nil, err
	}
	root, agents := &node{}, map[string]*node{}
	for i, line := range journal {
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("line %d of the journal: %w", i+1, err)
		}
		switch {
		case e.Begin != nil:
			n := &node{ID: e.Agent, Name: tag(e.Begin.Role), Words: bounded(e.Begin.Goal)}
			agents[e.Agent] = n
			over := agents[e.Agent[:max(strings.LastIndex(e.Agent, "-"), 0)]]
			if over == nil {
				over = root
			}
			over.Below = append(over.Below, n)
		case e.Session != nil && agents[e.Agent] != nil && phones[e.Session.ID] != nil:
			agents[e.Agent].Below = append(agents[e.Agent].Below, phones[e.Session.ID])
			delete(phones, e.Session.ID)
		}
	}
	for _, x := range begun {
		if n := phones[x.ID]; n != nil {
			root.Below = append(root.Below, n)
		}
	}
	return root.Below, nil
}
