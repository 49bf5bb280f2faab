package usecase

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
)

// Running is what every call may say that begins or continues a run. The tags of requests
// are those of package schema, which reads them at the edges. The steps and the waits are bounded
// more tightly by configuration, and cut down to that.
type Running struct {
	Device     string          `json:"device_id,omitempty" max:"200"`
	MaxSteps   int             `json:"max_steps" default:"20" min:"1" max:"1000"`
	Extra      json.RawMessage `json:"extra_info,omitempty" listed:"gelab"`
	Seconds    *float64        `json:"wait_seconds,omitempty" max:"3600"`
	Queue      bool            `json:"queue" default:"false" listed:"gelab"`
	DetachedOK *bool           `json:"detached_ok,omitempty" listed:"gelab"`
	Verify     string          `json:"verify,omitempty" max:"20" listed:"gelab"`
	Schema     json.RawMessage `json:"answer_schema,omitempty" listed:"gelab"`
	Showing
}

// Reply is an answer to a session's question.
type Reply struct {
	Words      string `json:"reply_from_client,omitempty" max:"10000"`
	QuestionID string `json:"question_id,omitempty" max:"200"`
	ReplyID    string `json:"reply_id,omitempty" max:"200" listed:"inquiry"`
	// of a hand-over
	ReplyType inquiry.Type  `json:"reply_type,omitempty" listed:"inquiry"`
	Remember  inquiry.Scope `json:"remember,omitempty" listed:"inquiry"`
	// about actions that wait for them (nil for none)
	Decisions []Decision `json:"decisions,omitempty" max:"50" listed:"inquiry"`
	Secret    bool       `json:"-"` // the answer is one, whatever the question asks for
}

// Decision is an inquiry.Decision with its bounds.
type Decision struct {
	Type    string          `json:"type" max:"20"`
	Edited  json.RawMessage `json:"edited_action,omitempty"` // an inquiry.EditedAction
	Message string          `json:"message,omitempty" max:"4000"`
}

// Start begins a session with a task.
type Start struct {
	Task      string `json:"task" max:"20000"`
	ReplyMode string `json:"reply_mode" max:"200" default:"{reply_mode}"`
	Reset     bool   `json:"reset_environment" default:"true"`
	Key       string `json:"idempotency_key,omitempty" max:"200" listed:"gelab"`
	Supersede bool   `json:"supersede" default:"false" listed:"gelab"`
	Turn             // how it waits with Queue
	// Phone are the labels of the phone that is wanted, see runs.Wanted.
	Phone json.RawMessage `json:"phone,omitempty"`
	// Skill is what the run replays, see runs.Settings, or nil.
	Skill json.RawMessage `json:"-"`
	// Moving says that something was opened just before: the first step waits for rest.
	Moving bool `json:"-"`
	// Sparing is that of runs.StartRequest.
	Sparing bool `json:"-"`
	Running
}

// Turn is how a task waits for its phone.
type Turn struct {
	Priority     Priority `json:"priority" default:"normal" listed:"gelab"`
	QueueSeconds float64  `json:"queue_seconds,omitempty" min:"1" max:"604800" listed:"gelab"`
}

// Priority is where a task waits among those of the same client. "" is Normal.
type Priority string

// The priorities.
const (
	Low    Priority = "low"
	Normal Priority = "normal"
	High   Priority = "high"
)

// MostQueued is the longest that a task may wait in a line.
const MostQueued = 7 * 24 * time.Hour

var ranks = map[Priority]int{Low: -1, "": 0, Normal: 0, High: 1}

// Of is the turn that begins now, of a task that queues or does not.
func (t Turn) Of(queue bool) (out runs.Turn, err error) {
	rank, known := ranks[t.Priority]
	wait := t.QueueSeconds
	switch {
	case !known:
		err = runs.Refuse(runs.InvalidArgument, "pass low, normal or high",
			"there is no priority %q", t.Priority)
	case wait != 0 && (wait < 1 || wait > MostQueued.Seconds()):
		err = runs.Refuse(runs.InvalidArgument, "pass 1 to 604800 seconds, or leave it out",
			"the wait for a phone has to be between 1s and 168h, not %vs", wait)
	case !queue && (rank != 0 || wait != 0):
		err = runs.Refuse(runs.InvalidArgument, "ask for that too (queue), or leave them out",
			"a priority and the longest wait only apply to a task that queues")
	case wait != 0:
		out.Until = time.Now().Add(time.Duration(wait * float64(time.Second)))
	}
	out.Rank = rank
	return out, err
}

