package app

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/hint"
)

func TestVersionsAreComparedByTheirNumbers(t *testing.T) {
	for _, c := range []struct {
		a, b  string
		newer bool
	}{
		{"1.2.3", "1.2.3", false}, {"1.10.0", "1.9.9", true}, {"1.9.9", "1.10.0", false},
		{"2.0", "1.99.99", true}, {"1.2.3", "1.2.3-rc.1", true}, {"1.2.3-rc.1", "1.2.3", false},
		{"1.2.3-rc.2", "1.2.3-rc.1", true}, {"v1.3.0", "1.2.0", true},
		{"1.2.3-rc.10", "1.2.3-rc.9", true}, {"1.2.3+b", "1.2.3", false},
		{"0.1.0", "development", true}, {"nonsense", "1.0.0", false},
		{"0.1.0", "v0.0.0-20261127081500-abcdef012345", true},
	} {
		require.Equal(t, c.newer, Newer(c.a, c.b), "%v", c)
	}
}

func TestAVersionIsReadFromTextAndReleases(t *testing.T) {
	for content, want := range map[string]string{
		"1.2.3\n": "1.2.3", " v1.2.3 ": "1.2.3", `{"version": "1.2.3"}`: "1.2.3",
		`{"tag_name": "v2.0.0", "html_url": "https://example.org/v2.0.0"}`: "2.0.0",
	} {
		got, _, err := newestIn(content)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for _, content := range []string{"", "<html>", "{}", `{"version": 3}`, "1", "1.2.3 and more"} {
		_, _, err := newestIn(content)
		require.ErrorContains(t, err, "holds no version", content)
	}
}

func TestASourceThatCannotBeReadToItsEndIsRefused(t *testing.T) {
	for source, says := range map[string]string{os.DevNull: "is no regular file",
		t.TempDir(): "is no regular file", "file:///etc/version": "file: is no address",
		"ftp://example.org/version": "ftp: is no address"} {
		_, _, err := Newest(t.Context(), source)
		require.ErrorContains(t, err, says, source)
		require.NotEmpty(t, hint.Of(err), source)
	}
}
