package doctor_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/doctor"
	"github.com/taploop/taploop/internal/patient"
	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/sandbox/apps"
	"github.com/taploop/taploop/internal/sandbox/shell"
	"github.com/taploop/taploop/internal/sandbox/ui"
	"github.com/taploop/taploop/internal/words"
)

var (
	content  = regexp.MustCompile(`"content":"(?:[^"\\]|\\.)*"`)
	gelabTap = regexp.MustCompile(`\\u003cTHINK\\u003e.*?point:(\d+),(\d+)\\tsummary:[^"]*`)
)

func (s *setUp) onPhone(t *testing.T, line string) {
	t.Helper()
	require.Zero(t, s.sim.Shell.Run(t.Context(), line, nil, io.Discard, os.Stderr))
}

func state(state string) func(*testing.T, *setUp) {
	return func(t *testing.T, s *setUp) { require.NoError(t, s.sim.ADB.SetState(serial, state)) }
}

// instead has other commands stand in for some of the phone's.
func instead(pairs ...string) func(*testing.T, *setUp) {
	return func(_ *testing.T, s *setUp) {
		for pair := range slices.Chunk(pairs, 2) {
			s.instead[pair[0]] = pair[1]
		}
	}
}

// hangs is a way of spoiling that only the time ends.
func hangs(spoil func(*testing.T, *setUp)) func(*testing.T, *setUp) {
	return func(t *testing.T, s *setUp) {
		s.hangs = true
		spoil(t, s)
	}
}

func refused(by func(http.ResponseWriter) bool) func(*testing.T, *setUp) {
	return func(_ *testing.T, s *setUp) { s.refuse = by }
}

func replies(with func(string) string) func(*testing.T, *setUp) {
	return func(_ *testing.T, s *setUp) { s.reply = with }
}

func data(err error, free uint64) func(*testing.T, *setUp) {
	return func(_ *testing.T, s *setUp) {
		s.opts.Data = &doctor.Data{Dir: s.home, Open: func(context.Context) error { return err },
			Free: func(string) (uint64, error) { return free, nil }}
	}
}

// linked puts the data folder, which is not made yet, at or below a link.
func linked(to, below string) func(*testing.T, *setUp) {
	return func(t *testing.T, s *setUp) {
		data(nil, 5<<30)(t, s)
		link := filepath.Join(s.home, "link")
		require.NoError(t, os.Symlink(filepath.Join(s.home, to), link))
		s.opts.Data.Dir, s.opts.Data.Fresh = filepath.Join(link, below), true
	}
}

// settings are those of one MCP client.
func settings(text string) func(*testing.T, *setUp) {
	return func(t *testing.T, s *setUp) {
		dir := filepath.Join(s.home, ".cursor")
		require.NoError(t, os.MkdirAll(dir, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "mcp.json"), []byte(text), 0o600))
	}
}

// closedPort is an address at which nothing listens.
func closedPort(t *testing.T) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, ln.Close())
	return ln.Addr().String()
}

// talker is a program that has a port and speaks another protocol there.
func talker(t *testing.T) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			n, err := ln.Accept()
			if err != nil {
				return
			}
			fmt.Fprint(n, "SSH-2.0-OpenSSH_9.2\r\n")
			_ = n.Close()
		}
	}()
	return ln.Addr().String()
}

// small is a phone whose captures are quick on a busy machine.
func small(o sandbox.Options) sandbox.Options {
	o.Size.X, o.Size.Y, o.Density = 360, 800, 140
	return o
}

// vault is an app that forbids captures.
func vault() *apps.App {
	return &apps.App{Package: "com.example.vault", Activity: ".Main", EN: "Vault", ZH: "Vault",
		Open: func(*apps.Task) *apps.Page {
			return &apps.Page{Activity: ".Main", Secure: true,
				View: func() *ui.View { return ui.Text("1234") }}
		}}
}

