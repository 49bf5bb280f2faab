package bench

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strconv"

	"github.com/taploop/taploop/internal/lab"
	"github.com/taploop/taploop/internal/text"
)

//go:embed page.html
var pageText string

//go:embed page.css
var style string

var page = template.Must(template.New("bench").Funcs(template.FuncMap{
	"percent": lab.Percent, "number": number,
	"round": func(f float64) string { return number(f, 1) },
	"whole": func(f float64) string { return number(f, 0) },
	"cost":  func(f float64) string { return number(f, 4) },
	"line":  func(s string) string { return text.Cut(text.Line(s), 300) },
}).Parse(pageText))

func number(f float64, digits int) string { return strconv.FormatFloat(f, 'f', digits, 64) }

// HTML writes the report as one page that loads nothing and runs no script. Each run links to its
// trajectory. All text is shown as text, whoever wrote it.
func (r Report) HTML(w io.Writer) error {
	sum := sha256.Sum256([]byte(style))
	err := page.Execute(text.NewWriter(w), struct {
		Report
		Style  template.CSS
		Policy string
	}{r, template.CSS(style), fmt.Sprintf("default-src 'none'; style-src 'sha256-%s'; "+
		"base-uri 'none'; form-action 'none'", base64.StdEncoding.EncodeToString(sum[:]))})
	if err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}
