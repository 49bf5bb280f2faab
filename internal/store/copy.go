package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"path"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/hint"
)

// tables are all that a store has but the marks of probes, what workers say of themselves, and the
// key of secret answers, in an order in which no row refers to a later one. The usage of runs is
// last: triggers add to it as steps are copied.
var tables = []table{
	{"sessions", []string{"rowid"}, []string{"id"}, ""},
	{"runs", []string{"rowid"}, []string{"id"}, ""},
	{"steps", []string{"rowid"}, []string{"session_id", "idx"}, ""},
	{"entries", []string{"session_id", "idx"}, nil, ""},
	{"leases", []string{"serial"}, nil, "run_id IS NOT NULL"},
	{"questions", []string{"rowid"}, []string{"id"}, ""},
	{"answers", []string{"rowid"}, []string{"id"}, ""},
	{"secrets", []string{"rowid"}, []string{"question_id"}, ""},
	{"messages", []string{"id"}, []string{"run_id"}, ""},
	{"grants", []string{"seq"}, []string{"since"}, ""},
	{"audit", []string{"seq"}, []string{"at", "event"}, ""},
	{"audit_pruned", []string{"before"}, nil, ""},
	{"keyboards", []string{"serial"}, nil, ""},
	{"phones", []string{"name"}, nil, ""},
	{"judged", []string{"app", "label"}, nil, ""},
	{"schedules", []string{"name"}, nil, ""},
	{"ticks", []string{"schedule", "at"}, nil, ""},
	{"closed", []string{"what"}, nil, ""},
	{"keys", []string{"name"}, []string{"key"}, "name LIKE 'tokens%'"},
	{"usage", []string{"run_id"}, nil, ""},
}

// copyRows is how many rows are copied in one transaction.
const copyRows = 500

// Copy copies everything to another store: rows, pictures, and the key of secret answers. The other
// one must be empty, or what an interrupted Copy from this one has left, which it continues. It
// compares both in the end, and fails if pictures are missing here, with all else copied. It
// refuses a store on which runs are going. progress is called with what is copied, and how many of
// it were so far. nil does nothing.
func (s *Store) Copy(ctx context.Context, to *Store, progress func(what string, n int)) error {
	if progress == nil {
		progress = func(string, int) {}
	}
	if err := noRunGoing(ctx, s); err != nil {
		return err
	}
	for _, t := range tables {
		if err := t.begun(ctx, s, to); err != nil {
			return doing(err, "comparing %s", t.name)
		}
	}
	if err := to.engine.setKey(ctx, to.db, s.vault.key); err != nil {
		return doing(err, "copying the key of secret answers")
	}
	for _, t := range tables {
		if err := t.copy(ctx, s, to, progress); err != nil {
			return doing(err, "copying %s", t.name)
		}
	}
	if err := copyFrames(ctx, &s.frames, &to.frames, progress); err != nil {
		return doing(err, "copying pictures")
	}
	progress("comparing both", 0)
	for _, t := range tables {
		if err := t.same(ctx, s, to); err != nil {
			return doing(err, "comparing %s", t.name)
		}
	}
	return doing(elsewhere(s, missingPictures(ctx, to)), "all else is copied")
}

// noRunGoing refuses a store whose owners are at work.
func noRunGoing(ctx context.Context, s *Store) error {
	going, err := collect(ctx, s.read, scanRow[Run], "SELECT "+runColumns+
		" FROM runs r WHERE state IN ('QUEUED', 'RUNNING')")
	for _, r := range going {
		if s.owner.Elsewhere(r) {
			return hint.Add(&StateError{RunID: r.ID, State: r.State, Fence: r.Fence},
				"stop the servers of this store first")
		}
	}
	return err
}

// columns are those of the table, its key first.
func (t table) columns(ctx context.Context, s *Store) ([]string, error) {
	rows, err := s.read.QueryContext(ctx, "SELECT * FROM "+t.from()+" LIMIT 0")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all, err := rows.Columns()
	all = slices.DeleteFunc(all, func(c string) bool { return slices.Contains(t.key, c) })
	return append(slices.Clone(t.key), all...), errors.Join(err, rows.Err())
}

// quotedList is the columns, separated by commas. Some have the name of a word of SQL.
func quotedList(columns []string) string { return `"` + strings.Join(columns, `", "`) + `"` }

// rows reads at most so many rows behind the key, or from the beginning if that is nil.
func (t table) rows(
	ctx context.Context, s *Store, columns []string, after []any, most int,
) ([][]any, error) {
	query := "SELECT " + quotedList(columns) + " FROM " + t.from()
	if after != nil {
		query += " WHERE (" + quotedList(t.key) + ") > (?" +
			strings.Repeat(", ?", len(t.key)-1) + ")"
	}
	query += " ORDER BY " + quotedList(t.key) + " LIMIT ?"
	return collect(ctx, s.read, scanValues(len(columns)), query,
		append(slices.Clone(after), most)...)
}

// scanValues reads a row of so many columns.
func scanValues(n int) func(scanner) ([]any, error) {
	return func(row scanner) ([]any, error) {
		values, into := make([]any, n), make([]any, n)
		for i := range values {
			into[i] = &values[i]
		}
		err := row.Scan(into...)
		for i, v := range values {
			if b, is := v.([]byte); is && b == nil { // what SQLite has for one that is empty
				values[i] = []byte{}
			}
		}
		return values, err
	}
}

