package export

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/moby/sys/atomicwriter"

	"github.com/taploop/taploop/internal/store"
)

// Gelab writes the session into dir as gelab-zero does: traces/{id}.jsonl with a line for the start
// and a line for each step, and images/{id}_step_{n}.jpeg, a grey one where there is no picture.
// Times are UTC. Neither keys nor secret answers are in it, because the store does not have them.
// An existing trace of the session is replaced. That of a session without a phone has its agents
// in its first line, and those of its phones are written, too.
//
// gelab-zero's viewer finds a session below viewerDir of the folder that it is run in, and opens a
// picture by its path as the trace has it: from that folder when dir is viewerDir of one, and else
// an absolute path.
func Gelab(ctx context.Context, dir string, src Source, sessionID string) error {
	if err := gelab(ctx, dir, src, sessionID); err != nil {
		return fmt.Errorf("exporting session %s for gelab: %w", sessionID, err)
	}
	return nil
}

func gelab(ctx context.Context, dir string, src Source, sessionID string) error {
	t, err := src.Trajectory(ctx, sessionID)
	if err != nil {
		return err
	}
	images := filepath.Join(dir, "images")
	for _, d := range []string{images, filepath.Join(dir, "traces")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return err
		}
	}
	for _, st := range t.Steps {
		if err := saveImage(ctx, dir, src, st); err != nil {
			return err
		}
	}
	shown, err := viewedFrom(dir)
	if err != nil {
		return err
	}
	agents, _, err := Tree(ctx, src, t)
	if err != nil {
		return err
	}
	trace, err := traceOf(t, shown, agents)
	if err != nil {
		return err
	}
	if err := below(ctx, dir, src, t.Session); err != nil {
		return err
	}
	return atomicwriter.WriteFile(filepath.Join(dir, "traces", sessionID+".jsonl"), trace, 0o600)
}

// below writes the sessions that the session has begun.
func below(ctx context.Context, dir string, src Source, s store.Session) error {
	begun, err := src.Sessions(ctx, store.Filter{Parent: s.ID})
	for _, x := range begun {
		err = errors.Join(err, gelab(ctx, dir, src, x.ID))
	}
	return err
}

// viewerDir is where gelab-zero keeps its traces and pictures, below the folder that it is run in.
const viewerDir = "running_log/server_log/os-copilot-local-eval-logs"

// viewedFrom is dir as gelab-zero's viewer reaches it.
func viewedFrom(dir string) (string, error) {
	whole, err := filepath.Abs(dir)
	whole = filepath.ToSlash(whole)
	if strings.HasSuffix(whole, "/"+viewerDir) {
		whole = viewerDir
	}
	return whole, err
}

func imageName(st store.StepRecord) string {
	return fmt.Sprintf("images/%s_step_%d.jpeg", st.SessionID, st.Index)
}

// saveImage writes the step's picture. The viewer opens one for every step.
func saveImage(ctx context.Context, dir string, src Source, st store.StepRecord) error {
	b, err := src.Frame(ctx, st.FrameID)
	switch {
	case st.FrameID == "", errors.Is(err, store.ErrNotFound):
		b = noPicture()
	case err != nil:
		return fmt.Errorf("reading frame %s: %w", st.FrameID, err)
	}
	return atomicwriter.WriteFile(filepath.Join(dir, filepath.FromSlash(imageName(st))), b, 0o600)
}

// noPicture is a grey JPEG in the shape of a phone.
var noPicture = sync.OnceValue(func() []byte {
	grey := image.NewGray(image.Rect(0, 0, 90, 200))
	for i := range grey.Pix {
		grey.Pix[i] = 0x80
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, grey, nil); err != nil {
		panic(err)
	}
	return b.Bytes()
})

type traceLine struct {
	SessionID string `json:"session_id"`
	Timestamp string `json:"timestamp"`
	Message   any    `json:"message"`
}

type traceStart struct {
	LogType     string      `json:"log_type"`
	Task        string      `json:"task"`
	TaskType    string      `json:"task_type"`
	ModelConfig modelConfig `json:"model_config"`
	ExtraInfo   traceExtra  `json:"extra_info"`
}

