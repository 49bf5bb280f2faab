package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/text"
)

type upgradeCmd struct {
	Check bool `required:""`
	JSON  bool
}

// upgradeInfo is what a check has found.
type upgradeInfo struct {
	Version string `json:"version"`
	Newest  string `json:"newest"`
	Newer   bool   `json:"newer"` // Newest is newer than Version
	URL     string `json:"url,omitempty"`
}

// Run compares versions. It asks no one unless a source is configured.
func (c *upgradeCmd) Run(ctx context.Context, a *invocation) error {
	if err := a.Load(); err != nil {
		return err
	}
	source := a.Conf.Upgrade.Source
	if source == "" {
		return app.Usage(errors.New("upgrade.source is empty, so nobody is asked"),
			"set it to a file or an address that has the newest version, as text or as "+
				`{"version": "1.2.3", "url": "https://..."}`)
	}
	newest, at, err := app.Newest(ctx, source)
	if err != nil {
		return err
	}
	found := upgradeInfo{ownVersion(), newest, app.Newer(newest, ownVersion()), at}
	if c.JSON {
		return printJSON(a.out, found)
	}
	line := fmt.Sprintf("taploop %s is the newest version", found.Version)
	if found.Newer {
		line = strings.TrimSpace(fmt.Sprintf("taploop %s is there, this is %s %s", found.Newest,
			found.Version, text.Line(found.URL)))
	}
	_, err = fmt.Fprintln(a.out, line)
	return err
}
