package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"math/rand/v2"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Fill leaves the database no room to grow, as a full disk does.
func (s *Store) Fill() error {
	_, err := s.write.Exec("PRAGMA max_page_count = 1") // SQLite makes that the present size
	return err
}

// Explained is what the store makes of an error of its database.
func Explained(err error) error { return explain("", err) }

// Raw is the database, past the store.
func (s *Store) Raw() *sql.DB { return s.write }

// Plans are how SQLite goes about the queries of a store.
type Plans struct {
	mu    sync.Mutex
	lines []string
}

// Take gives the lines since the last call, with the query behind each.
func (p *Plans) Take() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	lines := p.lines
	p.lines = nil
	return lines
}

// Explain has each query of the store explained as it is made.
func (s *Store) Explain() (*Plans, error) {
	p := &Plans{}
	u := url.URL{Scheme: "file", Path: filepath.Join(s.dir, dbName),
		RawQuery: "_txlock=immediate&_pragma=foreign_keys(ON)"}
	base, err := newConnector(u.String())
	c := explaining{base, p}
	err = errors.Join(err, s.read.Close(), s.write.Close())
	s.read, s.write = sql.OpenDB(c), sql.OpenDB(c)
	s.write.SetMaxOpenConns(1)
	return p, err
}

type explaining struct {
	driver.Connector
	plans *Plans
}

func (c explaining) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &explained{conn.(sqliteConn), c.plans}, nil
}

type explained struct {
	sqliteConn
	plans *Plans
}

func (c *explained) ExecContext(ctx context.Context, query string,
	args []driver.NamedValue) (driver.Result, error) {
	if err := c.explain(ctx, query, args); err != nil {
		return nil, err
	}
	return c.sqliteConn.ExecContext(ctx, query, args)
}

func (c *explained) QueryContext(ctx context.Context, query string,
	args []driver.NamedValue) (driver.Rows, error) {
	if err := c.explain(ctx, query, args); err != nil {
		return nil, err
	}
	return c.sqliteConn.QueryContext(ctx, query, args)
}

func (c *explained) explain(ctx context.Context, query string, args []driver.NamedValue) error {
	if strings.HasPrefix(query, "PRAGMA") {
		return nil
	}
	rows, err := c.sqliteConn.QueryContext(ctx, "EXPLAIN QUERY PLAN "+query, args)
	if err != nil {
		return err
	}
	defer rows.Close()
	c.plans.mu.Lock()
	defer c.plans.mu.Unlock()
	for line := make([]driver.Value, 4); ; {
		if err := rows.Next(line); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		c.plans.lines = append(c.plans.lines, line[3].(string)+"   of "+query)
	}
}

// Tables are what Copy copies.
func Tables() (names []string) {
	for _, t := range tables {
		names = append(names, t.name)
	}
	return names
}

// Stun ends the renewing of leases as if the process did not run. An owner that is idle may have
// ended it already.
func (o *Owner) Stun() {
	o.mu.Lock()
	stop := o.stop
	o.mu.Unlock()
	if stop != nil {
		stop()
	}
	o.renewal.Wait()
}

// Wake renews once, for a TTL from now on.
func (o *Owner) Wake(ctx context.Context, ttl time.Duration) error {
	o.mu.Lock()
	o.db.opts.TTL = ttl
	o.mu.Unlock()
	return o.Renew(ctx)
}

// Renew renews once.
func (o *Owner) Renew(ctx context.Context) error {
	var kept []touching
	began := time.Now()
	err := o.db.update(ctx, func(ctx context.Context, tx *tx) (err error) {
		kept, err = tx.renew(ctx)
		return err
	})
	o.mu.Lock()
	defer o.mu.Unlock()
	o.renewedAt(began, kept)
	return err
}

// Left is how long the leases allow touches yet.
func (o *Owner) Left() time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.left()
}

// Lapse is called by the timer.
func (o *Owner) Lapse() { o.lapses() }

// Alone reports whether the database is SQLite's.
func (s *Store) Alone() bool { return s.engine.alone() }

// Falter has many statements and commits from now on fail as if the database had given their
// transaction up.
func (s *Store) Falter() {
	s.engine = &faltering{engine: s.engine, chance: rand.New(rand.NewPCG(rand.Uint64(), 0))}
}

type faltering struct {
	engine
	mu     sync.Mutex
	chance *rand.Rand
}

var errFalters = errors.New("the test has given the transaction up")

func (f *faltering) begin(ctx context.Context, d *db, durable bool) (transaction, error) {
	t, err := f.engine.begin(ctx, d, durable)
	return &faltered{transaction: t, of: f}, err
}

func (f *faltering) again(err error) bool {
	return errors.Is(err, errFalters) || errors.Is(err, context.Canceled) || f.engine.again(err)
}

// faltered is a transaction that fails from some statement on, as one does that PostgreSQL has
// given up.
type faltered struct {
	transaction
	of   *faltering
	over bool
}

// fails reports whether the next of n does, or one before did.
func (t *faltered) fails(n int) bool {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	t.over = t.over || t.of.chance.IntN(n) == 0
	return t.over
}

func (t *faltered) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if t.fails(40) {
		return nil, errFalters
	}
	return t.transaction.ExecContext(ctx, query, args...)
}

func (t *faltered) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if t.fails(40) {
		return nil, errFalters
	}
	return t.transaction.QueryContext(ctx, query, args...)
}

func (t *faltered) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	if t.fails(40) {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		cancel()
	}
	return t.transaction.QueryRowContext(ctx, query, args...)
}

func (t *faltered) Commit() error {
	if t.fails(4) {
		return errors.Join(errFalters, t.Rollback())
	}
	return t.transaction.Commit()
}
