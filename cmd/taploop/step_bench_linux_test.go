package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/adbtest"
	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/sandbox/adbdshim"
	"github.com/taploop/taploop/internal/sandbox/shell"
	"github.com/taploop/taploop/internal/store/export"
)

// BenchmarkClickStep is a CLICK step of `taploop run` behind the real adb server and the real
// adbd, with a model that answers at once on a screen without animations, next to two floors:
// loops of nothing but one capture, one request and one tap, by bare calls of adb's program and by
// bare calls over its server's socket. What a start costs is taken off, by the difference of a
// long and a short run. CPU is that of the agent, of the processes that it starts and of the adb
// server; the phone's is that of adbd, of the commands under it and of the simulated phone, with
// what the model's endpoint takes to read its requests. From a reply to its touch it is with a
// model that thinks for a while.
func BenchmarkClickStep(b *testing.B) {
	w := newStepBench(b, &sandbox.Options{AnimationScale: new(float64),
		Photo: photograph(1080, 560)})
	w.findPlaces()
	const short, long = 2, 12
	agent := &stepCosts{parts: map[string][]time.Duration{}}
	calls, socket := &stepCosts{}, &stepCosts{}
	program := w.rig.Command()
	var firsts, touches []time.Duration
	for b.Loop() {
		few := w.measure(w.floor(short, program))
		calls.add(few, w.measure(w.floor(long, program)), long-short)
		few = w.measure(w.floor(short, nil))
		socket.add(few, w.measure(w.floor(long, nil)), long-short)
		few = w.measure(w.agent(short))
		agent.add(few, w.measure(w.agent(long)), long-short)
		firsts = append(firsts, few.first)
		w.thinks = 400 * time.Millisecond
		w.measure(w.agent(short))
		w.thinks = 0
		touches = append(touches, w.touched...)
	}
	b.ReportMetric(float64(w.heavy)/1000, "picture-kB")
	agent.report(b, "")
	for name, floor := range map[string]*stepCosts{"calls": calls, "socket": socket} {
		floor.report(b, name+"-")
		b.ReportMetric(times(agent.cpu, floor.cpu), "cpu/"+name)
		b.ReportMetric(times(agent.phone, floor.phone), "phone/"+name)
		b.ReportMetric(times(agent.all, floor.all), "all/"+name)
	}
	b.ReportMetric(ms(median(firsts)), "first-request-ms")
	b.ReportMetric(ms(median(touches)), "reply-to-touch-ms")
	b.ReportMetric(0, "ns/op")
}

// costs are those of one process's work, and of the adb server and the phone meanwhile.
type costs struct {
	wall, cpu, phone, first time.Duration
	parts                   export.Parts // of the agent's steps, as its result tells them
	again                   int          // requests in vain
}

// stepCosts are the costs of a step, a row for each measurement.
type stepCosts struct {
	wall, cpu, phone, all []time.Duration
	parts                 map[string][]time.Duration
}

func (s *stepCosts) add(short, long costs, steps time.Duration) {
	cpu, phone := (long.cpu-short.cpu)/steps, (long.phone-short.phone)/steps
	s.wall = append(s.wall, (long.wall-short.wall)/steps)
	s.cpu, s.phone = append(s.cpu, cpu), append(s.phone, phone)
	s.all = append(s.all, cpu+phone)
	for name, took := range long.parts {
		part := time.Duration((took - short.parts[name]) * float64(time.Millisecond))
		s.parts[name] = append(s.parts[name], part/steps)
	}
}

func (s *stepCosts) report(b *testing.B, name string) {
	b.ReportMetric(ms(median(s.wall)), name+"wall-ms/step")
	b.ReportMetric(ms(median(s.cpu)), name+"cpu-ms/step")
	b.ReportMetric(ms(median(s.phone)), name+"phone-ms/step")
	for part, took := range s.parts {
		b.ReportMetric(ms(median(took)), part+"-ms/step")
	}
}

// stepBench is a phone on whose screen two places can be tapped in turn, each of which shows
// another page, behind the real adb server, and a model that says so.
type stepBench struct {
	b      testing.TB
	rig    *adbtest.Rig
	phone  *sandbox.Simulator
	model  string
	places [2]image.Point

	commands, counted string // the folder of the phone's commands, and the file of its captures

	heavy  int           // bytes of a picture as PNG
	thinks time.Duration // the model, before it answers

	mu      sync.Mutex
	asked   []time.Time     // when the model was, in this run
	touched []time.Duration // after each reply of a model that thinks
	looked  []time.Duration // before each of these touches, where captures are counted
	told    bool            // requests say how many taps there were
	steps   int             // after which it says that the task is done
	opens   string          // an app, with the first step
	watch   sync.WaitGroup
}

