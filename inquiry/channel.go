package inquiry

// The channels through which questions are settled. The standing ones are listed under
// the same names by the questions that can be answered there.
const (
	ChannelClient      = "client"       // the caller of the process, which says no more
	ChannelMCP         = "mcp"          // a tool call
	ChannelElicit      = "elicit"       // a form that the client showed its user
	ChannelHTTP        = "http"         // the API
	ChannelPage        = "page"         // the inbox page
	ChannelConsole     = "console"      // the terminal of the process that carries the run out
	ChannelCommandLine = "command_line" // another process of the same user
	ChannelModel       = "model"        // a model in a person's place
	ChannelMemory      = "memory"       // an answer that was remembered
	ChannelTimer       = "timer"        // nobody answered in time
	ChannelRun         = "run"          // the run needs no answer any more
)

// The authorities with which questions are answered: the first three are people, the others are
// models and programs. Older rows have AuthorityHumanToken for a program's answer in words, too.
const (
	AuthorityClientUI      = "client_ui"      // the user of an MCP client
	AuthorityHumanToken    = "human_token"    // the holder of a person's token or a login
	AuthorityLocalOperator = "local_operator" // a user who may run programs as the server's user
	AuthorityClientModel   = "client_model"   // the model of an MCP client, for its user as it says
	AuthorityAgent         = "agent"          // a model of ours
	AuthorityToken         = "token"          // a program with a token that is not a person's
)

// IsPerson reports whether somebody with the authority is a person.
func IsPerson(authority string) bool {
	switch authority {
	case AuthorityClientUI, AuthorityHumanToken, AuthorityLocalOperator:
		return true
	}
	return false
}
