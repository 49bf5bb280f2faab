// Package clients puts a server into the settings of MCP clients: it knows which file each reads,
// in what form, and what it calls its time-outs.
//
// A [Client] gives the settings to paste ([Client.Snippet]), or merges them into the client's own
// file ([Client.Install]). That file belongs to its user: nothing but the server's own entry is
// added, everything else stays byte for byte, comments and order included, and a file that cannot
// be read in full is refused. Tokens are never written: settings name the environment variable
// $TAPLOOP_TOKEN, or the client asks for the token.
package clients
