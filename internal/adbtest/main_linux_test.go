package adbtest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// envChild makes the test binary a process for the tests to look at, instead of running tests.
const envChild = "ADBRIG_TEST_CHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(envChild) {
	case "":
		Main(m)
	case "starved": // as on a machine that allows no namespaces
		if err := os.WriteFile("/proc/sys/user/max_net_namespaces", []byte("0"), 0); err != nil {
			panic(err)
		}
		os.Exit(Inside(m).Run())
	// as on a machine whose mounts are seen by all, which is what systemd makes of them
	case "shared":
		if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_SHARED, ""); err != nil {
			panic(err)
		}
		before, _ := os.ReadFile("/proc/self/mountinfo")
		os.Setenv(envChild, "report")
		Inside(child{}).Run()
		after, _ := os.ReadFile("/proc/self/mountinfo")
		fmt.Printf("%s", bytes.TrimPrefix(after, before))
	default:
		os.Exit(Inside(child{}).Run())
	}
}

// child stands for the tests of a package.
type child struct{}

func (child) Run() int {
	network, _ := os.Readlink("/proc/self/ns/net")
	cwd, _ := os.Getwd()
	input, _ := io.ReadAll(os.Stdin)
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	fmt.Printf("%q %s %s %s\n", os.Args[1:], network, cwd, input)
	fmt.Fprintln(os.Stderr, "complaint")
	if os.Getenv(envChild) == "wait" {
		<-terminated
		return 5
	}
	return 42
}

// childCommand is this binary, entering namespaces of its own from within ours.
func childCommand(t *testing.T, mode string, args ...string) *exec.Cmd {
	wanted(t)
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, args...)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, envInside+"=") && !strings.HasPrefix(v, envReport+"=") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, envChild+"="+mode)
	return cmd
}

func TestEnteringChangesTheNetworkAndNothingThatATestSees(t *testing.T) {
	wanted(t)
	require.NotEmpty(t, os.Getenv(envInside), "this test binary has not entered")
	cmd := childCommand(t, "report", "-test.run=X", "a b")
	cmd.Dir = t.TempDir()
	cmd.Stdin = strings.NewReader("input")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr

	err := cmd.Run()
	require.ErrorContains(t, err, "exit status 42")
	require.Equal(t, "complaint\n", stderr.String())
	network, err := os.Readlink("/proc/self/ns/net")
	require.NoError(t, err)
	require.NotContains(t, stdout.String(), network)
	require.Regexp(t, `^\["-test.run=X" "a b"\] net:\[\d+\] `+cmd.Dir+` input\n$`, stdout.String())
}

func TestTheMountsAreSeenNowhereElse(t *testing.T) {
	cmd := childCommand(t, "shared")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	out, err := cmd.Output()
	require.NoError(t, err)
	_, mounts, found := strings.Cut(string(out), "\n") // the first line is child's
	require.True(t, found)
	require.Empty(t, mounts)
}

func TestNothingListensOutsideTheNetworkNamespace(t *testing.T) {
	wanted(t)
	_, err := unix.Socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0)
	require.ErrorIs(t, err, unix.EAFNOSUPPORT)
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	require.NoError(t, err)
	require.NoError(t, unix.Close(fd))
}

// startWaiting returns a child that waits for a signal, and the reader of what else it prints.
func startWaiting(t *testing.T) (*exec.Cmd, *bufio.Reader) {
	cmd := childCommand(t, "wait")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	r := bufio.NewReader(out)
	_, err = r.ReadString('\n')
	require.NoError(t, err)
	return cmd, r
}

func TestASignalReachesTheTests(t *testing.T) {
	cmd, _ := startWaiting(t)
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	require.ErrorContains(t, cmd.Wait(), "exit status 5")
}

func TestTestsThatASignalEndedAreReportedSo(t *testing.T) {
	cmd, _ := startWaiting(t)
	tests := children(t, cmd.Process.Pid)
	require.Len(t, tests, 1)
	require.NoError(t, syscall.Kill(tests[0], syscall.SIGKILL))
	require.ErrorContains(t, cmd.Wait(), "signal: killed")
}

func TestTheTestsEndWithTheProcessThatGoTestSees(t *testing.T) {
	cmd, out := startWaiting(t)
	require.NoError(t, cmd.Process.Kill())
	_, err := out.ReadByte() // the pipe is open as long as anyone below lives
	require.ErrorIs(t, err, io.EOF)
	require.ErrorContains(t, cmd.Wait(), "signal: killed")
}

