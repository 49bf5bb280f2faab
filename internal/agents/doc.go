// Package agents works on a goal with a model that calls the tools of MCP servers, hands parts of
// the goal to other agents, and phone tasks to phones.
//
// What it does is a journal of entries. An agent's conversation with its model is made of its
// entries and of nothing else, so that a session goes on from where it was after the process was
// killed. A call whose end is not in the journal is never carried out again, unless it is known not
// to have begun: the model learns that its outcome is unknown.
package agents
