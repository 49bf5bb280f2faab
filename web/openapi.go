package web

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
)

// openAPIDocument describes the routes below /v1 in OpenAPI 3.1. Its schemas of arguments and
// results of tools are filled in: see Options.Schemas.
//
//go:embed openapi.json
var openAPIDocument []byte

// describe is the document with the schemas, by their names.
func describe(schemas map[string]json.RawMessage) ([]byte, error) {
	var doc map[string]any
	if err := json.Unmarshal(openAPIDocument, &doc); err != nil {
		return nil, fmt.Errorf("reading openapi.json: %w", err)
	}
	components, _ := doc["components"].(map[string]any)
	known, _ := components["schemas"].(map[string]any)
	for name, schema := range schemas {
		if known[name] == nil {
			return nil, fmt.Errorf("openapi.json has no schema %s", name)
		}
		known[name] = schema
	}
	return json.Marshal(doc)
}

func (s *Server) openAPI(w http.ResponseWriter, _ *http.Request, _ viewer) error {
	doc, err := describe(s.opts.Schemas)
	if err != nil {
		return err
	}
	return s.answer(w, http.StatusOK, doc)
}
