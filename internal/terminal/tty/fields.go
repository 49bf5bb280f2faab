package tty

import (
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

// Fields prints names with values, harmless for a terminal.
type Fields struct {
	To   io.Writer
	Lang string // of the names
	Err  error
}

// Line prints one name with its value. It skips an empty value. The lines of a value stay
// lines.
func (l *Fields) Line(name, value string) {
	value = strings.TrimRight(text.Lines(value), "\n")
	if strings.TrimSpace(value) == "" || l.Err != nil {
		return
	}
	value = strings.ReplaceAll(value, "\n", "\n          ")
	name = words.Phrase(l.Lang, name)
	name += strings.Repeat(" ", max(9-ansi.StringWidth(name), 0))
	_, l.Err = fmt.Fprintf(l.To, "%s %s\n", name, value)
}
