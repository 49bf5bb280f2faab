package tty

import (
	"fmt"
	"io"
	"strings"

	"github.com/taploop/taploop/internal/text"
)

// Fields prints names with values, harmless for a terminal.
type Fields struct {
	To  io.Writer
	Err error
}

// Line prints one name with its value. It skips an empty value. The lines of a value stay
// lines.
func (l *Fields) Line(name, value string) {
	value = strings.TrimRight(text.Lines(value), "\n")
	if strings.TrimSpace(value) == "" || l.Err != nil {
		return
	}
	value = strings.ReplaceAll(value, "\n", "\n          ")
	_, l.Err = fmt.Fprintf(l.To, "%-9s %s\n", name, value)
}
