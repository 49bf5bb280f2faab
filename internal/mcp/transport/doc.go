// Package transport carries MCP over stdio and Streamable HTTP, one stream for each request,
// nothing lost or reordered.
//
// A [Server], such as mcp-go's, answers the messages. From the bottom up: a message is one JSON-RPC
// message of the client. A peer is a client with its requests under way. A call is one request
// under way, and the session that the server sees while it answers the request, so that all that a
// handler sends belongs to that request. A stream holds the messages of a call until the client has
// them. [HTTP] and [ServeStdio] serve clients.
//
// Both eras of the protocol are served side by side, told apart by what each request declares:
// 2025-11-25 and older, with a handshake, sessions and questions of the server, and 2026-07-28,
// where a request stands alone.
//
// A handler reports with [Progress] and asks with [Elicit]. When its caller is gone, its context is
// cancelled, and [Closed] says why.
package transport
