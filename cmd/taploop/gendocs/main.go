// Command gendocs writes docs/configuration.md from the settings themselves, and docs/clients.md
// from what setup knows.
package main

import (
	_ "embed"
	"log"
	"os"

	"github.com/taploop/taploop/internal/config"
)

//go:embed configuration.md.tmpl
var configurationTemplate string

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: gendocs CONFIGURATION CLIENTS")
	}
	for i, page := range []func() ([]byte, error){configuration, clientsPage} {
		b, err := page()
		if err == nil {
			err = os.WriteFile(os.Args[i+1], b, 0o644)
		}
		if err != nil {
			log.Fatal(err)
		}
	}
}

// configuration is docs/configuration.md.
func configuration() ([]byte, error) { return fill(configurationTemplate, config.Keys()) }