// troubles are the ids of all findings that are not OK.
func troubles(r doctor.Report) (ids []string) {
	for _, f := range r.Findings {
		if f.Level != doctor.OK {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

func TestAGoodSetUpHasGoodFindingsOnly(t *testing.T) {
	s := newSetUp(t, small(sandbox.Options{}))
	r := doctor.Run(t.Context(), s.options(t))
	require.True(t, r.OK)
	require.Empty(t, troubles(r), "%+v", r)
	var ids []string
	for _, f := range r.Findings {
		ids = append(ids, f.ID)
		require.Empty(t, f.Mend)
		require.NotContains(t, f.Says, "{")
	}
	require.Equal(t, []string{"adb.ready", "phone.ready", "model.ready", "data.ready",
		"clock.ready", "http.ready", "client.none"}, ids)
	require.Equal(t, []string{serial}, r.Phones)
}

// Each cause is named with its mend, and nothing else is: neither what follows from it nor anything
// that is well.
func TestEachSpoiltSetUpIsNamedAndNoOther(t *testing.T) {
	require.GreaterOrEqual(t, len(spoilt), 25)
	for _, c := range spoilt {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newSetUp(t, small(c.phone))
			if c.spoil != nil {
				c.spoil(t, s)
			}
			for _, lang := range words.Languages() {
				o := s.options(t)
				o.Lang = lang
				r := doctor.Run(t.Context(), o)
				require.Equal(t, []string{c.want}, troubles(r), "%+v", r)
				first := r.Findings[0]
				require.NotEmpty(t, first.Mend)
				require.NotContains(t, first.Says+first.Mend, "{")
				if s.variable != "" {
					require.Contains(t, first.Says, s.variable)
				}
				if strings.HasPrefix(c.name, "another dialect") {
					require.Regexp(t, `model.dialect\S* \S+ (autoglm|gelab) |设为 (autoglm|gelab)，`, first.Mend)
				}
				require.Equal(t, first.Level != doctor.Broken, r.OK)
			}
		})
	}
}

// One form of capture is enough. That the other one never came is no time of it.
func TestACaptureThatDidNotComeHasNoTime(t *testing.T) {
	for spoil, want := range map[string]string{"sleep 12; screencap": "raw and > 5.0[0-9] s as PNG",
		"false;": "s raw and - as PNG"} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			s := newSetUp(t, small(sandbox.Options{}))
			hangs(instead("screencap -p", spoil))(t, s)
			r := doctor.Run(t.Context(), s.options(t))
			require.Empty(t, troubles(r), "%+v", r)
			ready := slices.IndexFunc(r.Findings, func(f doctor.Finding) bool {
				return f.ID == "phone.ready"
			})
			require.Regexp(t, want, r.Findings[ready].Says)
		})
	}
}

// A clock that is off by years is told in days, and a small error to the second.
func TestAClocksErrorIsToldInUnitsThatPeopleUse(t *testing.T) {
	for off, want := range map[time.Duration]string{20773*24*time.Hour + 14*time.Hour: "by 20773 d$",
		-49 * time.Hour: "by 2 d$", 26 * time.Hour: "by (26h0m[0-9]s|25h59m5[0-9]s)$"} {
		s := newSetUp(t, small(sandbox.Options{}))
		instead("date +%s", fmt.Sprint("echo ", time.Now().Add(off).Unix()))(t, s)
		r := doctor.Run(t.Context(), s.options(t))
		require.Equal(t, []string{"phone.clock"}, troubles(r), "%+v", r)
		require.Regexp(t, want, r.Findings[0].Says)
	}
}

func TestAModelWithoutANameIsToldSo(t *testing.T) {
	s := newSetUp(t, small(sandbox.Options{}))
	s.name = ""
	r := doctor.Run(t.Context(), s.options(t))
	at := slices.IndexFunc(r.Findings, func(f doctor.Finding) bool { return f.Subject == "model" })
	require.Contains(t, r.Findings[at].Says, "a model without a name (model.name is empty)")
}

// Whatever a check finds has its words, and only what is good has no mend.
func TestEveryFindingHasWordsAndEveryTroubleAMend(t *testing.T) {
	source, err := filepath.Glob("*.go")
	require.NoError(t, err)
	named := map[string]bool{}
	finding := regexp.MustCompile(`"((?:config|adb|phone|model|data|clock|http|client)\.[a-z:]+)"`)
	for _, file := range source {
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, found := range finding.FindAllStringSubmatch(string(b), -1) {
			named[found[1]] = true
		}
	}
	for _, lang := range words.Languages() {
		says, mends := doctor.Words(lang)
		require.Equal(t, slices.Sorted(maps.Keys(named)), slices.Sorted(maps.Keys(says)))
		for id := range says {
			good := strings.HasSuffix(id, ".ready") || slices.Contains([]string{"model.replay",
				"http.serving", "client.none"}, id)
			require.Equal(t, good, mends[id] == "", id)
			for _, page := range regexp.MustCompile(`docs/\S+\.md`).FindAllString(mends[id], -1) {
				require.FileExists(t, "../../"+page)
			}
		}
		for _, id := range doctor.Warnings() {
			require.NotEmpty(t, mends[id], id)
		}
	}
}

