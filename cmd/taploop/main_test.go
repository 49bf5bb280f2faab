package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/adbtest"
	"github.com/taploop/taploop/internal/app/simulation"
	"github.com/taploop/taploop/internal/patient"
	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/sandbox/adbdshim"
	"github.com/taploop/taploop/internal/sandbox/adbdshim/standin"
)

// The test binary is also each of the phone's commands under the real adbd.
func TestMain(m *testing.M) {
	if name := filepath.Base(os.Args[0]); slices.Contains(adbdshim.Names(), name) {
		// At once: with -race os.Exit would wait for a second.
		syscall.Exit(standin.Main(name, os.Args[1:]))
	}
	if how := os.Getenv(envFloor); how != "" {
		if err := floorLoop(how); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(exitError)
		}
		return
	}
	if os.Getenv(envCounted) != "" {
		os.Exit(runCounted())
	}
	signal.Reset() // those that the program catches end the tests
	os.Exit(withProgram(adbtest.Inside(m)))
}

// withProgram runs the tests with the program that ships as taploop in PATH, which knows one kind of
// question more, and the small one that is a phone's commands. They are built without the race
// detector, which would make each of their many starts slow; TAPLOOP_TEST_RACE=1 builds them with
// it.
func withProgram(tests adbtest.Runner) (code int) {
	const inherited = "TAPLOOP_TEST_PROGRAM" // adbtest starts this binary again
	if os.Getenv(inherited) != "" {
		return tests.Run()
	}
	dir, err := os.MkdirTemp("", "taploop-program-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitError
	}
	defer os.RemoveAll(dir)
	bin := filepath.Join(dir, "bin")
	args := []string{"build", "-trimpath", "-ldflags=-w", "-tags", "testkinds", "-o",
		bin + string(filepath.Separator)}
	if os.Getenv("TAPLOOP_TEST_RACE") == "1" {
		args = append(args, "-race")
		os.Setenv("GORACE", "atexit_sleep_ms=0") // else each end would take a second
	}
	args = append(args, ".", "../../internal/sandbox/adbdshim/command")
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building taploop for the tests: %v\n%s", err, out)
		return exitError
	}
	os.Setenv(inherited, bin)
	os.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return tests.Run()
}

// patience is for how long a test waits while nothing happens at all. A machine that is busy with
// other work is slow, and yet something happens; a fault is silent.
const patience = patient.Lid

// rounds is how often a test does what goes wrong seldom: few times by default, and many times with
// TAPLOOP_TEST_LONG=1.
func rounds(few, many int) int {
	if os.Getenv("TAPLOOP_TEST_LONG") == "1" {
		return many
	}
	return few
}

func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, params("testdata/script"))
}

func params(dir string) testscript.Params {
	return testscript.Params{
		Dir: dir, RequireExplicitExec: true, RequireUniqueNames: true, Setup: alone,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"simulate": cmdSimulate,
			"check": cmdCheck, "findsession": cmdFindSession, "exits": cmdExits,
			"waitsteps": cmdWaitSteps},
	}
}

// The main job where nothing but the phone's framework and the model is simulated.
func TestScriptsBehindTheRealServerAndDaemon(t *testing.T) {
	t.Parallel()
	phone := newPhone()
	task, ok := phone.Task(demoTask)
	require.True(t, ok)
	sim, err := simulation.Start(t.Context(), phone, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, sim.Close()) })
	server := behindTheRealDaemon(t, sim, adbtest.Daemon{})
	p := params("testdata/realadb")
	p.Setup = func(e *testscript.Env) error {
		task.Setup(phone)
		simulations.Store(e.WorkDir, scriptSimulation{sim, &task})
		e.Setenv("GOAL", task.Goal)
		err := alone(e)
		e.Setenv("TAPLOOP_ADB_SERVER", server)
		e.Setenv("TAPLOOP_MODEL_BASE_URL", sim.Model.BaseURL)
		return err
	}
	testscript.RunT(inTurn{t}, p) // they share the phone
}

// inTurn runs scripts one after the other, in the place that their test has among those that run.
type inTurn struct{ *testing.T }

func (inTurn) Parallel()     {}
func (inTurn) Verbose() bool { return testing.Verbose() }

func (t inTurn) Run(name string, script func(testscript.T)) {
	t.T.Run(name, func(t *testing.T) { script(inTurn{t}) })
}

