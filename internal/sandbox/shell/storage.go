package shell

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"syscall"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/taploop/taploop/internal/sandbox"
)

// devices are the files that swallow what is written to them and hold nothing.
var devices = map[string]bool{"/dev/null": true, "/dev/tty": true}

func (c *invocation) read(name string) ([]byte, error) {
	if name = c.path(name); devices[name] {
		return nil, nil
	}
	return c.sh.phone.Files().Read(name)
}

// redirect changes a stream of p. Its errors read as the phone's shell writes them.
func (p *process) redirect(r *syntax.Redirect) error {
	name, err := expand.Literal(p.expansion(), r.Word)
	if err != nil {
		return err
	}
	from := &p.stdout
	if r.N != nil && r.N.Value == "2" {
		from = &p.stderr
	}
	full, files := join("/", name), p.sh.phone.Files()
	write := files.Write
	switch {
	case r.Op == syntax.DplOut && name == "2":
		*from = p.stderr
		return nil
	case r.Op == syntax.DplOut:
		*from = p.stdout
		return nil
	case devices[full]:
		*from = io.Discard
		return nil
	case r.Op == syntax.AppOut:
		write = files.Append
	}
	if err := write(full, nil); err != nil {
		return fmt.Errorf("can't create %s: %s", name, ErrorText(err))
	}
	*from = &file{files, full}
	return nil
}

// file is a file that is written to at its end.
type file struct {
	files *sandbox.Files
	name  string
}

func (f *file) Write(b []byte) (int, error) {
	if err := f.files.Append(f.name, b); err != nil {
		return 0, err
	}
	return len(b), nil
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
		{syscall.EINVAL, "Invalid argument"},
	} {
		if errors.Is(err, e.is) {
			return e.text
		}
	}
	return err.Error()
}
