package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/taploop/taploop/internal/store/export"
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
	".svg": "image/svg+xml", ".webmanifest": "application/manifest+json",
}

// page serves the page, in the language that the browser asks for. There is nothing secret in
// it: what it shows it has to fetch.
func page(w http.ResponseWriter, r *http.Request) error {
	b, err := assets.ReadFile("assets/index.html")
	if err != nil {
		return err
	}
	all, err := modules()
	if err != nil {
		return err
	}
	lang := words.Match(r.Header.Get("Accept-Language"))
	b = bytes.Replace(b, []byte(`<html lang="en">`), []byte(`<html lang="`+lang+`">`), 1)
	b = bytes.Replace(b, []byte("<!-- modules -->\n"), all, 1)
	w.Header().Set("Vary", "Accept-Language")
	return deliver(w, r, "text/html; charset=utf-8", b)
}

// modules are links to the page's scripts: a browser that knows of all fetches them at once.
var modules = sync.OnceValues(func() ([]byte, error) {
	var links []byte
	for _, pattern := range []string{"assets/*.js", "assets/vendor/*.js"} {
		names, err := fs.Glob(assets, pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			links = fmt.Appendf(links, "<link rel=\"modulepreload\" href=\"/ui/%s\">\n",
				path.Base(name))
		}
	}
	return append(links, "<link rel=\"modulepreload\" href=\"/ui/texts.js\">\n"...), nil
})

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
	return deliver(w, r, kind, b)
}

// packed are the bodies of the page's files, compressed, by their hashes.
var packed sync.Map

// deliver sends a file of the page, compressed for those who take that, and not at all to those who
// have it.
func deliver(w http.ResponseWriter, r *http.Request, kind string, b []byte) error {
	sum := sha256.Sum256(b)
	tag := `"` + hex.EncodeToString(sum[:12]) + `"`
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", tag)
	h.Add("Vary", "Accept-Encoding")
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		small, known := packed.Load(tag)
		if !known {
			var to bytes.Buffer
			z := gzip.NewWriter(&to)
			_, err := z.Write(b)
			if err = errors.Join(err, z.Close()); err != nil {
				return err
			}
			small, _ = packed.LoadOrStore(tag, to.Bytes())
		}
		h.Set("Content-Encoding", "gzip")
		b, _ = small.([]byte)
	}
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
	return slices.Concat([]byte("export const WORDS = "), b, []byte(";\n")), err
})

// assetOf returns one of the files that the page is made of.
func assetOf(name string) ([]byte, error) {
	switch name {
	case "texts.js":
		return textsScript()
	case "tokens.css":
		return []byte(export.Tokens), nil
	}
	b, err := assets.ReadFile("assets/" + name)
	if errors.Is(err, fs.ErrNotExist) {
		return assets.ReadFile("assets/vendor/" + name)
	}
	return b, err
}