// behindTheRealDaemon puts the simulation's phone behind the real adb server and the real adbd. It
// returns the server's address.
func behindTheRealDaemon(t *testing.T, sim *simulation.Simulation, d adbtest.Daemon) string {
	dir := t.TempDir()
	command, err := exec.LookPath("command")
	require.NoError(t, err)
	require.NoError(t, adbdshim.Install(dir, command))
	ln, err := net.Listen("unix", filepath.Join(dir, ".socket"))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	var serving sync.WaitGroup
	// Ends with ctx; what goes wrong shows in the script.
	serving.Go(func() { _ = adbdshim.Serve(ctx, ln, sim.Shell) })
	t.Cleanup(serving.Wait)
	t.Cleanup(cancel)
	d.Standins, d.Env = dir, []string{"TAPLOOP_SANDBOX_SOCKET=" + ln.Addr().String()}
	rig := adbtest.Start(t, &adbtest.Options{Phones: []adbtest.Daemon{d}})
	return rig.Server
}

// smallPhone is a phone with a ninth of the usual pixels and without animations, which are most of
// what a run costs, the more so with the race detector on. The demo's own phone has all of them.
// Its clock starts in the middle of a morning, as at six its alarm rings, of the day before.
func smallPhone() *sandbox.Options {
	return &sandbox.Options{Size: image.Pt(360, 800), Density: 140, AnimationScale: new(float64),
		Now: morning}
}

// settles is how long a run waits for the screen of such a phone, which does not move after a
// touch.
const settles = "300ms"

// glanced is the size of the pictures that a scripted model gets, which looks for a mark at most.
// What models want is larger than such a phone's own screen, and much of what a step would cost.
const glanced = "180x180"

var begun = time.Now()

func morning() time.Time { return morningAt(begun).Add(time.Since(begun)) }

// morningAt is what such a phone shows first.
func morningAt(begun time.Time) time.Time {
	day := begun.UTC().Truncate(24*time.Hour).AddDate(0, 0, -1)
	return day.Add(10*time.Hour + 8*time.Minute)
}

// Whoever looks at the clock of such a phone finds it wrong, whenever tests run.
func TestThePhonesClockIsWrongAtAnyTime(t *testing.T) {
	day := time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC)
	for at := day; at.Before(day.AddDate(0, 0, 1)); at = at.Add(time.Minute) {
		off := at.Sub(morningAt(at))
		require.Greater(t, off.Abs(), 30*time.Minute, at)
		require.Less(t, off.Abs(), 48*time.Hour, "told in hours: %v", at)
	}
}

func newPhone() *sandbox.Simulator { return sandbox.New(smallPhone()) }

// phoneLike is such a phone with some things otherwise: size=1080x2400, dpi=160, lang=zh,
// later=5h17m for its clock, turned=1.
func phoneLike(
	ts *testscript.TestScript, task string, otherwise []string,
) (*sandbox.Simulator, *sandbox.Task) {
	o := smallPhone()
	turned := 0
	for _, arg := range otherwise {
		key, value, _ := strings.Cut(arg, "=")
		var err error
		switch key {
		case "size":
			_, err = fmt.Sscanf(value, "%dx%d", &o.Size.X, &o.Size.Y)
		case "dpi":
			o.Density, err = strconv.Atoi(value)
		case "lang":
			o.Locale = value
		case "later":
			var d time.Duration
			d, err = time.ParseDuration(value)
			o.Now = func() time.Time { return morning().Add(d) }
		case "turned":
			turned, err = strconv.Atoi(value)
		default:
			ts.Fatalf("a phone has no %s", arg)
		}
		ts.Check(err)
	}
	phone := sandbox.New(o)
	t, ok := phone.Task(task)
	if !ok {
		ts.Fatalf("no task %s", task)
	}
	t.Setup(phone)
	phone.Display.SetRotation(turned)
	return phone, &t
}

// alone keeps a script away from the machine's own phones, models and sessions.
func alone(e *testscript.Env) error {
	home := filepath.Join(e.WorkDir, "home")
	e.Setenv("HOME", home)
	e.Setenv("GORACE", os.Getenv("GORACE"))
	e.Setenv("XDG_DATA_HOME", filepath.Join(home, "data"))
	e.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "config"))
	e.Setenv("TAPLOOP_ADB_SERVER", "127.0.0.1:1")
	e.Setenv("TAPLOOP_ADB_PATH", filepath.Join(e.WorkDir, "no-adb"))
	e.Setenv("TAPLOOP_MODEL_BASE_URL", "http://127.0.0.1:1/v1")
	shared, err := filepath.Abs("../../testdata")
	e.Setenv("SHARED", shared)
	return errors.Join(err, os.MkdirAll(home, 0o700))
}

