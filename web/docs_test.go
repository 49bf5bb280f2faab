package web

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheDocumentationHasExactlyTheRoutesThatThereAre(t *testing.T) {
	b, err := os.ReadFile("../docs/http.md")
	require.NoError(t, err)
	var written, there []string
	for _, m := range regexp.MustCompile("(?m)^\\| `((?:GET|POST) [^`]+)`").FindAllStringSubmatch(
		string(b), -1) {
		written = append(written, m[1])
	}
	for _, x := range new(Server).table() {
		there = append(there, x.method+" "+x.path)
	}
	slices.Sort(written)
	slices.Sort(there)
	require.Equal(t, there, written)
}
