package shell

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/ncruces/go-strftime"
	"mvdan.cc/sh/v3/expand"
)

// userlandCommands are the small tools that every Unix has, as far as tools use them over adb.
func userlandCommands() map[string]command {
	return map[string]command{
		"[": test, "base64": base64Command, "cat": cat, "command": commandV, "cp": cp, "date": date, "echo": echo, "env": env,
		"exit": exitCommand, "false": func(*call) int { return exitFailure }, "grep": grep, "head": head, "id": id, "kill": kill,
		"ls": ls, "mkdir": mkdir, "mv": mv, "printf": printf, "pwd": pwd, "rm": rm, "sh": sh, "sleep": sleep, "tail": tail,
		"test": test, "touch": touch, "true": func(*call) int { return exitOK }, "type": typeCommand, "umask": umask,
		"uname": uname, "wc": wc, "which": which, "whoami": whoami,
	}
}

// exitCommand ends nothing: it is met where there is no shell that could end, as in Exec.
func exitCommand(c *call) int {
	if len(c.args) == 0 {
		return exitOK
	}
	n, err := strconv.ParseUint(c.args[0], 10, 8)
	if err != nil {
		return c.fail(exitFailure, "%s: exit: %s: bad number", shName, c.args[0])
	}
	return int(n)
}

func echo(c *call) int {
	args, newline, escapes := c.args, true, true
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && strings.Trim(args[0][1:], "neE") == "" {
		for _, o := range args[0][1:] {
			switch o {
			case 'n':
				newline = false
			default:
				escapes = o == 'e'
			}
		}
		args = args[1:]
	}
	text := strings.Join(args, " ")
	if escapes && strings.Contains(text, `\`) {
		var stop bool
		if text, stop = unescape(text); stop {
			newline = false
		}
	}
	if newline {
		text += "\n"
	}
	_, err := io.WriteString(c.stdout, text)
	return c.wrote(err)
}

// wrote is the exit code of a command whose only work was to write.
func (c *call) wrote(err error) int {
	switch {
	case errors.Is(err, syscall.EPIPE):
		return exitPipe // said by nobody
	case err != nil:
		return c.fail(exitFailure, "%s: write: %s", c.name, strerror(err))
	}
	return exitOK
}

// unescape carries out the backslash sequences of echo; stop reports \c.
func unescape(s string) (out string, stop bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if at := strings.IndexByte(`abefnrtv\`, s[i]); at >= 0 {
			b.WriteByte("\a\b\x1b\f\n\r\t\v\\"[at])
			continue
		}
		switch s[i] {
		case 'c':
			return b.String(), true
		case '0', 'x':
			v, n := digits(s[i+1:], s[i])
			b.WriteByte(v)
			i += n
		default:
			b.WriteByte('\\')
			b.WriteByte(s[i])
		}
	}
	return b.String(), false
}

// digits reads up to three octal digits, or two hexadecimal ones after x.
func digits(s string, kind byte) (v byte, n int) {
	base, most := 8, 3
	if kind == 'x' {
		base, most = 16, 2
	}
	for n < most && n < len(s) {
		d, err := strconv.ParseUint(s[n:n+1], base, 8)
		if err != nil {
			break
		}
		v = v*byte(base) + byte(d)
		n++
	}
	return v, n
}

func printf(c *call) int {
	if len(c.args) == 0 {
		return c.fail(exitFailure, "printf: Needs 1 argument")
	}
	format, args := c.args[0], c.args[1:]
	var out strings.Builder
	for {
		s, n, err := expand.Format(nil, format, args)
		if err != nil {
			return c.fail(exitFailure, "printf: %v", err)
		}
		out.WriteString(s)
		if args = args[n:]; n == 0 || len(args) == 0 {
			break
		}
	}
	_, err := io.WriteString(c.stdout, out.String())
	return c.wrote(err)
}

// inputs calls f with each named file's content, or stdin's when no file or - is named, and returns the exit code.
func (c *call) inputs(names []string, f func(name string, data []byte)) int {
	if len(names) == 0 {
		names = []string{"-"}
	}
	code := exitOK
	for _, name := range names {
		data, err := c.content(name)
		if err != nil {
			code = c.fail(exitFailure, "%s: %s: %s", c.name, name, strerror(err))
			continue
		}
		f(name, data)
	}
	return code
}

const maxInput = 64 << 20 // bytes that a tool reads from stdin

func (c *call) content(name string) ([]byte, error) {
	if name != "-" {
		return c.read(name)
	}
	if c.stdin == nil {
		return nil, nil
	}
	data, err := io.ReadAll(io.LimitReader(c.stdin, maxInput))
	if errors.Is(err, os.ErrDeadlineExceeded) { // the line was ended
		err = nil
	}
	return data, err
}

// cat copies as data comes, so that it can stand in the middle of a conversation.
func cat(c *call) int {
	names := c.args
	if len(names) == 0 {
		names = []string{"-"}
	}
	code := exitOK
	for _, name := range names {
		var err error
		if name == "-" {
			if c.stdin != nil {
				_, err = io.Copy(c.stdout, c.stdin)
			}
		} else {
			var data []byte
			if data, err = c.read(name); err == nil {
				_, err = c.stdout.Write(data)
			}
		}
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) && !errors.Is(err, syscall.EPIPE) {
			code = c.fail(exitFailure, "cat: %s: %s", name, strerror(err))
		}
	}
	return code
}

func base64Command(c *call) int {
	args, decode := c.args, false
	for len(args) > 0 && strings.HasPrefix(args[0], "-") && args[0] != "-" {
		decode = decode || args[0] == "-d"
		if args[0] == "-w" && len(args) > 1 {
			args = args[1:]
		}
		args = args[1:]
	}
	return c.inputs(args, func(_ string, data []byte) {
		if !decode {
			c.outf("%s\n", base64.StdEncoding.EncodeToString(data))
			return
		}
		out, _ := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(string(data)), "")) // what could be read, as toybox
		_, _ = c.stdout.Write(out)
	})
}

func sleep(c *call) int {
	if len(c.args) == 0 {
		return c.fail(exitFailure, "sleep: Needs 1 argument")
	}
	var total time.Duration
	for _, a := range c.args {
		d, err := duration(a)
		if err != nil {
			return c.fail(exitFailure, "sleep: Unknown duration '%s'", a)
		}
		total += d
	}
	timer := time.NewTimer(total)
	defer timer.Stop()
	select {
	case <-timer.C:
		return exitOK
	case <-c.ctx.Done():
		return exitKilled
	}
}

var units = map[byte]time.Duration{'s': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour}

func duration(s string) (time.Duration, error) {
	unit := time.Second
	if s != "" && units[s[len(s)-1]] != 0 {
		unit = units[s[len(s)-1]]
		s = s[:len(s)-1]
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f < 0 || f != f || f > 1e6 {
		return 0, errors.New("no duration")
	}
	return time.Duration(f * float64(unit)), nil
}

func date(c *call) int {
	now := c.sh.phone.Now().UTC()
	for _, a := range c.args {
		if format, ok := strings.CutPrefix(a, "+"); ok {
			c.outf("%s\n", strftime.Format(format, now))
			return exitOK
		}
		if a != "-u" {
			return c.fail(exitFailure, "date: bad date '%s'", a)
		}
	}
	c.outf("%s\n", now.Format("Mon Jan _2 15:04:05 UTC 2006"))
	return exitOK
}

func invalidOption(c *call, opt any) int {
	return c.fail(exitFailure, "%s: Unknown option '%s' (see \"%s --help\")", c.name, fmt.Sprint(opt), c.name)
}
