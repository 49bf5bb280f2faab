package device

import (
	"context"

	"github.com/taploop/taploop/internal/adb"
)

var versionName = atLine("versionName=", `([^\s]{1,64})`)

// Version returns the version of an app, by its package, or "" if the phone names none.
func (p *Phone) Version(ctx context.Context, pkg string) (string, error) {
	said, err := p.display.ask(ctx, "dumpsys package "+adb.Quote(pkg))
	if err != nil {
		return "", p.failed("reading the version of "+pkg+" on", err)
	}
	return versionName.first(said[0]), nil
}
