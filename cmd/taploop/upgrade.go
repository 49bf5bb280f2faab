package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/hint"
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
	content, err := readSource(ctx, source)
	if err != nil {
		return fmt.Errorf("reading upgrade.source: %w", err)
	}
	found := upgradeInfo{Version: ownVersion()}
	if found.Newest, found.URL, err = newestIn(content); err != nil {
		return err
	}
	found.Newer = newerVersion(found.Newest, found.Version)
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

// mostSource bounds how much is read from the source.
const mostSource = 64 << 10

// readSource reads a file or an address.
func readSource(ctx context.Context, source string) (string, error) {
	u, err := url.Parse(source)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" {
		b, err := files.Read(source)
		return string(b), err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, source, nil)
	if err != nil {
		return "", err
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("HTTP %d", resp.StatusCode)
	}
	b, err := io.ReadAll(io.LimitReader(resp.Body, mostSource))
	return string(b), err
}

var versionForm = regexp.MustCompile(`^v?(\d+)\.(\d+)(?:\.(\d+))?(-[0-9A-Za-z.-]+)?$`)

// newestIn reads a version from a text, or from an object as GitHub has for a release.
func newestIn(content string) (version, where string, err error) {
	var o struct {
		Version string `json:"version"`
		Tag     string `json:"tag_name"`
		URL     string `json:"url"`
		Page    string `json:"html_url"`
	}
	version = strings.TrimSpace(content)
	if json.Unmarshal([]byte(content), &o) == nil {
		version, where = o.Version+o.Tag, o.Page
		if where == "" {
			where = o.URL
		}
	}
	if !versionForm.MatchString(version) {
		return "", "", hint.Add(errors.New("upgrade.source holds no version"),
			`it should hold a text such as 1.2.3, or {"version": "1.2.3"}`)
	}
	return strings.TrimPrefix(version, "v"), where, nil
}

// newerVersion reports whether a is a newer version than b. A version that has another form, as one
// that was built from source has, is older than any release.
func newerVersion(a, b string) bool {
	x, y := versionForm.FindStringSubmatch(a), versionForm.FindStringSubmatch(b)
	if x == nil || y == nil {
		return x != nil
	}
	for i := 1; i <= 3; i++ {
		m, _ := strconv.Atoi(x[i]) // "" is 0
		n, _ := strconv.Atoi(y[i])
		if m != n {
			return m > n
		}
	}
	return x[4] == "" && y[4] != "" || x[4] > y[4] && y[4] != ""
}
