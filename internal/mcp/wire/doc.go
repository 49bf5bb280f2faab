// Package wire has the forms in which MCP travels: JSON-RPC messages and batches, lines, and
// server-sent events. Each is read and written here and nowhere else.
//
// It knows no connections and no methods. All of it is bounded by limits that the caller gives.
package wire
