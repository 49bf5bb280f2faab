package app

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

// Newer reports whether a is a newer version than b. A version that has another form, as one
// that was built from source has, is older than any release.
func Newer(a, b string) bool {
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
