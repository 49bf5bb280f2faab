// Package proxy is an MCP server in front of another one, which puts calls of tools to a person
// before they are carried out.
//
// From the bottom up: a message is one of JSON-RPC, with params and results as they were written;
// an upstream is a connection to the other server, a process or an address; a link joins one client
// to one upstream, with ids of its own in between, and starts the upstream again when it is gone;
// the gate decides about each tools/call by the rules of package guard, and asks. [Proxy] is what
// the transports of mcptransport serve. Everything else passes through, in both directions and in
// order, so that the versions of the protocol are a matter between the client and the other server.
package proxy
