// Package transport carries MCP over stdio and Streamable HTTP, one stream for each request,
// nothing lost or reordered.
//
// A [Server], such as mcp-go's, answers the messages; this package brings them there and back. From
// the bottom up: a message is one JSON-RPC message of the client; a peer is what is known of a
// client; a call is one request under way, and the session that the server sees while it answers
// it, so that whatever a handler sends belongs to that request alone; a stream holds the messages
// of a call until the client has them. [HTTP] and [ServeStdio] are the two ways in.
//
// Both eras of the protocol are served side by side, told apart by what each request declares:
// 2025-11-25 and older, with a handshake, sessions and questions of the server, and 2026-07-28,
// where a request stands alone.
//
// A handler reports with [Progress], asks with [Elicit], and learns from [Closed] that its caller
// is gone: then its context is cancelled, with a cause that says why.
package transport
