package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/taploop/taploop/internal/clients"
)

//go:embed clients.md.tmpl
var clientsTemplate string

// section is a client as the page shows it.
type section struct {
	clients.Client
	Files []string // by system
	// settings to paste; HTTP may be ""
	Stdio, Npx, HTTP, WithToken string
	Language                    string
}

// clientsPage is docs/clients.md.
func clientsPage() ([]byte, error) {
	var list []section
	for _, c := range clients.All() {
		s, err := describe(c)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return page(clientsTemplate, list)
}

func describe(c clients.Client) (s section, err error) {
	s = section{Client: c, Language: "json"}
	if s.Stdio, err = c.Snippet(clients.Server{Command: "/path/to/taploop",
		Args: []string{"serve"}}); err != nil {
		return s, err
	}
	if s.Npx, err = c.Snippet(clients.Server{Command: "npx",
		Args: []string{"-y", "taploop", "serve"}}); err != nil {
		return s, err
	}
	if !strings.HasPrefix(s.Stdio, "{") {
		s.Language = "toml"
	}
	if c.Token != "" {
		if s.HTTP, err = c.Snippet(clients.Server{URL: "http://127.0.0.1:8702/mcp"}); err != nil {
			return s, err
		}
		if s.WithToken, err = c.Snippet(clients.Server{URL: "http://127.0.0.1:8702/mcp",
			Token: true}); err != nil {
			return s, err
		}
		if s.WithToken == s.HTTP {
			s.WithToken = ""
		}
	}
	s.Files, err = files(c)
	return s, err
}

// files says where the client's file is on each system, with the variables that lead there.
func files(c clients.Client) ([]string, error) {
	if !c.HasFile() {
		return nil, nil
	}
	var list []string
	for _, system := range []struct{ name, os string }{{"Linux", "linux"}, {"macOS", "darwin"},
		{"Windows", "windows"}} {
		variables := map[string]string{"HOME": "/~", "USERPROFILE": "/%USERPROFILE%",
			"APPDATA": "/%APPDATA%"}
		path, err := c.Path(clients.Machine{OS: system.os,
			Getenv: func(name string) string { return variables[name] }})
		if err != nil {
			return nil, err
		}
		path = strings.TrimPrefix(filepath.ToSlash(path), "/")
		if system.os == "windows" {
			path = strings.ReplaceAll(path, "/", `\`)
		}
		list = append(list, fmt.Sprintf("%s `%s`", system.name, path))
	}
	return list, nil
}

// page is a template with what it is about.
func page(of string, about any) ([]byte, error) {
	cell := func(words string) string { return strings.ReplaceAll(words, "|", `\|`) }
	t, err := template.New("page").Funcs(template.FuncMap{"cell": cell}).Parse(of)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, about)
	return b.Bytes(), err
}
