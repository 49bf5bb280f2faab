package tty

import (
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/taploop/taploop/internal/text"
)

// gap is the columns of a terminal between those of a table.
const gap = 2

// Table prints a table in at most room columns. 0 means no limit.
func Table(w io.Writer, rows [][]string, room int) error {
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
		cut[i] = i > 0 && w > ShortID
	}
	for _, least := range []int{ShortID, leastCell} {
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

// ShortID is the least number of characters of an id that are shown.
const ShortID = 8

// ShortIDs cuts ids of the items so that they can be told apart.
func ShortIDs[T any](items []T, id func(T) string) func(T) string {
	ids := make([]string, len(items))
	for i, item := range items {
		ids[i] = id(item)
	}
	n := text.Distinct(ids, ShortID)
	return func(item T) string { s := text.Line(id(item)); return s[:min(n, len(s))] }
}
