package shell

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// smallTools are what of a Unix system ADB clients use, with the options that they use.
func smallTools() map[string]command {
	return map[string]command{
		"cat": cat, "cksum": cksum, "echo": echo, "grep": grep, "ls": ls, "rm": rm, "sh": sh,
		"sleep": sleep, "timeout": timeout, "touch": touch,
		"false": func(*call) int { return exitFailure },
		"true":  func(*call) int { return exitOK },
	}
}

// cksum is the one form that is used of it: gzip's CRC-32 of what comes in, in hexadecimal.
func cksum(c *call) int {
	if letters, rest := options(c.args); letters != "HLPN" || len(rest) > 0 {
		return c.fail(exitFailure, "usage: cksum -HLPN")
	}
	sum := crc32.NewIEEE()
	if _, err := io.Copy(sum, c.stdin); err != nil {
		return c.fail(exitFailure, "cksum: -: %s", ErrorText(err))
	}
	c.outf("%08x\n", sum.Sum32())
	return exitOK
}

func echo(c *call) int {
	args, end := c.args, "\n"
	if len(args) > 0 && args[0] == "-n" {
		args, end = args[1:], ""
	}
	_, err := io.WriteString(c.stdout, strings.Join(args, " ")+end)
	return c.wrote(err)
}

// wrote is the exit code of a command whose only work was to write.
func (c *call) wrote(err error) int {
	switch {
	case errors.Is(err, syscall.EPIPE):
		return exitPipe // without a message
	case err != nil:
		return c.fail(exitFailure, "%s: write: %s", c.name, ErrorText(err))
	}
	return exitOK
}

// options splits leading -xyz options off the arguments.
func options(args []string) (letters string, rest []string) {
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		letters += args[0][1:]
		args = args[1:]
	}
	return letters, args
}

// each runs f for every name and says what failed.
func (c *call) each(names []string, f func(name string) error) int {
	code := exitOK
	for _, name := range names {
		switch err := f(name); {
		case errors.Is(err, syscall.EPIPE), errors.Is(err, os.ErrDeadlineExceeded):
			return exitPipe
		case err != nil:
			code = c.fail(exitFailure, "%s: %s: %s", c.name, name, ErrorText(err))
		}
	}
	return code
}

// cat copies as data comes, so that it can stand in the middle of a conversation.
func cat(c *call) int {
	if len(c.args) == 0 {
		_, err := io.Copy(c.stdout, c.stdin)
		return c.wrote(err)
	}
	return c.each(c.args, func(name string) error {
		data, err := c.read(name)
		if err == nil {
			_, err = c.stdout.Write(data)
		}
		return err
	})
}

func ls(c *call) int {
	_, names := options(c.args)
	if len(names) == 0 {
		names = []string{"."}
	}
	return c.each(names, func(name string) error {
		info, err := c.sh.phone.Files().Stat(c.path(name))
		list := []string{name}
		if info.Dir {
			list, err = c.sh.phone.Files().List(c.path(name))
		}
		if err == nil {
			for _, name := range list {
				c.outf("%s\n", name)
			}
		}
		return err
	})
}

func touch(c *call) int {
	return c.each(c.args, func(name string) error {
		data, err := c.read(name)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			err = c.sh.phone.Files().Write(c.path(name), data)
		}
		return err
	})
}

