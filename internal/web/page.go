package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/page"
	"github.com/taploop/taploop/internal/words"
	"github.com/taploop/taploop/tools/result"
	"github.com/taploop/taploop/tools/schema"
)

const documentPath = "/v1/openapi.json"

// openAPIDocument describes the routes below /v1 in OpenAPI 3.1. Its schemas of arguments and
// results of tools are filled in: see Options.Requests.
//
//go:generate go run ../files/genpacked openapi.tar.gz openapi.json
//go:embed openapi.tar.gz
var archive []byte

var described = files.Packed(&archive)

func openAPIDocument() []byte { return described()["openapi.json"] }

// describe is the document with the schemas, by their names.
func describe(schemas map[string]*schema.Schema) ([]byte, error) {
	var doc map[string]any
	if err := json.Unmarshal(openAPIDocument(), &doc); err != nil {
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

// index serves the page, in the language that the browser asks for.
func index(w http.ResponseWriter, r *http.Request) error {
	b := page.Index(words.Match(r.Header.Get("Accept-Language")))
	w.Header().Set("Vary", "Accept-Language")
	return deliver(w, r, "text/html; charset=utf-8", b)
}

func asset(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return notAllowed(w, "GET")
	}
	b, kind, err := page.File(r.PathValue("asset"))
	if err != nil && path.Ext(r.URL.Path) == "" {
		return index(w, r) // which says that there is no such page
	}
	if err != nil {
		return refuse("NOT_FOUND", fmt.Errorf("there is nothing at %s", r.URL.Path))
	}
	if r.PathValue("asset") == page.Worker { // it is for all of the page, not for /ui/ only
		w.Header().Set("Service-Worker-Allowed", "/ui")
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
