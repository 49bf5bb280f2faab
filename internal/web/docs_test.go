package web

import (
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/store/export"
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
	require.NoError(t, json.Unmarshal(openAPIDocument(), &doc))
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

func TestTheDocumentationHasEveryField(t *testing.T) {
	var doc struct {
		Components struct {
			Schemas map[string]struct{ Properties map[string]any }
		}
	}
	require.NoError(t, json.Unmarshal(openAPIDocument(), &doc))
	for name, answer := range map[string]any{"Run": export.Run{}, "Step": steppedView{},
		"Device": deviceView{}, "Reply": replyBody{}} {
		var written []string
		for field := range doc.Components.Schemas[name].Properties {
			written = append(written, field)
		}
		require.ElementsMatch(t, fields(reflect.TypeOf(answer)), written, name)
	}
}

// fields are the names that the fields of a type have in JSON.
func fields(of reflect.Type) []string {
	var all []string
	for f := range of.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			all = append(all, fields(f.Type)...)
		} else if name != "-" {
			all = append(all, name)
		}
	}
	return all
}
