package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"sync"

	"github.com/gofrs/flock"

	"github.com/taploop/taploop/internal/hint"
)

// Book is the results file, one result a line, in its folder. It is safe for concurrent use. One
// process at a time has it open.
type Book struct {
	Results []Result // that were there when it was opened

	mu   sync.Mutex
	file *os.File
	size int64 // of the whole lines
	lock *flock.Flock
}

// Open opens the book of a folder, and creates both, for this user only, if they are missing. It
// fails if the book was begun with another setup. An incomplete last line, left by a crash, is
// dropped, so its run is repeated.
func Open(dir string, setup Setup) (*Book, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("opening the results: %w", err)
	}
	b := &Book{lock: flock.New(filepath.Join(dir, ".lock"), flock.SetPermissions(0o600))}
	held, err := b.lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("opening the results: %w", err)
	}
	if !held {
		return nil, hint.Add(fmt.Errorf("another bench writes to %s", dir),
			"wait for it, or pass -o with another folder")
	}
	path := filepath.Join(dir, "results.jsonl")
	if b.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600); err == nil {
		err = b.read(path, setup)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening the results: %w", err), b.Close())
	}
	return b, nil
}

// read reads the book and writes the setup to an empty one.
func (b *Book) read(path string, setup Setup) error {
	lines := bufio.NewReader(b.file)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			break // drops an incomplete last line
		}
		if err != nil {
			return err
		}
		if err := b.line(n, line, setup); err != nil {
			return hint.Add(fmt.Errorf("line %d of %s: %w", n, path, err),
				"pass -o with another folder, or delete that file to begin anew")
		}
		b.size += int64(len(line))
	}
	if err := b.cut(); err != nil || b.size > 0 {
		return err
	}
	return b.write(setup)
}

// cut truncates the file after its complete lines.
func (b *Book) cut() error {
	_, err := b.file.Seek(b.size, io.SeekStart)
	return errors.Join(err, b.file.Truncate(b.size))
}

func (b *Book) line(n int, line []byte, setup Setup) error {
	if n > 1 {
		var r Result
		if err := json.Unmarshal(line, &r); err != nil {
			return fmt.Errorf("it is no result: %w", err)
		}
		b.Results = append(b.Results, r)
		return nil
	}
	var was, is any
	now, err := json.Marshal(setup)
	if err == nil {
		err = json.Unmarshal(now, &is)
	}
	if err != nil {
		return err
	}
	if json.Unmarshal(line, &was) != nil || !reflect.DeepEqual(was, is) {
		return fmt.Errorf("it was begun with other models, settings or tasks: %s",
			bytes.TrimSpace(line))
	}
	return nil
}

// Add appends a result. When it returns nil, the result is on the disk.
func (b *Book) Add(r Result) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.write(r); err != nil {
		return fmt.Errorf("writing a result down: %w", err)
	}
	b.Results = append(b.Results, r)
	return nil
}

func (b *Book) write(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	if _, err := b.file.Write(line); err != nil {
		return errors.Join(err, b.cut())
	}
	b.size += int64(len(line))
	return b.file.Sync()
}

// Left returns the runs of the plan without a result.
func (b *Book) Left(p Plan) []Key {
	done := map[Key]bool{}
	for _, r := range b.Results {
		done[r.Key] = r.Broken == ""
	}
	var left []Key
	for _, k := range p.Runs() {
		if !done[k] {
			left = append(left, k)
		}
	}
	return left
}

// Close closes the file and unlocks the folder.
func (b *Book) Close() error {
	var err error
	if b.file != nil {
		err = b.file.Close()
	}
	return errors.Join(err, b.lock.Unlock())
}
