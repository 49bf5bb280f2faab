package device

import (
	"context"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/adb"
)

// darkness matches what `dumpsys power` says of a display that is off or dozing, see parsePower, as
// a pattern for the phone's grep. A phone without grep is not asked.
const darkness = `^[[:space:]]*(mWakefulness=(Asleep|Dozing)|Display Power: state=(OFF|DOZE))`

// act runs commands that change what the phone does or shows, one after the other until one fails.
// Right before each, in the same service, the phone is asked whether the display is dark: a person
// stops a run so. Then nothing more is done, and the error is ErrDark.
func (p *Phone) act(
	ctx context.Context, takes time.Duration, commands ...string,
) (adb.Result, error) {
	ctx, cancel := p.within(ctx, commands[0], takes)
	defer cancel()
	r, err := p.dev.Shell(ctx, p.marks.guarded(commands))
	if err == nil && strings.HasSuffix(strings.TrimSpace(r.Stdout), p.marks.dark()) {
		return r, ErrDark
	}
	return r, explain(err)
}

// do is act where all must succeed.
func (p *Phone) do(ctx context.Context, takes time.Duration, commands ...string) error {
	r, err := p.act(ctx, takes, commands...)
	if err != nil {
		return err
	}
	return refusal(r)
}

// guarded is the line of act.
func (b batch) guarded(commands []string) string {
	guard := "{ dumpsys power 2>/dev/null | grep -qE '" + darkness + "' && echo " + b.dark() +
		" && exit 3; "
	return guard + strings.Join(commands, "; } && "+guard) + "; }"
}

// dark is what is printed when the display is dark.
func (b batch) dark() string { return b.mark + "-dark" }
