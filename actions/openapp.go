package actions

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
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

func (a OpenApp) with(lang string) string { return quoted(a.name(lang)) }
func (a OpenApp) describe() string        { return "open " + quoted(a.App) }

// name is the app's name for people, in the language if it is a well-known package.
func (a OpenApp) name(lang string) string { return cmp.Or(words.AppName(a.App, lang), a.App) }
