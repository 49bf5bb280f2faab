package adbtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// server is a running adb server.
type server struct {
	addr string
	adb  string
	dir  string // its temporary files and its log
	cmd  *exec.Cmd
}

// startServer returns when the server takes requests.
func startServer(adb string, port int, dir string) (*server, error) {
	s := &server{addr: loopback(port), adb: adb, dir: dir}
	if err := makeKey(s); err != nil {
		return nil, err
	}
	ready, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer ready.Close()
	// "fork-server" is how adb starts its own server: it says OK on the given descriptor when it
	// listens. It does not fork in this form, so it stays our child.
	s.cmd = s.command(context.Background(), "-P", strconv.Itoa(port), "fork-server", "server",
		"--reply-fd", "3")
	s.cmd.ExtraFiles = []*os.File{theirs}
	err = s.cmd.Start()
	theirs.Close()
	if err != nil {
		return nil, err
	}
	if err := ready.SetReadDeadline(time.Now().Add(patience)); err != nil {
		s.stop()
		return nil, err
	}
	const listening = "OK\n"
	answer := make([]byte, len(listening))
	if n, err := io.ReadFull(ready, answer); string(answer) != listening {
		s.stop()
		return nil, fmt.Errorf("it said %q (%v); its log:\n%s", answer[:n], err, s.log())
	}
	return s, nil
}

// command is adb in an environment of its own, so that no setting, key, USB phone or emulator of
// the machine comes in.
func (s *server) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, s.adb, args...)
	cmd.Dir = s.dir
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv(envInside), "TMPDIR=" + s.dir,
		"ANDROID_ADB_LOG_PATH=" + s.logPath(),
		"ADB_USB=0", "ADB_EMU=0", "ADB_MDNS=0",
	}, libraries()...)
	return cmd
}

// keyMaking guards the key that all servers of this process share, as those of one user do: making
// one takes longer than all else in starting a rig.
var keyMaking sync.Mutex

func makeKey(s *server) error {
	keyMaking.Lock()
	defer keyMaking.Unlock()
	key := filepath.Join(os.Getenv(envInside), ".android", "adbkey")
	if _, err := os.Stat(key); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(key), 0o700); err != nil {
		return err
	}
	if out, err := s.command(context.Background(), "keygen", key).CombinedOutput(); err != nil {
		return fmt.Errorf("adb keygen: %w: %s", err, out)
	}
	return nil
}

func (s *server) logPath() string { return filepath.Join(s.dir, "adb.log") }

func (s *server) log() string {
	b, err := os.ReadFile(s.logPath())
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func (s *server) stop() {
	_ = s.cmd.Process.Kill() // it may have ended
	_ = s.cmd.Wait()
}

// run runs the adb binary against the server.
func (s *server) run(
	ctx context.Context, args []string,
) (stdout, stderr string, code int, err error) {
	_, port, err := net.SplitHostPort(s.addr)
	if err != nil {
		return "", "", 0, err
	}
	cmd := s.command(ctx, append([]string{"-P", port}, args...)...)
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		return "", "", 0, err
	}
	if ctx.Err() != nil {
		return "", "", 0, context.Cause(ctx)
	}
	return out.String(), complaints.String(), cmd.ProcessState.ExitCode(), nil
}

// connect attaches a daemon, whose port may not be open yet.
func (s *server) connect(ctx context.Context, d *daemon) error {
	retry := time.NewTicker(5 * time.Millisecond)
	defer retry.Stop()
	for {
		answer, err := s.ask(ctx, "host:connect:"+d.serial)
		if err != nil {
			return err
		}
		if strings.HasPrefix(answer, "connected to") || strings.HasPrefix(answer,
			"already connected to") {
			return nil
		}
		select {
		case <-retry.C:
		case <-d.ended:
			return errors.New("adbd has ended")
		case <-ctx.Done():
			return fmt.Errorf("%w: %s", context.Cause(ctx), answer)
		}
	}
}

// waitState follows the server's list until the phone is in the given state, "" meaning not listed.
func (s *server) waitState(ctx context.Context, serial, state string) error {
	conn, err := s.send(ctx, "host:track-devices")
	if err != nil {
		return err
	}
	defer conn.Close()
	for last := "not listed"; ; {
		list, err := readBlock(conn)
		if err != nil {
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			return fmt.Errorf("%w (it was %q)", err, last)
		}
		last = stateIn(list, serial)
		if last == state {
			return nil
		}
	}
}

func stateIn(list, serial string) string {
	for line := range strings.Lines(list) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == serial {
			return f[1]
		}
	}
	return ""
}

// ask sends one host request and returns the server's answer.
func (s *server) ask(ctx context.Context, service string) (string, error) {
	conn, err := s.send(ctx, service)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	return readBlock(conn)
}

// send opens a connection, makes the request and reads OKAY. The connection closes with ctx.
func (s *server) send(ctx context.Context, service string) (net.Conn, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", s.addr)
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { conn.Close() })
	if _, err := fmt.Fprintf(conn, "%04x%s", len(service), service); err != nil {
		conn.Close()
		return nil, err
	}
	status := make([]byte, 4)
	if _, err = io.ReadFull(conn, status); err == nil && string(status) != "OKAY" {
		reason, _ := readBlock(conn)
		err = fmt.Errorf("%s: %s %s", service, status, reason)
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// readBlock reads four hexadecimal digits and as many bytes.
func readBlock(r io.Reader) (string, error) {
	head := make([]byte, 4)
	if _, err := io.ReadFull(r, head); err != nil {
		return "", err
	}
	n, err := strconv.ParseUint(string(head), 16, 32)
	if err != nil {
		return "", err
	}
	body := make([]byte, n)
	_, err = io.ReadFull(r, body)
	return string(body), err
}
