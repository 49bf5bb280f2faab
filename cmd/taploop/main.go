// Command taploop hands tasks to an Android phone: a model looks at the screen and decides, the
// phone acts over ADB, and when the model needs a person it asks one and waits.
package main

//go:generate go run ./gendocs ../../docs/configuration.md ../../docs/clients.md

import (
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/taploop/taploop/internal/sandbox/adbdshim"
	"github.com/taploop/taploop/internal/sandbox/adbdshim/standin"
)

func main() {
	if name := filepath.Base(os.Args[0]); slices.Contains(adbdshim.Names(), name) {
		os.Exit(standin.Main(name, os.Args[1:]))
	}
	collectSeldom(os.LookupEnv)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM,
		syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.Environ(), streams{os.Stdin, os.Stdout, os.Stderr}))
}
