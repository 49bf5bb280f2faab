package device

import (
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"log/slog"
	"net"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/adb"
	"github.com/taploop/taploop/internal/screen"
)

// wirePhones is an ADB server's wire with scripted phones behind it, for faults that no whole phone
// has. Connections are pipes in memory, so a test may run in a synctest bubble.
type wirePhones struct {
	sum func() string // the answer to form.sum; nil for a phone that does not know it
	// the answer to host:devices-l
	list  string
	shell func(serial, command string) (stdout, stderr string, code int) // one command of a line
	exec  func(serial, command string, w io.Writer)                      // writes the raw output
	// functions of a real shell, which carries out what acts on the phone; "" leaves that to shell
	commands string
	// serials that answer nothing
	hung map[string]bool
	// serial to the FAIL of its transport
	refuse map[string]string
	memory phoneMemory // nil remembers nothing
	began  func()      // called for each service of a phone; may be nil

	wg    sync.WaitGroup
	mu    sync.Mutex
	lines []string // services of phones, in order
	dials atomic.Int32
}

func (w *wirePhones) DialContext(context.Context, string, string) (net.Conn, error) {
	w.dials.Add(1)
	client, server := net.Pipe()
	w.wg.Go(func() {
		defer server.Close()
		w.serve(server)
	})
	return client, nil
}

func (w *wirePhones) serve(c net.Conn) {
	serial := ""
	for {
		service, err := readRequest(c)
		if err != nil {
			return
		}
		switch {
		case service == "host:devices-l":
			fmt.Fprintf(c, "OKAY%04x%s", len(w.list), w.list)
			return
		case strings.HasSuffix(service, ":features"):
			io.WriteString(c, "OKAY0008shell_v2")
			return
		case strings.HasPrefix(service, "host:transport:"):
			serial = strings.TrimPrefix(service, "host:transport:")
			if text, ok := w.refuse[serial]; ok {
				fmt.Fprintf(c, "FAIL%04x%s", len(text), text)
				return
			}
			io.WriteString(c, "OKAY")
		case strings.HasPrefix(service, "host:transport-id:"):
			serial = strings.TrimPrefix(service, "host:")
			io.WriteString(c, "OKAY")
		case isSum(service) && w.sum == nil:
			io.WriteString(c, "OKAY")
			return
		default:
			w.mu.Lock()
			w.lines = append(w.lines, unguarded(service))
			w.mu.Unlock()
			if w.began != nil {
				w.began()
			}
			w.phone(c, serial, service)
			return
		}
	}
}

func (w *wirePhones) phone(c net.Conn, serial, service string) {
	w.mu.Lock()
	hung := w.hung[serial]
	w.mu.Unlock()
	if hung {
		io.Copy(io.Discard, c)
		return
	}
	io.WriteString(c, "OKAY")
	if command, ok := strings.CutPrefix(service, "exec:"); ok {
		if isSum(command) {
			io.WriteString(c, w.sum())
			return
		}
		w.exec(serial, command, c)
		return
	}
	whole := strings.TrimPrefix(service, "shell,v2,raw:")
	line, dark := w.lit(serial, whole)
	var out, errs strings.Builder
	code := 0
	if w.commands != "" && guard.MatchString(whole) {
		sh := exec.Command("/bin/sh", "-c", w.commands+"\n"+whole)
		sh.Stdout, sh.Stderr, line, dark = &out, &errs, "", ""
		_ = sh.Run()
		code = sh.ProcessState.ExitCode()
	}
	for _, command := range strings.Split(line, "; ") {
		if command = strings.TrimSuffix(command, " 2>/dev/null"); command == "" {
			continue
		}
		if mark, ok := strings.CutPrefix(command, "echo "); ok {
			out.WriteString(mark + "\n")
			continue
		}
		o, e, n := w.shell(serial, command)
		out.WriteString(o)
		errs.WriteString(e)
		code = n
	}
	if out.WriteString(dark); dark != "" {
		code = 3
	}
	for id, data := range []string{1: out.String(), 2: errs.String(),
		3: string([]byte{byte(code)})} {
		if data != "" {
			c.Write(append(binary.LittleEndian.AppendUint32([]byte{byte(id)}, uint32(len(data))),
				data...))
		}
	}
}

var (
	guard   = regexp.MustCompile(`\{ dumpsys power [^']*'([^']*)' && echo (\S+) && exit 3; `)
	closed  = regexp.MustCompile(`; \}( && |$)`)
	didEcho = regexp.MustCompile(` && echo \S+-did\b`)
)

// unguarded is a line as it was before [shell.act].
func unguarded(line string) string {
	if !guard.MatchString(line) {
		return line
	}
	parts := guard.Split(line, -1)
	for i := range parts[1:] {
		parts[i+1] = closed.ReplaceAllString(parts[i+1], "$1")
	}
	return didEcho.ReplaceAllString(strings.Join(parts, ""), "")
}

// lit is the commands of a line that are carried out, and what is printed when the display is dark
// before one of them.
func (w *wirePhones) lit(serial, line string) (commands, dark string) {
	for _, g := range guard.FindAllStringSubmatchIndex(line, -1) {
		power, _, _ := w.shell(serial, "dumpsys power")
		if regexp.MustCompile("(?m)" + line[g[2]:g[3]]).MatchString(power) {
			return strings.TrimSuffix(unguarded(line[:g[0]]), " && "), line[g[4]:g[5]] + "\n"
		}
	}
	return unguarded(line), ""
}

