package actions

import (
	"context"
	"fmt"
	"strings"

	"github.com/taploop/taploop/internal/text"
)

// OpenApp brings an app to the front. App is a name or a package.
type OpenApp struct {
	App string `json:"app" arg:"value"`
}

func (OpenApp) Verb() string { return "AWAKE" }

func (a OpenApp) Validate() error {
	err := filled("the app's name", a.App, maxApp)
	if err == nil && strings.ContainsAny(a.App, "\n\t") {
		err = fmt.Errorf("the app's name %s holds a line break or a tab "+
			"(want a name or a package on one line)", text.Quote(a.App, maxQuoted))
	}
	return because(a, err)
}

func (a OpenApp) Do(ctx context.Context, s Surface) error { return s.Launch(ctx, a.App) }

func (a OpenApp) Traits() Traits { return Traits{Kind: KindLaunch, Text: a.App} }

func (a OpenApp) with() string { return quoted(a.App) }
