package device

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/hint"
)

const (
	fieldWithin = 2 * time.Second        // see waits
	fieldPoll   = 100 * time.Millisecond // between two looks at whether it does
)

var errNoField = hint.Add(errors.New("no text field has the focus"),
	"tap the field first, and look whether the cursor is in it")

// editor is what takes the text that is typed.
type editor struct {
	served bool
	lines  bool // Enter makes a new line in it
}

var (
	servedView       = regexp.MustCompile(`(?m)^\s*mServedView=`)
	servedConnection = regexp.MustCompile(`(?m)^\s*mServedInputConnection(?:Wrapper)?=(.*)$`)
	editorType       = regexp.MustCompile(`\binputType=0x([0-9a-fA-F]+)`)
	connectionGone   = regexp.MustCompile(
		`^(?:null)?\s*$|\bconnection=null\b|\bfinished=true\b|\bmDeactivateRequested=true\b`)
)

const (
	typeText      = 0x1 // the class, of InputType's lowest bits
	typeMultiLine = 0x20000
)

// parseEditor reads `dumpsys input_method`. The app in front reports its focused view, and the last
// of two reports counts. Any focused view is reported, but only one that takes text has a
// connection. If no app answers, a visible keyboard means a field.
func parseEditor(dump string) editor {
	apps := servedView.FindAllStringIndex(dump, -1)
	if len(apps) == 0 {
		return editor{served: first(imeShown, dump) == "true"}
	}
	app, _, _ := strings.Cut(dump[apps[len(apps)-1][0]:], "Input method service state")
	connection := servedConnection.FindStringSubmatch(app)
	if connection == nil || connectionGone.MatchString(strings.TrimSpace(connection[1])) {
		return editor{}
	}
	kind, _ := strconv.ParseUint(first(editorType, app), 16, 32)
	return editor{served: true, lines: kind&0xf == typeText && kind&typeMultiLine != 0}
}
