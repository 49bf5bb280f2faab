package shell

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/taploop/taploop/sandbox"
	"mvdan.cc/sh/v3/interp"
)

// storage is what the phone's file system looks like to commands: its files, with the programs and devices that every
// phone has among them.
type storage struct {
	files *sandbox.Files
	sh    *Shell
}

// special describes a file that is no storage: a program or a device.
type special struct {
	name string
	mode fs.FileMode
}

func (s special) Name() string       { return s.name }
func (s special) Size() int64        { return 0 }
func (s special) Mode() fs.FileMode  { return s.mode }
func (s special) ModTime() time.Time { return time.Unix(1230768000, 0) } // as on system images: 2009
func (s special) IsDir() bool        { return false }
func (s special) Sys() any           { return nil }

var devices = map[string]bool{"/dev/null": true, "/dev/zero": true, "/dev/tty": true}

func (s *storage) special(name string) (special, bool) {
	switch {
	case devices[name]:
		return special{path.Base(name), fs.ModeDevice | fs.ModeCharDevice | 0o666}, true
	case path.Dir(name) == "/system/bin" && s.sh.lookup(path.Base(name)) != nil:
		return special{path.Base(name), 0o755}, true
	}
	return special{}, false
}

// Stat describes a file.
func (s *storage) Stat(name string) (fs.FileInfo, error) {
	if sp, ok := s.special(path.Clean(name)); ok {
		return sp, nil
	}
	return s.files.Stat(name)
}

// Read returns a file's content.
func (s *storage) Read(name string) ([]byte, error) {
	if sp, ok := s.special(path.Clean(name)); ok {
		if sp.name == "null" || sp.name == "tty" {
			return nil, nil
		}
		return nil, &fs.PathError{Op: "read", Path: name, Err: syscall.EACCES}
	}
	return s.files.Read(name)
}

// List describes what is in a folder.
func (s *storage) List(name string) ([]fs.FileInfo, error) {
	list, err := s.files.List(name)
	if err == nil && path.Clean(name) == "/system/bin" {
		for _, c := range s.sh.commandNames() {
			list = append(list, special{c, 0o755})
		}
		slices.SortFunc(list, func(a, b fs.FileInfo) int { return strings.Compare(a.Name(), b.Name()) })
	}
	return list, err
}

func (l *line) onStat(_ context.Context, name string, _ bool) (fs.FileInfo, error) {
	return l.sh.storage().Stat(name)
}

func (l *line) onReadDir(_ context.Context, name string) ([]fs.DirEntry, error) {
	list, err := l.sh.storage().List(name)
	if err != nil {
		return nil, err
	}
	var out []fs.DirEntry
	for _, info := range list {
		out = append(out, fs.FileInfoToDirEntry(info))
	}
	return out, nil
}

func (l *line) onAccess(_ context.Context, name string, mode interp.AccessMode) error {
	info, err := l.sh.storage().Stat(name)
	if err != nil {
		return err
	}
	want := fs.FileMode(mode) << 6 // of the owner
	if mode&interp.AccessWrite != 0 && !writable(path.Clean(name)) || info.Mode()&want != want {
		return &fs.PathError{Op: "access", Path: name, Err: syscall.EACCES}
	}
	return nil
}

// writable reports whether files can be made there.
func writable(name string) bool {
	for _, dir := range []string{"/sdcard", "/storage/emulated/0", "/data/local/tmp", "/dev/null"} {
		if rest, ok := strings.CutPrefix(name, dir); ok && (rest == "" || rest[0] == '/') {
			return true
		}
	}
	return false
}

// onOpen opens a file of the phone for a redirection. Its errors read as the phone's shell writes them.
func (l *line) onOpen(ctx context.Context, name string, flag int, _ fs.FileMode) (io.ReadWriteCloser, error) {
	full := join(interp.HandlerCtx(ctx).Dir, name)
	if flag&(os.O_WRONLY|os.O_RDWR) == 0 {
		data, err := l.sh.storage().Read(full)
		if err != nil {
			return nil, &fs.PathError{Op: shName + ": can't open", Path: name, Err: errors.New(strerror(err))}
		}
		return l.feed(data)
	}
	f, err := l.sh.openForWriting(full, flag&os.O_APPEND != 0)
	if err != nil {
		return nil, &fs.PathError{Op: shName + ": can't create", Path: name, Err: errors.New(strerror(err))}
	}
	l.remember(f)
	return f, nil
}

// remember keeps a file that the line has open, because exec may leave it so: the line's end closes it.
func (l *line) remember(f *openFile) {
	l.filesMu.Lock()
	defer l.filesMu.Unlock()
	l.files = append(slices.DeleteFunc(l.files, (*openFile).isClosed), f)
}

func (l *line) closeFiles() {
	l.filesMu.Lock()
	defer l.filesMu.Unlock()
	for _, f := range l.files {
		_ = f.Close() // nobody is left who could be told
	}
}

// feed makes data readable as a file. The feeding goroutine ends when the file is closed or read to its end.
func (l *line) feed(data []byte) (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	l.feeders.Go(func() {
		_, _ = w.Write(data) // a reader that closed early is no error
		_ = w.Close()
	})
	return r, nil
}

// openFile is a file being written. What is written shows in the storage at the latest on Close.
type openFile struct {
	mu    sync.Mutex
	files *sandbox.Files // nil for /dev/null
	name  string
	buf   bytes.Buffer
	saved int
	ended bool
}

func (s *Shell) openForWriting(name string, appending bool) (*openFile, error) {
	if devices[path.Clean(name)] {
		return &openFile{}, nil
	}
	f := &openFile{files: s.phone.Files(), name: name}
	if appending {
		old, err := f.files.Read(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		f.buf.Write(old)
	}
	return f, f.commit()
}

func (f *openFile) commit() error {
	f.saved = f.buf.Len()
	return f.files.Write(f.name, f.buf.Bytes(), 0o660, time.Time{})
}

func (f *openFile) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: f.name, Err: syscall.EBADF}
}

// Write adds to the file. The storage gets it when enough has come together, so that many small writes stay cheap.
func (f *openFile) Write(b []byte) (int, error) {
	if f.files == nil {
		return len(b), nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.buf.Write(b)
	if !f.ended && f.buf.Len()-f.saved <= f.saved/4 {
		return len(b), nil
	}
	if err := f.commit(); err != nil {
		f.buf.Truncate(f.buf.Len() - len(b))
		return 0, err
	}
	return len(b), nil
}

// Close stores what is not stored yet.
func (f *openFile) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended || f.files == nil || f.saved == f.buf.Len() {
		f.ended = true
		return nil
	}
	f.ended = true
	return f.commit()
}

func (f *openFile) isClosed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ended
}

func (c *call) path(name string) string { return join(c.dir, name) }

func join(dir, name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(dir, name)
}

// strerror is an error in the words of the C library.
func strerror(err error) string {
	for _, e := range []struct {
		is   error
		text string
	}{
		{fs.ErrNotExist, "No such file or directory"},
		{syscall.ENOTEMPTY, "Directory not empty"}, // before ErrExist, which it also is
		{fs.ErrExist, "File exists"},
		{fs.ErrPermission, "Permission denied"},
		{syscall.EROFS, "Read-only file system"},
		{syscall.EISDIR, "Is a directory"},
		{syscall.ENOTDIR, "Not a directory"},
		{syscall.ENOSPC, "No space left on device"},
		{syscall.EINVAL, "Invalid argument"},
	} {
		if errors.Is(err, e.is) {
			return e.text
		}
	}
	return err.Error()
}
