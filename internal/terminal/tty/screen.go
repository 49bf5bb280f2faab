package tty

import (
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"
)

// Screen is a terminal whose whole screen belongs to the program until Close. Typed keys come one
// by one and are not echoed. It is for one goroutine; only Keys is read by another.
type Screen struct {
	out    *os.File
	before *term.State
	in     int // the descriptor that before belongs to
	keys   chan string
	shown  []string
	size   [2]int
}

// ErrNoScreen says that no terminal is there whose screen could be taken.
var ErrNoScreen = errors.New("there is no terminal with a screen")

// OpenScreen takes the screen of the terminal that both streams lead to.
func OpenScreen(in io.Reader, out io.Writer) (*Screen, error) {
	from, reads := Of(in)
	to, shows := Of(out)
	if !reads || !shows || os.Getenv("TERM") == "dumb" {
		return nil, ErrNoScreen
	}
	before, err := term.MakeRaw(int(from.Fd()))
	if err != nil {
		return nil, errors.Join(ErrNoScreen, err)
	}
	s := &Screen{out: to, before: before, in: int(from.Fd()), keys: make(chan string)}
	_, err = to.WriteString(ansi.SetModeAltScreenSaveCursor + ansi.ResetModeTextCursorEnable +
		ansi.EraseEntireScreen)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	go s.read(from) // ends with the input or with the process
	return s, nil
}

// Close gives the screen back as it was.
func (s *Screen) Close() error {
	_, err := s.out.WriteString(ansi.SetModeTextCursorEnable + ansi.ResetModeAltScreenSaveCursor)
	return errors.Join(err, term.Restore(s.in, s.before))
}

// Keys are the typed keys: a character, or the name of a key, such as up, enter or ctrl+c. The
// channel is closed when the input ends.
func (s *Screen) Keys() <-chan string { return s.keys }

// Size is how many columns and rows there are now.
func (s *Screen) Size() (columns, rows int) {
	columns, rows, err := term.GetSize(int(s.out.Fd()))
	if err != nil || columns <= 0 || rows <= 0 {
		return 80, 24
	}
	return columns, rows
}

// Draw shows the lines. Only lines that differ from the shown ones are written. A line that is too
// long is cut, and rows that are too many are left out.
func (s *Screen) Draw(lines []string) error {
	columns, rows := s.Size()
	var b strings.Builder
	if now := [2]int{columns, rows}; now != s.size {
		s.size, s.shown = now, nil
		b.WriteString(ansi.EraseEntireScreen)
	}
	lines = slices.Clone(lines[:min(len(lines), rows)])
	for row := range max(len(lines), len(s.shown)) {
		line := ""
		if row < len(lines) {
			line = ansi.Truncate(lines[row], columns, "…")
			lines[row] = line
		}
		if row >= len(s.shown) || s.shown[row] != line {
			b.WriteString(ansi.CursorPosition(1, row+1) + line + ansi.EraseLineRight)
		}
	}
	s.shown = lines
	_, err := s.out.WriteString(b.String())
	return err
}

// named are the keys that are no characters, by what a terminal sends.
var named = map[string]string{"\r": "enter", "\n": "enter", "\x7f": "backspace",
	"\b": "backspace", "\x1b": "esc", "\x03": "ctrl+c", "\x04": "ctrl+d", "\x15": "ctrl+u",
	"\x1b[A": "up", "\x1b[B": "down", "\x1bOA": "up", "\x1bOB": "down", "\x1b[5~": "pgup",
	"\x1b[6~": "pgdown", "\x1b[H": "home", "\x1b[F": "end", "\t": "tab"}

// read hands on the keys that are typed.
func (s *Screen) read(from io.Reader) {
	defer close(s.keys)
	b, kept := make([]byte, 256), 0
	for {
		n, err := from.Read(b[kept:])
		if err != nil {
			return
		}
		var keys []string
		keys, rest := keysIn(string(b[:kept+n]))
		kept = copy(b, rest)
		for _, k := range keys {
			s.keys <- k
		}
	}
}

// keysIn are the keys in what a terminal has sent, and the bytes of a character that is not whole
// yet. What has no name and is no character is left out.
func keysIn(sent string) (keys []string, rest string) {
	for len(sent) > 0 {
		if len(sent) < utf8.UTFMax && !utf8.FullRuneInString(sent) {
			return keys, sent
		}
		key, width, n, _ := ansi.DecodeSequence(sent, ansi.NormalState, nil)
		if key == "\x1bO" && len(sent) > n { // how some send arrows, of which this is the beginning
			n++
			key = sent[:n]
		}
		sent = sent[n:]
		switch name := named[key]; {
		case name != "":
			keys = append(keys, name)
		case width > 0:
			keys = append(keys, key)
		}
	}
	return keys, ""
}
