package device

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/taploop/taploop/internal/adb"
	"github.com/taploop/taploop/internal/hint"
)

// sameness is that of an open phone: an address may become another phone's while it is in use.
type sameness struct {
	mu sync.Mutex
	is identity
}

// sameCommands are those of identityCommands that cost a phone next to nothing.
var sameCommands = []string{identityCommands[0], identityCommands[2], identityCommands[3]}

// ask reads what the display shows, and in the same service whether the phone is still the one that
// was opened. The error is screen.ErrDisconnected if another one is there.
func (d *display) ask(ctx context.Context, commands ...string) ([]string, error) {
	if d.who == nil || !d.who.is.known() {
		return d.read(ctx, commands...)
	}
	said, err := d.read(ctx, append(commands[:len(commands):len(commands)], sameCommands...)...)
	if err != nil {
		return nil, err
	}
	n := len(commands)
	now := parseIdentity([]string{said[n], "", said[n+1], said[n+2]})
	return said[:n], d.same(ctx, now)
}

// same returns nil if the phone that says so is the one that was opened. A phone with the same
// serial that has started anew since may be a twin of it, and is asked for its mark.
func (d *display) same(ctx context.Context, now identity) error {
	d.who.mu.Lock()
	defer d.who.mu.Unlock()
	was := d.who.is
	switch {
	case now.serial != was.serial:
	case now.boot == was.boot:
		return nil
	default:
		said, err := d.read(ctx, identityCommands[1])
		if err != nil {
			return err
		}
		now = parseIdentity([]string{now.serial, said[0], now.boot, ""})
		if now.mark == was.mark {
			d.who.is.boot = strings.TrimSpace(now.boot)
			return nil
		}
	}
	return lost{hint.Add(fmt.Errorf("another phone is now where %s was (%w)", d.id,
		adb.ErrNotFound), "connect the phone again, and see `taploop devices`")}
}
