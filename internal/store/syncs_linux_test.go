package store_test

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestAStepWaitsForTheDiskOnce counts the system calls of a process that journals steps: the
// difference of a longer and a shorter run is what the steps have cost.
func TestAStepWaitsForTheDiskOnce(t *testing.T) {
	syncs := func(steps int) int {
		dir := t.TempDir()
		s := open2(t, dir)
		r := started(t, s)
		require.NoError(t, s.Close())
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "TAPLOOP_TEST_CHILD=journal", "TAPLOOP_TEST_DIR="+dir,
			"TAPLOOP_TEST_RUN="+r.ID, fmt.Sprintf("TAPLOOP_TEST_STEPS=%d", steps))
		cmd.Stderr = os.Stderr
		return countSyncs(t, cmd)
	}
	few, many := syncs(2), syncs(12)
	require.Equal(t, 10, many-few, "of ten steps")
}

// countSyncs runs a command that must succeed, and returns how often it waited for the disk.
func countSyncs(t *testing.T, cmd *exec.Cmd) (n int) {
	t.Helper()
	runtime.LockOSThread() // the thread that started the process is the one that traces it
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	require.NoError(t, cmd.Start())
	defer cmd.Process.Release()
	var status unix.WaitStatus
	_, err := unix.Wait4(cmd.Process.Pid, &status, 0, nil)
	require.NoError(t, err)
	require.NoError(t, unix.PtraceSetOptions(cmd.Process.Pid, unix.PTRACE_O_TRACECLONE|
		unix.PTRACE_O_TRACESYSGOOD|unix.PTRACE_O_EXITKILL))
	require.NoError(t, unix.PtraceSyscall(cmd.Process.Pid, 0))
	for {
		id, err := unix.Wait4(-1, &status, unix.WALL|unix.WNOTHREAD, nil)
		require.NoError(t, err)
		if id == cmd.Process.Pid && (status.Exited() || status.Signaled()) {
			require.Zero(t, status.ExitStatus())
			return n
		}
		if !status.Stopped() {
			continue // a thread that has ended
		}
		pass := 0
		switch sig := status.StopSignal(); sig {
		case unix.SIGTRAP | 0x80:
			if waitsForDisk(t, id) {
				n++
			}
		case unix.SIGTRAP, unix.SIGSTOP: // a new thread
		default:
			pass = int(sig)
		}
		if err := unix.PtraceSyscall(id, pass); err != unix.ESRCH { // killed meanwhile
			require.NoError(t, err)
		}
	}
}

// waitsForDisk reports whether the thread is about to begin a system call that does.
func waitsForDisk(t *testing.T, thread int) bool {
	t.Helper()
	var info struct { // ptrace_syscall_info of linux/ptrace.h
		op     uint8
		_      [3]uint8
		arch   uint32
		ip, sp uint64
		number uint64
		args   [6]uint64
		_      [2]uint64
	}
	const getInfo, entry = 0x420e, 1
	_, _, failed := unix.RawSyscall6(unix.SYS_PTRACE, getInfo, uintptr(thread),
		unsafe.Sizeof(info), uintptr(unsafe.Pointer(&info)), 0, 0)
	if failed == unix.ESRCH { // killed meanwhile
		return false
	}
	require.Zero(t, failed)
	switch info.number {
	case unix.SYS_FSYNC, unix.SYS_FDATASYNC, unix.SYS_MSYNC, unix.SYS_SYNC, unix.SYS_SYNCFS:
		return info.op == entry
	}
	return false
}
