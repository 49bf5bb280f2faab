package expect

import (
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/taploop/taploop/internal/suite"
)

// Words is an expectation in one line, as a suite's author would write it.
func Words(e *suite.Expect) string {
	b, _ := yaml.MarshalWithOptions(e, yaml.Flow(true), yaml.OmitZero()) // plain values
	if strings.Contains(strings.TrimSpace(string(b)), "\n") {            // a text of lines
		b, _ = yaml.MarshalWithOptions(e, yaml.JSON(), yaml.OmitZero())
	}
	line := strings.Join(strings.Fields(string(b)), " ")
	return strings.TrimSuffix(strings.TrimPrefix(line, "{"), "}")
}
