package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/hint"
)

// Newest returns the newest version of the program that the source has, a file or an address, and
// where that is, "" if it does not say.
func Newest(ctx context.Context, source string) (version, url string, err error) {
	content, err := readSource(ctx, source)
	if err != nil {
		return "", "", fmt.Errorf("reading upgrade.source: %w", err)
	}
	return newestIn(content)
}

// mostSource bounds how much is read from the source.
const mostSource = 64 << 10

// readSource reads a file or an address.
func readSource(ctx context.Context, source string) (string, error) {
	u, err := url.Parse(source)
	if err != nil || u.Host == "" && u.Scheme != "file" {
		b, err := files.Found(source)
		return string(b), err
	}
	if u.Scheme != "https" && u.Scheme != "http" {
		return "", hint.Add(fmt.Errorf("%s: is no address that can be read", u.Scheme),
			"write an address with https://, or the name of a file")
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
		version, where = o.Version+o.Tag, cmp.Or(o.Page, o.URL)
	}
	if !semver.IsValid(canonical(version)) || !strings.Contains(version, ".") {
		return "", "", hint.Add(errors.New("upgrade.source holds no version"),
			`it should hold a text such as 1.2.3, or {"version": "1.2.3"}`)
	}
	return strings.TrimPrefix(version, "v"), where, nil
}

// Newer reports whether a is a newer version than b. A version that has another form, as one
// that was built from source has, is older than any release.
func Newer(a, b string) bool { return semver.Compare(canonical(a), canonical(b)) > 0 }

// canonical is a version as package semver writes it.
func canonical(version string) string { return "v" + strings.TrimPrefix(version, "v") }
