package device

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/adb"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/wait"
)

const (
	typeLimit    = 10_000                // characters in one text
	chunkChars   = 200                   // in one `input text`, or one broadcast
	stepCommands = 8                     // in one service: adb takes no long lines to old phones
	perChar      = 25 * time.Millisecond // a slow phone's time for a character
)

const hintKeyboard = "install ADBKeyBoard (com.android.adbkeyboard, " +
	"github.com/senzhk/ADBKeyBoard) on the phone; it need not be the default keyboard"

// typist types into the text field that has the focus.
type typist struct {
	*shell
	keyboard *adbKeyboard
	dumper   *dumper
	patience time.Duration // see waits
}

// typeable refuses what no keyboard types. The error never quotes the text, which may be a secret.
func typeable(words string) error {
	if !utf8.ValidString(words) {
		return errors.New("nothing was typed: the text is not valid UTF-8")
	}
	if n := utf8.RuneCountInString(words); n > typeLimit {
		return hint.Add(fmt.Errorf("nothing was typed: the text has %d characters, at most %d "+
			"are typed at once", n, typeLimit), "type it in parts")
	}
	if r, found := text.Control(words, "\n\t"); found {
		return hint.Add(fmt.Errorf("nothing was typed: the text holds the control character %U",
			r), "leave it out; line breaks and tabs may stay")
	}
	return nil
}

// plain reports whether `input text` can type it all.
func plain(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return (r < ' ' || r > '~') && r != '\n'
	})
}

func (t *typist) enter(ctx context.Context, text string) error {
	var k keyboards
	var err error
	steps := plainSteps
	if !plain(text) {
		steps = unicodeSteps
		if k, err = t.keyboard.keyboards(ctx); err != nil {
			return err
		}
		if !k.installed {
			return hint.Add(errNoKeyboard, hintKeyboard)
		}
	}
	into, err := t.editor(ctx)
	if err != nil {
		return fmt.Errorf("taploop typed nothing: %w", err)
	}
	if plain(text) {
		return t.enterInto(ctx, into, text, steps)
	}
	return t.keyboard.during(ctx, k, func() error { return t.enterInto(ctx, into, text, steps) })
}

// enterInto types a text in steps. Enter may leave a field of one line, so what comes behind it is
// typed only once a field has the focus again.
func (t *typist) enterInto(
	ctx context.Context, into editor, text string, steps func(string) []step,
) (err error) {
	done, all := 0, utf8.RuneCountInString(text)
	for rest := text; rest != ""; {
		if done > 0 {
			if into, err = t.editor(ctx); err != nil {
				return partly(err, done, all)
			}
		}
		part := rest
		if line, _, more := strings.Cut(rest, "\n"); more && !into.lines {
			part = line + "\n"
		}
		for _, step := range steps(part) {
			if err := t.carryOut(ctx, step); err != nil {
				return partly(err, done, all)
			}
			done += step.chars
		}
		rest = rest[len(part):]
	}
	return nil
}

// partly adds how far a text came.
func partly(err error, done, all int) error {
	if done == 0 {
		return err
	}
	return actions.Partial(fmt.Errorf("after %d of %d characters: %w", done, all, err))
}

// step is one service of typing.
type step struct {
	commands []string
	chars    int
}

// carryOut runs one step of typing. `am broadcast` reports only that it was sent.
func (t *typist) carryOut(ctx context.Context, s step) error {
	r, err := t.act(ctx, time.Duration(s.chars)*perChar, s.commands...)
	if err != nil {
		return err
	}
	broadcast := strings.HasPrefix(s.commands[0], "am ")
	if broadcast && !strings.Contains(r.Stdout, "Broadcast completed") {
		return fmt.Errorf("the phone did not send the text to its keyboard: %s",
			firstLine(r.Text()))
	}
	return nil
}

// plainSteps are the lines that type an ASCII text, each of at most about chunkChars characters.
func plainSteps(text string) []step {
	var steps []step
	var commands []string
	chars := 0
	flush := func() {
		if len(commands) > 0 {
			steps = append(steps, step{commands, chars})
			commands, chars = nil, 0
		}
	}
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			commands, chars = append(commands, keyevent(codeEnter)), chars+1
		}
		for _, piece := range inputPieces(line) {
			if chars+len(piece) > chunkChars || len(commands) >= stepCommands {
				flush()
			}
			commands, chars = append(commands, "input text "+adb.Quote(inputArg(piece))),
				chars+len(piece)
		}
		if len(commands) >= stepCommands {
			flush()
		}
	}
	flush()
	return steps
}

// unicodeSteps are the lines that type any text through ADBKeyBoard: base64, so that no shell sees
// it.
func unicodeSteps(text string) []step {
	var steps []step
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			steps = append(steps, step{[]string{keyevent(codeEnter)}, 1})
		}
		for part := range slices.Chunk([]rune(line), chunkChars) {
			b64 := base64.StdEncoding.EncodeToString([]byte(string(part)))
			commands := []string{"am broadcast --user current -a ADB_INPUT_B64 --es msg " +
				adb.Quote(b64)}
			steps = append(steps, step{commands, len(part)})
		}
	}
	return steps
}

