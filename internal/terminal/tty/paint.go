package tty

import (
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/taploop/taploop/internal/text"
)

// Tone is how words are painted. Only the sixteen colours that every terminal has are used, so that
// they follow the terminal's own theme.
type Tone int

// The tones.
const (
	Plain Tone = iota
	Good       // it worked
	Bad        // it did not
	Asks       // a person is wanted
	Faint      // what can be passed over
	Strong
)

var styles = map[Tone]ansi.Style{
	Good: ansi.NewStyle().ForegroundColor(ansi.Green),
	Bad:  ansi.NewStyle().ForegroundColor(ansi.Red),
	Asks: ansi.NewStyle().ForegroundColor(ansi.Yellow),
	// bright black, which is legible on dark and on light
	Faint:  ansi.NewStyle().ForegroundColor(ansi.BrightBlack),
	Strong: ansi.NewStyle().Bold(),
}

// Span is words in one tone. They may be anybody's: whoever prints them makes them harmless.
type Span struct {
	Tone Tone
	Text string
}

// Painter prints lines in colour where the reader wants it, and without where not. The zero value
// paints nothing.
type Painter struct{ colour bool }

// NewPainter returns the painter of a stream. NO_COLOR, CLICOLOR_FORCE and TERM of the environment
// say whether the stream's reader wants colours; without a word of them a terminal does.
func NewPainter(stream any, environ []string) Painter {
	env := slices.Clone(environ)
	for i, pair := range env {
		name, value, _ := strings.Cut(pair, "=")
		// Both are on with whatever is written there, of which the library knows a part.
		if (name == "NO_COLOR" || name == "CLICOLOR_FORCE") && value != "" && value != "0" ||
			name == "NO_COLOR" && value == "0" {
			env[i] = name + "=1"
		}
	}
	_, terminal := Of(stream)
	forced := slices.Contains(env, "CLICOLOR_FORCE=1")
	return Painter{(terminal || forced) && colorprofile.Env(env) >= colorprofile.ANSI}
}

// Paint returns the words with the escapes of their tone around them.
func (p Painter) Paint(tone Tone, words string) string {
	if style, known := styles[tone]; known && p.colour && words != "" {
		return style.Styled(words)
	}
	return words
}

// Line prints a line that begins with a label, in lines of at most the terminal's width. What does
// not fit stands below the words, and spans stand two columns apart. Without any words there is no
// line. The texts are made harmless for a terminal.
func (p Painter) Line(to io.Writer, label Span, words ...Span) {
	var b strings.Builder
	for _, s := range words {
		if clean := text.Line(s.Text); clean != "" {
			b.WriteString(strings.Repeat("  ", min(b.Len(), 1)) + p.Paint(s.Tone, clean))
		}
	}
	if b.Len() == 0 {
		return
	}
	line := Wrap(p.Paint(label.Tone, text.Lines(label.Text)), b.String(), Columns(to))
	_ = p.write(to, line)
}

// write writes text that is harmless but for its colours.
func (p Painter) write(to io.Writer, s string) error {
	if w, cleans := to.(*text.Writer); cleans && p.colour {
		to = w.Unwrap() // it would take the colours for somebody's attempt
	}
	_, err := io.WriteString(to, s)
	return err
}
