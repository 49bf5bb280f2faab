// Package agents works on a goal with a model that calls the tools of MCP servers, delegates parts
// of the goal to other agents, and has tasks carried out on phones.
//
// All progress is in a journal. An agent's conversation with its model is built from its entries
// alone, so that a session can resume after the process was killed. A call without a result in the
// journal is not repeated unless it is known not to have begun. The model learns that its outcome
// is unknown.
package agents
