package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/taploop/taploop/internal/hint"
)

// pgConnector opens connections to PostgreSQL that take statements with ? and ?1 for arguments, and
// any text. It is a driver over pgx's protocol: the one of pgx has Go values for all types of
// PostgreSQL, of which the store uses four, and adds 3 MB to the program.
type pgConnector struct {
	connect  func(context.Context) (*pgconn.PgConn, error)
	patience time.Duration // for a server that goes silent, 0 for callers that have their own
}

// Connect implements [driver.Connector].
func (c pgConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.connect(ctx)
	if err != nil {
		return nil, err
	}
	if err := recent(conn.ParameterStatus("server_version")); err != nil {
		return nil, errors.Join(err, conn.Close(ctx))
	}
	return &pgConnection{pg: conn, kept: map[string]*pgconn.StatementDescription{},
		used: time.Now(), patience: c.patience}, nil
}

// leastPostgres is the least version of PostgreSQL.
const leastPostgres = 14

// recent refuses a version that is older than the least.
func recent(version string) error {
	major, _, _ := strings.Cut(version, ".")
	if n, err := strconv.Atoi(major); err == nil && n < leastPostgres {
		return hint.Add(fmt.Errorf("the database is PostgreSQL %s", version),
			fmt.Sprintf("use PostgreSQL %d or newer", leastPostgres))
	}
	return nil
}

// Driver implements [driver.Connector].
func (c pgConnector) Driver() driver.Driver { return c }

// Open implements [driver.Driver]. Connections have more than a name.
func (pgConnector) Open(string) (driver.Conn, error) {
	return nil, errors.New("PostgreSQL is opened by its connector")
}

// pgConnection keeps its prepared statements.
type pgConnection struct {
	pg   *pgconn.PgConn
	kept map[string]*pgconn.StatementDescription
	used time.Time

	patience time.Duration // of the connector
}

// limited is the context of one exchange with the server.
func (c *pgConnection) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.patience == 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, c.patience, ErrSilent)
}

// Prepare implements [driver.Conn]. Statements are kept without being asked for.
func (c *pgConnection) Prepare(string) (driver.Stmt, error) {
	return nil, errors.ErrUnsupported
}

// Begin implements [driver.Conn].
func (c *pgConnection) Begin() (driver.Tx, error) {
	return c.BeginTx(context.Background(), driver.TxOptions{})
}

// BeginTx implements [driver.ConnBeginTx].
func (c *pgConnection) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	begin := "BEGIN"
	if o.Isolation == driver.IsolationLevel(sql.LevelRepeatableRead) {
		begin += " ISOLATION LEVEL REPEATABLE READ"
	}
	if o.ReadOnly {
		begin += " READ ONLY"
	}
	ctx, stop := c.limited(ctx)
	defer stop()
	_, err := c.simple(ctx, begin)
	return pgTx{c}, err
}

type pgTx struct{ on *pgConnection }

// Commit implements [driver.Tx].
func (t pgTx) Commit() error {
	_, err := t.on.simple(context.Background(), "COMMIT")
	return err
}

// Rollback implements [driver.Tx].
func (t pgTx) Rollback() error {
	_, err := t.on.simple(context.Background(), "ROLLBACK")
	return err
}

// Close implements [driver.Conn].
func (c *pgConnection) Close() error {
	ctx, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	return c.pg.Close(ctx)
}

// IsValid implements [driver.Validator].
func (c *pgConnection) IsValid() bool { return !c.pg.IsClosed() }

// ResetSession implements [driver.SessionResetter]. A connection that was idle may be broken.
func (c *pgConnection) ResetSession(ctx context.Context) error {
	ctx, stop := c.limited(ctx)
	defer stop()
	if c.pg.IsClosed() || c.pg.TxStatus() != 'I' ||
		time.Since(c.used) > time.Second && c.pg.Ping(ctx) != nil {
		return driver.ErrBadConn
	}
	c.used = time.Now()
	return nil
}

// CheckNamedValue implements [driver.NamedValueChecker]: values arrive as with any other database,
// and lists of texts as well.
func (c *pgConnection) CheckNamedValue(v *driver.NamedValue) (err error) {
	if _, ok := v.Value.([]string); !ok {
		v.Value, err = driver.DefaultParameterConverter.ConvertValue(v.Value)
	}
	return err
}

// ExecContext implements [driver.ExecerContext].
func (c *pgConnection) ExecContext(
	ctx context.Context, query string, args []driver.NamedValue,
) (driver.Result, error) {
	r, _, err := c.run(ctx, query, args)
	if err != nil {
		return nil, err
	}
	return driver.RowsAffected(r.CommandTag.RowsAffected()), nil
}

// QueryContext implements [driver.QueryerContext].
func (c *pgConnection) QueryContext(
	ctx context.Context, query string, args []driver.NamedValue,
) (driver.Rows, error) {
	r, formats, err := c.run(ctx, query, args)
	if err != nil {
		return nil, err
	}
	return &pgRows{r, formats}, nil
}