// last is the key of the last row, nil without one.
func (t table) last(ctx context.Context, s *Store) ([]any, error) {
	rows, err := collect(ctx, s.read, scanValues(len(t.key)), "SELECT "+quotedList(t.key)+
		" FROM "+t.from()+` ORDER BY "`+strings.Join(t.key, `" DESC, "`)+`" DESC LIMIT 1`)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0], nil
}

// copy copies the rows behind the last one that is there. Of usage it copies all.
func (t table) copy(ctx context.Context, from, to *Store, progress func(string, int)) error {
	columns, err := t.columns(ctx, to)
	if err != nil {
		return err
	}
	var after []any
	if t.name != "usage" {
		if after, err = t.last(ctx, to); err != nil {
			return err
		}
	}
	insert := "INSERT INTO " + t.name + " (" + quotedList(columns) + ") VALUES (?" +
		strings.Repeat(", ?", len(columns)-1) + ")"
	if t.name == "usage" {
		var set []string
		for _, c := range columns[len(t.key):] {
			set = append(set, fmt.Sprintf(`"%s" = excluded."%[1]s"`, c))
		}
		insert += " ON CONFLICT (run_id) DO UPDATE SET " + strings.Join(set, ", ")
	}
	for n := 0; ; {
		progress(t.name, n)
		rows, err := t.rows(ctx, from, columns, after, copyRows)
		if err != nil || len(rows) == 0 {
			return errors.Join(err, to.engine.copied(ctx, to.db, t))
		}
		err = to.update(ctx, func(ctx context.Context, tx *tx) error {
			for _, row := range rows {
				if err := tx.exec(ctx, insert, row...); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		after = rows[len(rows)-1][:len(t.key)]
		n += len(rows)
	}
}

// begun refuses a destination that has something else than the beginning of the same rows.
func (t table) begun(ctx context.Context, from, to *Store) error {
	last, err := t.last(ctx, to)
	if err != nil || last == nil {
		return err
	}
	columns := append(slices.Clone(t.key), t.id...)
	theirs, n, err := t.sum(ctx, to, columns, -1)
	if err != nil {
		return err
	}
	ours, _, err := t.sum(ctx, from, columns, n)
	if err == nil && !bytes.Equal(ours, theirs) {
		err = hint.Add(fmt.Errorf("the other store has %d rows that are not from this one", n),
			"copy to an empty one")
	}
	return err
}

// same compares all rows of the table.
func (t table) same(ctx context.Context, from, to *Store) error {
	columns, err := t.columns(ctx, to)
	if err != nil {
		return err
	}
	ours, n, err := t.sum(ctx, from, columns, -1)
	if err != nil {
		return err
	}
	theirs, m, err := t.sum(ctx, to, columns, -1)
	if err == nil && (n != m || !bytes.Equal(ours, theirs)) {
		err = hint.Add(fmt.Errorf("the copy differs: %d rows, and %d in the copy", n, m),
			"if a server was running meanwhile, stop it, and copy again to an empty store")
	}
	return err
}

// sum is the SHA-256 of the first rows in their order, and their number. Below zero it is of all.
func (t table) sum(
	ctx context.Context, s *Store, columns []string, most int,
) (sum []byte, n int, err error) {
	h := sha256.New()
	var after []any
	for n != most {
		size := copyRows
		if most > 0 {
			size = min(size, most-n)
		}
		rows, err := t.rows(ctx, s, columns, after, size)
		if err != nil {
			return nil, 0, err
		}
		if len(rows) == 0 {
			break
		}
		for _, row := range rows {
			for _, v := range row {
				hashValue(h, v)
			}
		}
		after = rows[len(rows)-1][:len(t.key)]
		n += len(rows)
	}
	return h.Sum(nil), n, nil
}

// hashValue adds a value so that different rows differ.
func hashValue(h hash.Hash, v any) {
	var kind byte
	var b []byte
	switch v := v.(type) {
	case nil:
	case []byte:
		kind, b = 'b', v
	case string:
		kind, b = 's', []byte(v)
	default:
		kind, b = 'n', fmt.Append(nil, v)
	}
	h.Write(binary.BigEndian.AppendUint64([]byte{kind}, uint64(len(b))))
	h.Write(b)
}

// copyFrames copies the pictures that are not there yet.
func copyFrames(ctx context.Context, from, to *frames, progress func(string, int)) error {
	if from.Where("") == to.Where("") {
		return nil
	}
	there, session, n := map[string]int64{}, "", 0
	for p, err := range from.List(ctx, "") {
		if err == nil && path.Dir(p.Name) != session {
			session = path.Dir(p.Name)
			there, err = to.sizes(ctx, session)
		}
		if n++; n%1000 == 1 {
			progress("pictures", n)
		}
		if size, is := there[p.Name]; err == nil && (!is || size != p.Size) {
			err = copyPicture(ctx, from, to, p.Name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func copyPicture(ctx context.Context, from, to *frames, name string) error {
	b, err := from.Get(ctx, name)
	if err == nil {
		err = to.Put(ctx, name, b)
	}
	if err == nil {
		err = to.Sync(name)
	}
	return err
}

// sizes are those of a session's pictures, by their names.
func (f *frames) sizes(ctx context.Context, session string) (map[string]int64, error) {
	all := map[string]int64{}
	for p, err := range f.List(ctx, session) {
		if err != nil {
			return nil, err
		}
		all[p.Name] = p.Size
	}
	return all, nil
}
