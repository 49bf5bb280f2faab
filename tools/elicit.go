package tools

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/internal/mcptransport"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/runs"
	"github.com/taploop/taploop/session"
)

// mostForms is how often a question is shown again because the answer does not fit, before the next door has its turn.
const mostForms = 5

// Why a form is closed, as the client is told.
var (
	errSettled  = errors.New("the question was settled in another way")
	errLater    = errors.New("the time for this form is over; the question is still open")
	errNoLonger = errors.New("the run does not wait for the answer any more")
)

// inForm is the open question that is to be shown in a form; nil when none is.
func inForm(st runs.Status) *inquiry.Question {
	if st.Door != runs.Elicit {
		return nil
	}
	return st.Question
}

// canShow refuses a call that wants its questions to be asked in forms only, from a client that shows none.
func (c *call) canShow(mode runs.ReplyMode) error {
	if c.forms || !slices.Equal(mode.Doors(), []runs.ReplyMode{runs.Elicit}) {
		return nil
	}
	return invalid(`use pass_to_client, or "elicit -> pass_to_client"`, "reply mode %s needs a client that shows forms to its user, and this one does not", runs.Elicit)
}

// elicit asks the client's user in a form, at most until end. form is not nil when the client has to call again with the answer.
// When it returns nil and nil the question is settled, or its next door has its turn, or the time is over.
func (t *Tools) elicit(ctx context.Context, c *call, f *following, q inquiry.Question, end time.Time) (form *reply, err error) {
	switch {
	case !c.forms:
		t.passOn(q, "the client shows no forms to its user")
	case q.Secret: // "Servers MUST NOT use form mode elicitation to request sensitive information"
		t.passOn(q, "a secret must not be asked for in a form")
	case c.alone:
		return t.formReply(c, q, 1, ""), nil
	default:
		return nil, t.dialog(ctx, c, f, q, end)
	}
	return nil, nil
}

// untilTurn is how long the door has its turn still, but never nothing at all; a day when that is not bounded.
func untilTurn(q inquiry.Question, door runs.ReplyMode) time.Duration {
	const least = 100 * time.Millisecond
	i := slices.IndexFunc(q.Doors, func(d inquiry.Door) bool { return d.Name == string(door) })
	switch {
	case i < 0 && door != "": // its turn is over, and the next one's begins in this moment
		return least
	case i < 0 || q.Doors[i].Until.IsZero():
		return inquiry.MaxAttention
	}
	return max(time.Until(q.Doors[i].Until), least)
}

// dialog shows the form, on the stream of the call, until there is an answer that fits.
func (t *Tools) dialog(ctx context.Context, c *call, f *following, q inquiry.Question, end time.Time) error {
	showing, closeForm := context.WithCancelCause(ctx)
	showing, late := context.WithTimeoutCause(showing, min(time.Until(end), untilTurn(q, runs.Elicit)), errLater)
	var helpers sync.WaitGroup
	defer helpers.Wait()
	defer closeForm(nil)
	defer late()
	helpers.Go(func() { t.closeWhenSettled(showing, q, closeForm) })
	if q.RunID != "" {
		watch := t.opts.Runs.Watch(q.SessionID)
		defer watch.Close()
		helpers.Go(func() { closeWhenMoved(showing, watch, closeForm) })
	}

	problem := ""
	for range mostForms {
		answer, err := t.show(showing, c, formOf(q, problem, c.tongue))
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && showing.Err() != nil:
			t.tellSettled(ctx, c, q)
			return nil
		case err != nil:
			t.passOn(q, "the client did not show the form: "+text.Cut(text.Line(err.Error()), 200))
			return nil
		}
		if problem, err = t.take(ctx, c, f, q, answer); err != nil || problem == "" {
			return err
		}
	}
	t.passOn(q, "no answer in the form did fit: "+text.Cut(text.Line(problem), 200))
	return nil
}

func (t *Tools) closeWhenSettled(ctx context.Context, q inquiry.Question, closeForm context.CancelCauseFunc) {
	if now, err := t.opts.Runs.Broker().Wait(ctx, q.ID); err == nil && !now.Open() {
		closeForm(errSettled)
	}
}

