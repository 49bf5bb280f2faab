package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"sync"
)

// Answer is what a server answers a request of the page's with.
type Answer struct {
	Path string // of the request
	Type string // application/json, or that of a picture
	Body []byte
}

// Alone writes the page of a session as one file that loads nothing from anywhere. The caller
// writes what a server would answer with, in any order, and then calls Close.
type Alone struct {
	to  io.Writer
	end []byte
}

// NewAlone writes the beginning of the page, with its title and the id of the session, "" for a
// list of sessions.
func NewAlone(to io.Writer, title, session string) (*Alone, error) {
	shell, err := aloneShell()
	if err != nil {
		return nil, err
	}
	head, end, _ := bytes.Cut(shell, []byte("{answers}"))
	for _, at := range [][2]string{{"{session}", session}, {"{title}", title}} {
		head = bytes.ReplaceAll(head, []byte(at[0]), []byte(html.EscapeString(at[1])))
	}
	_, err = to.Write(head)
	return &Alone{to, end}, err
}

// Add writes an answer into the page. JSON must have its <, > and & escaped, as json.Marshal does.
func (a *Alone) Add(x Answer) error {
	body := string(x.Body)
	if x.Type != "application/json" {
		body = base64.StdEncoding.EncodeToString(x.Body)
	}
	_, err := fmt.Fprintf(a.to, "<script type=\"%s\" data-path=\"%s\">%s</script>\n",
		html.EscapeString(x.Type), html.EscapeString(x.Path), body)
	return err
}

// Close writes the rest of the page. It does not close the writer.
func (a *Alone) Close() error {
	_, err := a.to.Write(a.end)
	return err
}

// aloneShell is the page with its scripts and styles in it, without what it shows. The policy
// admits these by their contents, and nothing else.
var aloneShell = sync.OnceValues(func() ([]byte, error) {
	b := assets()["alone.html"]
	icon, _, err := File("icon.svg")
	if err != nil {
		return nil, err
	}
	style, err := join("tokens.css", "style.css", "cards.css")
	if err != nil {
		return nil, err
	}
	script, err := bundle(alone)
	if err != nil {
		return nil, err
	}
	policy := "default-src 'none'; script-src '" + sum(script) + "'; style-src '" + sum(style) +
		"'; img-src data:; base-uri 'none'; form-action 'none'"
	picture := "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(icon)
	for _, fill := range []struct {
		name string
		with []byte
	}{{"{policy}", []byte(policy)}, {"{icon}", []byte(picture)}, {"{style}", style},
		{"{script}", script}} {
		b = bytes.ReplaceAll(b, []byte(fill.name), fill.with)
	}
	return b, nil
})

func join(names ...string) (all []byte, err error) {
	for _, name := range names {
		b, _, err := File(name)
		if err != nil {
			return nil, err
		}
		all = append(all, b...)
	}
	return all, nil
}

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return "sha256-" + base64.StdEncoding.EncodeToString(s[:])
}
