package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/taploop/taploop/internal/hint"
)

// Entry is the name of the server in a client's settings.
const Entry = "taploop"

// tokenEnv is the environment variable with the token, for clients whose settings can refer to one.
const tokenEnv = "TAPLOOP_TOKEN"

// Server says how a client connects to the server: it starts a program or uses an address.
type Server struct {
	Command string // absolute path
	Args    []string
	URL     string // of Streamable HTTP. If set, Command and Args are ignored.
	Token   bool   // the server at URL requires a token
}

// form is the format of a client's settings.
type form interface {
	// snippet returns only the entry, to paste.
	snippet(entry any, s Server) (string, error)
}

// merger is the format of a file.
type merger interface {
	form
	// merge adds the entry to the content of the file at path. It returns errPresent if nothing has
	// to change.
	merge(old []byte, entry any, s Server, path string, force bool) ([]byte, error)
	// entry returns our server as the text lists it, or nil.
	entry(text []byte) (json.RawMessage, error)
}

// errPresent means that the settings already contain the entry.
var errPresent = errors.New("the entry is there already")

// unreadable returns the error for a file that cannot be parsed.
func unreadable(path string, err error) error {
	return hint.Add(fmt.Errorf("%s was left as it is: %w", path, err),
		"repair the file, or paste what `taploop setup --print` shows into it")
}

// taken returns the error for an entry of the same name that differs.
func taken(path, remedy string) error {
	return hint.Add(fmt.Errorf("%s was left as it is: it has another entry named %q", path, Entry),
		remedy)
}

// cutMark splits off the byte order mark that some editors on Windows write.
func cutMark(b []byte) (mark, text []byte) {
	text = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	return b[:len(b)-len(text)], text
}
