package device

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/adb"
)

// darkness matches what `dumpsys power` says of a display that is off or dozing, see parsePower, as
// a pattern for the phone's grep. A phone without grep is not asked.
const darkness = `^[[:space:]]*(mWakefulness=(Asleep|Dozing)|Display Power: state=(OFF|DOZE))`

// act runs commands that change what the phone does or shows, one after the other until one fails.
// Right before each, in the same service, the phone is asked whether the display is dark: a person
// stops a run so. Then nothing more is done, and the error is ErrDark. Any error says how far it
// came, see actions.ErrPartial and actions.ErrUnknown.
func (p *Phone) act(
	ctx context.Context, takes time.Duration, commands ...string,
) (adb.Result, error) {
	p.still.forget()
	ctx, cancel := p.within(ctx, commands[0], takes)
	defer cancel()
	r, err := p.dev.Shell(ctx, p.marks.guarded(commands))
	if err != nil {
		return r, explain(err)
	}
	var partly bool
	if r.Stdout, partly = p.marks.didSome(r.Stdout); strings.HasSuffix(
		strings.TrimSpace(r.Stdout), p.marks.dark()) {
		err = ErrDark
	} else {
		err = refusal(r)
	}
	if err != nil && partly {
		err = actions.Partial(fmt.Errorf("a part of it was carried out, but then: %w", err))
	}
	return r, err
}

// do is act where it does not matter what the commands say.
func (p *Phone) do(ctx context.Context, takes time.Duration, commands ...string) error {
	_, err := p.act(ctx, takes, commands...)
	return err
}

// guarded is the line of act.
func (b batch) guarded(commands []string) string {
	guard := "{ dumpsys power 2>/dev/null | grep -qE '" + darkness + "' && echo " + b.dark() +
		" && exit 3; "
	return guard + strings.Join(commands, "; } && "+b.did()+" && "+guard) + "; }"
}

// dark is what is printed when the display is dark.
func (b batch) dark() string { return b.mark + "-dark" }

// did is the command between two that act: it prints that the first was carried out.
func (b batch) did() string { return "echo " + b.mark + "-did" }

// didSome is the output without what did has printed, and whether it has.
func (b batch) didSome(out string) (rest string, some bool) {
	rest = strings.ReplaceAll(out, b.mark+"-did\n", "")
	return rest, len(rest) < len(out)
}