// inputPieces cuts a line into what one `input text` may get each. `input text` reads %s as a space
// and knows no way to say %s itself, so the two characters never travel together.
func inputPieces(line string) []string {
	var pieces []string
	for line != "" {
		n := min(len(line), chunkChars)
		if i := strings.Index(line[:n], "%s"); i >= 0 {
			n = i + 1
		}
		pieces, line = append(pieces, line[:n]), line[n:]
	}
	return pieces
}

// inputArg writes spaces as `input text` wants them.
func inputArg(piece string) string { return strings.ReplaceAll(piece, " ", "%s") }

// blindDeletes is how many characters are deleted in each direction if the phone does not report
// the field's content.
const blindDeletes = 200

// Clear empties the focused field: through ADBKeyBoard when it is on the phone, else with as many
// deletes as the field holds characters. No focused field is an error.
func (p *Phone) Clear(ctx context.Context) error {
	return p.failed("clearing the field on", p.typist.clear(ctx))
}

func (t *typist) clear(ctx context.Context) error {
	if _, err := t.editor(ctx); err != nil {
		return err
	}
	k, err := t.keyboard.keyboards(ctx)
	if err != nil {
		return err
	}
	if k.installed {
		return t.keyboard.during(ctx, k, func() error {
			return t.carryOut(ctx,
				step{[]string{"am broadcast --user current -a ADB_CLEAR_TEXT"}, 0})
		})
	}
	text, err := t.focusedText(ctx)
	switch {
	case errors.Is(err, errNoTree):
		return t.delete(ctx, blindDeletes, blindDeletes)
	case err != nil:
		return err
	}
	n := utf8.RuneCountInString(text)
	if !strings.Contains(text, "\n") {
		return t.delete(ctx, n, 0)
	}
	return t.delete(ctx, n, n) // MOVE_END goes to the end of the line only
}

// delete goes to the end of the line and deletes so many characters before and behind the cursor.
func (t *typist) delete(ctx context.Context, before, behind int) error {
	codes := slices.Concat([]int{codeMoveEnd}, slices.Repeat([]int{codeDelete}, before),
		slices.Repeat([]int{codeForwardDelete}, behind))
	done := 0
	for part := range slices.Chunk(codes, chunkChars) {
		if err := t.do(ctx, time.Duration(len(part))*perChar, keyevent(part...)); err != nil {
			return partly(err, done, len(codes))
		}
		done += len(part)
	}
	return nil
}

var errNoTree = errors.New("the phone gives no tree of its screen")

// focusedText is what stands in the field that has the focus, as `uiautomator dump` shows it.
func (t *typist) focusedText(ctx context.Context) (string, error) {
	dump, err := t.dumper.dump(ctx)
	if err != nil {
		if ctx.Err() != nil || errors.Is(err, screen.ErrDisconnected) {
			return "", err
		}
		return "", errNoTree
	}
	return parseFocused(dump)
}

var errFound = errors.New("found")

// parseFocused finds the focused field in a dump: errNoTree when the dump does not show it,
// errNoField when nothing in it has the focus.
func parseFocused(dump []byte) (string, error) {
	text, seen := "", false
	err := readNodes(dump, func(string) error { return nil }, func(n node) error {
		seen = true
		switch {
		case !n.is("focused"):
			return nil
		case !n.field():
			return errNoTree // the app draws the focused view itself, which may well be a field
		}
		text = n.get("text")
		return errFound
	})
	switch {
	case errors.Is(err, errFound):
		return text, nil
	case err != nil, !seen:
		return "", errNoTree
	}
	return "", errNoField
}

// editor waits a moment for a text field that takes input. Without a field, typed characters would
// be keys: the first focuses any view, and a space or an Enter presses it.
func (t *typist) editor(ctx context.Context) (editor, error) {
	began := time.Now()
	for {
		s, err := t.read(ctx, "dumpsys input_method")
		if err != nil {
			return editor{}, err
		}
		switch e := parseEditor(s[0]); {
		case e.served:
			return e, nil
		case time.Since(began) >= t.patience:
			return editor{}, errNoField
		}
		if err := wait.For(ctx, fieldPoll); err != nil {
			return editor{}, err
		}
	}
}

// Key presses a key. Enter and delete are keys for a text field: while none has the focus they are
// refused, since Enter may press any other view.
func (p *Phone) Key(ctx context.Context, key actions.Key) error {
	code, ok := keycodes[key]
	if !ok {
		return p.failed("pressing a key on", fmt.Errorf("there is no key %q", key))
	}
	var err error
	if code == codeEnter || code == codeDelete {
		_, err = p.typist.editor(ctx)
	}
	if err == nil {
		err = p.shell.do(ctx, 0, keyevent(code))
	}
	return p.failed("pressing "+string(key)+" on", err)
}
