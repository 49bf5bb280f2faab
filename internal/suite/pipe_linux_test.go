package suite_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/suite"
)

// A pipe, from which reading might never end, is refused wherever a suite names one or is one.
func TestOnlyRegularFilesAreRead(t *testing.T) {
	dir := t.TempDir()
	pipe := func(name string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, syscall.Mkfifo(path, 0o600))
		return path
	}
	for _, name := range []string{"s.yaml", "s.yml", "s.journey.xml"} {
		path := pipe(name)
		_, err := suite.Read(t.Context(), []string{path}, suite.Options{})
		require.EqualError(t, err, path+": "+path+" is no regular file")
	}
	pipe("p.png")
	pipe("p.apk")
	for names, want := range map[string]string{
		"setup: [{install: p.apk}]":              "install: p.apk is no regular file",
		"setup: [{push: {from: p.png, to: /p}}]": "from: the suite's folder has no file p.png",
		"name: picture":                          "like: p.png is no regular file",
	} {
		_, err := suite.Parsed(filepath.Join(dir, "a.yaml"), []byte(names+
			"\ncases: [{name: a, task: t, expect: [{picture: {like: p.png}}]}]"), suite.Options{})
		require.ErrorContains(t, err, want)
	}
}
