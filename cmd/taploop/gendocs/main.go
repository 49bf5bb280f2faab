// Command gendocs writes docs/configuration.md from the settings themselves and settings.yaml, and
// docs/clients.md from what setup knows.
package main

import (
	_ "embed"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/taploop/taploop/actions/dialect/families"
	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/inquiry/channel"
)

//go:embed configuration.md.tmpl
var configurationTemplate string

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: gendocs CONFIGURATION CLIENTS")
	}
	for i, write := range []func() ([]byte, error){configuration, clientsPage} {
		b, err := write()
		if err == nil {
			err = os.WriteFile(os.Args[i+1], b, 0o644)
		}
		if err != nil {
			log.Fatal(err)
		}
	}
}

//go:embed settings.yaml
var settingsHelp []byte

// described is a setting with what it is.
type described struct {
	config.Key
	Help string
}

// configuration is docs/configuration.md.
func configuration() ([]byte, error) {
	help := map[string]string{}
	if err := yaml.Unmarshal(settingsHelp, &help); err != nil {
		return nil, err
	}
	fill := strings.NewReplacer("{dialects}", strings.Join(families.Known.Names(), ", "),
		"{channels}", channel.Names(channel.Steps()))
	var list []described
	for _, k := range config.Keys() {
		if help[k.Path] == "" {
			return nil, fmt.Errorf("settings.yaml does not say what %s is", k.Path)
		}
		list = append(list, described{k, fill.Replace(help[k.Path])})
		delete(help, k.Path)
	}
	if len(help) > 0 {
		return nil, fmt.Errorf("settings.yaml speaks of what is no setting: %v", help)
	}
	return page(configurationTemplate, list)
}
