package shell

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path"
	"syscall"
	"time"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// devices are the files that swallow what is written to them and hold nothing.
var devices = map[string]bool{"/dev/null": true, "/dev/tty": true}

func (c *call) read(name string) ([]byte, error) { return c.sh.read(c.path(name)) }

func (s *Shell) read(name string) ([]byte, error) {
	if devices[name] {
		return nil, nil
	}
	return s.phone.Files().Read(name)
}

// readDir is what a glob finds in a folder.
func (p *process) readDir(name string) ([]fs.DirEntry, error) {
	list, err := p.sh.phone.Files().List(name)
	if err != nil {
		return nil, err
	}
	var out []fs.DirEntry
	for _, info := range list {
		if !p.word(len(name) + len(info.Name())) {
			return nil, syscall.E2BIG
		}
		out = append(out, fs.FileInfoToDirEntry(info))
	}
	return out, nil
}

// redirect changes a stream of p. A file that is to be written is returned; it is stored when the
// command has ended. The errors read as the phone's shell writes them.
func (p *process) redirect(r *syntax.Redirect) (*file, error) {
	name, err := expand.Literal(p.expansion(), r.Word)
	if err != nil {
		return nil, err
	}
	full := join(p.dir, name)
	from := &p.stdout
	if r.N != nil && r.N.Value == "2" {
		from = &p.stderr
	}
	switch r.Op {
	case syntax.DplOut:
		*from = p.stdout
		if name == "2" {
			*from = p.stderr
		}
		return nil, nil
	case syntax.RdrIn:
		data, err := p.sh.read(full)
		if err != nil {
			return nil, opening("open", name, err)
		}
		p.stdin = bytes.NewReader(data)
		return nil, nil
	}
	if devices[full] {
		*from = io.Discard
		return nil, nil
	}
	f := &file{sh: p.sh, name: full}
	if err := f.open(r.Op == syntax.AppOut); err != nil {
		f.drop()
		return nil, opening("create", name, err)
	}
	*from = f
	return f, nil
}

func opening(what, name string, err error) error {
	return errors.New("can't " + what + " " + name + ": " + ErrorText(err))
}

// file is a file being written. Its content shows in the storage when it is closed.
type file struct {
	sh   *Shell
	name string
	data bytes.Buffer
	full bool // it is larger than what may be held
}

func (f *file) open(appending bool) error {
	if appending {
		old, err := f.sh.phone.Files().Read(f.name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if _, err := f.Write(old); err != nil {
			return err
		}
	}
	return f.store()
}

func (f *file) Write(b []byte) (int, error) {
	if f.full || f.sh.held.Add(int64(len(b))) > f.sh.limits.held {
		f.full = true
		return 0, syscall.ENOSPC
	}
	return f.data.Write(b)
}

func (f *file) store() error {
	return f.sh.phone.Files().Write(f.name, f.data.Bytes(), 0o660, time.Time{})
}

// close stores the file, unless it is too large.
func (f *file) close() error {
	defer f.drop()
	if f.full {
		return syscall.ENOSPC
	}
	return f.store()
}

// drop gives back what the file holds.
func (f *file) drop() { f.sh.held.Add(-int64(f.data.Len())) }

func join(dir, name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(dir, name)
}

// ErrorText is an error in the words of the C library.
func ErrorText(err error) string {
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
		{syscall.E2BIG, "Argument list too long"},
		{syscall.EINVAL, "Invalid argument"},
	} {
		if errors.Is(err, e.is) {
			return e.text
		}
	}
	return err.Error()
}
