package store

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/stdlib"
)

// pgConnector opens connections to PostgreSQL that take statements with ? and ?1 for arguments, and
// any text.
type pgConnector struct{ driver.Connector }

// Connect implements [driver.Connector].
func (c pgConnector) Connect(ctx context.Context) (driver.Conn, error) {
	made, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	conn, ok := made.(*stdlib.Conn)
	if !ok {
		return nil, fmt.Errorf("a connection of PostgreSQL is a %T", made)
	}
	return &pgConnection{conn}, nil
}

type pgConnection struct{ *stdlib.Conn }

// CheckNamedValue implements [driver.NamedValueChecker]: values arrive as with any other database,
// and lists of texts as well.
func (c *pgConnection) CheckNamedValue(v *driver.NamedValue) (err error) {
	if list, ok := v.Value.([]string); ok {
		kept := make([]string, len(list))
		for i, text := range list {
			kept[i] = escaped(text)
		}
		v.Value = kept
		return nil
	}
	if v.Value, err = driver.DefaultParameterConverter.ConvertValue(v.Value); err != nil {
		return err
	}
	if text, ok := v.Value.(string); ok {
		v.Value = escaped(text)
	}
	return nil
}

// ExecContext implements [driver.ExecerContext].
func (c *pgConnection) ExecContext(
	ctx context.Context, query string, args []driver.NamedValue,
) (driver.Result, error) {
	if len(args) > 0 {
		query = numbered(query)
	}
	return c.Conn.ExecContext(ctx, query, args)
}

// QueryContext implements [driver.QueryerContext].
func (c *pgConnection) QueryContext(
	ctx context.Context, query string, args []driver.NamedValue,
) (driver.Rows, error) {
	if len(args) > 0 {
		query = numbered(query)
	}
	rows, err := c.Conn.QueryContext(ctx, query, args)
	if err != nil {
		return nil, err
	}
	return pgRows{rows}, nil
}

type pgRows struct{ driver.Rows }

// Next implements [driver.Rows].
func (r pgRows) Next(row []driver.Value) error {
	err := r.Rows.Next(row)
	for i, v := range row {
		if text, ok := v.(string); ok && err == nil {
			row[i] = unescaped(text)
		}
	}
	return err
}

// numberings remembers how statements read with numbered arguments.
var numberings = struct {
	sync.Mutex
	known map[string]string
}{known: map[string]string{}}

// numbered writes the arguments of a statement as PostgreSQL does: ? and ?1 become $1.
func numbered(query string) string {
	numberings.Lock()
	defer numberings.Unlock()
	if known, ok := numberings.known[query]; ok {
		return known
	}
	var b strings.Builder
	var quote byte
	for i, n := 0, 0; i < len(query); i++ {
		switch c := query[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '?':
			b.WriteByte('$')
			if i+1 == len(query) || query[i+1] < '0' || query[i+1] > '9' {
				n++
				b.WriteString(strconv.Itoa(n))
			}
			continue
		}
		b.WriteByte(query[i])
	}
	if len(numberings.known) < mostKept {
		numberings.known[query] = b.String()
	}
	return b.String()
}

// Text in PostgreSQL is UTF-8 without NUL. A byte that is neither is an escape and two hexadecimal
// digits, and so is each byte of the escape itself.
const (
	escape  = '\U0010FFFD'
	noRunes = string(escape) + "\x00"
)

// escaped is text as PostgreSQL can hold it. Different texts stay different.
func escaped(text string) string {
	if utf8.ValidString(text) && !strings.ContainsAny(text, noRunes) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		if r != 0 && r != escape && (r != utf8.RuneError || n > 1) {
			b.WriteString(text[:n])
		} else {
			for _, c := range []byte(text[:n]) {
				fmt.Fprintf(&b, "%c%02x", escape, c)
			}
		}
		text = text[n:]
	}
	return b.String()
}

// unescaped undoes escaped.
func unescaped(text string) string {
	before, rest, found := strings.Cut(text, string(escape))
	if !found {
		return text
	}
	var b strings.Builder
	for found {
		b.WriteString(before)
		if len(rest) >= 2 {
			if c, err := strconv.ParseUint(rest[:2], 16, 8); err == nil {
				b.WriteByte(byte(c))
				rest = rest[2:]
			}
		}
		before, rest, found = strings.Cut(rest, string(escape))
	}
	b.WriteString(before)
	return b.String()
}
