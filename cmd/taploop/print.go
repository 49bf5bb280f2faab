package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/taploop/taploop/internal/text"
)

// printList prints items for programs as JSON, or for people: a row of each below the columns'
// names, aligned and harmless for a terminal, or none when there are none.
func printList[T any](a *app, asJSON bool, items []T, none, columns string,
	row func(T) []any) error {
	if asJSON {
		return printJSON(a.out, append([]T{}, items...)) // an empty list, not null
	}
	if len(items) == 0 {
		a.notef("%s", none)
		return nil
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.ReplaceAll(columns, " ", "\t")) // an error comes back from Flush
	for _, item := range items {
		var cells []string
		for _, c := range row(item) {
			cells = append(cells, text.Line(fmt.Sprint(c)))
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	return w.Flush()
}

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

// printJSON writes v indented, for programs and people. It is how all JSON is printed: what would
// steer a terminal, or hide in it, stands as an escape.
func printJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(text.JSON(b.Bytes()))
	return err
}
