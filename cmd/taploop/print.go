package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/taploop/taploop/internal/terminal/tty"
	"github.com/taploop/taploop/internal/text"
)

// printList prints items for programs as JSON, or for people: a row of each below the columns'
// names, aligned and harmless for a terminal, or none when there are none. At a terminal the rows
// are as wide as that: the widest cells are cut.
func printList[T any](a *invocation, asJSON bool, items []T, none, columns string,
	row func(T) []any) error {
	if asJSON {
		return printJSON(a.out, append([]T{}, items...)) // an empty list, not null
	}
	if len(items) == 0 {
		a.notef("%s", none)
		return nil
	}
	rows := [][]string{strings.Fields(columns)}
	for i, name := range rows[0] {
		rows[0][i] = a.phrase(name)
	}
	for _, item := range items {
		rows = append(rows, text.Each(row(item), func(c any) string {
			return text.Line(fmt.Sprint(c))
		}))
	}
	return tty.Table(a.out, rows, tty.Columns(a.out))
}

// tableIDs are ids as a table shows them: at a terminal cut, elsewhere whole.
func tableIDs[T any](a *invocation, items []T, id func(T) string) func(T) string {
	if tty.Columns(a.out) == 0 {
		return id
	}
	return tty.ShortIDs(items, id)
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
