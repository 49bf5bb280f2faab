// Package result is what programs are shown of runs, phones and questions: the objects of MCP
// results and of the command line's JSON. Their keys are fixed, because programs rely on them.
// gelab-zero's keep their meaning.
//
// A body is built from what the store and runs say ([New], [NewQuestion], [NewFailure]), and cut to
// a size by its Shorten.
package result

import (
	"encoding/json"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/skill"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/export"
)

// Result is how a run stands: what every tool for runs returns, and what the command line prints
// under --json.
type Result struct {
	SessionID string               `json:"session_id,omitempty"`
	RunID     string               `json:"run_id,omitempty"`
	State     store.State          `json:"state,omitempty"`
	Reason    agentloop.StopReason `json:"stop_reason,omitempty"`
	Task      string               `json:"task,omitempty"`
	Reply     string               `json:"reply_from_client,omitempty"` // in the place of Task
	Replayed  bool                 `json:"replayed,omitempty"`
	Device    *Device              `json:"device_info,omitempty"`
	Local     int                  `json:"local_step_idx"`
	Global    int                  `json:"global_step_idx"`
	Final     *Step                `json:"final_action,omitempty"`
	Delta     int                  `json:"steps_delta"`
	Logs      []Step               `json:"intermediate_logs,omitzero"` // nil when switched off
	Pictures  []int                `json:"pictures,omitempty"`         // steps, as image content
	Answer    *string              `json:"answer"`
	Verified  *Verification        `json:"verification,omitempty"`
	JSON      json.RawMessage      `json:"answer_json,omitempty"` // null when none fits
	Misfit    string               `json:"answer_misfit,omitempty"`
	Question  *OpenQuestion        `json:"question"`
	Next      *Next                `json:"next"`
	Timing    *Timing              `json:"timing,omitempty"`
	Usage     *Usage               `json:"usage,omitempty"`
	Skill     *skill.Report        `json:"skill,omitempty"` // of a run that replays one
	Notes     []string             `json:"notes,omitempty"`
	Error     *Failure             `json:"error"`
}

// Brief is how a run stands for a model, which reads the steps in the text beside it.
type Brief struct {
	SessionID string               `json:"session_id,omitempty"`
	State     store.State          `json:"state,omitempty"`
	Reason    agentloop.StopReason `json:"stop_reason,omitempty"`
	Global    int                  `json:"global_step_idx,omitempty"`
	Pictures  []int                `json:"pictures,omitempty"`
	Answer    *string              `json:"answer"`
	Verified  *Verification        `json:"verification,omitempty"`
	JSON      json.RawMessage      `json:"answer_json,omitempty"`
	Misfit    string               `json:"answer_misfit,omitempty"`
	Skill     *skill.Report        `json:"skill,omitempty"`
	Question  *briefQuestion       `json:"question"`
	Next      *Next                `json:"next"`
	Error     *Failure             `json:"error,omitempty"`
}

// briefQuestion is an open question without what only programs use.
type briefQuestion struct {
	*OpenQuestion
	InquiryID      string `json:"inquiryId,omitempty"`
	OnTimeout      string `json:"on_timeout,omitempty"`
	Interrupts     string `json:"interrupts,omitempty"`
	Channels       string `json:"channels,omitempty"`
	ReplyURL       string `json:"reply_url,omitempty"`
	AskedAt        string `json:"asked_at,omitempty"`
	AttentionUntil string `json:"attention_until,omitempty"`
	Round          string `json:"round,omitempty"`
}

// Brief is the part of r that is for models.
func (r *Result) Brief() Brief {
	out := Brief{SessionID: r.SessionID, State: r.State, Reason: r.Reason, Global: r.Global,
		Pictures: r.Pictures, Answer: r.Answer, JSON: r.JSON, Skill: r.Skill, Next: r.Next,
		Error: r.Error, Verified: r.Verified, Misfit: r.Misfit}
	if r.Question != nil {
		out.Question = &briefQuestion{OpenQuestion: r.Question}
	}
	return out
}

// Verification is what the end of a completed run was held against.
type Verification struct {
	Verdict  agentloop.Verified `json:"verdict"`
	Evidence string             `json:"evidence"`
	Frame    int                `json:"frame"` // the step whose picture shows it
}

// Device is the phone of a session.
type Device struct {
	ID      string `json:"device_id"`
	Size    [2]int `json:"device_wm_size"`
	Model   string `json:"model,omitempty"`
	Android string `json:"android_version,omitempty"`
}

// NewDevice is the phone of a stored session.
func NewDevice(d store.Device) *Device {
	return &Device{d.ID, [2]int{d.Size.W, d.Size.H}, d.Model, d.Android}
}

// Step is one step of a run.
type Step struct {
	Action  json.RawMessage `json:"agent_action"` // see actions.Decision.AgentAction
	Global  int             `json:"global_step_idx"`
	Caption string          `json:"screenshot_caption,omitempty"`

	Line string `json:"-"` // the step in words, for the text of a result
}