func newStepBench(b testing.TB, o *sandbox.Options) *stepBench {
	w := &stepBench{b: b, phone: sandbox.New(o)}
	dir, err := os.MkdirTemp("", "phone") // a socket's path has to be short
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, os.RemoveAll(dir)) })
	command, err := exec.LookPath("command")
	require.NoError(b, err)
	require.NoError(b, adbdshim.Install(dir, command))
	w.commands, w.counted = dir, filepath.Join(dir, ".captures")
	ln, err := net.Listen("unix", filepath.Join(dir, ".socket"))
	require.NoError(b, err)
	ctx, cancel := context.WithCancel(context.Background())
	var serving sync.WaitGroup
	serving.Go(func() { _ = adbdshim.Serve(ctx, ln, shell.New(w.phone)) })
	b.Cleanup(serving.Wait)
	b.Cleanup(cancel)
	w.rig = adbtest.Start(b, &adbtest.Options{Phones: []adbtest.Daemon{{Standins: dir,
		Env: []string{"TAPLOOP_SANDBOX_SOCKET=" + ln.Addr().String()}}}})
	model := httptest.NewServer(http.HandlerFunc(w.answer))
	b.Cleanup(model.Close)
	w.model = model.URL + "/v1"
	return w
}

// findPlaces finds a row of the settings, and the way back from its page.
func (w *stepBench) findPlaces() {
	require.NoError(w.b, w.phone.Apps.Launch("com.android.settings"))
	var picture bytes.Buffer
	w.capture(&picture, "-p")
	w.heavy = picture.Len()
	w.places[0] = w.find(func(n *sandbox.Node) bool { return n.Text == "Display" })
	w.phone.Touch.Tap(w.places[0].X, w.places[0].Y)
	w.places[1] = w.find(func(n *sandbox.Node) bool { return n.Desc == "Navigate up" })
	w.phone.Touch.Tap(w.places[1].X, w.places[1].Y)
}

// capture has the phone make a picture, and says how long that took.
func (w *stepBench) capture(to io.Writer, options ...string) time.Duration {
	began := time.Now()
	args := append([]string{"screencap"}, options...)
	require.Zero(w.b, shell.New(w.phone).Exec(w.b.Context(), args, to, io.Discard))
	return time.Since(began)
}

// photograph is a picture with as much in it as one that was taken has: what is large in it is
// stronger than what is small.
func photograph(width, height int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	r := rand.New(rand.NewPCG(1, 2))
	for c := range 3 {
		light := make([]float64, width*height)
		for size := 256; size >= 1; size /= 4 {
			grid := make([]float64, (width/size+2)*(height/size+2))
			for i := range grid {
				grid[i] = (r.Float64() - 0.5) * (3 + float64(size)*0.6)
			}
			for i := range light {
				x, y := i%width, i/width
				at, fx, fy := x/size+y/size*(width/size+2), frac(x, size), frac(y, size)
				below := at + width/size + 2
				light[i] += (1-fy)*((1-fx)*grid[at]+fx*grid[at+1]) +
					fy*((1-fx)*grid[below]+fx*grid[below+1])
			}
		}
		for i, v := range light {
			img.Pix[4*i+c], img.Pix[4*i+3] = uint8(min(max(128+v, 0), 255)), 255
		}
	}
	return img
}

// frac is how far n is on its way from one multiple of size to the next.
func frac(n, size int) float64 { return float64(n%size) / float64(size) }

func (w *stepBench) find(f func(*sandbox.Node) bool) image.Point {
	root := w.phone.Screen.UITree()
	n := root.Find(f)
	require.NotNil(w.b, n)
	return n.Center()
}

var tappedSoFar = regexp.MustCompile(`tapped (\d+)`)

