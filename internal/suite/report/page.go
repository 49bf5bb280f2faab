package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"strings"

	"github.com/taploop/taploop/internal/suite"
	"github.com/taploop/taploop/internal/text"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"link": link, "add": func(a, b int) int { return a + b }, "clean": text.Lines,
	"contains": strings.Contains,
	"picture":  func(f suite.Attachment) bool { return strings.HasPrefix(f.Type, "image/") },
}).Parse(pageText))

// link is the address of a file from the page: of the steps, at the last one.
func link(a suite.Attempt, f suite.Attachment) string {
	if f.Name == "steps.html" && a.Step > 0 {
		return fmt.Sprintf("%s#step-%d", f.Path, a.Step)
	}
	return f.Path
}

// Page is one page of all results. It loads nothing from elsewhere, and runs no script.
func (s *Summary) Page() ([]byte, error) {
	var b bytes.Buffer
	err := page.Execute(&b, map[string]any{"Summary": s, "Suites": s.suites(),
		"Words": suite.WordsIn(s.Lang)})
	return b.Bytes(), err
}
