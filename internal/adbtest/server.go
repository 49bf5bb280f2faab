package adbtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/adb"
)

// patience bounds each wait for the server or a daemon.
const patience = 20 * time.Second

// server is a running adb server.
type server struct {
	addr   string
	port   string // of addr
	binary string
	dir    string // its temporary files and its log
	cmd    *exec.Cmd
	client *adb.Client
}

// startServer returns when the server takes requests.
func startServer(binary string, port int, dir string) (*server, error) {
	s := &server{addr: loopback(port), port: strconv.Itoa(port), binary: binary, dir: dir}
	var err error
	if s.client, err = adb.New(&adb.Options{Server: s.addr}); err != nil {
		return nil, err
	}
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
	s.cmd = s.call(context.Background(), "fork-server", "server", "--reply-fd", "3")
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

// command runs adb in an environment without any setting, key, USB phone or emulator of the
// machine.
func (s *server) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, s.binary, args...)
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

// call is the adb binary that asks the server.
func (s *server) call(ctx context.Context, args ...string) *exec.Cmd {
	return s.command(ctx, append([]string{"-P", s.port}, args...)...)
}

// run runs the adb binary against the server.
func (s *server) run(
	ctx context.Context, args []string,
) (stdout, stderr string, code int, err error) {
	cmd := s.call(ctx, args...)
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
	if d.phone.Emulator {
		return s.announce(ctx, d)
	}
	return poll(ctx, d.ended, func() (string, bool, error) {
		answer, err := s.client.Host(ctx, "host:connect:"+d.serial)
		done := strings.HasPrefix(answer, "connected to") ||
			strings.HasPrefix(answer, "already connected to")
		return answer, done, err
	})
}

// waitState waits until the server lists the phone in the given state, "" meaning not listed.
func (s *server) waitState(ctx context.Context, serial, state string) error {
	return poll(ctx, nil, func() (string, bool, error) {
		list, err := s.client.Devices(ctx)
		i := slices.IndexFunc(list, func(e adb.Entry) bool { return e.Serial == serial })
		if i < 0 {
			return "it is not listed", state == "", err
		}
		return "it is " + list[i].State, list[i].State == state, err
	})
}

// poll asks every few milliseconds until the answer is the one that is wanted, or ended is closed.
func poll(
	ctx context.Context, ended <-chan struct{}, ask func() (answer string, wanted bool, err error),
) error {
	retry := time.NewTicker(5 * time.Millisecond)
	defer retry.Stop()
	for {
		answer, wanted, err := ask()
		if err != nil || wanted {
			return err
		}
		select {
		case <-retry.C:
		case <-ended:
			return errors.New("adbd has ended")
		case <-ctx.Done():
			return fmt.Errorf("%w: %s", context.Cause(ctx), answer)
		}
	}
}

// announce tells the server of an emulator, as an emulator does when it has started: again and
// again until its port is open. The server gives no answer to that.
func (s *server) announce(ctx context.Context, d *daemon) error {
	return poll(ctx, d.ended, func() (string, bool, error) {
		soon, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		defer cancel()
		_, _ = s.client.Host(soon, fmt.Sprintf("host:emulator:%d", d.port))
		list, err := s.client.Devices(ctx)
		return "it is not listed", slices.ContainsFunc(list,
			func(e adb.Entry) bool { return e.Serial == d.serial }), err
	})
}
