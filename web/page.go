package web

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"

	"golang.org/x/text/language"

	"github.com/taploop/taploop/inquiry/channel"
)

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
		[]byte(`<html lang="`+spoken(r.Header.Get("Accept-Language"))+`">`), 1))
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

// assetOf is a file that the page is made of. channels.js is made of the registry of channels.
func assetOf(name string) ([]byte, error) {
	if name != "channels.js" {
		return assets.ReadFile("assets/" + name)
	}
	labels := map[string]map[string]string{"en": {}, "zh": {}}
	for _, c := range channel.All() {
		for _, n := range []string{c.Name, c.Stored} {
			labels["en"][n], labels["zh"][n] = c.Label[0], c.Label[1]
		}
	}
	b, err := json.Marshal(labels)
	return slices.Concat([]byte("\"use strict\";\nconst CHANNELS = "), b, []byte(";\n")), err
}

// languages are those of the page, the first one for who reads neither.
var languages = []language.Tag{language.English, language.Chinese}

// spoken is the one of languages that the browser likes best.
func spoken(accept string) string {
	_, i := language.MatchStrings(language.NewMatcher(languages), accept)
	return languages[i].String()
}

// login takes the code of a link, once, and gives the browser the secret that it logs in with from
// then on. No other page may ask: what a link is worth is for ours.
func (g gate) login(w http.ResponseWriter, r *http.Request) error {
	if err := samePage(r); err != nil {
		return err
	}
	var body struct {
		Code string `json:"code"`
	}
	if err := receive(r, &body); err != nil {
		return err
	}
	secret, err := g.Logins.redeem(body.Code)
	if errors.Is(err, errNoLogin) {
		g.Log.Warn("login refused", "remote", r.RemoteAddr)
		return refuse("LINK_USED", err)
	}
	if err != nil {
		return err
	}
	g.Log.Info("browser logged in", "remote", r.RemoteAddr)
	return send(w, http.StatusOK, map[string]any{"login": secret})
}

func (g gate) logout(w http.ResponseWriter, r *http.Request, v viewer) error {
	if v.page {
		if err := g.Logins.forget(r.Header.Get(loginHeader)); err != nil {
			return err
		}
	}
	return send(w, http.StatusOK, map[string]any{"ok": true})
}
