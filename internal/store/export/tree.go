package export

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/taploop/taploop/internal/store"
)

// node is an agent of a session without a phone, a call of one, or a phone's session that one has
// begun. An agent that another one has called is that call.
type node struct {
	ID      string  `json:"id"`
	Name    string  `json:"name,omitempty"`    // a role, a tool, or a phone's serial
	Words   string  `json:"words,omitempty"`   // a goal, arguments, or a task
	Outcome string  `json:"outcome,omitempty"` // of a phone's session, or of a call that failed
	Result  string  `json:"result,omitempty"`  // of a call
	Below   []*node `json:"below,omitempty"`
}

// entry is the part of a line of a host's journal that the tree is made of.
type entry struct {
	Agent string `json:"agent"`
	Begin *struct {
		Role string `json:"role"`
		Goal string `json:"goal"`
	} `json:"begin"`
	Reply *struct {
		Calls []struct {
			ID   string          `json:"id"`
			Name string          `json:"name"`
			Args json.RawMessage `json:"args"`
		} `json:"calls"`
		Prompt int `json:"prompt_tokens"`
		Tokens int `json:"completion_tokens"`
	} `json:"reply"`
	Session *struct {
		Call string `json:"call"`
		ID   string `json:"session_id"`
	} `json:"session"`
	Result *struct {
		Call    string `json:"call"`
		Text    string `json:"text"`
		Failed  bool   `json:"failed"`
		Unknown bool   `json:"unknown"`
	} `json:"result"`
}

// tree is who worked in a session without a phone: agents, and below each its calls, with the
// agents and phones that they began. A phone of no call, as the program ended meanwhile, is at the
// end. spent is what the agents' replies have come to.
func tree(ctx context.Context, src Source, t store.Trajectory) (
	list []*node, spent store.Usage, err error) {
	if len(t.Runs) == 0 {
		return nil, spent, nil
	}
	begun, err := src.Sessions(ctx, store.Filter{Parent: t.Session.ID})
	if err != nil {
		return nil, spent, err
	}
	phones := map[string]*node{}
	for _, x := range begun {
		n := &node{ID: x.ID, Name: label(x.Serial)}
		if x.Latest != nil {
			n.Words = bounded(x.Latest.Task)
			n.Outcome = string(x.Latest.State)
		}
		phones[x.ID] = n
	}
	journal, err := src.Noted(ctx, t.Session.ID)
	if err != nil {
		return nil, spent, err
	}
	calls := branches{"": {}}
	for i, line := range journal {
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, spent, fmt.Errorf("line %d of the journal: %w", i+1, err)
		}
		if e.Session != nil && phones[e.Session.ID] != nil && calls[e.Agent] != nil {
			n := calls.at(e.Session.Call)
			n.Below = append(n.Below, phones[e.Session.ID])
			delete(phones, e.Session.ID)
		}
		calls.add(e)
		if e.Reply != nil {
			spent.PromptTokens += e.Reply.Prompt
			spent.CompletionTokens += e.Reply.Tokens
		}
	}
	root := calls[""]
	for _, x := range begun {
		if n := phones[x.ID]; n != nil {
			root.Below = append(root.Below, n)
		}
	}
	return root.Below, spent, nil
}

// branches are the agents and calls by id. The root is "".
type branches map[string]*node

// at is the agent or call with the id, below the one that its id begins with.
func (b branches) at(id string) *node {
	if b[id] == nil {
		b[id] = &node{ID: id}
		over := b.at(id[:max(strings.LastIndex(id, "-"), 0)])
		over.Below = append(over.Below, b[id])
	}
	return b[id]
}

func (b branches) add(e entry) {
	switch {
	case e.Begin != nil:
		n := b.at(e.Agent)
		n.Name, n.Words = label(e.Begin.Role), bounded(e.Begin.Goal)
	case e.Reply != nil:
		for _, c := range e.Reply.Calls {
			n := b.at(c.ID)
			n.Name, n.Words = label(c.Name), bounded(string(c.Args))
		}
	case e.Result != nil:
		n := b.at(e.Result.Call)
		n.Result = bounded(e.Result.Text)
		switch {
		case e.Result.Unknown:
			n.Outcome = "UNKNOWN"
		case e.Result.Failed:
			n.Outcome = string(store.Failed)
		}
	}
}
