package store

import (
	"slices"
	"strings"
)

// Owners are the clients of whose sessions, questions and answers somebody may know. "" among them
// is the local operator. Nil is everybody, and an empty list is no one.
type Owners []string

// Has reports whether what belongs to the client belongs to the owners.
func (o Owners) Has(client string) bool { return o == nil || slices.Contains(o, client) }

// owned adds the condition that the column has one of the owners.
func (w *where) owned(column string, of Owners) {
	switch {
	case of == nil:
		return
	case len(of) == 0:
		w.sql += " AND false"
	case len(of) == 1: // an index has the order of the list
		w.sql += " AND " + column + " = ?"
	default:
		w.sql += " AND " + column + " IN (?" + strings.Repeat(", ?", len(of)-1) + ")"
	}
	for _, client := range of {
		w.args = append(w.args, client)
	}
}