// Everything at once is still found in time, and what hangs delays nothing else.
func TestTheWorstSetUpIsLookedAtWithinTenSeconds(t *testing.T) {
	s := newSetUp(t, small(sandbox.Options{}))
	o := small(sandbox.Options{})
	s.sim.ADB.Attach("second", shell.New(sandbox.New(&o)))
	require.NoError(t, s.sim.ADB.Hang(serial, true))
	s.hangs = true
	hang := make(chan struct{})
	s.refuse = func(http.ResponseWriter) bool { <-hang; return false }
	t.Cleanup(func() { close(hang) })
	s.opts.Data = &doctor.Data{Dir: s.home,
		Free: func(string) (uint64, error) { return 5 << 30, nil },
		Open: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }}
	ctx, cancel := context.WithTimeout(t.Context(), patient.Lid)
	defer cancel()
	r := doctor.Run(ctx, s.options(t))
	require.NoError(t, ctx.Err())
	require.Equal(t, []string{"phone.hung", "data.broken", "model.silent"}, troubles(r), "%+v", r)
}

func TestNothingIsMadeInAFolderThatIsNotThereYet(t *testing.T) {
	home := t.TempDir()
	r := doctor.Run(t.Context(), doctor.Options{Data: &doctor.Data{Fresh: true,
		Dir: filepath.Join(home, "new", "taploop"), Free: func(string) (uint64, error) {
			return 5 << 30, nil
		}}})
	require.Empty(t, troubles(r))
	left, err := os.ReadDir(home)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestThePageShowsNothingPrivate(t *testing.T) {
	home, err := os.UserHomeDir()
	require.NoError(t, err)
	host, err := os.Hostname()
	require.NoError(t, err)
	r := doctor.Report{Findings: []doctor.Finding{{ID: "phone.ready", Level: doctor.OK,
		Subject: "phone R5CT90ABCDE", Says: "R5CT90ABCDE at 192.168.7.20:5555, " +
			"adb-R5CT90ABCDE-x1Y2z3._adb-tls-connect._tcp and fe80::1ff:fe23:4567:890a on " + host +
			" r5ct90abcde|",
		Mend: "see " + home + "/.cursor/mcp.json, /home/somebody/x, C:\\Users\\Some\\y, key " +
			"top-secret-1 of annas-laptop at https://models.example.org/v1 and 127.0.0.1:8702 " +
			"sk-proj-abcdef0123456789, sk-pr*******wxyz, sk-proj-...wxyz, sk-pr…wxyz"}, {ID: "config.broken", Level: doctor.Broken,
		Says: "http.url is \"phones.private.example\" (from b.yaml)\nhttp.hosts is " +
			"[phones.private.example] (from b.yaml)"}, {ID: "model.unset", Level: doctor.Broken,
		Says: `"http://4f0c2a9d7be84c1f@models.example.org/v1?key=hush" has a user in it, ` +
			"http://gateway.example/9b2f6e1c-0d4a-4c7e-8a3f-2b1d5e6f7a8b/v1",
		Mend: "see /srv/clients/anna-mueller/data/taploop.db, /mnt/berta/taploop.yaml: bad, " +
			"D:\\Dora\\x.yaml, /dev/shm/emil/x and /opt/platform-tools/adb"}}}
	page := r.Page("en", "taploop 1", doctor.Private{
		Secrets: []string{"top-secret-1", "annas-laptop"}, Phones: []string{"R5CT90ABCDE", "192.168.7.20:5555"},
		URLs:    []string{"https://models.example.org/v1", "http://localhost:11434/v1"},
		Folders: []string{"/opt/clara/", home + "/data"}})
	for _, hidden := range []string{"sk-pr", "wxyz", "R5CT90ABCDE", "192.168", "fe80", host + " ", "somebody",
		"Some",
		"top-secret", "annas-laptop", "phones.private", "models.example.org", "abcdef0123",
		home + "/",
		"4f0c2a9d", "hush", "9b2f6e1c", "anna-mueller", "berta", "dora",
		"emil"} {
		require.NotContains(t, strings.ToUpper(page), strings.ToUpper(hidden))
	}
	require.Contains(t, page, "127.0.0.1:8702")
	require.Contains(t, page, `[phone 1]\|`)
	require.Contains(t, page, "~/.cursor/mcp.json")
	require.Contains(t, page, "[folder]/taploop.db, [folder]/taploop.yaml: bad")
	require.Contains(t, page, "/opt/platform-tools/adb")
	require.Contains(t, page, "| http.url is […] (from b.yaml) http.hosts is […] (from b.yaml) |",
		"one line, or it is no row")
}
