package device

import (
	"context"
	"errors"

	"github.com/taploop/taploop/internal/adb"
)

var versionName = atLine("versionName=", `([^\s]{1,64})`)

// Version returns the version of an app, by its package. That none is named is an error.
func (p *Phone) Version(ctx context.Context, pkg string) (version string, err error) {
	said, err := p.display.ask(ctx, "dumpsys package "+adb.Quote(pkg))
	if err == nil {
		if version = versionName.first(said[0]); version == "" {
			err = errors.New("none is named")
		}
	}
	return version, p.failed("reading the version of "+pkg+" on", err)
}