// Timing is where the time went.
type Timing struct {
	Waited int64 `json:"waited_ms"`
	Budget int64 `json:"wait_budget_ms"`
	Run    int64 `json:"run_ms"`
	Asked  int64 `json:"asked_ms"`
	Model  int64 `json:"model_ms"`

	Parts export.Parts `json:"parts_ms"`
}

// Waiting is how long a call took, and how long it would have waited at most.
type Waiting struct {
	Waited int64 `json:"waited_ms"`
	Budget int64 `json:"wait_budget_ms"`
}

// NewWaiting is a waiting in milliseconds.
func NewWaiting(waited, budget time.Duration) Waiting {
	return Waiting{waited.Milliseconds(), budget.Milliseconds()}
}

// Usage is what the run has cost.
type Usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Again      int `json:"asked_again,omitempty"`
}

// New is the result of a call that was carried out, without earlier steps and the call that comes
// next.
func New(st runs.Status) (Result, error) {
	d := st.Session.Device
	r := Result{
		SessionID: st.Session.ID,
		RunID:     st.Run.ID,
		State:     st.Run.State,
		Reason:    st.Reason,
		Task:      st.Run.Task,
		Replayed:  st.Replayed,
		Device:    NewDevice(d),
		Local:     st.Local,
		Global:    st.Session.Steps,
		Delta:     len(st.Steps),
		Timing: &Timing{Waited: st.Waited.Milliseconds(), Budget: st.Budget.Milliseconds(),
			Run:   st.Usage.Work().Milliseconds(),
			Asked: st.Usage.Asked.Milliseconds(), Model: st.Usage.Timing.Decide.Milliseconds(),
			Parts: export.NewParts(st.Usage.Timing)},
		Usage: &Usage{st.Usage.PromptTokens, st.Usage.CompletionTokens, st.Usage.Again},
		Skill: skill.ReportOf(st.Run, st.Usage),
	}
	r.warn(st)
	if st.Last != nil && st.Local > 0 { // else it is of a former task
		last, err := newStep(*st.Last)
		if err != nil {
			return r, err
		}
		r.Final = &last
	}
	if st.Run.State == store.Completed {
		r.Answer = &st.Run.Answer
		r.addVerification(st.Run.Progress.Verification)
	}
	if st.Question != nil {
		r.Question = NewQuestion(*st.Question)
		r.Question.Interrupts = st.Question.Interrupts()
	}
	if st.Message != "" && st.Reason != agentloop.UserPaused { // what was wanted is no error
		r.Error = &Failure{Code: string(st.Reason), Message: st.Message, Hint: st.Hint}
	}
	return r, nil
}

// warn notes what a person should know of the run.
func (r *Result) warn(st runs.Status) {
	for _, w := range st.Run.Progress.Warnings {
		r.Notes = append(r.Notes, w.Text)
	}
	if st.Stalled {
		r.Notes = append(r.Notes, "the data folder does not answer, and the run waits for it: "+
			"another program, a backup or a database browser, may have taploop.db open")
	}
	for _, g := range st.Unasked {
		r.Notes = append(r.Notes, "a person lets sensitive actions be carried out without asking "+
			"(taploop yolo status): "+g)
	}
}

// addVerification says what the end was held against.
func (r *Result) addVerification(v *agentloop.Verification) {
	if v == nil {
		return
	}
	if v.Verdict != "" {
		r.Verified = &Verification{v.Verdict, v.Evidence, v.Step}
	}
	if r.JSON, r.Misfit = v.JSON, v.Misfit; v.Misfit != "" {
		r.JSON = json.RawMessage("null")
		r.Notes = append(r.Notes, "answer_json is null: "+v.Misfit)
	}
}

// Failed is the result of a call that could not be carried out.
func Failed(err error) Result {
	f := NewFailure(err)
	return Result{Error: &f, Question: f.Open}
}

// newStep is a stored step without its picture.
func newStep(s store.StepRecord) (Step, error) {
	a, err := s.Proposal.AgentAction()
	return Step{Action: a, Global: s.Index, Caption: s.Proposal.Caption,
		Line: export.Line(s.Step)}, err
}

// Earlier are all steps of the status but the last, which is the final action.
func Earlier(st runs.Status) []store.StepRecord {
	return st.Steps[:max(len(st.Steps)-1, 0)]
}

// AddLogs lists the earlier steps.
func (r *Result) AddLogs(st runs.Status, captions bool) error {
	r.Logs = []Step{}
	for _, s := range Earlier(st) {
		l, err := newStep(s)
		if err != nil {
			return err
		}
		if !captions {
			l.Caption = ""
		}
		r.Logs = append(r.Logs, l)
	}
	return nil
}
