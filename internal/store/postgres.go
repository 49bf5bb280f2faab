package store

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pressly/goose/v3"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/wait"
)

// postgresEngine is a PostgreSQL, which several data folders can share.
type postgresEngine struct {
	config *pgconn.Config
	opened atomic.Bool // from then on connections are waited for
	outage outage
}

// outage is the time in which no connection was had, as far as connections were tried.
type outage struct {
	mu          sync.Mutex
	since, last time.Time
}

// over notes that a connection failed, and reports whether all have for longer than that. One that
// failed long ago, since when none was needed, was another outage's: it takes the patience to fail
// and a second until the next is tried.
func (o *outage) over(patience time.Duration) bool {
	now := time.Now()
	o.mu.Lock()
	defer o.mu.Unlock()
	if now.Sub(o.last) > 2*patience+time.Second {
		o.since = now
	}
	o.last = now
	return now.Sub(o.since) > patience
}

func (o *outage) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last = time.Time{}
}

// How many connections write and read.
const (
	postgresWriters = 8
	postgresReaders = 4
)

// newPostgres reads the URL. It fails if the connection would be in clear, unless the database is
// on this machine.
func newPostgres(url string) (engine, error) {
	config, err := pgconn.ParseConfig(url)
	if err != nil {
		return nil, hint.Add(fmt.Errorf("reading store.url: %w", err),
			"write it as postgres://USER@HOST:PORT/DATABASE, several hosts separated by commas")
	}
	hosts := []string{config.Host}
	clear := config.TLSConfig == nil && !isLocal(config.Host)
	for _, f := range config.Fallbacks {
		hosts = append(hosts, f.Host)
		clear = clear || f.TLSConfig == nil && !isLocal(f.Host)
	}
	if clear {
		return nil, hint.Add(fmt.Errorf("the connection to the database on %s may be in clear",
			strings.Join(hosts, ", ")), "add sslmode=verify-full to store.url, or sslmode=require "+
			"where its certificate cannot be checked")
	}
	for name, value := range map[string]string{"application_name": "taploop",
		"tcp_keepalives_idle": "5", "tcp_keepalives_interval": "3", "tcp_keepalives_count": "3"} {
		config.RuntimeParams[name] = cmp.Or(config.RuntimeParams[name], value)
	}
	if len(hosts) > 1 || config.ValidateConnect != nil { // what is read was written, too
		config.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsPrimary
	}
	return &postgresEngine{config: config}, nil
}

// isLocal reports whether the host is this machine: a folder of sockets, or a loopback address.
func isLocal(host string) bool {
	return strings.HasPrefix(host, "/") || host == "localhost" || net.ParseIP(host).IsLoopback()
}

func (*postgresEngine) alone() bool { return false }

func (*postgresEngine) among(column string, values []string) (condition string, arg any) {
	return column + " = ANY(?)", values
}

func (e *postgresEngine) open(ctx context.Context, d *db) (err error) {
	d.write = e.pool(postgresWriters, false, d.opts)
	d.read = e.pool(postgresReaders, true, d.opts)
	if err := e.migrate(ctx, d); err != nil {
		return err
	}
	if d.owner, err = newOwner(d); err != nil {
		return err
	}
	d.vault, err = e.vault(ctx, d)
	e.opened.Store(err == nil)
	return err
}

// openReading opens the same: the database says what may be written.
func (e *postgresEngine) openReading(ctx context.Context, d *db) error {
	return errors.Join(errors.New("the data folder cannot be written"), ErrReadOnly)
}

// pool connects as often as is needed, up to so many. It waits for a database that goes down and
// comes up again: all connections together for the patience, so that what waits for a connection
// behind others waits no longer.
func (e *postgresEngine) pool(most int, read bool, o Options) *sql.DB {
	patience := o.Patience
	config := e.config.Copy()
	config.ConnectTimeout = cmp.Or(config.ConnectTimeout, patience)
	connector := pgConnector{}
	if read {
		config.RuntimeParams["default_transaction_read_only"] = "on"
		connector.patience = patience
	} else { // one who stands still in the middle of a transaction gives up its locks
		config.RuntimeParams["idle_in_transaction_session_timeout"] = fmt.Sprint(
			max(o.TTL, time.Second).Milliseconds())
	}
	connector.connect = func(ctx context.Context) (*pgconn.PgConn, error) {
		for failures := 0; ; failures++ {
			conn, err := pgconn.ConnectConfig(ctx, config)
			if err == nil {
				e.outage.end()
				return conn, nil
			}
			if !e.opened.Load() || !e.again(err) || ctx.Err() == nil && e.outage.over(patience) {
				return nil, err
			}
			err = wait.For(ctx, wait.Backoff(10*time.Millisecond, time.Second, failures))
			if err != nil {
				return nil, err
			}
		}
	}
	pool := sql.OpenDB(connector)
	pool.SetMaxOpenConns(most)
	pool.SetMaxIdleConns(most)
	return pool
}

