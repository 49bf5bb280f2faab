package export_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/chrometest"
)

func TestThePageKeepsNobodyOut(t *testing.T) {
	browser := chrometest.Chromium(t)
	path := filepath.Join(t.TempDir(), "page.html")
	for name, build := range shelves {
		require.NoError(t, os.WriteFile(path, []byte(html(t, build())), 0o600))
		require.NoError(t, chromedp.Do(browser, chromedp.Navigate("file://"+path)))
		assert.Empty(t, chrometest.Violations(t, browser), name)
		open := `for (const d of document.querySelectorAll("details")) d.open = true; undefined`
		require.NoError(t, chromedp.Do(browser, chromedp.Evaluate[chromedp.Void](open)))
		assert.Empty(t, chrometest.Violations(t, browser), "%s, all of it unfolded", name)
	}
}
