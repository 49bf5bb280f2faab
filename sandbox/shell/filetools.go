package shell

import (
	"errors"
	"io/fs"
	"path"
	"strings"
	"time"
)

// options splits leading -xyz options off the arguments; one that is not in known is returned as bad.
func options(args []string, known string) (opts map[rune]bool, rest []string, bad string) {
	opts = map[rune]bool{}
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		if args[0] == "--" {
			return opts, args[1:], ""
		}
		for _, o := range args[0][1:] {
			if !strings.ContainsRune(known, o) {
				return opts, args, string(o)
			}
			opts[o] = true
		}
		args = args[1:]
	}
	return opts, args, ""
}

func ls(c *call) int {
	opts, names, bad := options(c.args, "1ACFRSadhlnrtZ")
	if bad != "" {
		return invalidOption(c, bad)
	}
	if len(names) == 0 {
		names = []string{"."}
	}
	code := exitOK
	for _, name := range names {
		if err := c.list(name, opts, len(names) > 1); err != nil {
			code = c.fail(exitFailure, "ls: %s: %s", name, strerror(err))
		}
	}
	return code
}

func (c *call) list(name string, opts map[rune]bool, titled bool) error {
	info, err := c.stat(name)
	if err != nil {
		return err
	}
	if !info.IsDir() || opts['d'] {
		c.entry(name, info, opts)
		return nil
	}
	entries, err := c.sh.storage().List(c.path(name))
	if err != nil {
		return err
	}
	if titled {
		c.outf("%s:\n", name)
	}
	if opts['l'] {
		c.outf("total %d\n", len(entries)*4)
	}
	for _, e := range entries {
		if opts['a'] || opts['A'] || !strings.HasPrefix(e.Name(), ".") {
			c.entry(e.Name(), e, opts)
		}
	}
	return nil
}

func (c *call) entry(name string, info fs.FileInfo, opts map[rune]bool) {
	if !opts['l'] {
		c.outf("%s\n", name)
		return
	}
	mode := info.Mode().Perm().String()[1:]
	kind := "-"
	switch {
	case info.IsDir():
		kind = "d"
	case info.Mode()&fs.ModeCharDevice != 0:
		kind = "c"
	}
	c.outf("%s%s 1 shell shell %8d %s %s\n", kind, mode, info.Size(), info.ModTime().UTC().Format("2006-01-02 15:04"), name)
}

func rm(c *call) int {
	opts, names, bad := options(c.args, "firRv")
	if bad != "" {
		return invalidOption(c, bad)
	}
	if len(names) == 0 && !opts['f'] {
		return c.fail(exitFailure, "rm: Needs 1 argument")
	}
	code := exitOK
	for _, name := range names {
		err := c.remove(c.path(name), opts['r'] || opts['R'])
		if err != nil && (!opts['f'] || !errors.Is(err, fs.ErrNotExist)) {
			code = c.fail(exitFailure, "rm: %s: %s", name, strerror(err))
		}
	}
	return code
}

func (c *call) remove(name string, all bool) error {
	files := c.sh.phone.Files()
	info, err := files.Stat(name)
	if err != nil {
		return err
	}
	if info.IsDir() && !all {
		return errors.New("Is a directory") //lint:ignore ST1005 the C library's text
	}
	if info.IsDir() {
		entries, err := files.List(name)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := c.remove(path.Join(name, e.Name()), true); err != nil {
				return err
			}
		}
	}
	return files.Remove(name)
}

func mkdir(c *call) int {
	opts, names, bad := options(c.args, "pvm")
	if bad != "" {
		return invalidOption(c, bad)
	}
	if len(names) == 0 {
		return c.fail(exitFailure, "mkdir: Needs 1 argument")
	}
	code := exitOK
	for _, name := range names {
		if err := c.makeDir(c.path(name), opts['p']); err != nil {
			code = c.fail(exitFailure, "mkdir: '%s': %s", name, strerror(err))
		}
	}
	return code
}

func (c *call) makeDir(name string, parents bool) error {
	files := c.sh.phone.Files()
	if !parents {
		return files.Mkdir(name)
	}
	if info, err := files.Stat(name); err == nil && info.IsDir() {
		return nil
	}
	if dir := path.Dir(name); dir != name {
		if err := c.makeDir(dir, true); err != nil {
			return err
		}
	}
	return files.Mkdir(name)
}

func touch(c *call) int {
	code := exitOK
	for _, name := range c.args {
		data, err := c.read(name)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			err = c.sh.phone.Files().Write(c.path(name), data, 0o660, time.Time{})
		}
		if err != nil {
			code = c.fail(exitFailure, "touch: '%s': %s", name, strerror(err))
		}
	}
	return code
}

func cp(c *call) int { return transfer(c, false) }
func mv(c *call) int { return transfer(c, true) }

// transfer is cp and mv of files, into a file or a folder.
func transfer(c *call, move bool) int {
	_, names, bad := options(c.args, "afinprRv")
	if bad != "" {
		return invalidOption(c, bad)
	}
	if len(names) < 2 {
		return c.fail(exitFailure, "%s: Needs 2 arguments", c.name)
	}
	dst := c.path(names[len(names)-1])
	info, err := c.stat(dst)
	into := err == nil && info.IsDir()
	if len(names) > 2 && !into {
		return c.fail(exitFailure, "%s: '%s' not directory", c.name, names[len(names)-1])
	}
	code := exitOK
	for _, name := range names[:len(names)-1] {
		to := dst
		if into {
			to = path.Join(dst, path.Base(name))
		}
		if err := c.transfer(c.path(name), to, move); err != nil {
			code = c.fail(exitFailure, "%s: bad '%s': %s", c.name, name, strerror(err))
		}
	}
	return code
}

func (c *call) transfer(from, to string, move bool) error {
	files := c.sh.phone.Files()
	if move {
		return files.Rename(from, to)
	}
	data, err := c.sh.storage().Read(from)
	if err != nil {
		return err
	}
	return files.Write(to, data, 0o660, time.Time{})
}
