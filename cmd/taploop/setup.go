package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/app/serve"
	"github.com/taploop/taploop/internal/clients"
	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/httpguard"
)

type setupCmd struct {
	Client string `required:"" placeholder:"NAME"`
	HTTP   bool   `name:"http"`
	Print  bool
	Force  bool
}

// Run tells a client of the server.
func (c *setupCmd) Run(ctx context.Context, a *invocation) error {
	client, err := clients.Find(c.Client)
	if err != nil {
		return app.Usage(err, "")
	}
	if err := a.Load(); err != nil {
		return err
	}
	server, err := c.server(ctx, a)
	if err != nil {
		return err
	}
	if c.Print || !client.HasFile() {
		text, err := client.Snippet(server)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprint(a.out, text); err != nil {
			return err
		}
		if !c.Print {
			a.notef("\n%s keeps its settings where only it can write: paste these.", client.Title)
		}
	} else {
		done, err := client.Install(clientsHere(a), server, c.Force)
		if err != nil {
			return err
		}
		a.notef("%s", client.Says(done))
	}
	c.advise(a, client, server)
	return nil
}

// clientsHere is where the settings of this user's clients are.
func clientsHere(a *invocation) clients.Machine {
	return clients.Machine{OS: runtime.GOOS, Getenv: a.Options.Getenv}
}

// advise tells the remaining steps.
func (c *setupCmd) advise(a *invocation, client clients.Client, server clients.Server) {
	a.notef("  then:     %s\n  time-out: %s", client.Then, client.Timeout)
	if server.Token {
		a.notef("  token:    taploop token create --name %s; %s", client.Name, client.Token)
	}
	if server.URL != "" {
		return
	}
	var lost []string
	for _, v := range a.Conf.Values() {
		if from := v.Origin; from != config.ByDefault && from != a.Conf.File {
			lost = append(lost, v.Path)
		}
	}
	if len(lost) > 0 {
		file, _ := config.Path(&a.Options)
		a.notef("  note:     %s come from this shell, where %s does not look; put them into %s",
			strings.Join(lost, ", "), client.Title, file)
	}
}

// server is how the client is to reach us.
func (c *setupCmd) server(ctx context.Context, a *invocation) (clients.Server, error) {
	if c.HTTP {
		return httpServer(ctx, a)
	}
	return startedServer(a)
}

// startedServer is the server that a client starts itself.
func startedServer(a *invocation) (clients.Server, error) {
	command, err := self()
	if err != nil {
		return clients.Server{}, err
	}
	s := clients.Server{Command: command, Args: []string{"serve"}}
	if file, named := config.Path(&a.Options); named {
		if file, err = filepath.Abs(file); err != nil {
			return s, err
		}
		s.Args = []string{"--config", file, "serve"}
	}
	return s, nil
}

func httpServer(ctx context.Context, a *invocation) (clients.Server, error) {
	conf := a.Conf
	_, port, err := net.SplitHostPort(conf.HTTP.Addr)
	if err != nil || port == "0" || port == "" {
		return clients.Server{}, app.Usage(
			fmt.Errorf("http.addr %q is no address that a client can be told", conf.HTTP.Addr),
			"set http.addr to HOST:PORT with a fixed port")
	}
	list, err := a.listTokens(ctx)
	if err != nil {
		return clients.Server{}, err
	}
	return clients.Server{URL: "http://" + serve.Dialable(conf.HTTP.Addr) + "/mcp",
		Token: len(list) > 0 || !httpguard.Loopback(conf.HTTP.Addr)}, nil
}

// self is the path by which others start this program: the one in PATH when that is it, as it
// outlives an upgrade.
func self() (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("finding this program: %w", err)
	}
	if parent := filepath.Dir(exe); filepath.Base(parent) == "exe" &&
		strings.Contains(parent, "go-build") {
		return "",
			hint.Add(errors.New("this program was started by go run and is gone when it ends"),
				"go build -o bin/taploop ./cmd/taploop, then bin/taploop setup")
	}
	found, err := exec.LookPath("taploop")
	if err != nil {
		return exe, nil
	}
	a, errA := os.Stat(exe)
	b, errB := os.Stat(found)
	if errors.Join(errA, errB) != nil || !os.SameFile(a, b) {
		return exe, nil
	}
	return filepath.Abs(found)
}
