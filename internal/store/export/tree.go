package export

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/consent"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/words"
)

// Node is an agent of a session without a phone, a call of one, or a phone's session that one has
// begun. An agent that another one has called is that call.
type Node struct {
	ID      string  `json:"id"`
	Name    string  `json:"name,omitempty"`    // a role, a tool, or a phone's serial
	Words   string  `json:"words,omitempty"`   // a goal, arguments, or a task
	Outcome string  `json:"outcome,omitempty"` // of a phone's session, or of a call that failed
	Result  string  `json:"result,omitempty"`  // of a call
	Below   []*Node `json:"below,omitempty"`
	// what a call does, for people, by language
	Says map[string]string `json:"says,omitempty"`
	// the question about a call, and its place among the actions that this is about
	QuestionID string            `json:"question_id,omitempty"`
	Part       int               `json:"part,omitempty"`
	Changed    inquiry.Args      `json:"changed,omitempty"` // the arguments that a person put in
	Asked      *inquiry.Question `json:"-"`
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
			ID     string          `json:"id"`
			Name   string          `json:"name"`
			Args   json.RawMessage `json:"args"`
			Server string          `json:"server"`
			Of     string          `json:"tool"`
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

// Tree is who worked in a session without a phone: agents, and below each its calls, with the
// agents and phones that they began. A phone of no call, as the program ended meanwhile, is at the
// end. spent is what the agents' replies have come to.
func Tree(ctx context.Context, src Source, t store.Trajectory) (
	list []*Node, spent store.Usage, err error) {
	if len(t.Runs) == 0 {
		return nil, spent, nil
	}
	begun, err := src.Sessions(ctx, store.Filter{Parent: t.Session.ID})
	if err != nil {
		return nil, spent, err
	}
	phones := map[string]*Node{}
	for _, x := range begun {
		n := &Node{ID: x.ID, Name: label(x.Serial)}
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
	calls, open := branches{"": {}}, asks(t.Questions)
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
		calls.add(e, &open)
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
type branches map[string]*Node

// at is the agent or call with the id, below the one that its id begins with.
func (b branches) at(id string) *Node {
	if b[id] == nil {
		b[id] = &Node{ID: id}
		over := b.at(id[:max(strings.LastIndex(id, "-"), 0)])
		over.Below = append(over.Below, b[id])
	}
	return b[id]
}

// ask is an action that a question is about.
type ask struct {
	of         *inquiry.Question
	part       int
	name, args string
}

func asks(list []inquiry.Question) (all []ask) {
	for i := range list {
		a := inquiry.As[inquiry.Approval](list[i])
		for n, r := range a.ActionRequests {
			args, _ := json.Marshal(r.Args)
			all = append(all, ask{&list[i], n, r.Name, string(args)})
		}
		if len(a.ActionRequests) == 0 {
			all = append(all, ask{of: &list[i]})
		}
	}
	return all
}

func (b branches) add(e entry, open *[]ask) {
	switch {
	case e.Begin != nil:
		n := b.at(e.Agent)
		n.Name, n.Words, n.Says = label(e.Begin.Role), bounded(e.Begin.Goal), nil
	case e.Reply != nil:
		for _, c := range e.Reply.Calls {
			n := b.at(c.ID)
			n.Name, n.Words = label(c.Name), bounded(string(c.Args))
			n.called(c.Server, cmp.Or(c.Of, c.Name), c.Args, open)
		}
	case e.Result != nil:
		n := b.at(e.Result.Call)
		n.Result = bounded(n.withoutNote(e.Result.Text))
		switch {
		case e.Result.Unknown:
			n.Outcome = "UNKNOWN"
		case e.Result.Failed:
			n.Outcome = string(store.Failed)
		}
	}
}

// called says what a call does, and takes the question about it from those that are of no call yet.
func (n *Node) called(server, tool string, arguments json.RawMessage, open *[]ask) {
	var args inquiry.Args
	_ = json.Unmarshal(arguments, &args) // a model may have written anything
	act := &consent.Act{Server: server, Tool: tool, Object: consent.ObjectOf(args)}
	n.Says = words.Each(func(lang string) string { return act.Describe(lang).Does })
	plain, _ := json.Marshal(args)
	i := slices.IndexFunc(*open, func(a ask) bool {
		return a.name == tool && a.args == string(plain) || strings.HasSuffix(a.of.Key, " "+n.ID)
	})
	if i >= 0 {
		n.Asked, n.Part = (*open)[i].of, (*open)[i].part
		n.QuestionID = n.Asked.ID
		*open = slices.Delete(*open, i, i+1)
	}
}

// withoutNote is a result without what the agent is told of arguments that a person has changed.
func (n *Node) withoutNote(result string) string {
	if n.Asked == nil || n.Asked.Resolution == nil {
		return result
	}
	list := n.Asked.Resolution.Decisions
	if n.Part < len(list) && list[n.Part].EditedAction != nil {
		n.Changed = list[n.Part].EditedAction.Args
		if strings.HasPrefix(result, inquiry.ChangedNote) {
			_, result, _ = strings.Cut(result, "\n")
		}
	}
	return result
}
