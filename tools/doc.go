// Package tools is the MCP tools: what a calling model can do with phones, and with the people who
// answer questions.
//
// A tool is a row of the catalogue: a name, promises (hints), a handler, and a type for its
// arguments. What a model reads of it is in descriptions/NAME.txt. The schema of the arguments, and
// the check that every call goes through, come from the type (package schema). Results are
// described in package result. To add a tool, write its handler, its description and its row.
//
// The handlers are methods of [edge]: each calls a use case of package usecase and words the
// outcome. [forms] show questions to a client's user, [progress] tells the client of a call how far
// it is, and [resources] lets clients read sessions. [Tools.Register] adds all to an MCP server.
//
// A call is not the run: it attaches to it, waits for at most its budget, reports progress when the
// client asked for that, and returns what is true then. A call that is cancelled detaches and
// changes nothing else.
//
// A result is a text for a model, the same as an object for programs, and pictures: a [toolResult].
//
// A question of the agent on the phone comes with the result of a call, for the calling model to
// pass on, or is shown to the client's user in a form while a call waits (see [channel.Elicit]).
// Any client can ask people: an inquiry belongs to the client that asked, and has no run. What the
// query of a connection's URL sets is in [Connected].
//
// A call that cannot be carried out comes back as a result with isError, a code and a hint, and
// nothing has changed. Sessions belong to the client that they were made for: a foreign one is
// answered like one that is not there.
package tools

//go:generate go run ./gendocs testdata ../docs/tools.md ../docs/answering.md
