package shell

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/sandbox"
)

// row is a row of a content provider, its columns in order.
type row [][2]string

// content answers queries of the providers that the simulated phone has.
func content(c *invocation) int {
	if len(c.args) == 0 || c.args[0] != "query" {
		return c.fail(exitFailure, "[ERROR] Unsupported operation: %s", strings.Join(c.args, " "))
	}
	given := map[string]string{}
	for args := c.args[1:]; len(args) > 0; args = args[1:] {
		if len(args) == 1 {
			return c.fail(exitFailure, "[ERROR] Unsupported argument: %s", args[0])
		}
		given[args[0]], args = args[1], args[1:]
	}
	rows, ok := c.sh.provider(given["--uri"])
	if !ok {
		return c.fail(exitFailure, "[ERROR] Could not find provider: %s",
			strings.TrimPrefix(given["--uri"], "content://"))
	}
	where, ok := conditions(given["--where"])
	if !ok {
		return c.fail(exitFailure, "Error while accessing provider:%s\nandroid.database.sqlite."+
			"SQLiteException: near %q: syntax error", given["--uri"], given["--where"])
	}
	var columns []string
	if p := given["--projection"]; p != "" {
		columns = strings.Split(p, ":")
	}
	n := 0
	for _, r := range rows {
		if !r.fits(where) {
			continue
		}
		var cells []string
		for _, cell := range r {
			if columns == nil || slices.Contains(columns, cell[0]) {
				cells = append(cells, cell[0]+"="+cell[1])
			}
		}
		c.outf("Row: %d %s\n", n, strings.Join(cells, ", "))
		n++
	}
	if n == 0 {
		c.outf("No result found.\n")
	}
	return exitOK
}

// provider returns the rows of a content provider.
func (s *Shell) provider(uri string) (rows []row, ok bool) {
	switch space, _ := strings.CutPrefix(uri, "content://settings/"); uri {
	case "content://settings/system", "content://settings/secure", "content://settings/global":
		all := s.phone.Settings.All(space)
		for n, name := range slices.Sorted(maps.Keys(all)) {
			rows = append(rows, row{{"_id", fmt.Sprint(n + 1)}, {"name", name},
				{"value", all[name]}})
		}
		return rows, true
	case "content://sms", "content://sms/sent", "content://sms/inbox":
		s.phone.Inspect(func(d *sandbox.Data) {
			for _, t := range d.Threads {
				for _, m := range t.Messages {
					kind := choose(m.Mine, "2", "1")
					if uri == "content://sms/sent" && !m.Mine ||
						uri == "content://sms/inbox" && m.Mine {
						continue
					}
					rows = append(rows, row{{"address", t.Number}, {"person", t.Name},
						{"date", fmt.Sprint(m.At.UnixMilli())}, {"type", kind}, {"body", m.Text}})
				}
			}
		})
		return rows, true
	case "content://com.taploop.sandbox.shop/cart":
		s.phone.Inspect(func(d *sandbox.Data) {
			for _, it := range d.Shop.Cart {
				rows = append(rows, row{{"product", it.Product.ID}, {"size", it.Size},
					{"color", it.Color}, {"count", fmt.Sprint(it.Count)}})
			}
		})
		return rows, true
	}
	return nil, false
}

var condition = regexp.MustCompile(`^\s*(\w+)\s*=\s*(?:'([^']*)'|(\w+))\s*$`)

// conditions reads the form of WHERE that is simulated: columns that are equal to values.
func conditions(where string) (all row, ok bool) {
	if strings.TrimSpace(where) == "" {
		return nil, true
	}
	for _, one := range regexp.MustCompile(`(?i)\s+and\s+`).Split(where, -1) {
		m := condition.FindStringSubmatch(one)
		if m == nil {
			return nil, false
		}
		all = append(all, [2]string{m[1], m[2] + m[3]})
	}
	return all, true
}

func (r row) fits(where row) bool {
	return !slices.ContainsFunc(where, func(c [2]string) bool { return !slices.Contains(r, c) })
}

// pmChange carries out what changes a package.
func pmChange(c *invocation, name string, a *args) int {
	stack := c.sh.phone.Apps
	for option := range a.options() {
		if option == "--user" || option == "-i" {
			a.need()
		}
	}
	what := a.need()
	var err error
	switch name {
	case "clear":
		if stack.Clear(what) != nil {
			c.outf("Failed\n")
			return exitFailure
		}
		c.outf("Success\n")
	case "install":
		data, failed := c.read(what)
		if failed != nil || !strings.HasPrefix(string(data), "PK") {
			return c.fail(exitFailure, "Failure [INSTALL_PARSE_FAILED_NOT_APK: Failed to parse %s]",
				what)
		}
		base := what[strings.LastIndexByte(what, '/')+1:]
		stack.Install(strings.TrimSuffix(base, ".apk")) // nothing here reads its manifest
		c.outf("Success\n")
	default:
		err = stack.Grant(what, a.need(), name == "grant")
	}
	if err != nil {
		panic(exception("java.lang.IllegalArgumentException: Unknown package: " + what))
	}
	return exitOK
}