// answer is the model: a tap at the next place, and after enough of them the end.
func (w *stepBench) answer(to http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if r.Method != http.MethodPost {
		_, _ = io.WriteString(to, `{"data": []}`)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	n := len(w.asked)
	if w.told { // it may be asked twice about a step
		n = 0
		for _, m := range tappedSoFar.FindAllSubmatch(body, -1) {
			n, _ = strconv.Atoi(string(m[1]))
		}
	}
	w.asked = append(w.asked, time.Now())
	if w.thinks > 0 {
		time.Sleep(w.thinks)
		if n < w.steps {
			w.watch.Go(w.touch)
		}
	}
	size, at := w.phone.Display.Size(), w.places[n%2]
	if w.opens != "" {
		at = w.places[(n+1)%2]
	}
	text := fmt.Sprintf("<THINK>next</THINK>\nexplain:the next place\taction:CLICK\tpoint:%d,%d\t"+
		"summary:tapped %d", 1000*at.X/size.X, 1000*at.Y/size.Y, n+1)
	if w.opens != "" && n == 0 {
		text = "<THINK>-</THINK>\nexplain:-\taction:AWAKE\tvalue:" + w.opens + "\tsummary:tapped 1"
	}
	if n == w.steps {
		text = "<THINK>done</THINK>\nexplain:all tapped\taction:COMPLETE\treturn:done\tsummary:done"
	}
	_ = json.NewEncoder(to).Encode(map[string]any{"choices": []any{map[string]any{
		"finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": text}}}})
}

// touch waits from now on for the screen that a tap brings.
func (w *stepBench) touch() {
	began, before := time.Now(), w.phone.Screen.Foreground().Activity
	for w.phone.Screen.Foreground().Activity == before {
		if time.Since(began) > patience {
			return
		}
		time.Sleep(time.Millisecond)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.touched = append(w.touched, time.Since(began))
	if last, err := os.Stat(w.counted + ".last"); err == nil {
		w.looked = append(w.looked, time.Since(last.ModTime()))
	}
}

// agent is a task of so many taps.
func (w *stepBench) agent(steps int) *exec.Cmd {
	w.steps, w.told = steps, true
	cmd := exec.Command("taploop", "run", "Tap the two places in turn", "--keep-environment",
		"--json")
	dir := w.b.TempDir()
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir,
		"TAPLOOP_ADB_SERVER=" + w.rig.Server, "TAPLOOP_MODEL_BASE_URL=" + w.model,
		"TAPLOOP_MODEL_NAME=instant", "TAPLOOP_MODEL_DIALECT=gelab",
		"TAPLOOP_ADB_SERIAL=" + w.rig.Serials[0]}
	return cmd
}

// floor is the loop with nothing in it, in a process of its own: this test binary. It calls the
// program, or asks the adb server itself when there is none.
func (w *stepBench) floor(steps int, program *exec.Cmd) *exec.Cmd {
	w.steps, w.told = steps, false
	self, err := os.Executable()
	require.NoError(w.b, err)
	how := floor{Server: w.rig.Server, Serial: w.rig.Serials[0], Model: w.model, Steps: steps}
	for i, p := range w.places {
		how.Places[i] = fmt.Sprintf("%d %d", p.X, p.Y)
	}
	cmd := exec.Command(self)
	cmd.Env = os.Environ()
	if program != nil {
		how.ADB, cmd.Env = program.Args, program.Env
	}
	value, err := json.Marshal(how)
	require.NoError(w.b, err)
	cmd.Env = append(slices.Clip(cmd.Env), envFloor+"="+string(value))
	return cmd
}

// measure runs a command that must succeed from the phone's first page on.
func (w *stepBench) measure(cmd *exec.Cmd) costs {
	require.NoError(w.b, w.phone.Apps.Launch("com.android.settings"))
	w.asked, w.touched, w.looked = nil, nil, nil
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	server, phone := w.rig.CPU()
	simulated := w.simulated()
	began := time.Now()
	err := cmd.Run()
	wall := time.Since(began)
	require.NoError(w.b, err, said.String())
	w.watch.Wait()
	require.GreaterOrEqual(w.b, len(w.asked), w.steps+1, said.String())
	serverNow, phoneNow := w.rig.CPU()
	phoneNow += w.simulated() - simulated
	own := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	var result struct {
		Timing struct {
			Parts export.Parts `json:"parts_ms"`
		}
		Usage struct {
			Again int `json:"asked_again"`
		}
	}
	if out.Len() > 0 { // of the agent
		require.NoError(w.b, json.Unmarshal(out.Bytes(), &result))
	}
	return costs{wall, own + serverNow - server, phoneNow - phone, w.asked[0].Sub(began),
		result.Timing.Parts, result.Usage.Again}
}

// simulated is the time that this process has used, which the simulated phone is a part of.
func (w *stepBench) simulated() time.Duration {
	var used syscall.Rusage
	require.NoError(w.b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