// listen waits for notices on a connection of its own until that breaks. It reports whether it came
// to wait.
func (e *postgresEngine) listen(ctx context.Context, wake chan<- struct{}) bool {
	conn, err := pgconn.ConnectConfig(ctx, e.config)
	if err != nil {
		return false
	}
	defer conn.Close(context.WithoutCancel(ctx)) // a broken one is thrown away
	if _, err = conn.Exec(ctx, "LISTEN taploop").ReadAll(); err != nil {
		return false
	}
	for err == nil {
		wait.Wake(wake)
		err = conn.WaitForNotification(ctx)
	}
	return true
}

// migrate brings the database to the newest schema, one process at a time.
func (e *postgresEngine) migrate(ctx context.Context, d *db) error {
	all, err := scripts(postgresMigrations)
	if err != nil {
		return err
	}
	var made bool
	err = d.read.QueryRowContext(ctx, "SELECT to_regclass('goose_db_version') IS NOT NULL").
		Scan(&made)
	if err != nil {
		return err
	}
	var have int64
	if made {
		err := d.read.QueryRowContext(ctx,
			"SELECT coalesce(max(version_id), 0) FROM goose_db_version").Scan(&have)
		if err != nil {
			return err
		}
	}
	if have >= int64(Schema()) {
		return notNewer(int(have))
	}
	return migrateAll(ctx, d.write, all, goose.DialectPostgres,
		goose.WithSessionLocker(migrationTurn{}))
}

// migrationTurn lets one process at a time migrate. It waits as long as it takes, where goose's own
// lock looks once a second.
type migrationTurn struct{}

// migrationLock is its number, the same in all versions.
const migrationLock = 0x7461706c6f6f70

// SessionLock implements goose's lock.SessionLocker.
func (migrationTurn) SessionLock(ctx context.Context, conn *sql.Conn) error {
	_, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock(?)", migrationLock)
	return err
}

// SessionUnlock implements goose's lock.SessionLocker.
func (migrationTurn) SessionUnlock(ctx context.Context, conn *sql.Conn) error {
	_, err := conn.ExecContext(ctx, "SELECT pg_advisory_unlock(?)", migrationLock)
	return err
}

// vault is the key that all who share the database have. The first makes it.
func (*postgresEngine) vault(ctx context.Context, d *db) (*vault, error) {
	_, err := d.write.ExecContext(ctx, `INSERT INTO keys (name, key) VALUES (?, ?)
		ON CONFLICT DO NOTHING`, vaultName, newKey())
	if err != nil {
		return nil, err
	}
	var key []byte
	row := d.write.QueryRowContext(ctx, "SELECT key FROM keys WHERE name = ?", vaultName)
	if err := row.Scan(&key); err != nil {
		return nil, err
	}
	return newVault(key)
}

func (*postgresEngine) setKey(ctx context.Context, d *db, key []byte) (err error) {
	_, err = d.write.ExecContext(ctx, "UPDATE keys SET key = ? WHERE name = ?", key, vaultName)
	if err == nil {
		d.vault, err = newVault(key)
	}
	return err
}

// copied makes the next row's number one above the largest.
func (*postgresEngine) copied(ctx context.Context, d *db, t table) error {
	column := t.key[0]
	if column != "rowid" && column != "seq" && column != "id" {
		return nil
	}
	_, err := d.write.ExecContext(ctx, fmt.Sprintf(`SELECT setval(
		pg_get_serial_sequence('%s', '%s'), max(%[2]s)) FROM %[1]s HAVING count(*) > 0`,
		t.name, column))
	return err
}

func (*postgresEngine) bytes(ctx context.Context, d *db) (sum int64, err error) {
	row := d.read.QueryRowContext(ctx, "SELECT pg_database_size(current_database())")
	return sum, row.Scan(&sum)
}

// check has nothing to ask: PostgreSQL checks its pages as it reads them.
func (*postgresEngine) check(context.Context, *db) error { return nil }

// pgTransaction is a serialisable transaction.
type pgTransaction struct {
	*sql.Conn
	ctx context.Context // of the transaction
	d   *db
	id  string // by which PostgreSQL tells what became of it
	// of the server's history: a replica that takes over begins another, and may give the id again
	timeline string
}

// timeline is that of the server.
const timeline = "left(pg_walfile_name(pg_current_wal_lsn()), 8)"

func (*postgresEngine) begin(ctx context.Context, d *db, durable bool) (transaction, error) {
	conn, err := d.write.Conn(ctx)
	if err != nil {
		return nil, err
	}
	t := &pgTransaction{Conn: conn, ctx: ctx, d: d}
	statements := "BEGIN ISOLATION LEVEL SERIALIZABLE;"
	if !durable { // synced with the next that is, and soon by itself
		statements += "SET LOCAL synchronous_commit = off;"
	}
	results, err := t.simple(statements + "SELECT pg_current_xact_id()::text, " + timeline)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	row := results[len(results)-1].Rows[0]
	t.id, t.timeline = string(row[0]), string(row[1])
	return t, nil
}

