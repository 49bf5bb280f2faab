package model

import (
	"fmt"
	"io"
	"log/slog"
)

// Secret is a text that masks itself wherever it is printed, logged or encoded. string(s) is the
// text itself.
type Secret string

const mask = "[secret]"

// String is the mask, or "" when there is no secret: whether a key is set may be known.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return mask
}

// GoString is the mask for %#v.
func (s Secret) GoString() string { return `"` + s.String() + `"` }

// Format prints the mask whatever the verb: %x and %q would otherwise show the text.
func (s Secret) Format(f fmt.State, verb rune) {
	text := s.String()
	if verb == 'q' || verb == 'v' && f.Flag('#') {
		text = s.GoString()
	}
	_, _ = io.WriteString(f, text)
}

// LogValue is the mask for slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText is the mask for encoders: JSON, YAML, XML. As the key of a map a Secret is not safe:
// encoding/json takes the string of such keys without asking.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText takes the text unchanged, so that a Secret can be read from a configuration file.
func (s *Secret) UnmarshalText(b []byte) error {
	*s = Secret(b)
	return nil
}
