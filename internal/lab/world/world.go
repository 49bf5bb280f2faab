// Package world drives the servers of other benchmarks, which set tasks up on a device and score
// them there: AndroidWorld's and MobileWorld's.
package world

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// ErrNoUser is returned by Ask where a world has nobody who answers.
var ErrNoUser = errors.New("this world has no user who answers")

// World is a benchmark's server. A task has to be begun before it is scored, and is to be ended.
// Methods must not be called at once: there is one device.
type World interface {
	// Tasks lists the tasks, and draws n sets of parameters for each where the world does that.
	Tasks(ctx context.Context, n int) ([]string, error)
	// Begin sets the task up with its nth set of parameters, from 0, and returns its goal.
	Begin(ctx context.Context, task string, n int) (goal string, err error)
	// Ask puts a question to the world's user. Its error is ErrNoUser if it has none.
	Ask(ctx context.Context, question string) (answer string, err error)
	// Report tells what the agent has reported at its end, which some tasks are scored by.
	Report(ctx context.Context, answer string) error
	// Score is from 0 to 1, with the world's reason, if it gives one.
	Score(ctx context.Context, task string, n int) (score float64, reason string, err error)
	// End clears up behind the task.
	End(ctx context.Context, task string, n int) error
}

// Open returns the world that is written as KIND=URL. It does not connect. seed draws the tasks'
// parameters where the world has a choice, 0 for those of its own.
func Open(spec string, seed int) (World, error) {
	kind, at, _ := strings.Cut(spec, "=")
	u, err := url.Parse(at)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("the world %q has no address of a server (want "+
			"KIND=http://HOST:PORT)",
			spec)
	}
	device := u.Query().Get("device")
	u.RawQuery = ""
	s := server{strings.TrimRight(u.String(), "/"), &http.Client{Timeout: patience}}
	switch kind {
	case "androidworld":
		return &android{server: s, seed: cmp.Or(seed, usualSeed)}, nil
	case "mobileworld":
		return &mobile{server: s, device: cmp.Or(device, usualDevice)}, nil
	}
	return nil, fmt.Errorf("there is no kind of world %q (want androidworld or mobileworld)", kind)
}

const (
	// patience is for one request: setting a task up starts apps and copies files.
	patience = 10 * time.Minute
	longest  = 4 << 20 // of an answer, in bytes

	usualSeed   = 42              // AndroidWorld's server's
	usualDevice = "emulator-5554" // as MobileWorld's server names it
)

type server struct {
	base   string
	client *http.Client
}

// ask sends a request, and reads its answer into out unless that is nil. body may be nil.
func (s *server) ask(ctx context.Context, method, path string, query url.Values, body,
	out any) error {
	failed := func(err error) error {
		return fmt.Errorf("asking the world: %s %s: %w", method, path, err)
	}
	var send io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return failed(err)
		}
		send = bytes.NewReader(b)
	}
	r, err := http.NewRequestWithContext(ctx, method, s.base+path+"?"+query.Encode(), send)
	if err != nil {
		return failed(err)
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := s.client.Do(r)
	if err != nil {
		return failed(err)
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(io.LimitReader(answer.Body, longest))
	switch {
	case err != nil:
		return failed(err)
	case answer.StatusCode != http.StatusOK:
		return failed(fmt.Errorf("%s: %.300q", answer.Status, b))
	case out == nil:
		return nil
	}
	if err := json.Unmarshal(b, out); err != nil {
		return failed(fmt.Errorf("the answer is not the one of such a server: %w", err))
	}
	return nil
}

// scored is a score of an answer, without which a run is no measurement.
func scored(task string, score any) (float64, error) {
	switch x := score.(type) {
	case bool:
		if x {
			return 1, nil
		}
		return 0, nil
	case float64:
		if x >= 0 && x <= 1 {
			return x, nil
		}
	}
	return 0, fmt.Errorf("the world gave no score from 0 to 1 for %s", task)
}
