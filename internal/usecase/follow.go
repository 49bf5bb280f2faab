package usecase

import (
	"cmp"
	"context"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/runs"
)

// Outcome is how a run stands after a call.
type Outcome struct {
	Status runs.Status
	Shown  Shown
	Reply  string // the answer that the call gave, as it may be shown
	// the steps after this one are listed (0 means those of the present call of the run)
	Since       int
	NotPickedUp error              // why a paused run did not go on, or nil
	Cut         int                // the steps that the call wanted, if they were too many
	Fit         *Fit               // a skill that does the task, or nil
	Late        string             // why the answer in a form came too late, or ""
	Asked       []inquiry.Question // of a goal's agents that wait
	// Settled are the questions that were asked in the listed steps, and are not open.
	Settled []inquiry.Question

	here *runs.ContinueRequest // continues the run with an answer from the terminal, or nil
}

// wait is a call that waits for a run.
type wait struct {
	Outcome
	began    time.Time
	budget   time.Duration
	question string // a question whose settling is waited for
}

func (w *wait) end() time.Time { return w.began.Add(w.budget) }

// PickUp is the hint about a run that paused only because no client waited for it.
const PickUp = "wait for the run, which lets it go on"

// follow waits for the run within the call's budget, reports progress, and shows its questions to
// the caller's user when that is wanted. If ctx ends first, the call detaches and the run
// continues.
func (u *Cases) follow(ctx context.Context, c *Call, w *wait) (*Outcome, error) {
	detach := u.opts.Runs.Attach(w.Status.Session.ID)
	defer detach()
	c.begun()
	replayed := w.Status.Replayed
	if err := u.attend(ctx, c, w); err != nil {
		return nil, err
	}
	st := &w.Status
	st.Waited, st.Budget, st.Replayed = time.Since(w.began), w.budget, replayed
	if st.Reason == agentloop.ClientDetached {
		st.Hint = PickUp
		if w.NotPickedUp != nil {
			st.Message, st.Hint = w.NotPickedUp.Error(), hint.Of(w.NotPickedUp)
		}
	}
	return &w.Outcome, u.complete(ctx, &w.Outcome)
}

// complete adds what the status does not say.
func (u *Cases) complete(ctx context.Context, o *Outcome) error {
	open, err := u.opts.Runs.AskedMeanwhile(ctx, o.Status)
	if err != nil {
		return err
	}
	o.Asked = open
	// an answer counts from the step after the one that asked
	from := cmp.Or(o.Since, o.Status.Session.Steps-o.Status.Local)
	all, err := u.opts.Questions.List(ctx, inquiry.Filter{RunID: o.Status.Run.ID})
	for _, q := range all {
		if q.Step >= from && q.Resolution != nil {
			o.Settled = append(o.Settled, q)
		}
	}
	return err
}

// outcome is that of a call which does not wait.
func (u *Cases) outcome(ctx context.Context, st runs.Status) (*Outcome, error) {
	shown, err := shownOf(st.Settings)
	if err != nil {
		return nil, err
	}
	o := &Outcome{Status: st, Shown: shown}
	return o, u.complete(ctx, o)
}

// attend waits within the budget, and shows questions in forms.
func (u *Cases) attend(ctx context.Context, c *Call, w *wait) error {
	end := w.end()
	elicits := w.Status.Settings.ReplyMode.Has(channel.Elicit)
	waitedFor := func() bool {
		return w.Status.Question != nil && w.Status.Question.ID == w.question
	}
	for {
		if q := inForm(w.Status); q != nil && time.Now().Before(end) {
			if err := u.inForm(ctx, c, w, *q); err != nil {
				return err
			}
		}
		left := max(time.Until(end), 0)
		req := runs.WaitRequest{SessionID: w.Status.Session.ID, SinceStep: w.Since, Budget: left}
		known := waitedFor() && inForm(w.Status) == nil
		if known || !elicits {
			req.QuestionID = w.question
		}
		if known && elicits { // a form may come later
			req.Budget = min(left, UntilNextChannel(*w.Status.Question, w.Status.Asking))
		}
		var err error
		if w.Status, err = u.await(ctx, c, w.Status, req); err != nil {
			return err
		}
		open := elicits && waitedFor() && w.Status.Run.State.Waiting()
		again := inForm(w.Status) != nil || open
		again = again && time.Now().Before(end)
		if !again && w.Status.Asking == channel.PassToClient {
			again, err = u.withDraft(ctx, w)
		}
		if !again || err != nil {
			return err
		}
	}
}

// inForm shows the run's question in a form, or says why it cannot be.
func (u *Cases) inForm(ctx context.Context, c *Call, w *wait, q inquiry.Question) error {
	if c.Forms == nil {
		u.Questions.Decline(q, "the client shows no forms to its user")
		return nil
	}
	out, err := c.Forms.Show(ctx, q, w.end())
	w.Late = cmp.Or(out.Late, w.Late)
	return err
}

// withDraft adds the draft of the answer that the client is asked for, when one is being made and
// comes soon. again says that the question was settled meanwhile.
func (u *Cases) withDraft(ctx context.Context, w *wait) (again bool, err error) {
	q := u.Questions.Drafted(ctx, *w.Status.Question, w.end())
	if !q.Open() {
		w.Status, err = u.opts.Runs.Status(ctx, w.Status.Session.ID)
		return true, err
	}
	w.Status.Question = &q
	return false, nil
}

// await is Manager.Wait, with progress when the client wants it.
func (u *Cases) await(ctx context.Context, c *Call, st runs.Status, req runs.WaitRequest) (
	runs.Status, error) {
	if c.Report == nil {
		return u.opts.Runs.Wait(ctx, req)
	}
	return u.watch(ctx, c, st, req)
}

// statusOf tells how a session of the caller stands.
func (u *Cases) statusOf(ctx context.Context, c *Call, id string) (runs.Status, error) {
	sess, err := u.opts.Runs.Session(ctx, id, c.Owners())
	if err != nil {
		return runs.Status{}, err
	}
	c.session = sess.ID
	return u.opts.Runs.Status(ctx, sess.ID)
}
