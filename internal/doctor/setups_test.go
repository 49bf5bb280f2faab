package doctor_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/families"
	"github.com/taploop/taploop/agentloop/policy"
	"github.com/taploop/taploop/device"
	"github.com/taploop/taploop/internal/adb"
	"github.com/taploop/taploop/internal/app/simulation"
	"github.com/taploop/taploop/internal/clients"
	"github.com/taploop/taploop/internal/doctor"
	"github.com/taploop/taploop/internal/model"
	"github.com/taploop/taploop/internal/patient"
	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/sandbox/apps"
	"github.com/taploop/taploop/internal/store"
)

// setUp is a whole set-up: a simulated phone, a model that reads and points, and this machine. Each
// part may be spoilt before it is looked at.
type setUp struct {
	sim  *simulation.Simulation
	home string
	// on the phone, which commands others stand in for
	instead  map[string]string
	version  string // that the ADB server says
	reply    func(string) string
	refuse   func(http.ResponseWriter) bool
	opts     doctor.Options
	server   string // the ADB server's address
	binary   string
	starts   bool   // the program is to start a server that is missing
	serial   string // the configured phone
	android  string // the one of ANDROID_SERIAL
	url      string // the model's
	open     error  // why it cannot be opened
	replayed bool
	name     string
	dialect  string
	variable string // for the model's key, where it is not set
	token    string // of TAPLOOP_TOKEN
	hangs    bool   // something does not answer, and only the time ends it
}

func none(string) string { return "" }

func newSetUp(t *testing.T, o sandbox.Options) *setUp {
	t.Helper()
	on := true
	o.ADBKeyboard = &on
	sim, err := simulation.Start(t.Context(), sandbox.New(&o), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, sim.Close()) })
	s := &setUp{sim: sim, home: t.TempDir(), instead: map[string]string{}, version: "0029",
		name: "scripted", dialect: "gelab"}
	s.binary = filepath.Join(t.TempDir(), "adb")
	require.NoError(t, os.WriteFile(s.binary,
		[]byte("#!/bin/sh\necho Android Debug Bridge version 1.0.41\n"), 0o700))
	s.server, s.url = s.relay(t), s.endpoint(t)
	return s
}

// relay is in front of the ADB server, and changes what is asked and answered.
func (s *setUp) relay(t *testing.T) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			n, err := ln.Accept()
			if err != nil {
				return
			}
			go s.carry(n)
		}
	}()
	return ln.Addr().String()
}

func (s *setUp) carry(n net.Conn) {
	defer n.Close()
	to, err := net.Dial("tcp", s.sim.Addr)
	if err != nil {
		return
	}
	defer to.Close()
	go func() {
		_, _ = io.Copy(n, to)
		_ = n.Close()
	}()
	for {
		head := make([]byte, 4)
		if _, err := io.ReadFull(n, head); err != nil {
			return
		}
		size, err := strconv.ParseUint(string(head), 16, 16)
		if err != nil {
			return
		}
		service := make([]byte, size)
		if _, err := io.ReadFull(n, service); err != nil {
			return
		}
		if string(service) == "host:version" && s.version != "0029" {
			fmt.Fprintf(n, "OKAY0004%s", s.version)
			return
		}
		line := string(service)
		if !strings.HasPrefix(line, "host") {
			for command, other := range s.instead {
				line = strings.ReplaceAll(line, command, other)
			}
		}
		fmt.Fprintf(to, "%04x%s", len(line), line)
	}
}

// endpoint is in front of the model, and changes what it answers.
func (s *setUp) endpoint(t *testing.T) string {
	at, err := url.Parse(s.sim.Model.BaseURL)
	require.NoError(t, err)
	forward := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = at.Scheme, at.Host
		},
		ModifyResponse: func(r *http.Response) error {
			b, err := io.ReadAll(r.Body)
			if s.reply != nil && r.StatusCode == http.StatusOK {
				b = []byte(s.reply(string(b)))
			}
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(string(b))), int64(len(b))
			r.Header.Set("Content-Length", fmt.Sprint(len(b)))
			return err
		}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.refuse == nil || r.Method == http.MethodHead || !s.refuse(w) {
			forward.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL + at.Path
}

