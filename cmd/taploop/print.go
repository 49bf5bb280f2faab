package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/taploop/taploop/internal/text"
)

// table prints rows below a header, with their columns aligned and harmless for a terminal.
type table struct{ w *tabwriter.Writer }

func newTable(out io.Writer, header ...any) *table {
	t := &table{tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)}
	t.row(header...)
	return t
}

func (t *table) row(cells ...any) {
	line := make([]string, len(cells))
	for i, c := range cells {
		line[i] = text.Line(fmt.Sprint(c))
	}
	fmt.Fprintln(t.w, strings.Join(line, "\t")) // an error comes back from end
}

func (t *table) end() error { return t.w.Flush() }

// fieldList prints names with values, harmless for a terminal.
type fieldList struct {
	out io.Writer
	err error
}

// line prints one name with its value; what has no value is left out. The lines of a value stay
// lines.
func (l *fieldList) line(name, value string) {
	value = strings.TrimRight(text.Lines(value), "\n")
	if strings.TrimSpace(value) == "" || l.err != nil {
		return
	}
	value = strings.ReplaceAll(value, "\n", "\n          ")
	_, l.err = fmt.Fprintf(l.out, "%-9s %s\n", name, value)
}

// printJSON writes v indented, for programs and people.
func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

func orDash(word string) string {
	if word == "" {
		return "-"
	}
	return word
}
