package tools

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/runs"
	"github.com/taploop/taploop/session"
)

// Result is what every phone tool returns, and what the command line prints under --json. Its keys are fixed: programs rely
// on them, and those of gelab-zero keep their meaning.
type Result struct {
	SessionID string               `json:"session_id,omitempty"`
	RunID     string               `json:"run_id,omitempty"`
	State     session.State        `json:"state,omitempty"`
	Reason    agentloop.StopReason `json:"stop_reason,omitempty"`
	Task      string               `json:"task,omitempty"`
	Reply     string               `json:"reply_from_client,omitempty"` // instead of Task when the call answered a question
	Device    *Device              `json:"device_info,omitempty"`
	Local     int                  `json:"local_step_idx"`
	Global    int                  `json:"global_step_idx"`
	Final     *LoggedStep          `json:"final_action,omitempty"`
	Delta     int                  `json:"steps_delta"`                // new steps in this result, the last one included
	Logs      []LoggedStep         `json:"intermediate_logs,omitzero"` // all steps of the call but the last; nil when they are switched off
	Answer    *string              `json:"answer"`
	Question  *Question            `json:"question"`
	Next      *Next                `json:"next"`
	Timing    *Timing              `json:"timing,omitempty"`
	Usage     *Usage               `json:"usage,omitempty"`
	Notes     []string             `json:"notes,omitempty"` // what the caller asked for and did not get, and why; who answered in its place
	Error     *Failure             `json:"error"`
}

// Device is the phone as gelab-zero names it.
type Device struct {
	ID      string `json:"device_id"`
	Size    [2]int `json:"device_wm_size"`
	Model   string `json:"model,omitempty"`
	Android string `json:"android_version,omitempty"`
}

// LoggedStep is one step in a result.
type LoggedStep struct {
	Action     json.RawMessage `json:"agent_action"` // the decision as the model wrote it, see actions.Decision.AgentAction
	Global     int             `json:"global_step_idx"`
	Caption    string          `json:"screenshot_caption,omitempty"`
	Screenshot string          `json:"screenshot_b64_url,omitempty"`
}

// Next names the call that goes on from here.
type Next struct {
	Tool      string         `json:"tool"`
	Arguments map[string]any `json:"arguments"`
	Why       string         `json:"why"`
}

// Timing is where the time went, in milliseconds.
type Timing struct {
	Waited int64 `json:"waited_ms"`
	Budget int64 `json:"wait_budget_ms"`
	Run    int64 `json:"run_ms"`
	Model  int64 `json:"model_ms"`
}

// Usage is what the run has cost.
type Usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
}

// Failure is why a call could not be carried out, or what is in the way of a run.
type Failure struct {
	Code    string  `json:"code"`
	Message string  `json:"message"`
	Mend    string  `json:"mend,omitempty"`
	Holder  *Holder `json:"holder,omitempty"` // under DEVICE_BUSY
	Winner  *Winner `json:"winner,omitempty"` // under QUESTION_ALREADY_RESOLVED

	open *Question // under QUESTION_SUPERSEDED; it goes where questions go
}

// Holder is who has a phone.
type Holder struct {
	SessionID string        `json:"session_id,omitempty"` // not of somebody else's
	State     session.State `json:"state"`
	Since     time.Time     `json:"since"`
	Seconds   int64         `json:"held_seconds"`
	Until     *time.Time    `json:"until,omitempty"` // when a session that waits for a person loses it
}

// Winner is how a question was settled.
type Winner struct {
	Status    inquiry.Status `json:"status"`
	Channel   string         `json:"channel"`
	Authority string         `json:"authority,omitempty"`
	By        string         `json:"by,omitempty"`
	Answer    string         `json:"answer,omitempty"`
	At        time.Time      `json:"at"`
}

// NewResult is the result of a call that was carried out. Pictures and the next call are added by whoever offers them.
func NewResult(st runs.Status) (Result, error) {
	r := Result{
		SessionID: st.Session.ID, RunID: st.Run.ID, State: st.Run.State, Reason: st.Reason, Task: st.Run.Task,
		Device: deviceOf(st.Session.Device), Local: st.Local, Global: st.Session.Steps, Delta: len(st.Steps),
		Timing: &Timing{Waited: st.Waited.Milliseconds(), Budget: st.Budget.Milliseconds(), Run: st.Took.Milliseconds(), Model: st.Usage.Model.Milliseconds()},
		Usage:  &Usage{st.Usage.PromptTokens, st.Usage.CompletionTokens},
	}
	if st.Last != nil {
		last, err := Logged(*st.Last)
		if err != nil {
			return r, err
		}
		r.Final = &last
	}
	if st.Run.State == session.Completed {
		r.Answer = &st.Run.Answer
	}
	if st.Question != nil {
		r.Question = questionOf(*st.Question)
	}
	if st.Message != "" && st.Reason != agentloop.UserPaused { // what was wanted is no error
		r.Error = &Failure{Code: string(st.Reason), Message: st.Message, Mend: st.Mend}
	}
	return r, nil
}

// Failed is the result of a call that could not be carried out.
func Failed(err error) Result {
	f := failure(err)
	return Result{Error: &f, Question: f.open}
}

// failure is an error as results show it.
func failure(err error) Failure {
	f := Failure{Code: string(runs.CodeOf(err)), Message: err.Error(), Mend: hint.Of(err)}
	var own *refusal
	if errors.As(err, &own) {
		f.Code = string(own.code)
		f.about(own.question)
	}
	var e *runs.Error
	if !errors.As(err, &e) {
		if f.Mend == "" {
			f.Mend = "try again; if it stays so, whoever runs the server finds more in its log"
		}
		return f
	}
	if e.Holder != nil {
		f.Holder = holderOf(*e.Holder)
	}
	f.about(e.Question)
	return f
}

// about adds the question that an error is about, if any.
func (f *Failure) about(q *inquiry.Question) {
	switch {
	case q == nil:
	case q.Open():
		f.open = questionOf(*q)
		f.open.shorten(4000)
	default:
		f.Winner = winnerOf(*q)
		f.Winner.Answer = cut(f.Winner.Answer, 2000)
	}
}

func holderOf(h session.Hold) *Holder {
	out := &Holder{SessionID: h.SessionID, State: h.State, Since: h.Since, Seconds: int64(max(time.Since(h.Since), 0).Round(time.Second).Seconds())}
	if !h.Until.IsZero() {
		out.Until = &h.Until
	}
	return out
}

func deviceOf(d session.Device) *Device {
	return &Device{ID: d.ID, Size: [2]int{d.Size.W, d.Size.H}, Model: d.Model, Android: d.Android}
}

// Logged is a step as results show it, without pictures.
func Logged(s session.StepRecord) (LoggedStep, error) {
	a, err := s.Proposal.AgentAction()
	return LoggedStep{Action: a, Global: s.Index, Caption: s.Proposal.Caption}, err
}
