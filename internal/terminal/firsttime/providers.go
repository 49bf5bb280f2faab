package firsttime

import (
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/goccy/go-yaml"
)

//go:embed providers.yaml
var providers []byte

// provider serves models at an OpenAI-compatible endpoint.
type provider struct {
	Name    string   `yaml:"name"`
	Title   string   `yaml:"title"`
	Local   bool     `yaml:"local"` // on this machine
	BaseURL string   `yaml:"base_url"`
	Key     string   `yaml:"key"`    // the usual environment variable, "" if there is no key
	Models  []string `yaml:"models"` // that see pictures, the proposed one first
}

// readProviders returns the known providers.
func readProviders() ([]provider, error) {
	var all []provider
	if err := yaml.UnmarshalWithOptions(providers, &all, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("providers of models: %w", err)
	}
	return all, nil
}

// endpoint returns the base of an endpoint from the address that somebody typed or copied.
func endpoint(typed string) (string, error) {
	u, err := url.Parse(typed)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return "", errors.New("no address")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "", errors.New("more than an address")
	}
	return strings.TrimRight(strings.TrimSuffix(strings.TrimRight(typed, "/"),
		"/chat/completions"), "/"), nil
}
