// Package clients adds a server to the settings of MCP clients. It knows which file each client
// reads, the file's format, and the client's time-outs.
//
// [Client.Snippet] returns settings to paste. [Client.Install] merges them into the client's own
// file. It adds only the server's entry. Everything else stays byte for byte, including comments
// and order. A file that cannot be parsed in full is rejected. Tokens are never written: settings
// refer to the environment variable $TAPLOOP_TOKEN, or the client asks for the token.
//
// [ReadServers] reads the servers in a file of any of them.
package clients
