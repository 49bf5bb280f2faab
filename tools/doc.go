// Package tools is the face that programs see: what the command line prints as JSON, and the MCP tools.
//
// From the bottom up: a [Result] is what is true of a run now, in words that programs rely on. A param says what an argument
// may be; from it come the schema that clients read and the check that every call goes through. A tool is data (name, words,
// params, hints) and a handler over [Manager], [Store] and [Phones]. [Tools.Register] hands them to an MCP server.
//
// A call is not the run: it attaches to it, waits for at most its budget, tells progress when the client asked for that, and
// returns what is true then. A call that is cancelled detaches and changes nothing else.
//
// A question of the agent on the phone comes with the result of a call, for the calling model to pass on, or is shown to the
// client's user in a form while a call waits (see [runs.Elicit]). send_inquiry asks people for any client: an inquiry belongs to
// whom it was asked for, and has no run. What the query of a connection's URL sets is in [Switches].
//
// Whatever keeps a call from being carried out comes back as a result with isError, a code and a mend, and nothing has
// changed. Sessions belong to whom they were made for: a foreign one is answered like one that is not there.
package tools

//go:generate go run ./gendocs testdata/tools.json ../README.md ../docs/tools.md
