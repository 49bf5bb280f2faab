package web

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"slices"
	"sync"

	"github.com/taploop/taploop/internal/words"
	"github.com/taploop/taploop/tools/result"
	"github.com/taploop/taploop/tools/schema"
)

// openAPIDocument describes the routes below /v1 in OpenAPI 3.1. Its schemas of arguments and
// results of tools are filled in: see Options.Requests.
//
//go:embed openapi.json
var openAPIDocument []byte

// describe is the document with the schemas, by their names.
func describe(schemas map[string]*schema.Schema) ([]byte, error) {
	var doc map[string]any
	if err := json.Unmarshal(openAPIDocument, &doc); err != nil {
		return nil, fmt.Errorf("reading openapi.json: %w", err)
	}
	components, _ := doc["components"].(map[string]any)
	known, _ := components["schemas"].(map[string]any)
	known["Result"] = schema.JSON(result.Schema[result.Result]())
	for name, of := range schemas {
		if known[name] == nil {
			return nil, fmt.Errorf("openapi.json has no schema %s", name)
		}
		known[name] = schema.JSON(of)
	}
	return json.Marshal(doc)
}

func (s *Server) openAPI(w http.ResponseWriter, _ *http.Request, _ viewer) error {
	doc, err := describe(s.core.opts.Requests)
	if err != nil {
		return err
	}
	return s.core.answer(w, http.StatusOK, doc)
}

//go:embed assets

var assets embed.FS

// types are the kinds of files that the page is made of.
var types = map[string]string{
	".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml",
}

// page serves the inbox page, in the language that the browser asks for. There is nothing secret in
// it: what it shows it has to fetch.
func page(w http.ResponseWriter, r *http.Request) error {
	b, err := assets.ReadFile("assets/index.html")
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Vary", "Accept-Language")
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = w.Write(bytes.Replace(b, []byte(`<html lang="en">`),
		[]byte(`<html lang="`+words.Match(r.Header.Get("Accept-Language"))+`">`), 1))
	return nil
}

func asset(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return notAllowed(w, "GET")
	}
	name := r.PathValue("asset")
	kind, known := types[path.Ext(name)]
	b, err := assetOf(name)
	if !known || err != nil {
		return refuse("NOT_FOUND", fmt.Errorf("there is nothing at %s", r.URL.Path))
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = w.Write(b)
	return nil
}

// pageTexts are a tree of texts, which the page's scripts name and fill.
var pageTexts = words.Of[map[string]any]("page")

// textsScript hands the page its texts in every language.
var textsScript = sync.OnceValues(func() ([]byte, error) {
	all := map[string]any{}
	for _, lang := range words.Languages() {
		all[lang] = pageTexts(lang)
	}
	b, err := json.Marshal(all)
	return slices.Concat([]byte("\"use strict\";\nconst WORDS = "), b, []byte(";\n")), err
})

// assetOf returns one of the files that the page is made of.
func assetOf(name string) ([]byte, error) {
	if name == "texts.js" {
		return textsScript()
	}
	return assets.ReadFile("assets/" + name)
}
