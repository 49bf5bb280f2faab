package web

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheDocumentationHasExactlyTheRoutesThatThereAre(t *testing.T) {
	b, err := os.ReadFile("../../docs/http.md")
	require.NoError(t, err)
	var written, there []string
	for _, m := range regexp.MustCompile("(?m)^\\| `((?:GET|POST) [^`]+)`").FindAllStringSubmatch(
		string(b), -1) {
		written = append(written, m[1])
	}
	for _, x := range (&Server{core: new(core)}).table() {
		there = append(there, x.method+" "+x.path)
	}
	slices.Sort(written)
	slices.Sort(there)
	require.Equal(t, there, written)
	var doc struct {
		Paths map[string]map[string]json.RawMessage
	}
	require.NoError(t, json.Unmarshal(openAPIDocument, &doc))
	var described []string
	for path, methods := range doc.Paths {
		for method := range methods {
			described = append(described, strings.ToUpper(method)+" "+path)
		}
	}
	slices.Sort(described)
	there = slices.DeleteFunc(there, func(at string) bool { return !strings.Contains(at, " /v1/") })
	require.Equal(t, there, described, "openapi.json")
}