// closeWhenMoved closes the form when the run is paused.
func closeWhenMoved(ctx context.Context, watch *runs.Watch, closeForm context.CancelCauseFunc) {
	for {
		select {
		case e, open := <-watch.C:
			if !open {
				return
			}
			if e.Kind == runs.StateChanged && e.State == session.Paused {
				closeForm(errNoLonger)
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// show asks once, and tells meanwhile that the call is alive.
func (t *Tools) show(ctx context.Context, c *call, form mcp.ElicitationParams) (*mcp.ElicitationResult, error) {
	type shown struct {
		answer *mcp.ElicitationResult
		err    error
	}
	ended := make(chan shown, 1)
	go func() { // show waits for it
		answer, err := mcptransport.Elicit(ctx, form)
		ended <- shown{answer, err}
	}()
	beat := time.NewTicker(c.waits.Heartbeat)
	defer beat.Stop()
	for {
		select {
		case s := <-ended:
			return s.answer, s.err
		case <-beat.C:
			c.told.say(ctx, c.told.step(), 0, "the question is shown in a form", nil)
		}
	}
}

// take settles the question with what came from the form. problem is what is wrong with an answer that does not fit.
func (t *Tools) take(ctx context.Context, c *call, f *following, q inquiry.Question, answer *mcp.ElicitationResult) (problem string, err error) {
	r := inquiry.Reply{Type: inquiry.TypeAnswer, Channel: inquiry.ChannelElicit, Authority: inquiry.AuthorityClientUI}
	switch {
	case answer == nil:
		t.passOn(q, "the client brought no answer")
		return "", nil
	case answer.Action == mcp.ElicitationResponseActionAccept:
		r.Response = responseIn(q, answer.Content)
	case answer.Action == mcp.ElicitationResponseActionDecline:
		r.Type = inquiry.TypeDecline
	default:
		t.passOn(q, "the form was closed without an answer")
		return "", nil
	}
	_, err = t.opts.Runs.Broker().Resolve(ctx, q.ID, r)
	var unfit *inquiry.InvalidReplyError
	switch {
	case errors.As(err, &unfit):
		return unfit.Error(), nil
	case inquiry.Late(err):
		f.notes = append(f.notes, "what your user said in the form came too late: "+text.Cut(text.Line(err.Error()), 300))
		err = nil
	}
	t.tellSettled(ctx, c, q)
	return "", err
}

// tellSettled tells the client that the question of a form is settled, if it is.
func (t *Tools) tellSettled(ctx context.Context, c *call, q inquiry.Question) {
	now, err := t.opts.Runs.Broker().Get(ctx, q.ID)
	if err == nil && !now.Open() && c.told.first(now) {
		c.told.say(ctx, c.told.step(), 0, settledLine(now), t.metaSettled(now))
	}
}

// formID is the name of the form in a result that asks.
const formID = "question"

// formReply is the result that asks the client to show the form, and to call again with the answer.
func (t *Tools) formReply(c *call, q inquiry.Question, shown int, problem string) *reply {
	return &reply{form: mcptransport.InputRequired(t.sealed(q, shown), formID, formOf(q, problem, c.tongue))}
}

// brings reports whether the call was made before, and brings the answer to the form that it was given instead of a result.
func (c *call) brings() bool {
	return c.request.Params.RequestState != "" || len(c.request.Params.InputResponses) > 0
}

// brought takes the answer that comes with a call that is made again. What the call had to begin was begun the first time.
func (t *Tools) brought(ctx context.Context, c *call) (*reply, error) {
	began := time.Now()
	state, err := t.unsealed(c.request.Params.RequestState)
	if err != nil {
		return nil, err
	}
	q, err := t.question(ctx, c, state.Question)
	if err != nil {
		return nil, err
	}
	inquired := c.request.Params.Name == inquiryTool
	if id := c.args.text("session_id"); q.SessionID != state.Session || id != "" && id != q.SessionID || inquired != (q.RunID == "") {
		return nil, invalid("send requestState back as it was given, with the same arguments", "the requestState belongs to another call")
	}
	f := &following{began: began, since: c.args.int("since_step"), question: c.args.text("question_id")}
	problem, err := t.take(ctx, c, f, q, mcptransport.Answer(c.request, formID))
	switch {
	case err != nil:
		return nil, err
	case problem != "" && state.Shown < mostForms:
		return t.formReply(c, q, state.Shown+1, problem), nil
	case problem != "":
		t.passOn(q, "no answer in the form did fit: "+text.Cut(text.Line(problem), 200))
	}
	if inquired {
		return t.followInquiry(ctx, c, f, q.ID)
	}
	if f.status, err = t.opts.Runs.Status(ctx, q.SessionID); err != nil {
		return nil, err
	}
	if f.shows, err = showsIn(f.status.Settings); err != nil {
		return nil, err
	}
	return t.follow(ctx, c, f)
}

// passOn says that the form has no answer, and why. A run's question goes to its next door; an inquiry is open at its other
// doors already, and is not shown in a form again.
func (t *Tools) passOn(q inquiry.Question, why string) {
	if q.RunID != "" {
		t.opts.Runs.PassOn(q, runs.Elicit, why)
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.closed) >= mostClosed {
		clear(t.closed)
	}
	t.closed[q.ID] = true
}

// mostClosed is how many inquiries are remembered as not to be shown again.
const mostClosed = 10_000

// inquiryInForm reports whether an inquiry is to be shown in a form.
func (t *Tools) inquiryInForm(c *call, q inquiry.Question) bool {
	if !q.Open() || !c.forms || !slices.ContainsFunc(q.Doors, func(d inquiry.Door) bool { return d.Name == string(runs.Elicit) }) {
		return false
	}
	return !t.formClosed(q.ID)
}

// formClosed reports whether the form of an inquiry was closed without an answer.
func (t *Tools) formClosed(id string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.closed[id]
}