// modelConfig names the model that decided, or unknownModel in sessions of older versions.
type modelConfig struct {
	Name string `json:"model_name"`
}

const (
	unknownModel = "unknown"
	// what gelab-zero calls the form of the replies, for its own parser
	taskType = "parser_0922_summary"
)

func modelOf(steps ...store.StepRecord) modelConfig {
	for _, st := range steps {
		for _, try := range st.Proposal.Tries {
			if try.Model != "" {
				return modelConfig{try.Model}
			}
		}
	}
	return modelConfig{unknownModel}
}

type traceExtra struct {
	Device traceDevice `json:"device_info"`
	Agents []*Node     `json:"agents,omitempty"`
}

type traceDevice struct {
	ID   string `json:"device_id"`
	Size [2]int `json:"device_wm_size"`
}

type traceStep struct {
	Environment   traceEnvironment `json:"environment"`
	Action        json.RawMessage  `json:"action"`
	AskedMessages []traceMessage   `json:"asked_messages"`
	ModelResponse string           `json:"model_response"`
	ModelConfig   modelConfig      `json:"model_config"`
	Cost          traceCost        `json:"llm_cost"`
}

type traceEnvironment struct {
	Image       string `json:"image"`
	UserComment string `json:"user_comment"`
}

type traceMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// traceCost is in seconds, and seconds since 1970.
type traceCost struct {
	Time  float64 `json:"llm_time"`
	Start float64 `json:"llm_start_time"`
	End   float64 `json:"llm_end_time"`
}

// traceOf is the lines of the trace, with the pictures in dir.
func traceOf(t store.Trajectory, dir string, agents []*Node) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	line := func(at time.Time, message any) error {
		return enc.Encode(traceLine{t.Session.ID, at.UTC().Format(time.DateTime), message})
	}
	said, d := comments(t), t.Session.Device
	start := traceStart{LogType: "session_start", TaskType: taskType,
		ModelConfig: modelOf(t.Steps...),
		ExtraInfo:   traceExtra{traceDevice{d.ID, [2]int{d.Size.W, d.Size.H}}, agents}}
	if len(t.Runs) > 0 {
		start.Task = t.Runs[0].Task
	}
	if err := line(t.Session.CreatedAt, start); err != nil {
		return nil, err
	}
	for _, st := range t.Steps {
		message, err := newTraceStep(st, said[st.Index], dir)
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", st.Index, err)
		}
		if err := line(st.StartedAt, message); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// comments is what the user said before a step, by the step's index: the answer to the question of
// the step before it, or the task of a later run.
func comments(t store.Trajectory) map[int]string {
	task := map[string]string{}
	for i, r := range t.Runs {
		if i > 0 {
			task[r.ID] = r.Task
		}
	}
	out := map[int]string{}
	for _, st := range t.Steps {
		if words := task[st.RunID]; words != "" {
			out[st.Index] = words
			delete(task, st.RunID)
		}
		if st.Exchange != nil {
			out[st.Index+1] = st.Exchange.Answer
		}
	}
	return out
}

func newTraceStep(st store.StepRecord, comment, dir string) (traceStep, error) {
	message := traceStep{Environment: traceEnvironment{path.Join(dir, imageName(st)), comment},
		AskedMessages: []traceMessage{}, ModelConfig: modelOf(st)}
	var err error
	if message.Action, err = st.Proposal.AgentAction(); err != nil {
		return message, err
	}
	if st.Proposal.Action == nil { // the viewer looks for keys in it
		message.Action = json.RawMessage("{}")
	}
	if tries := st.Proposal.Tries; len(tries) > 0 {
		last := tries[len(tries)-1]
		message.AskedMessages = append(message.AskedMessages, traceMessage{"user", last.Prompt})
		message.ModelResponse = last.Reply
	}
	began := st.StartedAt.Add(st.Timing.Settle + st.Timing.Look)
	message.Cost = traceCost{st.Timing.Decide.Seconds(), seconds(began),
		seconds(began.Add(st.Timing.Decide))}
	return message, nil
}

func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