// simple sends statements without arguments, in one round trip.
func (t *pgTransaction) simple(statements string) (results []*pgconn.Result, err error) {
	failed := t.Raw(func(c any) error {
		results, err = c.(*pgConnection).simple(t.ctx, statements)
		return nil
	})
	return results, cmp.Or(err, failed)
}

// Rollback implements transaction. A broken connection has rolled back.
func (t *pgTransaction) Rollback() error {
	_, _ = t.simple("ROLLBACK")
	return t.Close()
}

// errAborted says that a transaction did not happen.
var errAborted = errors.New("the transaction was given up by the database")

// Commit implements transaction. If the connection breaks meanwhile it asks what became of it.
func (t *pgTransaction) Commit() error {
	results, err := t.simple("COMMIT")
	_, answered := errors.AsType[*pgconn.PgError](err)
	switch {
	case err == nil && results[0].CommandTag.String() == "ROLLBACK":
		err = errAborted
	case err != nil && !answered:
		err = t.outcome(err)
	}
	_ = t.Close() // a broken connection is thrown away
	return err
}

// outcome asks PostgreSQL whether the transaction was committed.
func (t *pgTransaction) outcome(cause error) error {
	ctx, stop := context.WithTimeout(context.WithoutCancel(t.ctx), t.d.opts.Patience)
	defer stop()
	for failures := 0; ; failures++ {
		var status sql.NullString
		var now string
		err := t.d.write.QueryRowContext(ctx, "SELECT pg_xact_status(?::text::xid8), "+timeline,
			t.id).Scan(&status, &now)
		said, _ := errors.AsType[*pgconn.PgError](err)
		switch {
		case status.String == "committed" && now == t.timeline:
			return nil
		case status.String == "committed": // this one, or another that has its id there
			return errUnknown(cause)
		case status.String == "aborted",
			said != nil && said.Code == "22023": // a replica took over that has not seen it
			return errAborted
		}
		if wait.For(ctx, wait.Backoff(time.Millisecond, time.Second, failures)) != nil {
			return errUnknown(cause)
		}
	}
}

// errUnknown is not to be tried again, whatever the cause is.
func errUnknown(cause error) error {
	return fmt.Errorf("%w: whether it was stored is not known: %v", ErrSilent, cause)
}

// again implements engine. What did not commit can be tried again, also on another server.
func (*postgresEngine) again(err error) bool {
	said, _ := errors.AsType[*pgconn.PgError](err)
	return said != nil && (said.Code == "40001" || said.Code == "40P01") || away(err) ||
		errors.Is(err, errAborted) || errors.Is(err, io.ErrUnexpectedEOF)
}

// away reports whether the server is not there for now, by what it or the connection to it says.
func away(err error) bool {
	if said, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch said.Code {
		case "57P01", "57P02", "57P03", "25006", "53300", // going down, coming up, a replica, full
			"25P03": // this process stood still
			return true
		}
		return strings.HasPrefix(said.Code, "08")
	}
	_, refused := errors.AsType[*pgconn.ConnectError](err)
	_, broken := errors.AsType[*net.OpError](err)
	return refused || broken || pgconn.SafeToRetry(err) || errors.Is(err, driver.ErrBadConn) ||
		errors.Is(err, pgconn.ErrConnClosed)
}

// unreachable adds a hint to the error of a database that does not answer.
func unreachable(err error) error {
	return hint.Add(fmt.Errorf("%w: %w", ErrSilent, err),
		"see that PostgreSQL runs at the address in store.url, and that this machine reaches it; "+
			"what was stored before is whole")
}

// explainPostgres adds the cause and a hint to what PostgreSQL said.
func explainPostgres(err error, said *pgconn.PgError) error {
	switch said.Code {
	case "53100":
		return hint.Add(fmt.Errorf("%w: %w", ErrDiskFull, err), "free some space on the disk of "+
			"the database, then go on; what was stored before is whole")
	case "55P03", "40001", "40P01":
		return hint.Add(fmt.Errorf("%w: %w", ErrLocked, err), "end what holds locks in the "+
			"database, or wait for it, then go on; what was stored before is whole")
	case "XX001", "XX002":
		return hint.Add(fmt.Errorf("%w: %w", ErrDamaged, err), "restore the database from a copy")
	case "28P01", "28000":
		return hint.Add(err, "see that user and password in store.url are right, and that "+
			"pg_hba.conf lets them in from here")
	case "3D000":
		return hint.Add(err, "make the database (createdb), or name another in store.url")
	case "42501":
		return hint.Add(err, "let the user of store.url own the database: taploop makes its tables")
	}
	return err
}