// overTLS is a server with a certificate that nobody has vouched for.
func overTLS(t *testing.T) string {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

// says refuses each request with the words of an endpoint.
func says(status int, code, message string) func(http.ResponseWriter) bool {
	return func(w http.ResponseWriter) bool {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"error":{"message":%q,"type":"x","code":%q}}`, message, code)
		return true
	}
}

// options are those of the set-up as it is now.
func (s *setUp) options(t *testing.T) doctor.Options {
	t.Helper()
	client, err := adb.New(&adb.Options{Server: s.server, ADB: s.binary, Getenv: none,
		StartsNone: !s.starts})
	require.NoError(t, err)
	host, err := device.NewHost(&device.Options{Server: s.server, StartsNone: true,
		Getenv: func(name string) string {
			return map[string]string{"ANDROID_SERIAL": s.android}[name]
		}})
	require.NoError(t, err)
	o := s.opts
	if !s.hangs {
		o.Within = patient.Lid
	}
	o.ADB = &doctor.ADB{Client: client, Phones: host, Binary: s.binary, Serial: s.serial}
	o.Model = &doctor.Model{Name: s.name, BaseURL: s.url, Dialect: s.dialect, Unset: s.variable,
		Table: families.Known, Prompt: dialect.Options{Lang: "en", Model: "gpt-4o"},
		Replayed: s.replayed,
		Open: func() (policy.Completer, func() error, error) {
			if s.open != nil {
				return nil, nil, s.open
			}
			m, err := model.New(&model.Options{BaseURL: s.url, Name: s.name, Retries: -1})
			return m, func() error { return nil }, err
		}}
	if o.Data == nil {
		o.Data = &doctor.Data{Dir: s.home, Open: func(context.Context) error { return nil },
			Free: func(string) (uint64, error) { return 5 << 30, nil }}
	}
	if o.HTTP == nil {
		o.HTTP = &doctor.HTTP{Addr: "127.0.0.1:0", Open: true}
	}
	o.Clients = &doctor.Clients{All: clients.All(), Machine: clients.Machine{OS: "linux",
		Getenv: func(name string) string {
			return map[string]string{"HOME": s.home, "TAPLOOP_TOKEN": s.token}[name]
		}}}
	return o
}

const serial = simulation.DefaultSerial

// spoilt are set-ups with one thing that is wrong, and the finding that names it.
var spoilt = []struct {
	name  string
	want  string
	phone sandbox.Options
	spoil func(t *testing.T, s *setUp)
}{
	{name: "adb missing", want: "adb.missing", spoil: func(t *testing.T, s *setUp) {
		s.server, s.binary, s.starts = closedPort(t), "/nowhere/adb", true
	}},
	{name: "adb.path at a folder", want: "adb.unfit", spoil: func(t *testing.T, s *setUp) {
		s.server, s.binary, s.starts = closedPort(t), t.TempDir(), true
	}},
	{name: "adb.path at what may not be run", want: "adb.unfit",
		spoil: func(t *testing.T, s *setUp) {
			s.server, s.starts = closedPort(t), true
			require.NoError(t, os.Chmod(s.binary, 0o600))
		}},
	{name: "adb.path at what is no program", want: "adb.unfit",
		spoil: func(t *testing.T, s *setUp) {
			s.server, s.starts = closedPort(t), true
			require.NoError(t, os.WriteFile(s.binary, []byte("\x7fELF\x02not one"), 0o700))
		}},
	{name: "adb starts no server", want: "adb.failed", spoil: func(t *testing.T, s *setUp) {
		s.server, s.starts = closedPort(t), true
		require.NoError(t, os.WriteFile(s.binary, []byte("#!/bin/sh\nexit 1\n"), 0o700))
	}},
	{name: "no server at the configured address", want: "adb.away",
		spoil: func(t *testing.T, s *setUp) { s.server = closedPort(t) }},
	{name: "wrong server version", want: "adb.version",
		spoil: func(_ *testing.T, s *setUp) { s.version = "0027" }},
	{name: "adb.path at nothing", want: "adb.program",
		spoil: func(_ *testing.T, s *setUp) { s.binary = "/nowhere/adb" }},
	{name: "adb.path at what does not start", want: "adb.program",
		spoil: func(t *testing.T, s *setUp) {
			require.NoError(t, os.WriteFile(s.binary, []byte("#!/bin/sh\nexit 1\n"), 0o700))
		}},
	{name: "port held by another program", want: "adb.port",
		spoil: func(t *testing.T, s *setUp) { s.server = talker(t) }},
	{name: "server hangs", want: "adb.hung", spoil: hangs(func(t *testing.T, s *setUp) {
		ln, err := net.Listen("tcp", "127.0.0.1:0") // the system takes what connects
		require.NoError(t, err)
		t.Cleanup(func() { _ = ln.Close() })
		s.server = ln.Addr().String()
	})},
	{name: "no phone", want: "phone.none",
		spoil: func(_ *testing.T, s *setUp) { s.sim.ADB.Detach(serial) }},
	{name: "another phone than the configured one", want: "phone.absent",
		spoil: func(_ *testing.T, s *setUp) { s.serial = "R5CT90ABCDE" }},
	{name: "another phone than ANDROID_SERIAL", want: "phone.absent",
		spoil: func(_ *testing.T, s *setUp) { s.android = "R5CT90ABCDE" }},
	{name: "no permissions", want: "phone.permissions",
		spoil: state("no permissions (missing udev rules? user is in the plugdev group)")},
	{name: "unauthorised", want: "phone.unauthorized", spoil: state("unauthorized")},
	{name: "offline", want: "phone.offline", spoil: state("offline")},
	{name: "recovery", want: "phone.mode", spoil: state("recovery")},
	{name: "booting", want: "phone.starting", spoil: instead("getprop sys.boot_completed", "true",
		"getprop dev.bootcomplete", "true")},
	{name: "locked", want: "phone.locked", phone: sandbox.Options{PIN: "2580", Locked: true}},
	{name: "screen off", want: "phone.dark", spoil: func(t *testing.T, s *setUp) {
		s.onPhone(t, "input keyevent 26")
	}},
	{name: "secure screen", want: "phone.secure",
		phone: sandbox.Options{Apps: []*apps.App{vault()}}, spoil: func(t *testing.T, s *setUp) {
			s.onPhone(t, "am start -n com.example.vault/.Main")
		}},
	{name: "no INJECT_EVENTS", want: "phone.touches", spoil: instead("input keyevent 0",
		"{ echo 'java.lang.SecurityException: Injecting input events requires the caller (or "+
			"the source of the instrumentation, if any) to have the INJECT_EVENTS permission.' "+
			">&2; false; }")},
	{name: "ime switch refused", want: "phone.switching", spoil: instead("ime set",
		"{ echo 'java.lang.SecurityException: not allowed' >&2; false; }; true")},
	{name: "no ADBKeyBoard", want: "phone.keyboard", spoil: instead("ime list -a -s",
		"echo com.android.inputmethod.latin/.LatinIME")},
	{name: "phone full", want: "phone.storage", spoil: instead("df -k /data",
		"echo 'Filesystem     1K-blocks     Used Available Use% Mounted on\n"+
			"/dev/block/dm-46 113000000 112990000     10000 100% /data'")},
	{name: "capture slow", want: "phone.slow", spoil: instead("screencap", "sleep 2; screencap")},
	{name: "elements slow", want: "phone.slow", spoil: instead("timeout -s",
		"sleep 4; timeout -s")},
	{name: "captures late", want: "phone.late", spoil: hangs(instead("screencap",
		"sleep 12; screencap"))},
	{name: "keys late", want: "phone.late", spoil: hangs(instead("input keyevent 0",
		"sleep 12; input keyevent 0"))},
	{name: "input method late", want: "phone.late", spoil: hangs(instead("ime set",
		"sleep 12; ime set"))},
	{name: "captures nothing", want: "phone.capture", spoil: instead("screencap", "false;")},
	{name: "uiautomator idle trouble", want: "phone.restless", spoil: instead("uiautomator dump",
		"echo ERROR: could not get idle state.;")},
	{name: "uiautomator killed", want: "phone.unlisted", spoil: instead("uiautomator dump",
		"echo Killed;")},
	{name: "work profile", want: "phone.profile", spoil: instead("pm list users",
		"echo 'Users:\n\tUserInfo{0:Owner:4c13}\n\tUserInfo{10:Work profile:1030} running'")},
	{name: "folded", want: "phone.folded", spoil: instead("dumpsys SurfaceFlinger --display-id",
		"echo 'Display 4619827677550801153 (HWC display 1): port=1 pnpId=GGL\n"+
			"Display 4619827677550801152 (HWC display 0): port=0 pnpId=GGL'",
		"cmd device_state state",
		`echo "Committed state: DeviceState{identifier=0, name='CLOSED', app_accessible=true}"`)},
	{name: "another user", want: "phone.user", spoil: instead("pm list users",
		"echo 'Users:\n\tUserInfo{0:Owner:4c13} running\n\tUserInfo{10:Anna:410} running'",
		"am get-current-user", "echo 10")},
	{name: "a second display", want: "phone.displays", spoil: instead("dumpsys window displays",
		"{ dumpsys window displays; echo '  Display: mDisplayId=2'; }")},
	{name: "a second panel that does not fold", want: "phone.displays",
		spoil: instead("dumpsys SurfaceFlinger --display-id",
			"echo 'Display 4619827677550801153 (HWC display 1): port=1 pnpId=GGL\n"+
				"Display 4619827677550801152 (HWC display 0): port=0 pnpId=GGL'")},
	{name: "two transports", want: "phone.twice", spoil: func(_ *testing.T, s *setUp) {
		s.sim.ADB.Attach("192.168.7.20:5555", s.sim.Shell)
	}},
	{name: "phone hangs", want: "phone.hung", spoil: func(t *testing.T, s *setUp) {
		require.NoError(t, s.sim.ADB.Hang(serial, true))
		s.hangs = true
	}},
	{name: "phone's clock", want: "phone.clock", spoil: instead("date +%s", "echo 1500000000")},
	{name: "model unreachable", want: "model.unreachable", spoil: func(t *testing.T, s *setUp) {
		s.url = "http://" + closedPort(t) + "/v1"
	}},
	{name: "https where http is spoken", want: "model.scheme", spoil: func(_ *testing.T, s *setUp) {
		s.url = strings.Replace(s.url, "http:", "https:", 1)
	}},
	{name: "http where https is spoken", want: "model.scheme", spoil: func(t *testing.T, s *setUp) {
		s.url = strings.Replace(overTLS(t), "https:", "http:", 1)
	}},
	{name: "a certificate of nobody known", want: "model.certificate",
		spoil: func(t *testing.T, s *setUp) { s.url = overTLS(t) }},
	{name: "no more requests", want: "model.limit",
		spoil: refused(says(429, "rate_limit_exceeded", "Rate limit reached"))},
	{name: "the endpoint breaks down", want: "model.failed",
		spoil: refused(says(500, "", "CUDA out of memory"))},
	{name: "a model that cannot be opened", want: "model.unset",
		spoil: func(_ *testing.T, s *setUp) { s.open = errors.New("unknown dialect") }},
	{name: "no recording", want: "model.unset", spoil: func(_ *testing.T, s *setUp) {
		s.open, s.replayed = fs.ErrNotExist, true
	}},
	{name: "a variable for the key that is not set", want: "model.key",
		spoil: func(_ *testing.T, s *setUp) {
			s.variable, s.refuse = "MY_KEY", says(401, "", "You didn't provide an API key")
		}},
	{name: "wrong key", want: "model.key",
		spoil: refused(says(401, "invalid_api_key", "Incorrect API key provided"))},
	{name: "model hangs", want: "model.silent", spoil: hangs(func(t *testing.T, s *setUp) {
		over := make(chan struct{})
		t.Cleanup(func() { close(over) })
		s.refuse = func(http.ResponseWriter) bool { <-over; return true }
	})},
	{name: "unknown model name", want: "model.name", spoil: refused(says(404, "model_not_found",
		"The model `scripted` does not exist"))},
	{name: "not an endpoint", want: "model.path", spoil: refused(func(w http.ResponseWriter) bool {
		http.Error(w, "404 page not found", http.StatusNotFound)
		return true
	})},
	{name: "a web page", want: "model.path", spoil: refused(func(w http.ResponseWriter) bool {
		fmt.Fprint(w, "<html>Welcome</html>")
		return true
	})},
	{name: "a reply that breaks off", want: "model.failed",
		spoil: refused(func(w http.ResponseWriter) bool {
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, `{"choices":`)
			return true
		})},
	{name: "a reply that is cut off", want: "model.cut",
		spoil: replies(func(b string) string {
			return strings.ReplaceAll(content.ReplaceAllString(b, `"content":"<think>Well"`),
				`"finish_reason":"stop"`, `"finish_reason":"length"`)
		})},
	{name: "pictures refused", want: "model.blind", spoil: refused(says(400, "",
		"this model does not support image input"))},
	{name: "blind", want: "model.blind", spoil: replies(func(b string) string {
		return content.ReplaceAllString(b, `"content":"I cannot see any picture here."`)
	})},
	{name: "another dialect", want: "model.dialect", spoil: replies(func(b string) string {
		return gelabTap.ReplaceAllString(b, `do(action=\"Tap\", element=[$1,$2])`)
	})},
	{name: "another dialect, which this one's places misread", want: "model.dialect",
		spoil: func(_ *testing.T, s *setUp) { s.dialect = "general" }},
	{name: "an action of another dialect without a place", want: "model.dialect",
		spoil: func(_ *testing.T, s *setUp) { s.dialect = "ui-tars" }},
	{name: "an action without a place", want: "model.dialect", spoil: replies(func(b string) string {
		return gelabTap.ReplaceAllString(b, `<THINK> x </THINK>\nexplain:x\taction:ABORT\t`+
			`value:no circle\tsummary:x`)
	})},
	{name: "no dialect", want: "model.unreadable", spoil: replies(func(b string) string {
		return gelabTap.ReplaceAllString(b, "It is the one at the left side.")
	})},
	{name: "coordinates off", want: "model.places", spoil: replies(func(b string) string {
		return gelabTap.ReplaceAllString(b, `<THINK> x </THINK>\nexplain:x\taction:CLICK\t`+
			`point:$2,1\tsummary:x`)
	})},
	{name: "data folder read-only", want: "data.readonly", spoil: data(fs.ErrPermission, 5<<30)},
	{name: "a file in the place of the data folder", want: "data.file",
		spoil: func(t *testing.T, s *setUp) {
			err := &fs.PathError{Op: "mkdir", Path: s.binary, Err: syscall.ENOTDIR}
			data(err, 5<<30)(t, s)
			s.opts.HTTP = &doctor.HTTP{Addr: "127.0.0.1:0", Open: true, TokenErr: err}
		}},
	{name: "a file where a data folder would be made", want: "data.file",
		spoil: func(t *testing.T, s *setUp) {
			data(nil, 5<<30)(t, s)
			s.opts.Data.Dir, s.opts.Data.Fresh = filepath.Join(s.binary, "data"), true
		}},
	{name: "a data folder that everybody may write to", want: "data.exposed",
		spoil: func(t *testing.T, s *setUp) {
			data(nil, 5<<30)(t, s)
			s.opts.Data.Dir, s.opts.Data.Fresh = filepath.Join(s.home, "open"), true
			require.NoError(t, os.Mkdir(s.opts.Data.Dir, 0o700))
			require.NoError(t, os.Chmod(s.opts.Data.Dir, 0o777))
		}},
	{name: "a link to nothing", want: "data.nowhere", spoil: linked("nothing", "")},
	{name: "a link to itself", want: "data.nowhere", spoil: linked("link", "")},
	{name: "below a link to nothing", want: "data.nowhere", spoil: linked("nothing", "data")},
	{name: "below a link to itself", want: "data.nowhere", spoil: linked("link", "data")},
	{name: "a locked database", want: "data.locked",
		spoil: data(fmt.Errorf("opening: %w", store.ErrLocked), 5<<30)},
	{name: "a data folder where none can be", want: "data.nowhere",
		spoil: func(t *testing.T, s *setUp) {
			data(nil, 0)(t, s)
			s.opts.Data.Dir, s.opts.Data.Fresh = "/proc/x", true
		}},
	{name: "a damaged database", want: "data.broken", spoil: func(t *testing.T, s *setUp) {
		data(errors.New("the database is damaged"), 5<<30)(t, s)
		s.opts.HTTP = &doctor.HTTP{Addr: "127.0.0.1:0", Open: true,
			TokenErr: errors.New("the database is damaged")}
	}},
	{name: "data folder of another user", want: "data.readonly",
		spoil: func(t *testing.T, s *setUp) {
			data(fs.ErrPermission, 5<<30)(t, s)
			s.opts.HTTP = &doctor.HTTP{Addr: "127.0.0.1:0", Open: true, TokenErr: fs.ErrPermission}
		}},
	{name: "spoilt tokens", want: "http.tokens", spoil: func(_ *testing.T, s *setUp) {
		s.opts.HTTP = &doctor.HTTP{Addr: "127.0.0.1:0", Open: true,
			TokenErr: errors.New("reading the tokens: unexpected end of JSON input")}
	}},
	{name: "an address of another machine", want: "http.refused",
		spoil: func(_ *testing.T, s *setUp) { s.opts.HTTP = &doctor.HTTP{Addr: "192.0.2.1:8702"} }},
	{name: "disk full", want: "data.full", spoil: data(errors.New("no room"), 1<<20)},
	{name: "disk full for the store", want: "data.full", spoil: data(store.ErrDiskFull, 5<<30)},
	{name: "hardly a byte free", want: "data.full", spoil: data(nil, 4096)},
	{name: "disk with some room", want: "data.scarce", spoil: data(nil, 3<<20)},
	{name: "disk nearly full", want: "data.scarce", spoil: data(nil, 50<<20)},
	{name: "database of a newer program", want: "data.newer",
		spoil: data(fmt.Errorf("%w: it has schema 99", store.ErrNewerSchema), 5<<30)},
	{name: "no PostgreSQL", want: "data.database", spoil: func(t *testing.T, s *setUp) {
		err := errors.New("dial tcp 127.0.0.1:1: connection refused")
		data(err, 5<<30)(t, s)
		s.opts.Data.Shared = true
		s.opts.HTTP = &doctor.HTTP{Addr: "127.0.0.1:0", Open: true, TokenErr: err}
	}},
	{name: "no store of pictures", want: "data.frames", spoil: data(fmt.Errorf("%w: no bucket",
		store.ErrPictures), 5<<30)},
	{name: "clock wrong", want: "clock.wrong", spoil: func(_ *testing.T, s *setUp) {
		s.opts.Now = func() time.Time { return time.Now().Add(-26 * time.Hour) }
	}},
	{name: "HTTP address taken", want: "http.taken", spoil: func(t *testing.T, s *setUp) {
		s.opts.HTTP = &doctor.HTTP{Addr: talker(t), Open: true}
	}},
	{name: "open to all", want: "http.open", spoil: func(_ *testing.T, s *setUp) {
		s.opts.HTTP = &doctor.HTTP{Addr: "127.0.0.1:0"}
	}},
	{name: "broken client settings", want: "client.broken",
		spoil: settings(`{"mcpServers": {`)},
	{name: "client starts nothing", want: "client.command",
		spoil: settings(`{"mcpServers": {"taploop": {"command": "/nowhere/taploop"}}}`)},
	{name: "client of a server that is away", want: "client.address",
		spoil: func(t *testing.T, s *setUp) {
			settings(at("http://"+closedPort(t)+"/mcp", ""))(t, s)
		}},
	{name: "client of a server that is silent", want: "client.address",
		spoil: hangs(func(t *testing.T, s *setUp) { settings(at(silent(t), ""))(t, s) })},
	{name: "client with a wrong token", want: "client.refused", spoil: func(t *testing.T, s *setUp) {
		settings(at(mcpServer(t, "right"), "wrong"))(t, s)
	}},
	{name: "configuration", want: "config.broken", spoil: func(_ *testing.T, s *setUp) {
		s.opts.Broken = errors.New("model.dialekt is no key")
	}},
}
