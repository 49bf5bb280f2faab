package doctor

import (
	"context"
	"errors"
	"net/http"
	"os/exec"
	"strings"
	"sync"

	"github.com/taploop/taploop/internal/clients"
	"github.com/taploop/taploop/internal/text"
)

// entry is that of the server in the settings of a client.
type entry struct {
	clients.Settings
	name, title string
	id, why     string // of the fault, "" without one
}

// check looks at the settings of the clients that there are, and asks at the addresses in them,
// which it returns.
func (c *Clients) check(ctx context.Context, l *ledger) (urls []string) {
	var all []*entry
	var wg sync.WaitGroup
	for _, client := range c.All {
		s, err := client.Look(c.Machine)
		if s.Path == "" || err == nil && !s.Entry {
			continue
		}
		e := &entry{Settings: s, name: client.Name, title: client.Title}
		all = append(all, e)
		_, missing := exec.LookPath(s.Command)
		switch {
		case err != nil:
			e.id, e.why = "client.broken", whyOf(err)
		case s.Command != "" && missing != nil:
			e.id = "client.command"
		case s.URL != "":
			urls = append(urls, s.URL)
			wg.Go(func() { e.ask(ctx) })
		}
	}
	wg.Wait()
	var ready []string
	for i, e := range all {
		for _, o := range all[i+1:] {
			if e.id == "client.address" && o.id == e.id && o.URL == e.URL { // one cause
				e.title, o.title = e.title+", "+o.title, ""
			}
		}
		switch {
		case e.id == "":
			ready = append(ready, e.title)
		case e.title != "":
			l.add(e.id, "client "+e.name, "client", e.title, "name", e.name, "why", e.why,
				"file", text.Line(e.Path), "command", text.Line(e.Command),
				"url", text.Line(text.Address(e.URL)))
		}
	}
	if len(ready) > 0 {
		l.add("client.ready", "clients", "clients", strings.Join(ready, ", "))
	} else if len(all) == 0 {
		l.add("client.none", "clients", "clients", strings.Join(clients.Names(), ", "))
	}
	return urls
}

// ask asks the server that the client uses. One that wants a token says nothing about one that is
// not known here.
func (e *entry) ask(ctx context.Context) {
	resp, err := answer(ctx, e.URL, e.Authorization)
	if err != nil {
		e.id, e.why = "client.address", whyOf(errors.Unwrap(err)) // without the address
		return
	}
	kind := resp.Header.Get("Content-Type")
	switch code := resp.StatusCode; {
	case code == http.StatusForbidden, code == http.StatusUnauthorized && !e.Unknown:
		e.id = "client.refused"
	case code == http.StatusNotFound, code >= 500, strings.HasPrefix(kind, "text/html"):
		e.id = "client.address"
	}
	e.why = text.Line(resp.Status + " " + kind)
}

// Clients are the MCP clients of this user.
type Clients struct {
	Machine clients.Machine
	All     []clients.Client
}
