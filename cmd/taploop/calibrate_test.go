package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/app/simulation"
	"github.com/taploop/taploop/internal/screen"
)

// pointer is an endpoint of a model that sees rightly and writes places in a way of its own. It is
// asked for the targets one after the other.
func pointer(t *testing.T, n int, write func(at image.Point, size screen.Size) string) string {
	screens, err := simulation.DrawTargets(n)
	require.NoError(t, err)
	type question struct {
		at   image.Point
		size screen.Size
	}
	var questions []question
	for _, s := range screens {
		for _, target := range s.Targets {
			questions = append(questions, question{
				target.Box.Min.Add(target.Box.Max).Div(2), s.Frame.Size()})
		}
	}
	require.Len(t, questions, n)
	var asked atomic.Int32
	return endpoint(t, func(w http.ResponseWriter, _ *http.Request) {
		q := questions[int(asked.Add(1)-1)%n]
		says, _ := json.Marshal(write(q.at, q.size))
		fmt.Fprintf(w, `{"choices":[{"message":{"content":%s}}],"usage":{"prompt_tokens":7,`+
			`"completion_tokens":3}}`, says)
	})
}

// endpoint is an OpenAI-compatible one.
func endpoint(t *testing.T, chat http.HandlerFunc) string {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else the end of its client is not seen
		chat(w, r)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

func clicks(x, y float64) string {
	return fmt.Sprintf("<THINK>-</THINK>\nexplain:-\taction:CLICK\tpoint:%v,%v\tsummary:-", x, y)
}

// inPixels writes pixels of the screen's own picture.
func inPixels(at image.Point, _ screen.Size) string { return clicks(float64(at.X), float64(at.Y)) }

// program runs a command and returns its exit code and what it wrote.
func program(ctx context.Context, env []string, args ...string) (code int, out, said string) {
	var stdout, stderr bytes.Buffer
	code = run(ctx, args, env, streams{strings.NewReader(""), &stdout, &stderr})
	return code, stdout.String(), stderr.String()
}

func TestCalibrateFindsTheProfileAndWritesItOnlyWhenAsked(t *testing.T) {
	t.Parallel()
	env := lone(t, pointer(t, 12, inPixels))
	file := filepath.Join(t.TempDir(), "taploop.yaml")
	require.NoError(t, os.WriteFile(file, []byte("# mine\nloop: {max_steps: 7}\n"), 0o600))
	env = append(env, "TAPLOOP_CONFIG="+file)
	code, out, said := program(t.Context(), env, "calibrate", "-n", "12")
	require.Equal(t, exitDone, code, said)
	for _, want := range []string{"model     m\n", "dialect   gelab (12 of 12 replies)",
		"places    coordinates pixels of a picture of size full", "hits      12 of 12, 100%",
		"icon 4/4", "landscape 6/6", "large ", "small ", "text han ", "text latin ",
		"tokens    7 sent, 3 received", "+models:\n", "+    coordinates: pixels\n",
		" loop: {max_steps: 7}\n"} {
		require.Contains(t, out, want)
	}
	require.Contains(t, said, "nothing was written; --write writes it")
	is, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "# mine\nloop: {max_steps: 7}\n", string(is))

	code, out, said = program(t.Context(), env, "calibrate", "-n", "12", "--write", "--json")
	require.Equal(t, exitDone, code, said)
	var report struct {
		Sure, Written bool
		Asked, Hits   int
	}
	require.NoError(t, json.Unmarshal([]byte(out), &report))
	require.True(t, report.Sure && report.Written)
	require.Equal(t, []int{12, 12}, []int{report.Asked, report.Hits})
	require.Contains(t, said, "wrote "+file)

	// The model was named by the environment, so the file now has it as a profile, which works.
	code, out, said = program(t.Context(), env, "config", "show", "--json")
	require.Equal(t, exitDone, code, said)
	var settings map[string]struct{ Value any }
	require.NoError(t, json.Unmarshal([]byte(out), &settings))
	require.Equal(t, []any{"m", "gelab", "pixels", "full"}, []any{settings["model.name"].Value,
		settings["model.dialect"].Value, settings["model.coordinates"].Value,
		settings["model.image_size"].Value})
	code, _, said = program(t.Context(), env, "calibrate", "-n", "12", "--write")
	require.Equal(t, exitDone, code, said)
	require.Contains(t, said, "says so already")
}

