package device

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/taploop/taploop/internal/adb"
	"github.com/taploop/taploop/internal/wait"
)

// Setting is a setting of the namespace system, secure or global, "null" if it is not set.
func (a Admin) Setting(ctx context.Context, namespace, name string) (string, error) {
	said, err := a.must(ctx, 0, "settings", "get", namespace, name)
	return strings.TrimRight(said, "\r\n"), a.phone.failed("reading "+name+" of", err)
}

// Query asks a content provider, and returns its rows with the values by column. Without a
// projection a value that looks like the beginning of a column ends there.
func (a Admin) Query(ctx context.Context, uri string, projection []string, where string) (
	[]map[string]string, error) {
	argv := []string{"content", "query", "--uri", uri}
	if projection != nil {
		argv = append(argv, "--projection", strings.Join(projection, ":"))
	}
	if where != "" {
		argv = append(argv, "--where", where)
	}
	said, err := a.must(ctx, 0, argv...)
	if err == nil && strings.Contains(said, "[ERROR]") {
		err = errors.New(firstLine(said))
	}
	if err != nil {
		return nil, a.phone.failed("asking "+uri+" of", err)
	}
	return parseRows(said, projection), nil
}

var (
	rowHead = regexp.MustCompile(`(?m)^Row: \d+ `)
	column  = regexp.MustCompile(`(?:^|, )([A-Za-z_][A-Za-z0-9_]*)=`)
)

// parseRows reads what `content query` prints. A value may have lines and commas.
func parseRows(said string, projection []string) (rows []map[string]string) {
	said = strings.TrimRight(strings.ReplaceAll(said, "\r\n", "\n"), "\n")
	heads := rowHead.FindAllStringIndex(said, -1)
	for i := range heads {
		rows = append(rows, parseRow(strings.TrimRight(below(said, heads, i), "\n"), projection))
	}
	return rows
}

// below is what stands between a mark, a match of a pattern, and the next one.
func below(said string, marks [][]int, i int) string {
	if i+1 < len(marks) {
		said = said[:marks[i+1][0]]
	}
	return said[marks[i][1]:]
}

func parseRow(s string, projection []string) map[string]string {
	row := map[string]string{}
	marks := slices.DeleteFunc(column.FindAllStringSubmatchIndex(s, -1), func(m []int) bool {
		return projection != nil && !slices.Contains(projection, s[m[2]:m[3]])
	})
	for i, m := range marks {
		if name := s[m[2]:m[3]]; row[name] == "" {
			row[name] = below(s, marks, i)
		}
	}
	return row
}

// ReadFile returns the content of a file of the phone, or an error that is fs.ErrNotExist, or
// syscall.EISDIR for a folder.
func (a Admin) ReadFile(ctx context.Context, name string) ([]byte, error) {
	r, err := a.phone.shell.run(ctx, adb.Quote("cat", name), 0)
	if err == nil && r.Code != 0 {
		err = errors.New(firstLine(r.Text()))
		switch said := r.Text(); {
		case strings.Contains(said, "No such file"), strings.Contains(said, "Not a directory"):
			err = &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		case strings.Contains(said, "Is a directory"):
			err = &fs.PathError{Op: "read", Path: name, Err: syscall.EISDIR}
		}
	}
	return []byte(r.Stdout), a.phone.failed("reading a file of", err)
}

// Clock is the phone's time in the form that Logcat takes, and how far it is ahead of this
// machine's.
func (a Admin) Clock(ctx context.Context) (now string, ahead time.Duration, err error) {
	began := time.Now()
	said, err := a.must(ctx, 0, "date", "+%s.%N %m-%d %H:%M:%S.000")
	exact, now, _ := strings.Cut(strings.TrimSpace(said), " ")
	if err == nil {
		ahead, err = time.ParseDuration(strings.TrimRight(exact, "N%.") + "s") // of 1970, at first
	}
	ahead -= began.Add(time.Since(began) / 2).Sub(time.Unix(0, 0))
	return now, ahead, a.phone.failed("asking the time of", err)
}

// Logcat is the phone's log from that time on, all of it for "".
func (a Admin) Logcat(ctx context.Context, since string) (string, error) {
	argv := []string{"logcat", "-d", "-v", "threadtime"}
	if since != "" {
		argv = append(argv, "-T", since)
	}
	out, err := a.phone.shell.bytes(ctx, adb.Quote(argv...), nil, maxLog, nil)
	log := string(bytes.ToValidUTF8(out, []byte("\uFFFD")))
	return log, a.phone.failed("reading the log of", err)
}