// Start begins a session with a task, and waits for it.
func (u *Cases) Start(ctx context.Context, c *Call, a Start) (*Outcome, error) {
	began := time.Now()
	a.MaxSteps = cmp.Or(a.MaxSteps, c.Steps)
	set, err := u.settings(c, a.Running, a.ReplyMode, runs.Settings{ReplyMode: u.opts.ReplyMode})
	if err != nil {
		return nil, err
	}
	fit := u.fitting(c, &a)
	set.Skill = a.Skill
	turn, err := a.Turn.Of(a.Queue)
	if err != nil {
		return nil, err
	}
	wanted, err := runs.ParseWanted(a.Phone)
	if err != nil {
		return nil, err
	}
	st, err := u.opts.Runs.Start(ctx, runs.StartRequest{
		Task: a.Task, Serial: a.Device, Phone: wanted, MaxSteps: a.MaxSteps,
		KeepEnvironment: !a.Reset, Moving: a.Moving,
		Queue: a.Queue, Turn: turn, Supersede: a.Supersede, Sparing: a.Sparing, By: c.By,
		Client: c.Client, Key: a.Key, Settings: set,
	})
	if err != nil {
		return nil, err
	}
	return u.follow(ctx, c, &wait{began: began, budget: c.Budget(a.Seconds),
		Outcome: Outcome{Status: st, Shown: a.Shown(), Cut: u.cutSteps(a.MaxSteps), Fit: fit}})
}

// changes reports whether the call changes settings of the run.
func (a Running) changes() bool {
	return a.Extra != nil || a.DetachedOK != nil || a.Verify != "" ||
		a.Schema != nil || a.Showing != Showing{}
}

// settings are those of a run that the call begins or takes up. What the call leaves out stays as
// it was before.
func (u *Cases) settings(c *Call, a Running, mode string, before runs.Settings) (
	runs.Settings, error) {
	kept, err := clientSettingsOf(before)
	if err != nil {
		return before, err
	}
	if err := small("extra_info", a.Extra, 10_000); err != nil {
		return before, err
	}
	if kept.Show == nil || a.Showing != (Showing{}) {
		kept.Show = new(a.Shown())
	}
	if a.Extra != nil {
		kept.Extra = a.Extra
	}
	client, err := text.Marshal(kept)
	if err != nil {
		return before, err
	}
	shown := kept.Show.Private(u.opts.Privacy)
	out := runs.Settings{ReplyMode: before.ReplyMode, DetachedOK: before.DetachedOK,
		Verify: cmp.Or(a.Verify, before.Verify), AnswerSchema: before.AnswerSchema,
		Forms:  c.Forms != nil && c.Person,
		Client: client, Captions: shown.Captions,
		FinalCaption: shown.FinalCaption}
	if mode != "" {
		if out.ReplyMode, err = channel.Parse(mode); err != nil {
			return before, runs.Coded(runs.InvalidArgument, err)
		}
	}
	out.ReplyMode = c.mode(out.ReplyMode, u.opts.ReplyMode)
	if err := small("answer_schema", a.Schema, 20_000); err != nil {
		return before, err
	}
	if a.Schema != nil {
		out.AnswerSchema = a.Schema
	}
	if a.DetachedOK != nil {
		out.DetachedOK = *a.DetachedOK
	}
	if out.ReplyMode != before.ReplyMode || before.Client == nil {
		return out, c.canShow(out.ReplyMode)
	}
	return out, nil
}

// cutSteps is how many steps the call wanted, if the server allows fewer, or 0.
func (u *Cases) cutSteps(wanted int) int {
	if u.opts.MaxSteps == 0 || wanted <= u.opts.MaxSteps {
		return 0
	}
	return wanted
}

// Continue answers a session's question, gives it more steps, or begins a related task.
type Continue struct {
	SessionID string `json:"session_id,omitempty" max:"200"`
	Task      string `json:"task,omitempty" max:"20000"`
	Message   string `json:"message,omitempty" max:"2000"`
	ReplyMode string `json:"reply_mode,omitempty" max:"200" listed:"gelab"`
	Reset     bool   `json:"reset_environment" default:"false" listed:"gelab"`
	Key       string `json:"idempotency_key,omitempty" max:"200" listed:"gelab"`
	// The caller asks the run's questions at the terminal, see UntilEnd.
	Here bool `json:"-"`
	Reply
	Running
}

