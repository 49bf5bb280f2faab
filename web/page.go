package web

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

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
func (s *Server) page(w http.ResponseWriter, r *http.Request) {
	b, err := assets.ReadFile("assets/index.html")
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Vary", "Accept-Language")
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = w.Write(bytes.Replace(b, []byte(`<html lang="en">`),
		[]byte(`<html lang="`+language(r.Header.Get("Accept-Language"))+`">`), 1))
}

func (s *Server) asset(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		s.fail(w, r, notAllowed(w, "GET"))
		return
	}
	name := r.PathValue("asset")
	kind, known := types[path.Ext(name)]
	b, err := assetOf(name)
	if !known || err != nil {
		s.fail(w, r, notFound("there is nothing at %s", r.URL.Path))
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = w.Write(b)
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

// language is "zh" when the browser likes Chinese better than English, else "en".
func language(accept string) string {
	best, weight := "en", 0.0
	for entry := range strings.SplitSeq(accept, ",") {
		tag, params, _ := strings.Cut(strings.TrimSpace(entry), ";")
		base, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(tag)), "-")
		q := 1.0
		if text, found := strings.CutPrefix(strings.TrimSpace(params), "q="); found {
			var err error
			if q, err = strconv.ParseFloat(text, 64); err != nil {
				continue
			}
		}
		if (base == "en" || base == "zh") && q > weight {
			best, weight = base, q
		}
	}
	return best
}

// login takes the code of a link, once, and gives the browser its cookie. It wants the marks of our
// own page, so that no other page can log a browser in.
func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	if err := s.tryLogin(w, r); err != nil {
		s.fail(w, r, err)
	}
}

func (s *Server) tryLogin(w http.ResponseWriter, r *http.Request) error {
	if err := s.samePage(r); err != nil {
		return refuse("FORBIDDEN", err)
	}
	if !marked(r) {
		return refuse("FORBIDDEN", errNoMark)
	}
	var body struct {
		Code string `json:"code"`
	}
	if err := receive(r, &body); err != nil {
		return err
	}
	secret, err := s.opts.Logins.redeem(body.Code)
	if errors.Is(err, errNoLogin) {
		s.opts.Log.Warn("login refused", "remote", r.RemoteAddr)
		return refuse("UNAUTHORIZED", err)
	}
	if err != nil {
		return err
	}
	s.opts.Log.Info("browser logged in", "remote", r.RemoteAddr)
	http.SetCookie(w, cookie(r, secret, int(browserLife.Seconds())))
	return send(w, http.StatusOK, map[string]any{"ok": true})
}

func (s *Server) logout(w http.ResponseWriter, r *http.Request, v viewer) error {
	if c, err := r.Cookie(cookieName(r)); err == nil && v.page {
		if err := s.opts.Logins.forget(c.Value); err != nil {
			return err
		}
	}
	http.SetCookie(w, cookie(r, "", -1))
	return send(w, http.StatusOK, map[string]any{"ok": true})
}
