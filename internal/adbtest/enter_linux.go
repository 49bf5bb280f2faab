package adbtest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/taploop/taploop/internal/hint"
)

// enter runs this test binary again in new namespaces and returns its exit code. An error means
// that no test has run yet.
func enter() (int, error) {
	ways := []uintptr{syscall.CLONE_NEWUSER}
	// a root without the right to make namespaces, as in a container, may still be any user
	if os.Geteuid() == 0 {
		ways = []uintptr{0, syscall.CLONE_NEWUSER}
	}
	var err error
	for _, user := range ways {
		var code int
		if code, err = reexec(user); err == nil {
			return code, nil
		}
	}
	return 0, hint.Add(fmt.Errorf("no namespaces: %w", err), namespaceHint)
}

// reexec starts the second process, waits until its namespaces are furnished, and then stands in
// for it: signals go to it, and its exit code comes back. An error means that it ran no test.
func reexec(user uintptr) (int, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	ready, theirs, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer ready.Close()
	cmd := exec.Command(self, os.Args[1:]...)
	cmd.Args[0] = os.Args[0]
	cmd.Env = append(os.Environ(), envStage+"=1")
	cmd.Stdin = os.Stdin
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.ExtraFiles = []*os.File{theirs} // readyFD
	cmd.SysProcAttr = attributes(user)

	// The second process dies with the thread that started it (Pdeathsig), so this goroutine keeps
	// its thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err = cmd.Start()
	theirs.Close()
	if err != nil {
		return 0, err
	}
	stop := relaySignals(cmd.Process)
	defer stop()
	complaint, _ := io.ReadAll(ready)
	err = cmd.Wait()
	if len(complaint) > 0 {
		return 0, errors.New(string(complaint))
	}
	return exitCode(cmd.ProcessState, err)
}

func attributes(user uintptr) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNET | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | user,
		Pdeathsig:  syscall.SIGKILL,
	}
	if user != 0 {
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	return attr
}

// relaySignals hands the signals that end or question a test binary on to p, until the returned
// function is called.
func relaySignals(p *os.Process) (stop func()) {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGHUP)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for s := range signals {
			_ = p.Signal(s) // it may have just ended
		}
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
		<-done
	}
}

// exitCode is the code to exit with after a process that ran the tests. One that a signal ended
// makes this process end by the same signal, so that go test reports it as it would have.
func exitCode(state *os.ProcessState, err error) (int, error) {
	if state == nil {
		return 0, err
	}
	if ws := state.Sys().(syscall.WaitStatus); ws.Signaled() {
		signal.Reset(ws.Signal())
		_ = syscall.Kill(os.Getpid(), ws.Signal())
		return 128 + int(ws.Signal()), nil
	}
	return state.ExitCode(), nil
}

// namespaceHint is what to do so that namespaces are to be had.
const namespaceHint = "run the tests as root, in a container start it with docker run " +
	"--privileged, allow user namespaces (sysctl user.max_user_namespaces, " +
	"kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns), " +
	"or leave the tests out with " + envSwitch + "=off"
