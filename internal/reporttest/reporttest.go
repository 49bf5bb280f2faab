// Package reporttest checks reports by what those publish who read them.
package reporttest

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// schema is Jenkins' schema of JUnit XML, from jenkinsci/xunit-plugin.
//
//go:embed junit-10.xsd
var schema []byte

// ValidJUnit fails the test unless the document is valid against Jenkins' schema. It needs xmllint.
func ValidJUnit(t testing.TB, document []byte) {
	t.Helper()
	lint, err := exec.LookPath("xmllint")
	require.NoError(t, err, "xmllint validates JUnit XML; install it (Debian: libxml2-utils)")
	dir := t.TempDir()
	xsd, doc := filepath.Join(dir, "junit-10.xsd"), filepath.Join(dir, "junit.xml")
	require.NoError(t, os.WriteFile(xsd, schema, 0o600))
	require.NoError(t, os.WriteFile(doc, document, 0o600))
	said, err := exec.CommandContext(t.Context(), lint, "--nonet", "--noout", "--schema", xsd,
		doc).CombinedOutput()
	require.NoError(t, err, "%s", said)
}
