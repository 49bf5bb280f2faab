package config

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"

	"github.com/goccy/go-yaml"

	"github.com/taploop/taploop/internal/hint"
)

// What a configuration file may have. The parser's time and memory grow with the square of the
// nesting and beyond, so a file that is no configuration has to be refused before it is parsed.
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

// bounded counts generously: a bracket within a text counts, too.
func bounded(b []byte) error {
	if len(b) > maxFile {
		return fmt.Errorf("it has %d bytes (want at most %d)", len(b), maxFile)
	}
	if len(alias.FindAll(b, maxAliases+1)) > maxAliases {
		return fmt.Errorf("it has more than %d aliases", maxAliases)
	}
	depth := 0
	for line := range bytes.Lines(b) {
		if dashes := len(line) - len(bytes.TrimLeft(line, " -?:")); dashes > 4*maxDepth {
			return errors.New("it is nested too deeply")
		}
		for _, c := range line {
			switch c {
			case '[', '{':
				depth++
			case ']', '}':
				depth = max(depth-1, 0)
			}
			if depth > maxDepth {
				return errors.New("it is nested too deeply")
			}
		}
	}
	return nil
}