func TestCalibrateSaysWhatADialectOfItsOwnIs(t *testing.T) {
	t.Parallel()
	env := lone(t, pointer(t, 8, func(at image.Point, size screen.Size) string {
		return fmt.Sprintf(`<think>-</think><answer>do(action="Tap", element=[%d, %d])</answer>`,
			at.X*1000/size.W, at.Y*1000/size.H)
	}))
	code, out, said := program(t.Context(), env, "calibrate", "-n", "8")
	require.Equal(t, exitDone, code, said)
	require.Contains(t, out, "autoglm (8 of 8 replies), although it was asked in gelab; once that "+
		"is set, calibrate again")
	require.Contains(t, out, "coordinates 1000")
	require.Contains(t, out, "+    dialect: autoglm\n")
	// The size is the one that gelab's models want: what autoglm's do has the dialect itself.
	require.NotContains(t, out, "image_size")
}

func TestCalibrateAModelThatDoesNotPoint(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]string{
		"prose":    "Well \x1b[31m\u202e, it is on the left.",
		"a corner": clicks(0, 0),
	} {
		t.Run(name, func(t *testing.T) {
			env := lone(t, pointer(t, 8, func(image.Point, screen.Size) string { return reply }))
			code, out, said := program(t.Context(), env, "calibrate", "-n", "8", "--write")
			require.Equal(t, exitModel, code, said)
			require.Contains(t, out, "places    not clear")
			require.Contains(t, out, "hits      0 of 8, 0%")
			require.NotContains(t, out+said, "\x1b")
			require.NotContains(t, said, "wrote")
		})
	}
}

func TestCalibrateAnEndpointThatStallsOrRefuses(t *testing.T) {
	t.Parallel()
	stalled := endpoint(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	code, out, said := program(t.Context(), lone(t, stalled), "calibrate", "-n", "8",
		"--set", "model.timeout=50ms", "--set", "model.retries=0")
	require.Equal(t, exitModel, code, said)
	require.Contains(t, said, "no reply within 50ms")
	require.Contains(t, out, "no reply: 2\n")
	require.NotContains(t, out, "hits")

	refusing := endpoint(t, func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error":{"message":"no such key"}}`, http.StatusUnauthorized)
	})
	code, _, said = program(t.Context(), lone(t, refusing), "calibrate", "-n", "8")
	require.NotEqual(t, exitDone, code)
	require.Contains(t, said, "no such key")
	require.Contains(t, said, "TAPLOOP_MODEL_API_KEY")

	for _, args := range [][]string{{"-n", "7"}, {"-n", "73"}, {"-n=-1"}, {"--set",
		"model.dialect=klingon"}} {
		code, _, said = program(t.Context(), lone(t, refusing), append([]string{"calibrate"},
			args...)...)
		require.Equal(t, exitUsage, code, said)
		require.Contains(t, said, "try: ")
	}
}

func TestCalibrateThatIsInterruptedWritesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stalled := endpoint(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	code, _, said := program(ctx, lone(t, stalled), "calibrate", "--write")
	require.Equal(t, exitInterrupted, code, said)
	require.NotContains(t, said, "wrote")
}

func TestTargetsAreApartAndOnTheScreen(t *testing.T) {
	for _, n := range []int{8, 24, 72} {
		screens, err := simulation.DrawTargets(n)
		require.NoError(t, err)
		all := 0
		for _, s := range screens {
			size := s.Frame.Size()
			seen := map[string]bool{}
			for i, a := range s.Targets {
				all++
				require.True(t, a.Box.In(image.Rect(0, 0, size.W, size.H)), a.Box)
				require.False(t, seen[a.Task["en"]], "%s is asked for twice", a.Task["en"])
				seen[a.Task["en"]] = true
				require.NotEmpty(t, a.Task["zh"])
				for _, b := range s.Targets[:i] {
					require.False(t, a.Box.Overlaps(b.Box))
				}
				require.NotEqual(t, 1, colours(s.Frame.Image(), a.Box), "%v is empty", a.Task)
			}
		}
		require.Equal(t, n, all)
	}
}

// colours is how many there are in a part of a picture.
func colours(img *image.RGBA, in image.Rectangle) int {
	seen := map[any]bool{}
	for y := in.Min.Y; y < in.Max.Y; y++ {
		for x := in.Min.X; x < in.Max.X; x++ {
			seen[img.RGBAAt(x, y)] = true
		}
	}
	return len(seen)
}
