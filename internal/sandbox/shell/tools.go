package shell

import (
	"bufio"
	"context"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// smallTools are what of a Unix system ADB clients use, with the options that they use.
func smallTools() map[string]command {
	return map[string]command{
		"cat": cat, "cksum": cksum, "df": df, "echo": echo, "grep": grep, "ls": ls, "rm": rm,
		"sleep": sleep, "timeout": timeout,
		"false": func(*invocation) int { return exitFailure },
		"true":  func(*invocation) int { return exitOK },
	}
}

// cksum is the one form that is used of it: gzip's CRC-32 of what comes in, in hexadecimal.
func cksum(c *invocation) int {
	if letters, rest := options(c.args); letters != "HLPN" || len(rest) > 0 {
		return c.fail(exitFailure, "usage: cksum -HLPN")
	}
	sum := crc32.NewIEEE()
	_, _ = io.Copy(sum, c.stdin) // a checksum takes all, and a pipe gives all
	c.outf("%08x\n", sum.Sum32())
	return exitOK
}

// df says the same of every file system.
func df(c *invocation) int {
	c.outf("Filesystem     1K-blocks     Used Available Use%% Mounted on\n" +
		"/dev/block/dm-46 113000000 12990000 100010000  12%% /data\n")
	return exitOK
}

func echo(c *invocation) int {
	args, end := c.args, "\n"
	if len(args) > 0 && args[0] == "-n" {
		args, end = args[1:], ""
	}
	c.outf("%s%s", strings.Join(args, " "), end)
	return exitOK
}

// cat copies as data comes, so that it can stand in the middle of a conversation.
func cat(c *invocation) int {
	if len(c.args) == 0 {
		_, _ = io.Copy(c.stdout, c.stdin) // run reports a failed write
	}
	return c.each(c.args, func(name string) error {
		data, err := c.read(name)
		_, _ = c.stdout.Write(data)
		return err
	})
}

func ls(c *invocation) int {
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

// rm deletes files. Folders are the phone's own.
func rm(c *invocation) int {
	letters, names := options(c.args)
	return c.each(names, func(name string) error {
		err := c.sh.phone.Files().Remove(c.path(name))
		if strings.Contains(letters, "f") && errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
}

// sidesSwap turns a basic regular expression into an extended one: literal characters and
// operators change sides.
var sidesSwap = strings.NewReplacer(
	`\\`, `\\`, `\(`, `(`, `\)`, `)`, `\{`, `{`, `\}`, `}`, `\|`, `|`, `\+`, `+`, `\?`, `?`,
	`(`, `\(`, `)`, `\)`, `{`, `\{`, `}`, `\}`, `|`, `\|`, `+`, `\+`, `?`, `\?`)

const maxLine = 1 << 20 // bytes of a line that grep reads

// grep searches what comes in: grep [-EFivqc] PATTERN.
func grep(c *invocation) int {
	letters, args := options(c.args)
	if bad := strings.Trim(letters, "EFivqc"); bad != "" || len(args) != 1 {
		return c.fail(2, "usage: grep [-EFivqc] PATTERN")
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
	n, lines := 0, bufio.NewScanner(c.stdin)
	lines.Buffer(nil, maxLine)
	for lines.Scan() && c.stdout.err == nil {
		if re.Match(lines.Bytes()) == has("v") {
			continue
		}
		if n++; !has("q") && !has("c") {
			c.outf("%s\n", lines.Bytes())
		}
	}
	if err := lines.Err(); err != nil {
		return c.fail(2, "grep: %v", err)
	}
	if has("c") {
		c.outf("%d\n", n)
	}
	if n == 0 {
		return exitFailure
	}
	return exitOK
}

func sleep(c *invocation) int {
	d, code := c.seconds(c.args, 1)
	if code == exitOK && !c.pause(d) {
		return exitKilled
	}
	return code
}

// seconds is the first of at least so many arguments as a time.
func (c *invocation) seconds(args []string, least int) (time.Duration, int) {
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
func timeout(c *invocation) int {
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
	inner.ctx = ctx
	inner.name, inner.args = baseName(args[1]), args[2:]
	if code = inner.run(c.sh.commands); code == exitKilled && c.ctx.Err() == nil {
		return ended
	}
	return code
}
