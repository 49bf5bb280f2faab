package sandbox

import (
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

// Files is the phone's storage: /sdcard (also as /storage/emulated/0) and /data/local/tmp can be
// written, the rest is read-only. Paths are absolute. Errors are *fs.PathError with fs.ErrNotExist,
// syscall.EROFS, syscall.ENOSPC and so on inside. Safe for concurrent use.
type Files struct {
	mu    sync.Mutex
	now   func() time.Time
	nodes map[string]*file
	used  int
}

type file struct {
	name  string
	data  []byte
	mode  fs.FileMode
	mtime time.Time
}

func (f *file) Name() string       { return f.name }
func (f *file) Size() int64        { return int64(len(f.data)) }
func (f *file) Mode() fs.FileMode  { return f.mode }
func (f *file) ModTime() time.Time { return f.mtime }
func (f *file) IsDir() bool        { return f.mode.IsDir() }
func (f *file) Sys() any           { return nil }

func newFiles(now func() time.Time) *Files {
	f := &Files{now: now, nodes: map[string]*file{}}
	for _, dir := range []string{
		"/", "/data", "/data/local", "/data/local/tmp", "/sdcard", "/sdcard/Download",
		"/sdcard/DCIM", "/sdcard/Pictures",
		"/storage", "/storage/emulated", "/system", "/system/bin",
	} {
		f.nodes[dir] = &file{name: path.Base(dir), mode: fs.ModeDir | 0o771, mtime: now()}
	}
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

func writable(p string) bool {
	return strings.HasPrefix(p, "/sdcard/") || strings.HasPrefix(p, "/data/local/tmp/")
}

func fail(op, p string, err error) error { return &fs.PathError{Op: op, Path: p, Err: err} }

// Stat describes a file or folder.
func (f *Files) Stat(name string) (fs.FileInfo, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, ok := f.nodes[clean(name)]
	if !ok {
		return nil, fail("stat", name, fs.ErrNotExist)
	}
	return n, nil
}

// Read returns a file's content, which must not be changed.
func (f *Files) Read(name string) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, ok := f.nodes[clean(name)]
	switch {
	case !ok:
		return nil, fail("open", name, fs.ErrNotExist)
	case n.IsDir():
		return nil, fail("read", name, syscall.EISDIR)
	}
	return n.data, nil // never changed: a write replaces it
}

// Write makes or replaces a file. The folder must exist. A zero mtime means now.
func (f *Files) Write(name string, data []byte, mode fs.FileMode, mtime time.Time) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := clean(name)
	if err := f.checkTarget(p); err != nil {
		return fail("open", name, err)
	}
	old, ok := f.nodes[p]
	if ok && old.IsDir() {
		return fail("open", name, syscall.EISDIR)
	}
	before := 0
	if ok {
		before = len(old.data)
	}
	if f.used-before+len(data) > maxFiles {
		return fail("write", name, syscall.ENOSPC)
	}
	if mtime.IsZero() {
		mtime = f.now()
	}
	f.used += len(data) - before
	f.nodes[p] = &file{name: path.Base(p), data: slices.Clone(data), mode: mode.Perm(),
		mtime: mtime}
	return nil
}

// checkTarget reports why nothing can be made at p, which is clean.
func (f *Files) checkTarget(p string) error {
	parent, ok := f.nodes[path.Dir(p)]
	switch {
	case !ok:
		return fs.ErrNotExist
	case !parent.IsDir():
		return syscall.ENOTDIR
	case !writable(p):
		return syscall.EROFS
	}
	return nil
}

// List describes what is in a folder, by name.
func (f *Files) List(name string) ([]fs.FileInfo, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	dir := clean(name)
	n, ok := f.nodes[dir]
	switch {
	case !ok:
		return nil, fail("open", name, fs.ErrNotExist)
	case !n.IsDir():
		return nil, fail("open", name, syscall.ENOTDIR)
	}
	var out []fs.FileInfo
	for p, n := range f.nodes {
		if p != "/" && path.Dir(p) == dir {
			out = append(out, n)
		}
	}
	slices.SortFunc(out, func(a, b fs.FileInfo) int { return strings.Compare(a.Name(), b.Name()) })
	return out, nil
}

// Mkdir makes a folder; its parent must exist.
func (f *Files) Mkdir(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := clean(name)
	if f.nodes[p] != nil {
		return fail("mkdir", name, fs.ErrExist)
	}
	if err := f.checkTarget(p); err != nil {
		return fail("mkdir", name, err)
	}
	f.nodes[p] = &file{name: path.Base(p), mode: fs.ModeDir | 0o771, mtime: f.now()}
	return nil
}

// Remove deletes a file or an empty folder.
func (f *Files) Remove(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := clean(name)
	n, ok := f.nodes[p]
	switch {
	case !ok:
		return fail("remove", name, fs.ErrNotExist)
	case !writable(p):
		return fail("remove", name, syscall.EROFS)
	case n.IsDir() && f.hasChildren(p):
		return fail("remove", name, syscall.ENOTEMPTY)
	}
	f.used -= len(n.data)
	delete(f.nodes, p)
	return nil
}

func (f *Files) hasChildren(dir string) bool {
	for p := range f.nodes {
		if strings.HasPrefix(p, dir+"/") {
			return true
		}
	}
	return false
}