// simple carries out statements without arguments.
func (c *pgConnection) simple(ctx context.Context, script string) ([]*pgconn.Result, error) {
	if c.pg.IsClosed() {
		return nil, driver.ErrBadConn
	}
	return c.pg.Exec(ctx, script).ReadAll()
}

// run carries a statement out, and returns all its rows with the form of each column.
func (c *pgConnection) run(
	ctx context.Context, query string, args []driver.NamedValue,
) (*pgconn.Result, []int16, error) {
	ctx, stop := c.limited(ctx)
	defer stop()
	if !preparable(query) {
		results, err := c.simple(ctx, query)
		if err != nil || len(results) == 0 {
			return &pgconn.Result{}, nil, err
		}
		return results[len(results)-1], nil, nil
	}
	repeatable := c.pg.TxStatus() == 'I' && strings.HasPrefix(query, "SELECT")
	s, err := c.statement(ctx, query)
	if err != nil {
		return nil, nil, c.failed(repeatable, err)
	}
	values, forms := make([][]byte, len(args)), make([]int16, len(args))
	for i, a := range args {
		values[i], forms[i] = pgValue(a.Value)
	}
	formats := make([]int16, len(s.Fields))
	for i, f := range s.Fields {
		if f.DataTypeOID == pgBytes {
			formats[i] = 1
		}
	}
	r := c.pg.ExecPrepared(ctx, s.Name, values, forms, formats).Read()
	r.FieldDescriptions = s.Fields // which a result without rows lacks
	return r, formats, c.failed(repeatable, r.Err)
}

// failed makes the pool use another connection if this one cannot carry statements out any more.
// repeatable says that what it may have carried out can be carried out once more.
func (c *pgConnection) failed(repeatable bool, err error) error {
	if err != nil && repeatable && c.pg.IsClosed() {
		return driver.ErrBadConn
	}
	said, _ := errors.AsType[*pgconn.PgError](err)
	if said != nil && (said.Code == "0A000" || said.Code == "26000") || // kept for former tables
		err != nil && pgconn.SafeToRetry(err) {
		return driver.ErrBadConn
	}
	return err
}

// statement is the prepared statement of the query.
func (c *pgConnection) statement(
	ctx context.Context, query string,
) (*pgconn.StatementDescription, error) {
	if c.pg.IsClosed() {
		return nil, driver.ErrBadConn
	}
	if s := c.kept[query]; s != nil {
		return s, nil
	}
	name := "" // replaced by the next without a name
	if len(c.kept) < mostKept {
		name = fmt.Sprint("s", len(c.kept))
	}
	s, err := c.pg.Prepare(ctx, name, numbered(query), nil)
	if err == nil && name != "" {
		c.kept[query] = s
	}
	return s, err
}

// The types that the store's columns have.
const (
	pgBool  = 16
	pgBytes = 17
	pgInt8  = 20
	pgInt4  = 23
)

// pgValue is an argument as PostgreSQL reads it, and whether that is its binary form.
func pgValue(v any) (value []byte, form int16) {
	switch v := v.(type) {
	case nil:
		return nil, 0
	case []byte:
		if v == nil {
			return nil, 0
		}
		return v, 1
	case string:
		return []byte(escaped(v)), 0
	case []string:
		quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
		list := make([]string, len(v))
		for i, text := range v {
			list[i] = `"` + quote.Replace(escaped(text)) + `"`
		}
		return []byte("{" + strings.Join(list, ",") + "}"), 0
	}
	return fmt.Append(nil, v), 0 // a number or a truth
}

// pgRows are the rows of a result.
type pgRows struct {
	*pgconn.Result
	formats []int16
}

// Columns implements [driver.Rows].
func (r *pgRows) Columns() []string {
	names := make([]string, len(r.FieldDescriptions))
	for i, f := range r.FieldDescriptions {
		names[i] = f.Name
	}
	return names
}

// Close implements [driver.Rows].
func (r *pgRows) Close() error { return nil }

// Next implements [driver.Rows].
func (r *pgRows) Next(row []driver.Value) (err error) {
	if len(r.Rows) == 0 {
		return io.EOF
	}
	for i, b := range r.Rows[0] {
		switch {
		case b == nil:
			row[i] = nil
			continue
		case r.formats != nil && r.formats[i] == 1:
			row[i] = b
			continue
		}
		text := string(b)
		switch r.FieldDescriptions[i].DataTypeOID {
		case pgBool:
			row[i] = text == "t"
		case pgInt4, pgInt8:
			row[i], err = strconv.ParseInt(text, 10, 64)
		default:
			row[i] = unescaped(text)
		}
		if err != nil {
			return err
		}
	}
	r.Rows = r.Rows[1:]
	return nil
}

// numbered writes the arguments of a statement as PostgreSQL does: ? and ?1 become $1.
func numbered(query string) string {
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
