package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"

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
	for _, item := range items {
		var cells []string
		for _, c := range row(item) {
			cells = append(cells, text.Line(fmt.Sprint(c)))
		}
		rows = append(rows, cells)
	}
	return printRows(a.out, rows, columnsOf(a.out))
}

// gap is the columns of a terminal between those of a table.
const gap = 2

// printRows prints a table in at most room columns. 0 means no limit.
func printRows(w io.Writer, rows [][]string, room int) error {
	widths := make([]int, len(rows[0]))
	for _, cells := range rows {
		for i, c := range cells {
			widths[i] = max(widths[i], ansi.StringWidth(c))
		}
	}
	if room > 0 && !narrow(widths, room-gap*(len(widths)-1)) {
		return printBlocks(w, rows, room)
	}
	var b strings.Builder
	for _, cells := range rows {
		line, missing := "", 0
		for i, c := range cells {
			c = ansi.Truncate(c, widths[i], text.Ellipsis)
			line += strings.Repeat(" ", missing) + c
			missing = widths[i] - ansi.StringWidth(c) + gap
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// printBlocks prints each row as a block of lines, for a terminal too narrow for the table.
func printBlocks(w io.Writer, rows [][]string, room int) error {
	var b strings.Builder
	for i, cells := range rows[1:] {
		if i > 0 {
			b.WriteString("\n")
		}
		for column, c := range cells {
			words := ansi.Wrap(rows[0][column]+" "+c, room, "")
			b.WriteString(words + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// narrow makes the widest columns narrower until all fit, and reports whether they do. The first
// stays: it is what one types. None becomes narrower than a short id, and then what is cut anyway
// becomes as narrow as leastCell.
func narrow(widths []int, room int) bool {
	sum, cut := 0, make([]bool, len(widths))
	for i, w := range widths {
		sum += w
		cut[i] = i > 0 && w > shortID
	}
	for _, least := range []int{shortID, leastCell} {
		for sum > room {
			widest := -1
			for i, w := range widths {
				if cut[i] && w > least && (widest < 0 || w > widths[widest]) {
					widest = i
				}
			}
			if widest < 0 {
				break
			}
			widths[widest]--
			sum--
		}
	}
	return sum <= room
}

// leastCell is the least width of a column that is cut.
const leastCell = 5

// shortID is the least number of characters of an id that are shown.
const shortID = 8

// shortIDs cuts ids of the items so that they can be told apart.
func shortIDs[T any](items []T, id func(T) string) func(T) string {
	ids := make([]string, len(items))
	for i, item := range items {
		ids[i] = id(item)
	}
	n := text.Distinct(ids, shortID)
	return func(item T) string { return prefix(text.Line(id(item)), n) }
}

// tableIDs are ids as a table shows them: at a terminal cut, elsewhere whole.
func tableIDs[T any](a *invocation, items []T, id func(T) string) func(T) string {
	if columnsOf(a.out) == 0 {
		return id
	}
	return shortIDs(items, id)
}

// fieldList prints names with values, harmless for a terminal.
type fieldList struct {
	out io.Writer
	err error
}

// line prints one name with its value. It skips an empty value. The lines of a value stay
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