// simulations are those of the scripts that run, by their folder.
var simulations sync.Map

// scriptSimulation is a simulation that a script uses, with the task that it set up.
type scriptSimulation struct {
	sim  *simulation.Simulation
	task *sandbox.Task
}

// cmdSimulate starts a simulated phone and a scripted model and points the script at them: simulate
// TASK [SCRIPT] [WHAT=OTHERWISE...].
func cmdSimulate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: simulate TASK [SCRIPT] [WHAT=OTHERWISE...]")
	}
	n := len(args)
	for n > 1 && strings.Contains(args[n-1], "=") {
		n--
	}
	phone, task := phoneLike(ts, args[0], args[n:])
	args = args[:n]
	var script []byte
	if len(args) == 2 {
		script = []byte(ts.ReadFile(args[1]))
	}
	sim, err := simulation.Start(context.Background(), phone,
		&simulation.Options{Script: script})
	ts.Check(err)
	ts.Defer(func() { ts.Check(sim.Close()) })
	ts.Setenv("GOAL", task.Goal)
	ts.Setenv("TAPLOOP_ADB_SERVER", sim.Addr)
	ts.Setenv("TAPLOOP_MODEL_BASE_URL", sim.Model.BaseURL)
	ts.Setenv("TAPLOOP_LOOP_SETTLE_TIMEOUT", settles)
	ts.Setenv("TAPLOOP_MODEL_IMAGE_SIZE", glanced)
	simulations.Store(ts.Getenv("WORK"), scriptSimulation{sim, task})
}

// cmdCheck checks the simulated phone's state: [!] check [TEXT], the text being part of what is not
// as it should be.
func cmdCheck(ts *testscript.TestScript, neg bool, args []string) {
	v, ok := simulations.Load(ts.Getenv("WORK"))
	if !ok {
		ts.Fatalf("no simulation")
	}
	h := v.(scriptSimulation)
	err := h.task.Check(h.sim.Phone)
	switch {
	case neg && err == nil:
		ts.Fatalf("task %s is done", h.task.ID)
	case neg && len(args) > 0 && !strings.Contains(err.Error(), args[0]):
		ts.Fatalf("task %s: %v (want %q)", h.task.ID, err, args[0])
	case !neg:
		ts.Check(err)
	}
}

// cmdFindSession puts the session's id from the last command's stderr into $SESSION.
func cmdFindSession(ts *testscript.TestScript, neg bool, args []string) {
	text := ts.ReadFile("stderr")
	_, rest, found := strings.Cut(text, "session ")
	id, _, _ := strings.Cut(rest, " ")
	if neg || !found || id == "" {
		ts.Fatalf("no session in %q", text)
	}
	ts.Setenv("SESSION", id)
}

// cmdExits runs taploop and wants an exit code: exits CODE ARGUMENT...
func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: exits CODE ARGUMENT...")
	}
	code := 0
	var exit *exec.ExitError
	if err := ts.Exec("taploop", args[1:]...); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got := strconv.Itoa(code); got != args[0] {
		ts.Fatalf("taploop %v ended with exit code %s, want %s", args[1:], got, args[0])
	}
}

// cmdWaitSteps waits until the only session has so many steps, of which none is being done, and
// puts its id into $SESSION: waitsteps N. A touch that is on its way when the program is killed may
// come after the next program has looked.
func cmdWaitSteps(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: waitsteps N")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	steps, deadline := 0, time.NewTimer(patience) // after the last one
	defer deadline.Stop()
	for {
		var list []summary
		ts.Check(ts.Exec("taploop", "sessions", "list", "--json"))
		ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &list))
		if len(list) == 1 && list[0].Steps >= want {
			ts.Check(ts.Exec("taploop", "sessions", "show", list[0].ID, "--json"))
			if !strings.Contains(ts.ReadFile("stdout"), `"state": "INTENT"`) {
				ts.Setenv("SESSION", list[0].ID)
				return
			}
		}
		if len(list) == 1 && list[0].Steps > steps {
			steps = list[0].Steps
			deadline.Reset(patience)
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			ts.Fatalf("no session with %d steps: %+v", want, list)
		}
	}
}
