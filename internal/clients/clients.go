package clients

import (
	"fmt"
	"strings"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/text"
)

// All returns the known clients.
func All() []Client { return table() }

// Find returns the client with the name. Case, spaces and dashes do not matter.
func Find(name string) (Client, error) {
	plain := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), " ", "-")
	for _, c := range table() {
		if plain == c.Name || plain == strings.ReplaceAll(strings.ToLower(c.Title), " ", "-") {
			return c, nil
		}
	}
	return Client{}, hint.Add(fmt.Errorf("no settings are known for a client named %q", name),
		"use one of "+strings.Join(Names(), ", ")+"; for another client see docs/clients.md: "+
			"most take the settings of cursor")
}

// Names returns the names of the known clients.
func Names() []string {
	return text.Each(table(), func(c Client) string { return c.Name })
}

// HasFile reports whether the client has a file that [Client.Install] can change.
func (c Client) HasFile() bool { return c.file != nil }

// entry returns the server's entry in the client's settings.
func (c Client) entry(s Server) (any, error) {
	if s.URL == "" {
		return c.stdio(s), nil
	}
	if c.http == nil {
		return nil, hint.Add(fmt.Errorf("the settings file of %s knows servers that it starts, "+
			"not addresses", c.Title),
			"leave --http out: "+c.Title+" then starts the server itself")
	}
	return c.http(s), nil
}

// Snippet returns the settings to paste, ending in a newline.
func (c Client) Snippet(s Server) (string, error) {
	e, err := c.entry(s)
	if err != nil {
		return "", err
	}
	return c.form.snippet(e, s)
}