func readRequest(c net.Conn) (string, error) {
	var head [4]byte
	if _, err := io.ReadFull(c, head[:]); err != nil {
		return "", err
	}
	n, err := strconv.ParseUint(string(head[:]), 16, 16)
	if err != nil {
		return "", err
	}
	b := make([]byte, n)
	_, err = io.ReadFull(c, b)
	return string(b), err
}

// hang makes a phone answer nothing from now on, or answer again.
func (w *wirePhones) hang(serial string, hung bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hung = map[string]bool{serial: hung}
}

// asked are the services that phones were asked for since the last call.
func (w *wirePhones) asked() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	lines := w.lines
	w.lines = nil
	return lines
}

func (w *wirePhones) host(t *testing.T, env map[string]string) *Host {
	t.Helper()
	client, err := adb.New(&adb.Options{Dialer: w, Getenv: func(string) string { return "" }})
	require.NoError(t, err)
	t.Cleanup(w.wg.Wait)
	return newHost(client, Options{Timeout: defaultTimeout,
		Getenv: func(k string) string { return env[k] }, Log: slog.New(slog.DiscardHandler),
		Memory: w.memory})
}

// open gives the phone "emu", which the script answers for.
func (w *wirePhones) open(t *testing.T) *Phone {
	t.Helper()
	if w.list == "" {
		w.list = "emu device model:Fake_Phone transport_id:1\n"
	}
	p, err := w.host(t, nil).Open(t.Context(), "")
	require.NoError(t, err)
	w.asked()
	return p
}

// ordinary answers what an ordinary phone of 108x240 answers; a test overrides what it is about.
func ordinary(override map[string]string) func(string, string) (string, string, int) {
	answers := map[string]string{
		"getprop ro.product.model":         "Fake Phone\n",
		"getprop ro.build.version.release": "14\n",
		"getprop ro.build.version.sdk":     "34\n",
		"wm size":                          "Physical size: 108x240\n",
		"dumpsys power":                    "  mWakefulness=Awake\n",
		"dumpsys window policy": "    KeyguardServiceDelegate\n      showing=false\n " +
			"     secure=false\n",
		"dumpsys window displays": "  Display: mDisplayId=0\n    init=108x240 420dpi " +
			"cur=108x240 app=108x228\n",
		"dumpsys window windows": "  mCurrentFocus=Window{1 u0 com.a/com.a.Main}\n",
		"dumpsys input_method":   served(true, true),
	}
	for k, v := range override {
		answers[k] = v
	}
	answers["dumpsys window"] = wholeDump(answers["dumpsys window policy"],
		answers["dumpsys window displays"], answers["dumpsys window windows"])
	return func(_, command string) (string, string, int) {
		if answer, ok := answers[command]; ok {
			return answer, "", 0
		}
		if strings.HasPrefix(command, "input ") {
			return "", "", 0
		}
		return "", "/system/bin/sh: " + command + ": inaccessible or not found\n", 127
	}
}

// wholeDump is what `dumpsys window` says of everything.
func wholeDump(policy, displays, windows string) string {
	return "WINDOW MANAGER LAST ANR (dumpsys window lastanr)\n" +
		"  <no ANR has occurred since boot>\n" +
		"WINDOW MANAGER POLICY STATE (dumpsys window policy)\n" + policy +
		"WINDOW MANAGER ANIMATOR STATE (dumpsys window animator)\n" +
		"WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)\n" + displays +
		"WINDOW MANAGER TOKENS (dumpsys window tokens)\n" +
		"WINDOW MANAGER WINDOWS (dumpsys window windows)\n" + windows
}

// pixelsOf is a raw capture of one colour, with the header of Android 9 and later.
func isSum(service string) bool { return strings.HasSuffix(service, "| cksum -HLPN 2>/dev/null") }

func pixelsOf(s screen.Size, c color.RGBA) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(s.W))
	for _, n := range []uint32{uint32(s.H), 1, 1} {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	for range s.W * s.H {
		b = append(b, c.R, c.G, c.B, 0xff)
	}
	return b
}

func pngOf(w io.Writer, s screen.Size, c color.RGBA) {
	img := image.NewRGBA(image.Rect(0, 0, s.W, s.H))
	for i := 0; i < len(img.Pix); i += 4 {
		copy(img.Pix[i:], []byte{c.R, c.G, c.B, 0xff})
	}
	png.Encode(w, img)
}

var (
	upright = screen.Size{W: 108, H: 240}
	white   = color.RGBA{255, 255, 255, 255}
	black   = color.RGBA{0, 0, 0, 255}
)

// shows captures one colour, in both forms, after a time each.
func shows(
	s screen.Size, c color.RGBA, rawTakes, pngTakes time.Duration,
) func(string, string, io.Writer) {
	return func(_, command string, w io.Writer) {
		if strings.Contains(command, "-p") {
			time.Sleep(pngTakes)
			pngOf(w, s, c)
			return
		}
		time.Sleep(rawTakes)
		w.Write(pixelsOf(s, c))
	}
}