// Continue continues a session as the request says, and waits for it. Without a session it is
// the caller's newest one on the phone.
func (u *Cases) Continue(ctx context.Context, c *Call, a Continue) (*Outcome, error) {
	began := time.Now()
	a.MaxSteps = cmp.Or(a.MaxSteps, c.Steps)
	if a.SessionID == "" {
		var err error
		if a.SessionID, err = u.newestOn(ctx, c, a.Device); err != nil {
			return nil, err
		}
	}
	before, err := u.statusOf(ctx, c, a.SessionID)
	if err != nil {
		return nil, err
	}
	if a.Message != "" {
		return u.steer(ctx, c, a, before)
	}
	if a.Words != "" || a.Decisions != nil {
		a.ReplyID = cmp.Or(a.ReplyID, a.Key)
	}
	answer, err := a.answer(c)
	if err != nil {
		return nil, err
	}
	r := runs.ContinueRequest{SessionID: before.Session.ID, Serial: a.Device, Task: a.Task,
		Reply: answer, QuestionID: a.QuestionID, MaxSteps: a.MaxSteps, ResetEnvironment: a.Reset,
		Queue: a.Queue, Here: a.Here, Key: a.Key, By: c.By}
	if a.ReplyMode != "" || c.Mode != "" || a.changes() {
		set, err := u.settings(c, a.Running, a.ReplyMode, before.Settings)
		if err != nil {
			return nil, err
		}
		r.Settings = &set
	}
	st, err := u.opts.Runs.Continue(ctx, r)
	if err != nil {
		return nil, err
	}
	w := &wait{began: began, budget: c.Budget(a.Seconds),
		Outcome: Outcome{Status: st, Shown: a.Shown(), Cut: u.cutSteps(a.MaxSteps)}}
	if a.Here {
		w.here = &r
	}
	switch {
	case answer != nil && st.Answered != nil && st.Answered.Secret:
		w.Reply = inquiry.Masked
	case answer != nil:
		w.Reply = answer.Response
	}
	return u.follow(ctx, c, w)
}

// newestOn is the caller's session that changed last on the phone.
func (u *Cases) newestOn(ctx context.Context, c *Call, serial string) (string, error) {
	if serial == "" {
		return "", Missing(ArgSession, "pass %s as the result that began it names it, or %s for "+
			"your newest session there", ArgSession, ArgPhone)
	}
	on := store.Filter{Owners: c.Owners(), Serial: serial, Limit: 1}
	found, err := u.opts.Store.Sessions(ctx, on)
	if err == nil && len(found) == 0 { // it may be an address
		if p, err := u.opts.Phones.Open(ctx, serial); err == nil {
			on.Serial = p.Device().ID
			p.Close() // nothing was changed on it
		}
		found, err = u.opts.Store.Sessions(ctx, on)
	}
	if err == nil && len(found) == 0 {
		err = runs.Refuse(runs.SessionNotFound,
			"name another session, or start a new task on that phone",
			"you have no session on phone %s", text.Quote(serial, 60))
	}
	if err != nil {
		return "", err
	}
	return found[0].ID, nil
}

// decisionsOf are the decisions of a request.
func decisionsOf(list []Decision) ([]inquiry.Decision, error) {
	out := make([]inquiry.Decision, len(list))
	for i, d := range list {
		out[i] = inquiry.Decision{Type: d.Type, Message: d.Message}
		if len(d.Edited) == 0 || string(d.Edited) == "null" {
			continue
		}
		var err error
		if out[i].EditedAction, err = inquiry.ParseEdit(string(d.Edited)); err != nil {
			return nil, invalid("pass an edited action as {name, args}",
				"decision %d: %w", i+1, err)
		}
	}
	return out, nil
}

// answer is the answer in the request, or nil.
func (a Reply) answer(c *Call) (*inquiry.Reply, error) {
	sent := inquiry.Sent{Type: a.ReplyType}
	if a.Words != "" {
		sent.Words = &a.Words
	}
	if a.Decisions != nil {
		var err error
		if sent.Decisions, err = decisionsOf(a.Decisions); err != nil {
			return nil, err
		}
	}
	given, misfit := sent.Reply()
	r := &given
	switch misfit {
	case inquiry.Fits:
	case inquiry.Nothing:
		return nil, a.without()
	default:
		return nil, mend("pass %s about actions that wait for them, %s for anything else",
			ArgDecisions, ArgReply).because("there are both decisions and an answer")
	}
	r.Remember, r.ID, r.Channel = a.Remember, a.ReplyID, c.By.Channel
	r.Secret, r.By = a.Secret, c.By.Name
	if c.By.Channel == inquiry.ChannelMCP { // the Manager knows whose word it is
		return r, nil
	}
	r.Authority = c.By.Authority
	if r.Type == inquiry.TypeDecisions && !inquiry.IsPerson(r.Authority) {
		r.Authority = inquiry.AuthorityToken
	}
	return r, nil
}

// without refuses what only goes with an answer.
func (a Reply) without() error {
	for _, given := range []struct {
		name  Argument
		value string
	}{{ArgQuestion, a.QuestionID}, {ArgReplyID, a.ReplyID}, {ArgRemember, string(a.Remember)}} {
		if given.value != "" {
			return mend("pass %s with your user's answer, or leave %s out", ArgReply, given.name).
				because("%s is for an answer, and %s is missing", given.name, ArgReply)
		}
	}
	return nil
}
