package tools

import (
	"context"
	"slices"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/tools/result"
)

// tasks are the tools that start, continue, follow, stop and list runs.
type tasks struct {
	*Options
	forms     *forms
	questions *questions
}

// callState is a call that waits for a run or for an answer.
type callState struct {
	status runs.Status
	show   resultOptions
	began  time.Time
	budget time.Duration
	reply  string // the answer that the call gave, as it may be shown
	// the steps after this one are listed; 0 means those of the present call of the run
	since    int
	question string           // a question whose settling is waited for
	answered inquiry.Question // that a form was about, in a call which is made again
	from     int              // characters of an answer that an earlier result had

	replayed  bool     // the form's answer had been accepted before
	resumeErr error    // why a run was not picked up, or nil
	notes     []string // for the result
}

// follow waits for the run within the call's budget, reports progress, shows its questions to the
// client's user when that is wanted, and renders what is true then. When ctx ends first the call
// detaches and the run goes on.
func (t *tasks) follow(ctx context.Context, c *call, s *callState) (*toolResult, error) {
	detach := t.Runs.Attach(s.status.Session.ID)
	defer detach()
	st, form, err := t.attend(ctx, c, s)
	if err != nil || form != nil {
		return form, err
	}
	st.Waited, st.Budget = time.Since(s.began), s.budget
	st.Replayed = s.status.Replayed
	if st.Reason == agentloop.ClientDetached {
		st.Hint = pickUp
		if s.resumeErr != nil {
			st.Message, st.Hint = s.resumeErr.Error(), hint.Of(s.resumeErr)
		}
	}
	if s.notes, err = t.asked(ctx, c, st, s.notes); err != nil {
		return nil, err
	}
	return t.render(ctx, c, st, s)
}

// attend waits within the budget. form is not nil when the client has to ask its user first, and
// call again.
func (t *tasks) attend(ctx context.Context, c *call, s *callState) (
	st runs.Status, form *toolResult, err error) {
	end := s.began.Add(s.budget)
	st = s.status
	elicits := st.Settings.ReplyMode.Has(channel.Elicit)
	waitedFor := func() bool { return st.Question != nil && st.Question.ID == s.question }
	for {
		if q := questionInForm(st); q != nil && time.Now().Before(end) {
			if form, err := t.forms.ask(ctx, c, s, *q, end); err != nil || form != nil {
				return st, form, err
			}
		}
		left := max(time.Until(end), 0)
		req := runs.WaitRequest{SessionID: s.status.Session.ID, SinceStep: s.since, Budget: left}
		known := waitedFor() && questionInForm(st) == nil
		if known || !elicits {
			req.QuestionID = s.question
		}
		if known && elicits { // a form may come later
			req.Budget = min(left, untilNextChannel(*st.Question, st.Asking))
		}
		if st, err = t.await(ctx, c, st, req); err != nil {
			return st, nil, err
		}
		open := elicits && waitedFor() && st.Run.State.Waiting()
		again := questionInForm(st) != nil || open
		if again = again && time.Now().Before(end); !again && st.Asking == channel.PassToClient {
			st, again, err = t.withDraft(ctx, st, end)
		}
		if !again || err != nil {
			return st, nil, err
		}
	}
}

// withDraft is the status with the draft of the answer that the client is asked for, when one is
// being made and comes soon; again says that the question was settled meanwhile.
func (t *tasks) withDraft(ctx context.Context, st runs.Status, end time.Time) (
	now runs.Status, again bool, err error) {
	q := t.forms.drafted(ctx, *st.Question, end)
	if !q.Open() {
		now, err = t.Runs.Status(ctx, st.Session.ID)
		return now, true, err
	}
	st.Question = &q
	return st, false, nil
}

// await is Manager.Wait, with progress when the client wants it.
func (t *tasks) await(ctx context.Context, c *call, st runs.Status,
	req runs.WaitRequest) (runs.Status, error) {
	if c.progress.token == nil {
		return t.Runs.Wait(ctx, req)
	}
	return watchProgress(ctx, t.Options, c, st, req)
}

// retry takes the answer that comes with a call which is made again, and follows the run. What the
// call had to begin was begun the first time.
func (t *tasks) retry(ctx context.Context, c *call) (*toolResult, error) {
	s, form, err := t.forms.take(ctx, c, t.questions)
	if err != nil || form != nil {
		return form, err
	}
	if s.status, err = t.Runs.Status(ctx, s.answered.SessionID); err != nil {
		return nil, err
	}
	s.status.Replayed = s.replayed
	if s.show, err = resultOptionsOf(s.status.Settings); err != nil {
		return nil, err
	}
	return t.follow(ctx, c, s)
}

// statusOf tells how a session of the caller stands.
func (t *tasks) statusOf(ctx context.Context, c *call, id string) (runs.Status, error) {
	sess, err := t.Runs.Session(ctx, id, c.principal)
	if err != nil {
		return runs.Status{}, err
	}
	c.session = sess.ID
	return t.Runs.Status(ctx, sess.ID)
}

// render makes the result of a call that was carried out.
func (t *tasks) render(ctx context.Context, c *call, st runs.Status, s *callState) (
	*toolResult, error) {
	shown := s.show.private(t.Privacy)
	body, err := result.New(st)
	if err != nil {
		return nil, err
	}
	if s.resumeErr != nil && body.Error != nil {
		body.Error = new(result.NewFailure(s.resumeErr))
	}
	if s.reply != "" {
		body.Task, body.Reply = "", s.reply
	}
	settled, err := t.answered(ctx, st, s, c.messages)
	if err != nil {
		return nil, err
	}
	body.Notes = slices.Concat(body.Notes, s.notes, settled)
	t.reach(body.Question)
	if c.gelab && body.Reason == agentloop.TakeoverNeeded { // these clients know their own words
		body.Reason = agentloop.InfoNeedsReply
	}
	body.Next = c.named(Next(st))
	if body.Final != nil && !shown.FinalCaption {
		body.Final.Caption = ""
	}
	if shown.Logs {
		if err := body.AddLogs(st, shown.Captions); err != nil {
			return nil, err
		}
	}
	if s.show.pictures() && t.Privacy == PrivacyCaptions {
		body.Notes = append(body.Notes,
			"this server keeps pictures private: screens are described in words instead")
	}
	pictures, err := t.pictures(ctx, &body, st, shown)
	if err != nil {
		return nil, err
	}
	r := &toolResult{text: func() string { return said(&body, st, c.messages) }}
	err = c.fit(r, &body)
	r.pictures = pictures
	return r, err
}
