package store

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/hint"
)

// verify reads a backup into memory: it opens the database there, has SQLite look at all of it, and
// compares the pictures with what their steps say of them.
func verify(ctx context.Context, path string) (Summary, error) {
	f, err := os.Open(path)
	if err != nil {
		return Summary{}, err
	}
	defer f.Close()
	r := tar.NewReader(f)
	want, err := readSummary(r)
	if err != nil {
		return want, err
	}
	got := Summary{Format: want.Format, Made: want.Made}
	var known map[string]picture
	all := sha256.New()
	for {
		h, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			got.Sum = hex.EncodeToString(all.Sum(nil))
			return want, whole(got, want)
		case err != nil:
		case h.Name == dbName:
			got, known, err = verifyImage(ctx, io.TeeReader(r, all), got)
		case strings.HasPrefix(h.Name, framesDir+"/"):
			got.Pictures++
			err = verifyPicture(r, h.Name, known)
		case skillName.MatchString(h.Name):
			got.Skills++
			_, err = io.Copy(all, r)
		case slices.Contains(extras, h.Name):
			_, err = io.Copy(all, r)
		default:
			err = fmt.Errorf("%q has no place in it", h.Name)
		}
		if err != nil {
			return want, damaged(err)
		}
	}
}

// whole compares what a backup holds with what it says of itself.
func whole(got, want Summary) error {
	if got == want {
		return nil
	}
	return damaged(errors.New("it does not hold what it says of itself"))
}

func damaged(err error) error {
	return hint.Add(fmt.Errorf("the backup is damaged: %w", err),
		"use another backup; of a file that was copied or moved, copy it again")
}

// verifyImage opens a database in memory, and counts its rows.
func verifyImage(ctx context.Context, r io.Reader, sum Summary) (
	Summary, map[string]picture, error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return sum, nil, err
	}
	counted, list, err := countRows(ctx, b)
	counted.Format, counted.Made = sum.Format, sum.Made
	known := map[string]picture{}
	for _, p := range list {
		if name, _, _, err := pictureName(p.id); err == nil {
			known[framesDir+"/"+name] = p
		}
	}
	return counted, known, err
}

// inMemory opens an image of a database. It must not be one with a write-ahead log, without which
// it may lack what was written last.
func inMemory(ctx context.Context, image []byte) (*sql.DB, error) {
	const version, logged = 18, 2 // where the header says so, and what
	if len(image) > version && image[version] == logged {
		return nil, hint.Add(errors.New("the database is a copy of one that was in use, and no "+
			"backup"), "make one with taploop backup; or put the file into an empty folder as "+
			dbName+", and name that folder: --data-dir DIR")
	}
	c, err := newConnector(":memory:")
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(c)
	db.SetMaxOpenConns(1)
	db.SetMaxIdleConns(1)
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	err = conn.Raw(func(driver any) error {
		own, _ := driver.(*connection)
		into, ok := own.sqliteConn.(interface{ Deserialize([]byte) error })
		if !ok {
			return fmt.Errorf("a connection of SQLite lacks a part: %T", own.sqliteConn)
		}
		return into.Deserialize(image)
	})
	if err = errors.Join(err, conn.Close()); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// inspect counts the rows in the file of a database.
func inspect(ctx context.Context, path string) (Summary, []picture, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return Summary{}, nil, err
	}
	return countRows(ctx, b)
}

// countRows has SQLite check the image of a database, and counts its rows.
func countRows(ctx context.Context, image []byte) (Summary, []picture, error) {
	sum := Summary{Format: backupFormat}
	db, err := inMemory(ctx, image)
	if err != nil {
		return sum, nil, err
	}
	defer db.Close()
	var whole string
	err = db.QueryRowContext(ctx, "PRAGMA integrity_check").Scan(&whole)
	if err == nil && whole != "ok" {
		err = errors.New(whole)
	}
	if err == nil {
		err = db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&sum.Schema)
	}
	for table, n := range map[string]*int{"sessions": &sum.Sessions, "steps": &sum.Steps,
		"questions": &sum.Questions, "audit": &sum.Audit} {
		if err == nil {
			err = db.QueryRowContext(ctx, "SELECT count(*) FROM "+table).Scan(n)
		}
	}
	if err != nil {
		return sum, nil, err
	}
	list, err := collect(ctx, db, func(row scanner) (p picture, err error) {
		return p, row.Scan(&p.id, &p.bytes, &p.sum)
	}, "SELECT frame, frame_bytes, frame_sum FROM steps WHERE frame <> ''")
	return sum, list, err
}

// verifyPicture compares a picture with what its step says of it. Former versions said nothing.
func verifyPicture(r io.Reader, name string, known map[string]picture) error {
	p, is := known[name]
	if !is {
		return fmt.Errorf("%s belongs to no step", name)
	}
	b, err := io.ReadAll(r)
	if err != nil || len(p.sum) == 0 {
		return err
	}
	if sum := sha256.Sum256(b); len(b) != p.bytes || !bytes.Equal(sum[:], p.sum) {
		return fmt.Errorf("%s is another picture than its step's", name)
	}
	return nil
}
