package shell

import (
	"bufio"
	"bytes"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

func wc(c *call) int {
	which, names := "lwc", c.args
	for len(names) > 0 && len(names[0]) > 1 && names[0][0] == '-' {
		if which = names[0][1:]; strings.Trim(which, "lwcm") != "" {
			return invalidOption(c, which)
		}
		names = names[1:]
	}
	return c.inputs(names, func(name string, data []byte) {
		var out []string
		for _, o := range which {
			out = append(out, strconv.Itoa(count(o, data)))
		}
		if name != "-" {
			out = append(out, name)
		}
		c.outf("%s\n", strings.Join(out, " "))
	})
}

// count is one number of wc: lines, words, bytes or characters.
func count(what rune, data []byte) int {
	switch what {
	case 'l':
		return bytes.Count(data, []byte("\n"))
	case 'w':
		return len(bytes.Fields(data))
	case 'm':
		return utf8.RuneCount(data)
	}
	return len(data)
}

func head(c *call) int { return ends(c, func(size, n int) (from, to int) { return 0, min(n, size) }) }

func tail(c *call) int {
	return ends(c, func(size, n int) (from, to int) { return max(0, size-n), size })
}

// ends is head and tail: -n LINES, -c BYTES, -LINES.
func ends(c *call, pick func(size, n int) (from, to int)) int {
	n, bytewise, args := 10, false, c.args
	for len(args) > 0 && strings.HasPrefix(args[0], "-") && args[0] != "-" {
		opt := strings.TrimPrefix(args[0], "-")
		args = args[1:]
		if opt == "n" || opt == "c" {
			if len(args) == 0 {
				return c.fail(exitFailure, "%s: Missing argument to -%s", c.name, opt)
			}
			bytewise = opt == "c"
			opt, args = args[0], args[1:]
		} else if strings.HasPrefix(opt, "c") {
			bytewise = true
		}
		v, err := strconv.Atoi(strings.TrimLeft(opt, "nc"))
		if err != nil || v < 0 {
			return c.fail(exitFailure, "%s: not integer: %s", c.name, opt)
		}
		n = v
	}
	if c.name == "head" && !bytewise && len(args) == 0 {
		return firstLines(c, n)
	}
	return c.inputs(args, func(_ string, data []byte) {
		if bytewise {
			from, to := pick(len(data), n)
			_, _ = c.stdout.Write(data[from:to])
			return
		}
		lines := bytes.SplitAfter(data, []byte("\n"))
		if len(lines[len(lines)-1]) == 0 {
			lines = lines[:len(lines)-1]
		}
		from, to := pick(len(lines), n)
		_, _ = c.stdout.Write(bytes.Join(lines[from:to], nil))
	})
}

// firstLines is head of stdin: it reads no further than it must, so that an endless writer before it ends.
func firstLines(c *call, n int) int {
	if c.stdin == nil {
		return exitOK
	}
	r := bufio.NewReader(c.stdin)
	for range n {
		line, err := r.ReadString('\n')
		if _, werr := io.WriteString(c.stdout, line); werr != nil {
			return c.wrote(werr)
		}
		if err != nil {
			break
		}
	}
	return exitOK
}
