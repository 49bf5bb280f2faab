package sandbox

import (
	"crypto/rand"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// maxFiles bounds what the phone's storage holds.
const maxFiles = 128 << 20

// Files is the phone's storage: in /sdcard (also as /storage/emulated/0), its folders and
// /data/local/tmp files can be written, the rest is read-only, and folders are not made. Paths are
// absolute. Errors are *fs.PathError with fs.ErrNotExist, syscall.EROFS, syscall.ENOSPC and so on
// inside. Safe for concurrent use.
type Files struct {
	mu    sync.Mutex
	now   func() time.Time
	nodes map[string]File
	used  int
}

// File is a file or folder.
type File struct {
	Dir  bool
	Data []byte // must not be changed
	At   time.Time
}

// bootID is the file that tells one start of the kernel from the others.
const bootID = "/proc/sys/kernel/random/boot_id"

func newFiles(now func() time.Time) *Files {
	f := &Files{now: now, nodes: map[string]File{}}
	for _, dir := range []string{
		"/", "/data", "/data/local", "/data/local/tmp", "/sdcard", "/sdcard/Download",
		"/sdcard/DCIM", "/sdcard/Pictures",
		"/storage", "/storage/emulated", "/system", "/system/bin",
	} {
		f.nodes[dir] = File{Dir: true, At: now()}
	}
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	f.nodes[bootID] = File{At: now(),
		Data: fmt.Appendf(nil, "%x-%x-%x-%x-%x\n", b[:4], b[4:6], b[6:8], b[8:10], b[10:])}
	return f
}

// clean gives every path its one name: links into the same storage are followed.
func clean(p string) string {
	p = path.Clean("/" + p)
	for _, link := range []string{"/storage/emulated/0", "/storage/self/primary", "/mnt/sdcard"} {
		if rest, ok := strings.CutPrefix(p, link); ok && (rest == "" || rest[0] == '/') {
			return "/sdcard" + rest
		}
	}
	return p
}

func fail(op, p string, err error) error { return &fs.PathError{Op: op, Path: p, Err: err} }

// Stat returns a file or folder.
func (f *Files) Stat(name string) (File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, ok := f.nodes[clean(name)]
	if !ok {
		return File{}, fail("open", name, fs.ErrNotExist)
	}
	return n, nil
}

// Read returns a file's content, which must not be changed.
func (f *Files) Read(name string) ([]byte, error) {
	n, err := f.Stat(name)
	if n.Dir {
		err = fail("read", name, syscall.EISDIR)
	}
	return n.Data, err // never changed: a write replaces it
}

// Write makes or replaces a file with a copy of the data. The folder must exist.
func (f *Files) Write(name string, data []byte) error { return f.write(name, data, false) }

// Append adds a copy of the data to a file, and creates a missing one.
func (f *Files) Append(name string, data []byte) error { return f.write(name, data, true) }

func (f *Files) write(name string, data []byte, behind bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := clean(name)
	if err := f.writable(p); err != nil {
		return fail("open", name, err)
	}
	old, kept := f.nodes[p].Data, []byte(nil)
	if behind {
		kept = old // those who hold it see no more of it than it was
	}
	used := f.used - len(old) + len(kept) + len(data)
	if used > maxFiles {
		return fail("write", name, syscall.ENOSPC)
	}
	f.used, f.nodes[p] = used, File{Data: append(kept, data...), At: f.now()}
	return nil
}

// writable reports why there can be no file at p, which is clean.
func (f *Files) writable(p string) error {
	parent, ok := f.nodes[path.Dir(p)]
	switch {
	case !ok:
		return fs.ErrNotExist
	case !parent.Dir:
		return syscall.ENOTDIR
	case !strings.HasPrefix(p, "/sdcard/") && !strings.HasPrefix(p, "/data/local/tmp/"):
		return syscall.EROFS
	case f.nodes[p].Dir:
		return syscall.EISDIR
	}
	return nil
}

// List names the content of a folder, sorted.
func (f *Files) List(name string) ([]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	dir := clean(name)
	if n, ok := f.nodes[dir]; !ok || !n.Dir {
		return nil, fail("open", name, fs.ErrNotExist)
	}
	var out []string
	for p := range f.nodes {
		if p != "/" && path.Dir(p) == dir {
			out = append(out, path.Base(p))
		}
	}
	slices.Sort(out)
	return out, nil
}

// Remove deletes a file.
func (f *Files) Remove(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := clean(name)
	if _, ok := f.nodes[p]; !ok {
		return fail("remove", name, fs.ErrNotExist)
	}
	if err := f.writable(p); err != nil {
		return fail("remove", name, err)
	}
	f.used -= len(f.nodes[p].Data)
	delete(f.nodes, p)
	return nil
}
