package device

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// blindDeletes is how many characters are deleted in each direction when the phone does not report
// what is in the field.
const blindDeletes = 200

// Clear empties the focused field: through ADBKeyBoard when it is on the phone, else with as many
// deletes as the field holds characters. No focused field is an error.
func (p *Phone) Clear(ctx context.Context) error {
	return p.failed("clearing the field on", p.clear(ctx))
}

func (p *Phone) clear(ctx context.Context) error {
	if _, err := p.editor(ctx); err != nil {
		return err
	}
	k, err := p.keyboards(ctx)
	if err != nil {
		return err
	}
	if k.installed {
		return p.withADBKeyboard(ctx, k, func() error {
			return p.broadcastOrKey(ctx, step{[]string{"am broadcast -a ADB_CLEAR_TEXT"}, 0})
		})
	}
	text, err := p.focusedText(ctx)
	switch {
	case errors.Is(err, errNoTree):
		return p.delete(ctx, blindDeletes, blindDeletes)
	case err != nil:
		return err
	}
	n := utf8.RuneCountInString(text)
	if !strings.Contains(text, "\n") {
		return p.delete(ctx, n, 0)
	}
	return p.delete(ctx, n, n) // MOVE_END goes to the end of the line only
}

// delete goes to the end of the line and deletes so many characters before and behind the cursor.
func (p *Phone) delete(ctx context.Context, before, behind int) error {
	codes := slices.Concat([]int{codeMoveEnd}, slices.Repeat([]int{codeDelete}, before),
		slices.Repeat([]int{codeForwardDelete}, behind))
	done := 0
	for part := range slices.Chunk(codes, chunkChars) {
		if err := p.do(ctx, time.Duration(len(part))*perChar, keyevent(part...)); err != nil {
			return partly(err, done, len(codes))
		}
		done += len(part)
	}
	return nil
}

var errNoTree = errors.New("the phone gives no tree of its screen")

// focusedText is what stands in the field that has the focus, as `uiautomator dump` shows it.
func (p *Phone) focusedText(ctx context.Context) (string, error) {
	dump, err := p.dump(ctx)
	if err != nil {
		if ctx.Err() != nil || errors.Is(err, ErrDisconnected) {
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
	var focused *node
	seen := false
	err := readNodes(dump, func(string) error { return nil }, func(n *node) error {
		seen = true
		if !n.focused {
			return nil
		}
		focused = n
		return errFound
	})
	switch {
	case focused != nil && focused.field():
		return focused.text, nil
	case focused != nil, err != nil, !seen:
		return "", errNoTree // something of the app's own has the focus; it may well be a field
	}
	return "", errNoField
}
