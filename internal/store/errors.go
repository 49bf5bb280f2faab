package store

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/store/pictures"
	"github.com/taploop/taploop/internal/text"
)

// What callers may ask of an error.
var (
	// ErrNotFound says that there is no such session, run or frame.
	ErrNotFound = errors.New("not found")
	// ErrFrameLost is an ErrNotFound of a frame that its step had.
	ErrFrameLost = fmt.Errorf("%w: the picture was not on the disk yet, or not whole, when the "+
		"machine went down", ErrNotFound)
	// ErrFrameAway is an ErrNotFound of a frame that may be a file of another machine.
	ErrFrameAway = fmt.Errorf("%w: the picture is not here; it is a file of the machine that "+
		"took it, unless that has lost it", ErrNotFound)
	// ErrFenced says that the run has another life by now: it was stopped, paused or taken over.
	// The writer must not go on.
	ErrFenced = errors.New("the run was stopped or taken over")
	// ErrNewerSchema says that the database was written by a newer version of the program.
	ErrNewerSchema = errors.New("the database is newer than this program")
	// ErrDiskFull says that there is no room for what was to be stored.
	ErrDiskFull error = agentloop.Unavailable("the disk is full")
	// ErrLocked says that another program did not let go of the database.
	ErrLocked error = agentloop.Unavailable("another program has locked the database")
	// ErrSilent says that the database did not answer, or not whether it has stored a change.
	ErrSilent error = agentloop.Unavailable("the database did not answer")
	// ErrPictures says that pictures cannot be stored or read, see Options.Frames.
	ErrPictures error = agentloop.Unavailable("the store of pictures is away")
	// ErrFrames says that Options.Frames names no place.
	ErrFrames = pictures.ErrURL
	// ErrReadOnly says that the data folder can only be read.
	ErrReadOnly = errors.New("the data folder can only be read")
	// ErrDamaged says that the database cannot be read, or that what was in it is gone.
	ErrDamaged = errors.New("the database is damaged")
)

// explain adds the cause and a hint to an error of the disk or the database. dir is on the disk, ""
// for that of the data folder. It returns any other error unchanged.
func explain(dir string, err error) error {
	if _, known := errors.AsType[agentloop.Unavailable](err); known || err == nil ||
		errors.Is(err, ErrDamaged) {
		return err
	}
	if errors.Is(err, pictures.ErrAway) {
		return fmt.Errorf("%w: %w", ErrPictures, err)
	}
	if away(err) && hint.Of(err) == "" {
		return unreachable(err)
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return explainPostgres(err, e)
	}
	code := 0
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		code = e.Code() & 0xff // without what SQLite adds to its primary codes
	}
	// SQLite does not say of each of its files that the disk is too full for it.
	if dir != "" && (code == sqlite3.SQLITE_IOERR || code == sqlite3.SQLITE_CANTOPEN) {
		if full := writable(dir); agentloop.Unwritable(full) {
			err = fmt.Errorf("%w: %w", full, err)
		}
	}
	switch {
	case code == sqlite3.SQLITE_FULL, agentloop.Unwritable(err):
		return hint.Add(fmt.Errorf("%w: %w", ErrDiskFull, err), "free some space on the disk "+
			"that holds "+cmp.Or(dir, "the data folder")+", then go on; what was stored before "+
			"is whole")
	case code == sqlite3.SQLITE_BUSY, code == sqlite3.SQLITE_LOCKED:
		return hint.Add(fmt.Errorf("%w: %w", ErrLocked, err), "end what has "+
			dbName+" open, a backup or a database browser, or wait for it, then go on; what "+
			"was stored before is whole")
	case code == sqlite3.SQLITE_CORRUPT, code == sqlite3.SQLITE_NOTADB:
		return hint.Add(fmt.Errorf("%w: %w", ErrDamaged, err), hintRestore)
	case code == sqlite3.SQLITE_CANTOPEN, code == sqlite3.SQLITE_PERM,
		code == sqlite3.SQLITE_READONLY:
		return hint.Add(err, "see that this user may read and write "+dbName+" and the files "+
			"next to it, that they are files, and that not too many files are open; or use "+
			"another data folder (data_dir)")
	}
	return err
}

// dbName is the database within the data folder.
const dbName = "taploop.db"

const hintRestore = "restore " + dbName + " from a copy, or use another data folder (data_dir); " +
	"leave the rest of this one as it is until then"

// doing puts the operation in front of err. It returns nil for nil.
func doing(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), explain("", err))
}

// StateError says that a run is in a state that does not allow what was asked.
type StateError struct {
	RunID string
	State State // the present one
	Fence int64 // the present one
	Want  []State
}

func (e *StateError) Error() string {
	if len(e.Want) == 0 {
		return fmt.Sprintf("run %s is %s", e.RunID, e.State)
	}
	words := text.Each(e.Want, func(s State) string { return string(s) })
	return fmt.Sprintf("run %s is %s (want %s)", e.RunID, e.State, strings.Join(words, " or "))
}

// Hold says who holds a phone.
type Hold struct {
	Serial    string    `json:"serial"`
	SessionID string    `json:"session_id"`
	RunID     string    `json:"run_id"`
	State     State     `json:"state"` // of the run
	Since     time.Time `json:"since"`
	Client    string    `json:"-"` // whom the session belongs to

	// Until is when a run that waits for a person loses the phone, zero for other runs.
	Until time.Time `json:"until,omitzero"`

	// Settings are those of a run that is QUEUED and says until when, see Run; nil for other holds.
	Settings json.RawMessage `json:"-"`

	Worker  string `json:"-"` // that may touch the phone, "" for none
	touches bool   // the worker is alive
}

// SeenBy returns h as the owners may know it: without ids if another client has the session.
func (h Hold) SeenBy(of Owners) Hold {
	if !of.Has(h.Client) {
		h.SessionID, h.RunID = "", ""
	}
	return h
}

// BusyError says that another session holds the phone.
type BusyError struct{ Hold }

func (e *BusyError) Error() string {
	return fmt.Sprintf("phone %q is held by session %s (%s) since %s", e.Serial, e.SessionID,
		e.State, e.Since.UTC().Format(time.RFC3339))
}

// KeyError says that a client has begun a session under this key before.
type KeyError struct{ SessionID string }

func (e *KeyError) Error() string {
	return fmt.Sprintf("session %s was begun under the same key", e.SessionID)
}

// lostDatabase is the error of a database that has lost its sessions.
func lostDatabase(state string) error {
	return hint.Add(fmt.Errorf("%w: %s is %s, and what belongs to it is there", ErrDamaged, dbName,
		state), hintRestore+"; if the folder was used with PostgreSQL, run `taploop store copy "+
		"--from postgres://... --to sqlite:` first")
}

func listHint(err error) error {
	if errors.Is(err, ErrNotFound) {
		return hint.Add(err, "pass the id of a session that there is (`taploop sessions list` "+
			"names them)")
	}
	return err
}

const hintWritable = "choose a folder that this user may write to"

// notNewer refuses a database with a newer schema.
func notNewer(have int) error {
	if have <= Schema() {
		return nil
	}
	return hint.Add(fmt.Errorf("%w: it has schema %d, this one knows %d", ErrNewerSchema, have,
		Schema()), "use the newer taploop, or another data folder")
}
