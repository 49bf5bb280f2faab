package doctor

import (
	"os/exec"
	"strings"

	"github.com/taploop/taploop/internal/clients"
	"github.com/taploop/taploop/internal/text"
)

// check looks at the settings of the clients that there are.
func (c *Clients) check(l *ledger) {
	var ready []string
	before := len(*l)
	for _, client := range c.All {
		if !client.HasFile() {
			continue
		}
		s, err := client.Look(c.Machine)
		_, missing := exec.LookPath(s.Command)
		with := []string{"client", client.Title, "name", client.Name, "file", text.Line(s.Path)}
		switch {
		case err != nil && s.Path != "":
			l.add("client.broken", "client "+client.Name, append(with, "why", whyOf(err))...)
		case err != nil || !s.Entry:
			continue
		case s.Command != "" && missing != nil:
			l.add("client.command", "client "+client.Name,
				append(with, "command", text.Line(s.Command))...)
		default:
			ready = append(ready, client.Title)
		}
	}
	if len(ready) > 0 {
		l.add("client.ready", "clients", "clients", strings.Join(ready, ", "))
	} else if len(*l) == before {
		l.add("client.none", "clients", "clients", strings.Join(clients.Names(), ", "))
	}
}

// Clients are the MCP clients of this user.
type Clients struct {
	Machine clients.Machine
	All     []clients.Client
}
