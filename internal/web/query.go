package web

import (
	"encoding/json"
	"strings"
	"sync"
)

// queries are the names that the query of each route may have, by its method and path, as the
// OpenAPI document says.
var queries = sync.OnceValue(func() map[string][]string {
	var doc struct {
		Paths map[string]map[string]struct {
			Parameters []struct{ Name, In string }
		}
	}
	if err := json.Unmarshal(openAPIDocument(), &doc); err != nil {
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