// rm deletes files; folders are the phone's own.
func rm(c *call) int {
	letters, names := options(c.args)
	return c.each(names, func(name string) error {
		err := c.sh.phone.Files().Remove(c.path(name))
		if strings.Contains(letters, "f") && errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
}

// sidesSwap turns a basic regular expression into an extended one: what means itself and what is an
// operator change sides.
var sidesSwap = strings.NewReplacer(
	`\\`, `\\`, `\(`, `(`, `\)`, `)`, `\{`, `{`, `\}`, `}`, `\|`, `|`, `\+`, `+`, `\?`, `?`,
	`(`, `\(`, `)`, `\)`, `{`, `\{`, `}`, `\}`, `|`, `\|`, `+`, `\+`, `?`, `\?`)

// grep searches stdin or files: grep [-EFivqc] PATTERN [FILE...].
func grep(c *call) int {
	letters, args := options(c.args)
	if bad := strings.Trim(letters, "EFivqc"); bad != "" || len(args) == 0 {
		return c.fail(2, "usage: grep [-EFivqc] PATTERN [FILE...]")
	}
	has := func(letter string) bool { return strings.Contains(letters, letter) }
	pattern := args[0]
	switch {
	case has("F"):
		pattern = regexp.QuoteMeta(pattern)
	case !has("E"):
		pattern = sidesSwap.Replace(pattern)
	}
	if has("i") {
		pattern = "(?i)" + pattern
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return c.fail(2, "grep: bad REGEX '%s': %v", args[0], err)
	}
	n, out := 0, bufio.NewWriter(c.stdout)
	err = c.lines(args[1:], func(line []byte) error {
		if re.Match(line) == has("v") {
			return nil
		}
		if n++; has("q") || has("c") {
			return nil
		}
		_, _ = out.Write(line)
		return out.WriteByte('\n')
	})
	switch err := cmp.Or(err, out.Flush()); {
	case errors.Is(err, syscall.EPIPE):
		return exitPipe
	case err != nil:
		return c.fail(2, "grep: %s", ErrorText(err))
	case has("c"):
		c.outf("%d\n", n)
	}
	if n == 0 {
		return exitFailure
	}
	return exitOK
}

const maxLine = 1 << 20 // bytes of a line that a tool reads

// lines calls f with each line of all named files, or of stdin when none is named, without its
// break. A line is good until f returns.
func (c *call) lines(names []string, f func(line []byte) error) error {
	from := []io.Reader{c.stdin}
	if len(names) > 0 {
		from = nil
	}
	for _, name := range names {
		data, err := c.read(name)
		if err != nil {
			return err
		}
		from = append(from, bytes.NewReader(data))
	}
	for _, r := range from {
		s := bufio.NewScanner(r)
		s.Buffer(nil, maxLine)
		s.Split(wholeLines)
		for s.Scan() {
			if err := f(bytes.TrimSuffix(s.Bytes(), []byte("\n"))); err != nil {
				return err
			}
		}
		if err := s.Err(); err != nil {
			return err
		}
	}
	return nil
}

// wholeLines splits behind each line break, and keeps carriage returns.
func wholeLines(data []byte, end bool) (advance int, token []byte, err error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i+1], nil
	}
	if end && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

func sleep(c *call) int {
	d, code := c.seconds(c.args, 1)
	if code == exitOK && !c.pause(d) {
		return exitKilled
	}
	return code
}

// seconds is the first of at least so many arguments as a time.
func (c *call) seconds(args []string, least int) (time.Duration, int) {
	if len(args) < least {
		return 0, c.fail(exitFailure, "%s: Needs %d argument(s)", c.name, least)
	}
	seconds, err := strconv.ParseFloat(args[0], 64)
	if err != nil || !(seconds >= 0 && seconds < 1e6) {
		return 0, c.fail(exitFailure, "%s: Unknown duration '%s'", c.name, args[0])
	}
	return time.Duration(seconds * float64(time.Second)), exitOK
}

// timeout runs a command that ends after so many seconds, with -s as if it were killed.
func timeout(c *call) int {
	args, ended := c.args, exitTimeout
	if len(args) > 1 && args[0] == "-s" {
		args, ended = args[2:], exitKilled
	}
	d, code := c.seconds(args, 2)
	if code != exitOK {
		return code
	}
	ctx, cancel := context.WithTimeout(c.ctx, d)
	defer cancel()
	inner := *c
	inner.ctx, inner.name, inner.args = ctx, baseName(args[1]), args[2:]
	if code = inner.run(c.sh.commands); code == exitKilled && c.ctx.Err() == nil {
		return ended
	}
	return code
}

// sh runs a text of its own: sh -c TEXT, or what comes in.
func sh(c *call) int {
	inner := c.shell.fork()
	inner.depth++
	if len(c.args) > 1 && c.args[0] == "-c" {
		return inner.run(c.args[1])
	}
	text, err := io.ReadAll(io.LimitReader(c.stdin, int64(c.sh.limits.source)+1))
	if err != nil || len(c.args) > 0 {
		return c.fail(exitFailure, "usage: sh [-c TEXT]")
	}
	return inner.run(string(text))
}
