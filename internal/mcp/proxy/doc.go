// Package proxy is an MCP server in front of another one, which puts calls of tools to a person
// before they are carried out.
//
// From the bottom up: a message is one of JSON-RPC, whose params and results stay as they were
// written. An upstream is the other server while it runs, a process or an address. A connection has
// one upstream, starts it again when it is lost, and knows the exchanges under way. A link connects
// one client to one connection. The gate decides about each tools/call by the rules of package
// guard, and asks a person. Everything else passes through, in both directions and in order.
// [Proxy] is served by package transport.
package proxy
