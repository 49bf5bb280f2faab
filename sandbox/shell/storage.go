package shell

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path"
	"syscall"

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

// redirect changes a stream of p. A file that is to be written is returned; it is stored when the
// command has ended. The errors read as the phone's shell writes them.
func (p *process) redirect(r *syntax.Redirect) (*file, error) {
	name, err := expand.Literal(p.expansion(), r.Word)
	if err != nil {
		return nil, err
	}
	full := join("/", name)
	from := &p.stdout
	if r.N != nil && r.N.Value == "2" {
		from = &p.stderr
	}
	switch {
	case r.Op == syntax.DplOut:
		*from = p.stdout
		if name == "2" {
			*from = p.stderr
		}
		return nil, nil
	case r.Op == syntax.RdrIn:
		data, err := p.sh.read(full)
		if err != nil {
			return nil, opening("open", name, err)
		}
		p.stdin = bytes.NewReader(data)
		return nil, nil
	case devices[full]:
		*from = io.Discard
		return nil, nil
	}
	f := &file{p: p, name: full}
	if r.Op == syntax.AppOut {
		f.old, err = p.sh.read(full)
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = f.close()
	}
	if err != nil {
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
	p    *process
	name string
	old  []byte // what stands before the data
	data bytes.Buffer
	full bool // the line has written too much
}

func (f *file) Write(b []byte) (int, error) {
	f.full = f.full || f.p.used.held.Add(int64(len(b))) > f.p.sh.limits.held
	if f.full {
		return 0, syscall.ENOSPC
	}
	return f.data.Write(b)
}

// close stores the file, unless it is too large.
func (f *file) close() error {
	if f.full {
		return syscall.ENOSPC
	}
	whole := append(f.old[:len(f.old):len(f.old)], f.data.Bytes()...)
	return f.p.sh.phone.Files().Write(f.name, whole)
}

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