const maxLog = 32 << 20

// Crash is an app that crashed, or that did not respond.
type Crash struct {
	At      string    // the phone's time
	Stamp   time.Time // by its clock, zero if it does not say
	Kind    string    // such as data_app_crash or data_app_anr
	Package string
	Trace   string
}

var headed = regexp.MustCompile(`(?m)^Subject: (.*)|\n\s*\n\s*(.*)`)

// Headline is the line of the trace that says what happened: its subject, or the first behind its
// head.
func (c Crash) Headline() string {
	m := append(headed.FindStringSubmatch(c.Trace), c.Trace, c.Trace, c.Trace)
	return strings.TrimSpace(cmp.Or(m[1], m[2]))
}

// Crashes are the crashes in the phone's drop box, oldest first.
func (a Admin) Crashes(ctx context.Context) ([]Crash, error) {
	var lines []string
	for _, kind := range crashKinds {
		lines = append(lines, adb.Quote("dumpsys", "dropbox", "--print", "--file", kind))
	}
	out, err := a.phone.shell.bytes(ctx, strings.Join(lines, "; "), nil, maxLog, nil)
	if err != nil {
		return nil, a.phone.failed("reading the drop box of", err)
	}
	all := parseCrashes(string(bytes.ToValidUTF8(out, []byte("\uFFFD"))))
	slices.SortStableFunc(all, func(a, b Crash) int { return strings.Compare(a.At, b.At) })
	return all, nil
}

// crashKinds are the drop box's tags of what ends an app.
var crashKinds = []string{"data_app_crash", "data_app_native_crash", "data_app_anr",
	"system_app_crash", "system_app_native_crash", "system_app_anr"}

var (
	dropHead = regexp.MustCompile(`(?m)^={20,}\r?\n(\d{4}-\d\d-\d\d [\d:]{8}) (\w+) \(.*\)` +
		`\r?(?:\n */\S*@(\d{1,15})\.\S*\r?)?$`) // milliseconds are in the name of its file
	dumpHead = regexp.MustCompile(`(?s)\nDrop box contents: .*`) // of the next dump
	process  = regexp.MustCompile(`(?m)^(?:Package|Process|Cmdline): ([\w.]+)`)
)

// parseCrashes reads what `dumpsys dropbox --print` prints.
func parseCrashes(said string) (all []Crash) {
	heads := dropHead.FindAllStringSubmatchIndex(said, -1)
	for i, h := range heads {
		c := Crash{At: said[h[2]:h[3]], Kind: said[h[4]:h[5]],
			Trace: strings.TrimSpace(dumpHead.ReplaceAllString(below(said, heads, i), ""))}
		for _, m := range process.FindAllStringSubmatch(c.Trace, -1) {
			c.Package = m[1] // the package stands behind the process, whose name may have more
		}
		if h[6] >= 0 {
			ms, _ := strconv.ParseInt(said[h[6]:h[7]], 10, 64) // digits
			c.Stamp = time.UnixMilli(ms)
		}
		all = append(all, c)
	}
	return all
}

// AwaitPhones waits until the server has at least n usable phones, and until all of them have
// started up if boot is set. It returns the phones that are there by then.
func (h *Host) AwaitPhones(ctx context.Context, n int, boot bool) ([]PhoneInfo, error) {
	for said := ""; ; {
		list, err := h.List(ctx)
		usable := slices.DeleteFunc(slices.Clone(list),
			func(i PhoneInfo) bool { return !i.Usable() })
		if err == nil && len(usable) < n {
			err = fmt.Errorf("%d usable phones of %d", len(usable), n)
		} else if err == nil && boot {
			err = h.booted(ctx, usable)
		}
		if err == nil {
			return list, nil
		}
		if ctx.Err() == nil { // else the look was cut off
			said = ": " + err.Error()
		}
		if over := wait.For(ctx, 500*time.Millisecond); over != nil {
			return nil, fmt.Errorf("%w%s", over, said)
		}
	}
}

// booted is an error about the first of the phones that has not started up.
func (h *Host) booted(ctx context.Context, phones []PhoneInfo) error {
	for _, i := range phones {
		p, err := h.Open(ctx, i.Serial)
		up := false
		if err == nil {
			up, err = p.Admin().Booted(ctx)
		}
		if err != nil || !up {
			return fmt.Errorf("phone %s has not started up", i.Serial)
		}
	}
	return nil
}
