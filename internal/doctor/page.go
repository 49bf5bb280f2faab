package doctor

import (
	"cmp"
	"fmt"
	"maps"
	"net"
	"net/url"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/text"
)

// Private is what a page must not show, beside what Page knows of this machine.
type Private struct {
	Secrets []string // keys, and names of tokens
	Phones  []string // serials and addresses
	URLs    []string // of models; their hosts are hidden
	Folders []string // that may have names of people
}

// pageTexts are the words around the findings.
type pageTexts struct{ Title, Program, System, Level, Subject, Says, Mend string }

// Page returns the report as a page of Markdown that can be attached to a public report of a bug:
// keys, serials, names of tokens, addresses and what is secret in them, and the names of this
// machine, its user and its folders are replaced.
func (r Report) Page(lang, program string, p Private) string {
	say := textsIn(lang).Page
	hide := p.hider()
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n- %s: %s\n- %s: %s/%s\n\n", say.Title, say.Program, program,
		say.System, runtime.GOOS, runtime.GOARCH)
	fmt.Fprintf(&b, "| %s | %s | %s | %s |\n| --- | --- | --- | --- |\n", say.Level, say.Subject,
		say.Says, say.Mend)
	cell := func(s string) string {
		return strings.ReplaceAll(hide(text.Addresses(text.Line(setting.ReplaceAllString(s,
			"$1$3 […]$2")))), "|", `\|`)
	}
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "| %s `%s` | %s | %s | %s |\n", f.Level, f.ID, cell(f.Subject),
			cell(f.Says), cell(f.Mend))
	}
	return b.String()
}

// What names a place, whoever wrote it.
var (
	ipv4    = regexp.MustCompile(`\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b`)
	ipv6    = regexp.MustCompile(`(?i)\[?\b[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){3,7}(?:%\w+)?\]?`)
	homes   = regexp.MustCompile(`(?i)(/home/|/Users/|[A-Z]:\\Users\\)[^/\\\s"'` + "`" + `|]+`)
	apiKey  = regexp.MustCompile(`\b(?:sk|pk|key|tok|taploop)[-_][\w-]{12,}`)
	masked  = regexp.MustCompile(`[\w-]*\*{3,}[\w-]*|[\w-]{4,}(?:\.{3,}|…)[\w-]{3,}`)
	folders = regexp.MustCompile(`(^|[\s"'(=` + "`" + `])(?:/(?:dev/shm|media|mnt|private|root|` +
		`run|srv|tmp|var|Volumes)/|[A-Z]:\\)(?:[^/\\\s"'|]+[/\\])*`)
	// what a refused setting holds
	setting = regexp.MustCompile(`( is) .*?( \(from )|(?:(adb\.server|_SOCKET) "(?:[^"\\]|\\.)*")`)
	mdnsFor = regexp.MustCompile(`adb-[^\s"'|]+?\._adb[\w-]*\._tcp\.?`)
)

// hider returns a function that replaces private words.
func (p Private) hider() func(string) string {
	names := map[string]string{}
	add := func(s, as string) {
		if s = strings.TrimSpace(s); len(s) > 1 && names[s] == "" {
			names[s] = as
		}
	}
	for _, s := range p.Secrets {
		add(s, "[secret]")
	}
	phones := 0
	for _, s := range p.Phones {
		if s != "" && names[s] == "" {
			phones++
			add(s, fmt.Sprintf("[phone %d]", phones))
		}
	}
	for _, s := range p.URLs {
		if u, err := url.Parse(s); err == nil && !loopback(u.Hostname()) {
			add(u.Hostname(), "[host]")
		}
	}
	home, err := os.UserHomeDir()
	if err == nil && home != "/" {
		add(home, "~")
	}
	for _, dir := range p.Folders {
		if dir = filepath.Clean(dir); filepath.Dir(dir) != dir && dir != "." &&
			!strings.HasPrefix(dir, home+string(filepath.Separator)) {
			add(dir, "[folder]")
		}
	}
	if u, err := user.Current(); err == nil && u.Username != "root" {
		add(u.Username, "[user]")
	}
	if host, err := os.Hostname(); err == nil && host != "localhost" {
		add(host, "[host]")
		short, _, _ := strings.Cut(host, ".")
		add(short, "[host]")
	}
	return func(s string) string { return replaced(s, names) }
}

func loopback(host string) bool {
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

// replaced replaces whole words, the longest first, whatever the case of their letters, and then
// what looks like a place or a key.
func replaced(s string, names map[string]string) string {
	all := slices.SortedFunc(maps.Keys(names), func(a, b string) int {
		return cmp.Or(len(b)-len(a), strings.Compare(a, b))
	})
	for _, name := range all {
		word, as := wholeWord(name), "${1}"+names[name]+"${2}"
		s = word.ReplaceAllString(word.ReplaceAllString(s, as), as) // neighbours share a blank
	}
	s = masked.ReplaceAllString(s, "[secret]") // a key, of which a vendor shows the ends
	s = apiKey.ReplaceAllString(s, "[secret]")
	s = mdnsFor.ReplaceAllString(s, "[phone]")
	s = folders.ReplaceAllString(homes.ReplaceAllString(s, "~"), "${1}[folder]/")
	hide := func(at string) string {
		if loopback(strings.Trim(at, "[]")) || at == "0.0.0.0" {
			return at
		}
		return "[address]"
	}
	return ipv6.ReplaceAllStringFunc(ipv4.ReplaceAllStringFunc(s, hide), hide)
}

// wholeWord matches a name that is no part of a longer word.
func wholeWord(name string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)(^|[^\pL\pN])` + regexp.QuoteMeta(name) + `($|[^\pL\pN])`)
}
