// Command taploop hands tasks to an Android phone: a model looks at the screen and decides, the
// phone acts over ADB, and when the model needs a person it asks one and waits.
package main

//go:generate go run ./gendocs ../../docs/configuration.md ../../docs/clients.md

import (
	"os"
	"os/signal"
	"path/filepath"
	"slices"

	"github.com/taploop/taploop/internal/interrupt"
	"github.com/taploop/taploop/internal/sandbox/adbdshim"
	"github.com/taploop/taploop/internal/sandbox/adbdshim/standin"
)

func main() {
	if name := filepath.Base(os.Args[0]); slices.Contains(adbdshim.Names(), name) {
		signal.Reset()
		os.Exit(standin.Main(name, os.Args[1:]))
	}
	collectSeldom(os.LookupEnv)
	os.Exit(run(interrupt.Context, os.Args[1:], os.Environ(),
		streams{os.Stdin, os.Stdout, os.Stderr}))
}
