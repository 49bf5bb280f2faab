// Package proxy is an MCP server in front of another one, which puts calls of tools to a person
// before they are carried out.
//
// From the bottom up: a message is one of JSON-RPC, with params and results as they were written;
// an upstream is the other server as it runs, a process or an address; a connection has one
// upstream, starts it again when it is gone, and knows the exchanges under way on it by ids of its
// own; a link joins one client to one connection; the gate decides about each tools/call by the
// rules of package guard, and asks. [Proxy] is what the transports of transport serve. Everything
// else passes through, in both directions and in order.
package proxy
