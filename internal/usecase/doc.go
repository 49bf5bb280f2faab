// Package usecase is what callers can do with runs and questions: start, continue, say, wait, stop,
// ask and answer. The MCP tools, the HTTP API and the chat endpoint call the same functions with
// the same structs, and word the outcome each for its own readers.
//
// A call is not the run: it attaches to the run, waits for at most its budget, reports progress to
// a caller that wants it, and returns what is true then. A call that is cancelled detaches and
// changes nothing else.
//
// What a caller can do next is a [Next], which names no tool, request or command.
package usecase
