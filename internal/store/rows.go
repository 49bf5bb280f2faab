package store

import (
	"bytes"
	"cmp"
	"compress/flate"
	"context"
	"crypto/rand"
	"database/sql"
	"database/sql/driver"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/text"
)

// scanner is one row.
type scanner interface{ Scan(dest ...any) error }

// collect reads all rows.
func collect[T any](
	ctx context.Context, q queryer, scan func(scanner) (T, error), query string, args ...any,
) ([]T, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, cmp.Or(context.Cause(ctx), err)
	}
	defer rows.Close()
	var out []T
	for rows.Next() {
		t, err := scan(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	if err := rows.Err(); err != nil {
		return out, cmp.Or(context.Cause(ctx), err)
	}
	return out, nil
}

// oneRow reads one row. It returns ErrNotFound without a row.
func oneRow[T any](row *sql.Row, scan func(scanner) (T, error), what, id string) (T, error) {
	t, err := scan(row)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	return t, doing(err, "%s %q", what, id)
}

// found reads a row into dest, and reports whether there is one.
func found(row *sql.Row, dest ...any) (bool, error) {
	err := row.Scan(dest...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// field is a column of a row, with the place of its value: a pointer, an instant or an object.
type field struct {
	column string
	value  any
}

// fields are a row to read or write.
type fields []field

// scanRow reads a row into its fields.
func scanRow[T any, P interface {
	*T
	fields() fields
}](row scanner) (T, error) {
	var t T
	err := row.Scan(P(&t).fields().values()...)
	return t, err
}

// list is the columns, each in the form, separated by commas.
func (f fields) list(form string) string {
	formed := func(x field) string { return fmt.Sprintf(form, x.column) }
	return strings.Join(text.Each(f, formed), ", ")
}

func (f fields) values() []any {
	list := make([]any, len(f))
	for i, x := range f {
		list[i] = x.value
	}
	return list
}

// errTaken says that a row with the same key is there.
var errTaken = errors.New("there is one with the same key already")

// insert adds the row to the table, or returns errTaken.
func (f fields) insert(ctx context.Context, tx *tx, table string) error {
	query := fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s) ON CONFLICT DO NOTHING",
		table, f.list("%s"), f.list("?%.0s"))
	n, err := affected(tx.ExecContext(ctx, query, f.values()...))
	if err == nil && n == 0 {
		err = errTaken
	}
	return err
}

// update replaces the row or rows of the table, and returns how many there were.
func (f fields) update(
	ctx context.Context, tx *tx, table, where string, args ...any,
) (int64, error) {
	query := fmt.Sprintf("UPDATE %s SET %s WHERE %s", table, f.list("%s = ?"), where)
	return affected(tx.ExecContext(ctx, query, append(f.values(), args...)...))
}

// where restricts a query.
type where struct {
	sql  string
	args []any
}

// and adds a condition on v, unless v is "".
func (w *where) and(condition, v string) {
	if v != "" {
		w.sql, w.args = w.sql+" AND "+condition, append(w.args, v)
	}
}

// limited returns the query's arguments, followed by the limit n. 0 means no limit.
func (w *where) limited(n int) []any {
	return append(w.args, cmp.Or(n, math.MaxInt64))
}

// instant is a time as milliseconds since 1970 UTC, 0 for the zero time.
type instant struct{ t *time.Time }

// Scan implements sql.Scanner.
func (i instant) Scan(v any) error {
	ms, ok := v.(int64)
	if !ok {
		return fmt.Errorf("a time of type %T", v)
	}
	*i.t = time.Time{}
	if ms != 0 {
		*i.t = time.UnixMilli(ms).UTC()
	}
	return nil
}

// Value implements driver.Valuer.
func (i instant) Value() (driver.Value, error) { return millis(*i.t), nil }

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// object is a value as JSON text, or NULL for a nil pointer. Scanning "" or NULL does not change
// the value.
type object struct{ v any }

// Value implements driver.Valuer.
func (o object) Value() (driver.Value, error) {
	b, err := json.Marshal(o.v)
	if err != nil || string(b) == "null" {
		return nil, err
	}
	return string(b), nil
}

// Scan implements sql.Scanner.
func (o object) Scan(v any) error {
	if text, _ := v.(string); text != "" {
		return json.Unmarshal([]byte(text), o.v)
	}
	return nil
}

// maxPacked is the limit of a step's compressed elements, many times a full screen's. maxUnpacked
// is their limit when read.
const (
	maxPacked   = 64 << 10
	maxUnpacked = 4 << 20
)

// packed is elements as compressed JSON, empty without elements. A list above maxPacked is left
// out.
type packed struct{ list *[]screen.Element }

// packers are reused, because each is larger than a megabyte.
var packers = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(nil, flate.BestSpeed) // fails for wrong levels only
	return w
}}

// Value implements driver.Valuer.
func (p packed) Value() (driver.Value, error) {
	if len(*p.list) == 0 {
		return []byte{}, nil
	}
	var b bytes.Buffer
	w := packers.Get().(*flate.Writer)
	defer packers.Put(w)
	w.Reset(&b)
	if err := errors.Join(json.NewEncoder(w).Encode(*p.list), w.Close()); err != nil {
		return nil, err
	}
	if b.Len() > maxPacked {
		return []byte{}, nil
	}
	return b.Bytes(), nil
}

// Scan implements sql.Scanner.
func (p packed) Scan(v any) error {
	b, _ := v.([]byte)
	if len(b) == 0 {
		return nil
	}
	r := io.LimitReader(flate.NewReader(bytes.NewReader(b)), maxUnpacked)
	return json.NewDecoder(r).Decode(p.list)
}

var idAlphabet = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").
	WithPadding(base32.NoPadding)

// newID is 160 random bits in 32 letters and digits that are hard to mistake for each other.
func newID() string {
	b := make([]byte, 20)
	rand.Read(b) // never fails
	return idAlphabet.EncodeToString(b)
}

// affected counts the rows that a statement changed.
func affected(r sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// exec carries a statement out as an update, and returns how many rows it changed.
func (d *db) exec(ctx context.Context, query string, args ...any) (n int64, err error) {
	err = d.update(ctx, func(ctx context.Context, tx *tx) error {
		n, err = affected(tx.ExecContext(ctx, query, args...))
		return err
	})
	return n, err
}

func scanID(row scanner) (id string, err error) {
	err = row.Scan(&id)
	return id, err
}
