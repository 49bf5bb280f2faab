package page

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"sync"

	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/words"
)

//go:embed assets
var assets embed.FS

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
	b, err = assets.ReadFile("assets/" + name)
	if errors.Is(err, fs.ErrNotExist) {
		b, err = assets.ReadFile("assets/vendor/" + name)
	}
	return b, kind, err
}

// Index returns the page in a language of the program's. There is nothing secret in it: what it
// shows it has to fetch.
func Index(lang string) ([]byte, error) {
	b, err := assets.ReadFile("assets/index.html")
	if err != nil {
		return nil, err
	}
	names, err := scripts()
	if err != nil {
		return nil, err
	}
	// a browser that knows of all fetches them at once
	var links []byte
	for _, name := range names {
		links = fmt.Appendf(links, "<link rel=\"modulepreload\" href=\"/ui/%s\">\n", name)
	}
	b = bytes.Replace(b, []byte(`<html lang="en">`), []byte(`<html lang="`+lang+`">`), 1)
	return bytes.Replace(b, []byte("<!-- modules -->\n"), links, 1), nil
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
var scripts = sync.OnceValues(func() ([]string, error) {
	list := []string{texts}
	for _, pattern := range []string{"assets/*.js", "assets/vendor/*.js"} {
		names, err := fs.Glob(assets, pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			list = append(list, path.Base(name))
		}
	}
	return slices.DeleteFunc(list, func(name string) bool {
		return slices.Contains([]string{Worker, alone, begin}, name)
	}), nil
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
