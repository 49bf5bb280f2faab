package shell

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// The forms in which Android writes times.
const (
	logTime  = "01-02 15:04:05.000"
	dropTime = "2006-01-02 15:04:05"
)

// date writes the phone's time in the forms that are used of it.
func date(c *invocation) int {
	now := c.sh.phone.Log.Now()
	if len(c.args) == 0 {
		c.outf("%s\n", now.Format(time.UnixDate))
		return exitOK
	}
	format := strings.NewReplacer("%Y", "2006", "%m", "01", "%d", "02", "%H", "15", "%M", "04",
		"%S", "05", "%s", "\x00", "%N", "\x01") // numbers would be read as parts of a layout
	layout, ok := strings.CutPrefix(c.args[0], "+")
	if !ok {
		return c.fail(exitFailure, "date: bad date '%s'", c.args[0])
	}
	c.outf("%s\n", strings.NewReplacer("\x00", fmt.Sprint(now.Unix()), "\x01",
		fmt.Sprintf("%09d", now.Nanosecond())).Replace(now.Format(format.Replace(layout))))
	return exitOK
}

// logcat writes the log that there is. Without -d, the line after it would never come.
func logcat(c *invocation) int {
	var since time.Time
	var crashes, dump bool
	var tags []string
	for args := c.args; len(args) > 0; args = args[1:] {
		switch option := args[0]; {
		case option == "-d":
			dump = true
		case slices.Contains([]string{"-b", "-v", "-T", "-t"}, option) && len(args) > 1:
			crashes = crashes || args[1] == "crash"
			if option == "-T" || option == "-t" {
				at, err := time.ParseInLocation(logTime, args[1], c.sh.phone.Log.Now().Location())
				if err != nil {
					return c.fail(exitFailure, "logcat: -T %q not in time format", args[1])
				}
				since = at.AddDate(c.sh.phone.Log.Now().Year(), 0, 0)
			}
			args = args[1:]
		case option == "-s":
		case option[0] == '-':
			return c.fail(exitFailure, "logcat: unrecognized option '%s'", option)
		default:
			tag, _, _ := strings.Cut(option, ":")
			tags = append(tags, tag)
		}
	}
	if !dump {
		return c.fail(exitFailure, "logcat: only -d is simulated")
	}
	c.outf("--------- beginning of main\n")
	for _, l := range c.sh.phone.Log.Lines() {
		if l.At.Before(since) || crashes && !l.CrashLog || tags != nil &&
			!slices.Contains(tags, l.Tag) && !slices.Contains(tags, "*") {
			continue
		}
		for text := range strings.Lines(l.Text) {
			c.outf("%s  4711  4711 %c %s: %s\n", l.At.Format(logTime), l.Level, l.Tag,
				strings.TrimRight(text, "\n"))
		}
	}
	return exitOK
}

func dumpDropBox(c *invocation, args []string) string {
	var b strings.Builder
	all := c.sh.phone.Log.Drops()
	fmt.Fprintf(&b, "Drop box contents: %d entries\nMax entries: 1000\n", len(all))
	whole, file := slices.Contains(args, "--print"), slices.Contains(args, "--file")
	search := slices.DeleteFunc(args, func(a string) bool { return a[0] == '-' })
	if len(search) > 0 {
		fmt.Fprintf(&b, "Searching for: %s\n", strings.Join(search, " "))
	}
	b.WriteString("\n")
	for _, d := range all {
		at := d.At.Format(dropTime)
		if slices.ContainsFunc(search, func(s string) bool {
			return s != d.Tag && !strings.Contains(at, s)
		}) {
			continue
		}
		if whole {
			b.WriteString("========================================\n")
		}
		fmt.Fprintf(&b, "%s %s (text, %d bytes)\n", at, d.Tag, len(d.Text))
		if file {
			fmt.Fprintf(&b, "/data/system/dropbox/%s@%d.txt\n", d.Tag, d.At.UnixMilli())
		}
		if whole {
			b.WriteString(d.Text + "\n")
			continue
		}
		first, _, _ := strings.Cut(d.Text, "\n")
		fmt.Fprintf(&b, "    %s/...\n", first)
	}
	return b.String()
}
