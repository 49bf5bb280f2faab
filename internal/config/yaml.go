package config

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"

	"github.com/goccy/go-yaml"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/keys"
)

// What a configuration file may have. A file that is no configuration has to be refused before it
// is parsed, which may take long.
const (
	maxFile    = 64 << 10
	maxDepth   = 32
	maxAliases = 16
)

var alias = regexp.MustCompile(`(?m)(^|[\s,\[:{-])\*\w`)

// decode reads a YAML file that was read from path.
func decode(b []byte, path string, into any) error {
	if err := bounded(b); err != nil {
		return hint.Add(fmt.Errorf("%s is no configuration: %w", path, err),
			"name a taploop.yaml with --config or TAPLOOP_CONFIG")
	}
	b = bytes.TrimPrefix(b, []byte("\ufeff"))
	if n := bytes.Count(append([]byte("\n"), b...), []byte("\n---")); n > 1 || n == 1 &&
		!bytes.HasPrefix(b, []byte("---")) {
		return hint.Add(fmt.Errorf("%s has more than one document", path),
			"keep one in taploop.yaml")
	}
	if err := yaml.Unmarshal(b, into); err != nil {
		// without the line itself, which may hold a key
		return hint.Add(fmt.Errorf("%s is not valid YAML: %s", path,
			yaml.FormatError(err, false, false)),
			"correct the line that is named, as [LINE:COLUMN]; `taploop config show` prints "+
				"every key")
	}
	return nil
}

// bounded returns an error for a file that has more than a configuration may have.
func bounded(b []byte) error {
	if len(b) > maxFile {
		return fmt.Errorf("it has %d bytes (want at most %d)", len(b), maxFile)
	}
	if len(alias.FindAll(b, maxAliases+1)) > maxAliases {
		return fmt.Errorf("it has more than %d aliases", maxAliases)
	}
	if keys.TooDeep(b, maxDepth) {
		return errors.New("it is nested too deeply")
	}
	return nil
}
