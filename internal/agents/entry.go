package agents

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Entry is a line of a session's journal. Exactly one field other than Agent is set.
type Entry struct {
	Agent   string   `json:"agent"`
	Begin   *Begin   `json:"begin,omitempty"`
	Said    string   `json:"said,omitempty"`    // by a person, when the session was resumed
	Reply   *Reply   `json:"reply,omitempty"`   // of the model
	Intent  string   `json:"intent,omitempty"`  // the id of a call that is about to begin
	Session *Session `json:"session,omitempty"` // on a phone, started by a call
	Result  *Result  `json:"result,omitempty"`
}

// Begin starts an agent.
type Begin struct {
	Role string `json:"role,omitempty"`
	Goal string `json:"goal"`
}

// Reply is a model's reply with its cost.
type Reply struct {
	Text    string  `json:"text,omitempty"`
	Calls   []Call  `json:"calls,omitempty"`
	Problem string  `json:"problem,omitempty"` // why it is unusable, for the model
	Prompt  int     `json:"prompt_tokens,omitempty"`
	Tokens  int     `json:"completion_tokens,omitempty"`
	Cost    float64 `json:"cost,omitempty"`
}

// Call is a call of a tool. The host makes its id, which begins with the agent's id.
type Call struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
	// of the tool, "" for the host's own
	Server string `json:"server,omitempty"`
	Of     string `json:"tool,omitempty"` // what the server calls it
}

// Session is a session on a phone that a call has started.
type Session struct {
	Call string `json:"call"`
	ID   string `json:"session_id"`
}

// Result is the result of a call.
type Result struct {
	Call   string `json:"call"`
	Text   string `json:"text"`
	Failed bool   `json:"failed,omitempty"`
	// it is not known whether the call was carried out
	Unknown bool `json:"unknown,omitempty"`
}

// State is the state of one agent according to a journal.
type State struct {
	Agent    string
	Begin    Begin
	Entries  []Entry // the agent's entries without Begin
	Sessions map[string]string
	begun    map[string]bool // calls with an intent
	ended    map[string]Result
}

// Open returns the calls of the last reply that have no result.
func (s *State) Open() []Call {
	var open []Call
	for _, e := range s.Entries {
		if e.Reply != nil {
			open = e.Reply.Calls
		}
	}
	return slices.DeleteFunc(slices.Clone(open), func(c Call) bool {
		_, ended := s.ended[c.ID]
		return ended
	})
}

// Calls returns all calls of the agent in order.
func (s *State) Calls() []Call {
	var all []Call
	for _, e := range s.Entries {
		if e.Reply != nil {
			all = append(all, e.Reply.Calls...)
		}
	}
	return all
}

// Answer returns the agent's final answer. It returns false while the agent is still working.
func (s *State) Answer() (string, bool) {
	if len(s.Entries) == 0 {
		return "", false
	}
	r := s.Entries[len(s.Entries)-1].Reply
	if r == nil || len(r.Calls) > 0 || r.Problem != "" {
		return "", false
	}
	return r.Text, true
}

func (s *State) add(e Entry) {
	s.Entries = append(s.Entries, e)
	switch {
	case e.Intent != "":
		s.begun[e.Intent] = true
	case e.Session != nil:
		s.Sessions[e.Session.Call] = e.Session.ID
	case e.Result != nil:
		s.ended[e.Result.Call] = *e.Result
	}
}

// replies counts the agent's replies since the last message of a person.
func (s *State) replies() int {
	n := 0
	for _, e := range s.Entries {
		switch {
		case e.Said != "":
			n = 0
		case e.Reply != nil:
			n++
		}
	}
	return n
}

// Spent is the total of replies and calls.
type Spent struct {
	Calls            int     `json:"calls"` // of tools
	Replies          int     `json:"model_calls"`
	PromptTokens     int     `json:"prompt_tokens"`
	CompletionTokens int     `json:"completion_tokens"`
	Cost             float64 `json:"cost,omitempty"`
}

func (s *Spent) add(e Entry) {
	if e.Reply != nil {
		s.Calls += len(e.Reply.Calls)
		s.Replies++
		s.PromptTokens += e.Reply.Prompt
		s.CompletionTokens += e.Reply.Tokens
		s.Cost += e.Reply.Cost
	}
}

// Read returns the states of a session's agents by id. The first agent has the id First.
func Read(journal []json.RawMessage) (map[string]*State, Spent, error) {
	states := map[string]*State{}
	var spent Spent
	for i, raw := range journal {
		var e Entry
		if err := json.Unmarshal(raw, &e); err != nil {
			return nil, spent, fmt.Errorf("entry %d of the journal: %w", i+1, err)
		}
		spent.add(e)
		if e.Begin != nil {
			states[e.Agent] = newState(e.Agent, *e.Begin)
			continue
		}
		s := states[e.Agent]
		if s == nil {
			return nil, spent, fmt.Errorf("entry %d of the journal is of an agent %q that has "+
				"not begun", i+1, e.Agent)
		}
		s.add(e)
	}
	return states, spent, nil
}

func newState(agent string, b Begin) *State {
	return &State{Agent: agent, Begin: b, Sessions: map[string]string{},
		begun: map[string]bool{}, ended: map[string]Result{}}
}

// results returns the full text of every result by call.
func results(states map[string]*State) map[string]string {
	all := map[string]string{}
	for _, s := range states {
		for id, r := range maps.All(s.ended) {
			all[id] = r.Text
		}
	}
	return all
}
