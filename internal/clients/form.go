package clients

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/taploop/taploop/internal/hint"
)

// Entry is the name of our server in a client's settings.
const Entry = "taploop"

// tokenEnv names the environment variable that holds a token where the settings of a client can
// refer to one.
const tokenEnv = "TAPLOOP_TOKEN"

// Server is how a client reaches the server: a program that it starts, or an address.
type Server struct {
	Command string // absolute path
	Args    []string
	URL     string // when set, Streamable HTTP: Command and Args do not count
	Token   bool   // with URL: the server wants a token
}

// form is how a client writes its settings.
type form interface {
	// snippet returns the entry alone, to paste.
	snippet(entry any, s Server) (string, error)
}

// merger is a form of files.
type merger interface {
	form
	// merge adds the entry to the content of the file at path. errPresent says that nothing had to
	// change.
	merge(old []byte, entry any, s Server, path string, force bool) ([]byte, error)
}

// errPresent says that the settings hold the entry already.
var errPresent = errors.New("the entry is there already")

// unreadable refuses a file.
func unreadable(path string, err error) error {
	return hint.Add(fmt.Errorf("%s was left as it is: %w", path, err),
		"repair the file, or paste what `taploop setup --print` shows into it")
}

// taken refuses to replace an entry of the same name.
func taken(path, remedy string) error {
	return hint.Add(fmt.Errorf("%s was left as it is: it has another entry named %q", path, Entry),
		remedy)
}

// cutMark takes the byte order mark off that some editors of Windows write.
func cutMark(b []byte) (mark, text []byte) {
	text = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	return b[:len(b)-len(text)], text
}
