package page

import (
	"bytes"
	"compress/gzip"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/words"
)

// most is how large the page is, compressed and without pictures.
const most = 150 << 10

func TestThePageIsSmall(t *testing.T) {
	index := Index("en")
	var all bytes.Buffer
	size := func(b []byte) int {
		t.Helper()
		all.Reset()
		z := gzip.NewWriter(&all)
		_, err := z.Write(b)
		require.NoError(t, err)
		require.NoError(t, z.Close())
		return all.Len()
	}
	sum := size(index)
	names := map[string]bool{}
	files := regexp.MustCompile(`(?:href|src)="/ui/(\w+\.\w+)"`)
	for _, m := range files.FindAllSubmatch(index, -1) {
		names[string(m[1])] = true
	}
	require.Greater(t, len(names), 20)
	for name := range names {
		b, _, err := File(name)
		require.NoError(t, err, name)
		sum += size(b)
	}
	t.Logf("%d files of %d bytes", len(names), sum)
	require.Less(t, sum, most)
}

func TestThePageThatStandsAloneIsWhole(t *testing.T) {
	script, err := bundle(alone)
	require.NoError(t, err)
	require.NotRegexp(t, `(?m)^\s*(import|export)\b`, string(script))
	require.NotContains(t, string(script), "</script")
	var out strings.Builder
	a, err := NewAlone(&out, "{session}{answers}</title>", "s1")
	require.NoError(t, err)
	require.NoError(t, a.Add(Answer{"/v1/x?a=1&b", "application/json", []byte(`{"a":1}`)}))
	require.NoError(t, a.Close())
	page := out.String()
	require.Contains(t, page, "<title>{session}{answers}&lt;/title&gt; · taploop</title>")
	require.Contains(t, page, `<script type="application/json" data-path="/v1/x?a=1&amp;b">{"a":1}`)
	require.Contains(t, page, `data-session="s1"`)
	require.Equal(t, 1, strings.Count(page, "</html>"))
	for _, left := range []string{"{policy}", "{icon}", "{style}", "{script}"} {
		require.NotContains(t, page, left)
	}
	for _, lang := range words.Languages() {
		index := Index(lang)
		require.Contains(t, string(index), `<html lang="`+lang+`">`)
	}
}