// children lists the live processes whose parent is pid.
func children(t *testing.T, pid int) []int {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	require.NoError(t, err)
	var found []int
	for _, stat := range stats {
		var id, parent int
		var name, state string
		b, err := os.ReadFile(stat)
		if err != nil {
			continue // it has just ended
		}
		_, err = fmt.Sscan(string(b), &id, &name, &state, &parent)
		require.NoError(t, err, "%s", b)
		if parent == pid && state != "Z" {
			found = append(found, id)
		}
	}
	return found
}

func TestNothingIsLeftBehind(t *testing.T) {
	var addresses []string
	t.Run("rig", func(t *testing.T) {
		rig := Start(t, &Options{Phones: []Daemon{{}, {}}})
		addresses = append([]string{rig.Server}, rig.Serials...)
		// One command that outlives its shell, and one that is still waited for.
		_, stderr, code := rig.ADB("-s", rig.Serials[0], "shell",
			"setsid sleep 1000 </dev/null >/dev/null 2>&1 &")
		require.Zero(t, code, stderr)
		startShell(t, rig, "sleep 1000; true")
		rig.Hang(rig.Serials[1])
	})
	require.Empty(t, children(t, os.Getpid()))
	for _, address := range addresses {
		_, err := net.Dial("tcp", address)
		require.ErrorIs(t, err, syscall.ECONNREFUSED)
	}
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "TestNothingIsLeftBehind*", "*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// startShell starts a command on the first phone and leaves it running, with no reader at the other
// end.
func startShell(t *testing.T, rig *Rig, line string) {
	phone := rig.server.client.Device(rig.Serials[0])
	_, err := phone.Open(t.Context(), "shell,v2,raw:"+line)
	require.NoError(t, err)
}

// runTest runs one test of this package in another process and returns its output, its exit code
// and the report.
func runTest(t *testing.T, cmd *exec.Cmd) (output string, code int, report string) {
	file := filepath.Join(t.TempDir(), "report")
	cmd.Env = append(cmd.Env, envReport+"="+file)
	out, err := cmd.CombinedOutput()
	if err != nil {
		require.IsType(t, new(exec.ExitError), err)
	}
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(out), cmd.ProcessState.ExitCode(), string(b)
}

const oneTest = "TestEachPhoneHasItsOwnEnvironment"

func TestMissingProgramsFailTheTestAndAreNamed(t *testing.T) {
	cmd := childCommand(t, "", "-test.run="+oneTest)
	cmd.Dir = t.TempDir() // no .cache above it
	cmd.Env = append(cmd.Env, envSystem+"=off")

	output, code, report := runTest(t, cmd)
	require.Equal(t, 1, code, output)
	require.Contains(t, output, "no real adb server and adbd to test with: missing: adb, adbd, "+
		"mksh, toybox\n")
	require.Contains(t, output, "try: run: make setup, or set TAPLOOP_RIG=off")
	require.Regexp(t,
		`^failed\tgithub.com/taploop/taploop/internal/adbtest\t`+oneTest+
			`\tmissing: adb, adbd, mksh, toybox`, report)
}

func TestTheRigIsLeftOutOnlyWhenAskedFor(t *testing.T) {
	cmd := childCommand(t, "", "-test.v", "-test.run="+oneTest)
	cmd.Env = append(cmd.Env, envSwitch+"=off")

	output, code, report := runTest(t, cmd)
	require.Zero(t, code, output)
	require.Contains(t, output, "--- SKIP: "+oneTest)
	require.Equal(t,
		"left out\tgithub.com/taploop/taploop/internal/adbtest\t"+oneTest+"\tTAPLOOP_RIG=off\n",
		report)
}

func TestARigThatRanIsReported(t *testing.T) {
	output, code, report := runTest(t, childCommand(t, "", "-test.run="+oneTest))
	require.Zero(t, code, output)
	require.Regexp(t,
		`^started\t\S+/adbtest\t`+oneTest+`\tadb and adbd \d\d\..*\n`+
			`passed\t\S+/adbtest\t`+oneTest+`\tadb and adbd`, report)
}

func TestWhereNamespacesAreForbiddenTheTestFailsAndSaysWhatToDo(t *testing.T) {
	cmd := childCommand(t, "starved", "-test.run="+oneTest)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}

	output, code, report := runTest(t, cmd)
	require.Equal(t, 1, code, output)
	require.Contains(t, output, "no real adb server and adbd to test with: no namespaces: ")
	require.Contains(t, output, "  try: ")
	require.Regexp(t, `^failed\t\S+\t`+oneTest+`\tno namespaces: `, report)
}
