package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// junit is what Jenkins' junit-10.xsd allows: for each element its children and attributes, those
// with a ! have to be there.
var junit = map[string]struct{ children, attributes string }{
	"":           {"testsuites testsuite", ""},
	"testsuites": {"testsuite", "name time tests failures errors"},
	"testsuite": {"testsuite properties testcase system-out system-err", "name! tests! failures! " +
		"errors! group time skipped timestamp hostname id package file log url"},
	"properties": {"property", ""},
	"property":   {"", "name! value!"},
	"testcase": {"skipped error failure rerunFailure rerunError flakyFailure flakyError " +
		"system-out system-err", "name! time classname group"},
	"skipped": {"", "type message"}, "error": {"", "type message"}, "failure": {"", "type message"},
	"system-out": {"", ""}, "system-err": {"", ""}, "stackTrace": {"", ""},
	"rerunFailure": {"stackTrace system-out system-err", "message type!"},
	"flakyFailure": {"stackTrace system-out system-err", "message type!"},
}

// surefireTime is the schema's form of times.
var surefireTime = regexp.MustCompile(`^(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]*)?$`)

// validJUnit fails the test if the document is not valid against the schema.
func validJUnit(t *testing.T, b []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(b))
	open := []string{""}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			require.Len(t, open, 1)
			return
		}
		require.NoError(t, err)
		switch x := token.(type) {
		case xml.StartElement:
			name, parent := x.Name.Local, open[len(open)-1]
			require.Contains(t, strings.Fields(junit[parent].children), name, "in %s", parent)
			allowed := strings.Fields(junit[name].attributes)
			given := map[string]bool{}
			for _, a := range x.Attr {
				given[a.Name.Local] = true
				require.True(t, slices.Contains(allowed, a.Name.Local) ||
					slices.Contains(allowed, a.Name.Local+"!"), "%s of %s", a.Name.Local, name)
				if a.Name.Local == "time" && strings.HasPrefix(name, "testsuite") {
					require.Regexp(t, surefireTime, a.Value)
				}
			}
			for _, need := range allowed {
				if key, ok := strings.CutSuffix(need, "!"); ok {
					require.True(t, given[key], "%s of %s is missing", key, name)
				}
			}
			open = append(open, name)
		case xml.EndElement:
			open = open[:len(open)-1]
		}
	}
}
