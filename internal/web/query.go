package web

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/tools/schema"
)

// queries are the names that the query of each route may have, by its method and path, as the
// OpenAPI document says.
var queries = sync.OnceValue(func() map[string][]string {
	var doc struct {
		Paths map[string]map[string]struct {
			Parameters []struct{ Name, In string }
		}
	}
	if err := json.Unmarshal(openAPIDocument, &doc); err != nil {
		panic(err) // it is part of the program
	}
	known := map[string][]string{}
	for path, methods := range doc.Paths {
		for method, operation := range methods {
			at := strings.ToUpper(method) + " " + path
			for _, p := range operation.Parameters {
				if p.In == "query" {
					known[at] = append(known[at], p.Name)
				}
			}
		}
	}
	return known
})

// checkQuery refuses names in the query of a request to a route that the route does not know. Those
// of OpenAI's API are open to what its clients add.
func checkQuery(r *http.Request, x route) error {
	if strings.HasPrefix(x.path, chatPath) || strings.HasPrefix(x.path, "/v1/models") {
		return nil
	}
	known := queries()[x.method+" "+x.path]
	for _, name := range slices.Sorted(maps.Keys(r.URL.Query())) {
		if slices.Contains(known, name) {
			continue
		}
		remedy := "leave it out"
		if near := schema.Nearest(name, known); near != "" {
			remedy = "pass it as " + near
		}
		if x.method != http.MethodGet {
			remedy = "pass it in the body"
		}
		return refuse("INVALID_ARGUMENT", hint.Add(fmt.Errorf("there is no query parameter %s",
			text.Quote(name, 60)), fmt.Sprintf("%s; those of %s %s are: %s", remedy, x.method,
			x.path, schema.NamesOf(known))))
	}
	return nil
}
