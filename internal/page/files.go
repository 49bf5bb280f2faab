package page

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"sync"

	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/words"
)

//go:generate go run ../files/genpacked assets.tar.gz assets/*.* assets/vendor/*.js
//go:embed assets.tar.gz
var archive []byte

// assets are the files by their names, without folders.
var assets = sync.OnceValue(func() map[string][]byte {
	all := map[string][]byte{}
	for name, b := range files.Packed(&archive)() {
		all[path.Base(name)] = b
	}
	return all
})

// types are the kinds of files that the page is made of.
var types = map[string]string{
	".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml", ".webmanifest": "application/manifest+json",
}

// File returns one of the files that the page is made of, with its type. The error is an
// fs.ErrNotExist if there is no such file.
func File(name string) (b []byte, kind string, err error) {
	kind, known := types[path.Ext(name)]
	if !known {
		return nil, "", fmt.Errorf("file %q: %w", name, fs.ErrNotExist)
	}
	if name == texts {
		b, err = textsScript()
		return b, kind, err
	}
	b, known = assets()[name]
	if !known {
		return nil, "", fmt.Errorf("file %q: %w", name, fs.ErrNotExist)
	}
	return b, kind, nil
}

// Index returns the page in a language of the program's. There is nothing secret in it: what it
// shows it has to fetch.
func Index(lang string) []byte {
	// a browser that knows of all fetches them at once
	var links []byte
	for _, name := range scripts() {
		links = fmt.Appendf(links, "<link rel=\"modulepreload\" href=\"/ui/%s\">\n", name)
	}
	b := bytes.Replace(assets()["index.html"], []byte(`<html lang="en">`),
		[]byte(`<html lang="`+lang+`">`), 1)
	return bytes.Replace(b, []byte("<!-- modules -->\n"), links, 1)
}

// Names of files that are not like the others.
const (
	texts = "texts.js" // is made of the words
	alone = "alone.js" // begins the page that stands alone
	begin = "app.js"   // begins the page of a server
)

// Worker is the script that runs beside the page and shows pushed messages.
const Worker = "worker.js"

// scripts are the names of the modules that both pages are made of.
var scripts = sync.OnceValue(func() []string {
	list := slices.Sorted(maps.Keys(assets()))
	return append([]string{texts}, slices.DeleteFunc(list, func(name string) bool {
		return path.Ext(name) != ".js" || slices.Contains([]string{Worker, alone, begin}, name)
	})...)
})

// pageTexts are a tree of texts, which the page's scripts name and fill.
var pageTexts = words.Of[map[string]any]("page")

// textsScript hands the page its texts in every language.
var textsScript = sync.OnceValues(func() ([]byte, error) {
	all := map[string]any{}
	for _, lang := range words.Languages() {
		texts := map[string]any{"channels": channel.Labels()}
		maps.Copy(texts, *pageTexts(lang))
		all[lang] = texts
	}
	b, err := json.Marshal(all)
	return slices.Concat([]byte("export const WORDS = "), b, []byte(";\n")), err
})
