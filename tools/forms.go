package tools

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
)

// forms show questions to the users of clients, which MCP calls elicitation.
type forms struct {
	*Options

	mu     sync.Mutex
	closed map[string]bool // inquiries whose form was closed without an answer
}

const (
	mostForms  = 5          // how often a question is shown again because the answer does not fit
	mostClosed = 10_000     // how many inquiries are remembered as not to be shown again
	formID     = "question" // the name of the form in a result that asks
)

// Why a form is closed, as the client reads it.
var (
	errSettled  = errors.New("the question was settled in another way")
	errLater    = errors.New("the time for this form is over; the question is still open")
	errNoLonger = errors.New("the run does not wait for the answer any more")
)

// questionInForm is the open question that is to be shown in a form; nil when none is.
func questionInForm(st runs.Status) *inquiry.Question {
	if st.Asking != channel.Elicit {
		return nil
	}
	return st.Question
}

// canShow refuses a call that wants its questions to be asked in forms only, from a client that
// shows none.
func (c *call) canShow(mode channel.Mode) error {
	if c.forms || !mode.Is(channel.Elicit) {
		return nil
	}
	return invalid(`use pass_to_client, or "elicit -> pass_to_client"`,
		"reply mode %s needs a client that shows forms to its user, and this one does "+
			"not", channel.Elicit)
}

// ask asks the client's user in a form, at most until end. form is not nil when the client has to
// call again with the answer. When both are nil the question is settled, or is with its next
// channel, or the time is over.
func (t *forms) ask(ctx context.Context, c *call, s *callState, q inquiry.Question,
	end time.Time) (*toolResult, error) {
	switch {
	case !c.forms:
		t.decline(q, "the client shows no forms to its user")
	case q.Secret: // "Servers MUST NOT use form mode elicitation to request sensitive information"
		t.decline(q, "a secret must not be asked for in a form")
	}
	if !c.forms || q.Secret {
		return nil, nil
	}
	if q = t.drafted(ctx, q, end); !q.Open() {
		return nil, nil
	}
	if c.stateless {
		return t.formReply(c, q, 1, ""), nil
	}
	return nil, t.dialog(ctx, c, s, q, end)
}

// draftTime is how long after its question a form waits for a model's draft: what it shows does not
// change any more.
const draftTime = 3 * time.Second

// drafted is the question with its draft, when that is being made and comes soon. Every other
// channel has the question meanwhile.
func (t *forms) drafted(ctx context.Context, q inquiry.Question,
	end time.Time) inquiry.Question {
	soon := min(time.Until(q.AskedAt.Add(draftTime)), time.Until(end))
	if soon <= 0 || !t.Drafts || q.Suggestion != nil || inquiry.As[inquiry.Ask](q).Draft != "" || q.ForModels() != nil {
		return q
	}
	events := t.Questions.Subscribe()
	defer events.Close()
	ctx, cancel := context.WithTimeout(ctx, soon)
	defer cancel()
	now, err := t.Questions.Get(ctx, q.ID)
	for err == nil && now.Open() && now.Suggestion == nil {
		var e inquiry.Event
		if e, err = events.Next(ctx); e.Question.ID == q.ID {
			now = e.Question
		}
	}
	if now.ID != "" {
		now.Channels = q.Channels // those that are left
		q = now
	}
	return q
}

// untilNextChannel is how long the question stays with this channel, but never nothing at all; a
// day when that is not bounded.
func untilNextChannel(q inquiry.Question, of channel.Mode) time.Duration {
	const least = 100 * time.Millisecond
	i := q.Index(string(of))
	switch {
	case i < 0 && of != "": // it is over, and the next channel's is about to begin
		return least
	case i < 0 || q.Channels[i].Until.IsZero():
		return inquiry.MaxAttention
	}
	return max(time.Until(q.Channels[i].Until), least)
}

// dialog shows the form, on the stream of the call, until there is an answer that fits.
func (t *forms) dialog(ctx context.Context, c *call, s *callState, q inquiry.Question,
	end time.Time) error {
	showing, closeForm := context.WithCancelCause(ctx)
	showing, late := context.WithTimeoutCause(showing,
		min(time.Until(end), untilNextChannel(q, channel.Elicit)), errLater)
	var helpers sync.WaitGroup
	defer helpers.Wait()
	defer closeForm(nil)
	defer late()
	helpers.Go(func() { t.closeWhenSettled(showing, q, closeForm) })
	if q.RunID != "" {
		watch := t.Runs.Watch(q.SessionID)
		defer watch.Close()
		helpers.Go(func() {
			for e := range watch.C {
				if e.Kind == runs.StateChanged && e.State == store.Paused {
					closeForm(errNoLonger)
				}
			}
		})
	}

	problem := ""
	for range mostForms {
		answer, err := t.show(showing, c, t.form(c, q, problem))
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && showing.Err() != nil:
			t.reportSettled(ctx, c, q.ID)
			return nil
		case err != nil:
			t.decline(q, "the client did not show the form: "+shortLine(err.Error(), 200))
			return nil
		}
		if problem, err = t.settle(ctx, c, s, q, answer); err != nil || problem == "" {
			return err
		}
	}
	t.declineMisfit(q, problem)
	return nil
}

func (t *forms) closeWhenSettled(ctx context.Context, q inquiry.Question,
	closeForm context.CancelCauseFunc) {
	if now, err := t.Questions.Wait(ctx, q.ID); err == nil && !now.Open() {
		closeForm(errSettled)
	}
}

// show asks once, and reports meanwhile that the call is alive.
func (t *forms) show(ctx context.Context, c *call, form mcp.ElicitationParams) (
	answer *mcp.ElicitationResult, err error) {
	err = c.progress.while(ctx, c.waits.Heartbeat, "the question is shown in a form",
		func() (err error) {
			answer, err = transport.Elicit(ctx, form)
			return err
		})
	return answer, err
}

// settle settles the question with what came from the form. problem is what is wrong with an answer
// that does not fit.
func (t *forms) settle(ctx context.Context, c *call, s *callState, q inquiry.Question,
	answer *mcp.ElicitationResult) (
	problem string, err error) {
	r := channel.Elicit.Answer("")
	r.ID = "form of " + q.ID // the same answer again is a retry
	if answer != nil && answer.Action == mcp.ElicitationResponseActionAccept {
		r.Type = cmp.Or(insteadOf(q, answer.Content, c.messages), r.Type)
	}
	switch {
	case answer == nil:
		t.decline(q, "the client brought no answer")
		return "", nil
	case r.Type != inquiry.TypeAnswer: // said instead
	case answer.Action == mcp.ElicitationResponseActionAccept && len(q.Offers()) > 0:
		r = offered(r, q, answer.Content, c.messages)
	case answer.Action == mcp.ElicitationResponseActionAccept:
		r.Response = answerIn(q, answer.Content)
		if len(inquiry.As[inquiry.Form](q).Fields) == 0 {
			r.Remember = rememberedAs(answer.Content, c.messages)
		}
	case answer.Action == mcp.ElicitationResponseActionDecline:
		r.Type = inquiry.TypeDecline
	default:
		t.decline(q, "the form was closed without an answer")
		return "", nil
	}
	res, err := t.Questions.Resolve(ctx, q.ID, r)
	if errors.Is(err, inquiry.ErrReplyIDReused) { // another answer in the same form
		r.ID = ""
		res, err = t.Questions.Resolve(ctx, q.ID, r)
	}
	s.replayed = res.Replayed
	if unfit, is := errors.AsType[*inquiry.InvalidReplyError](err); is {
		return unfit.Error(), nil
	}
	if inquiry.Late(err) {
		why := shortLine(err.Error(), 300)
		s.notes = append(s.notes, "what your user said in the form came too late: "+why)
		err = nil
	}
	if err == nil && r.Type == inquiry.TypeTimeout && res.Question.Open() {
		t.decline(q, "your user gave no answer in time")
	}
	t.reportSettled(ctx, c, q.ID)
	return "", err
}

// reportSettled tells the client that the question is settled, if it is.
func (t *forms) reportSettled(ctx context.Context, c *call, id string) {
	if now, err := t.Questions.Get(ctx, id); err == nil && !now.Open() && c.progress.first(now) {
		c.progress.report(ctx, c.progress.step(), 0, settledLine(now), t.settledMeta(now))
	}
}

// form is the question as the client's user sees it. Forms have no pictures: it says what has.
func (t *forms) form(c *call, q inquiry.Question, problem string) mcp.ElicitationParams {
	form := newForm(q, problem, c.messages)
	seen := q.Kind.Flag() != ""
	if seen && t.BaseURL != "" { // in words: forms are no place for links
		form.Message += "\n\n" + c.messages.OnPage
	}
	return form
}

// formReply is the result that asks the client to show the form, and to call again with the answer.
func (t *forms) formReply(c *call, q inquiry.Question, shown int, problem string) *toolResult {
	state := t.signState(formState{q.ID, c.digest(), shown})
	return &toolResult{form: transport.InputRequired(state, formID, t.form(c, q, problem))}
}

// isRetry reports whether the call was made before, and brings the answer to the form that it was
// given instead of a result.
func (c *call) isRetry() bool {
	return c.request.Params.RequestState != "" || len(c.request.Params.InputResponses) > 0
}

// take takes the answer that comes with a call which is made again. form is not nil when the answer
// does not fit.
func (t *forms) take(ctx context.Context, c *call, owned *questions) (
	s *callState, form *toolResult, err error) {
	s = &callState{began: time.Now()}
	state, err := t.openState(c.request.Params.RequestState)
	if err != nil {
		return s, nil, err
	}
	q, err := owned.get(ctx, c, state.Question)
	if err != nil {
		return s, nil, err
	}
	if !bytes.Equal(state.Call, c.digest()) {
		return s, nil, invalid("send requestState back with the same tool and the same arguments; "+
			"for another call leave requestState and inputResponses out",
			"the requestState belongs to another call")
	}
	var args struct {
		QuestionID string   `json:"question_id"`
		Since      int      `json:"since_step"`
		From       int      `json:"answer_from"`
		Seconds    *float64 `json:"wait_seconds"`
	}
	if err := json.Unmarshal(c.arguments, &args); err != nil {
		return s, nil, err
	}
	s.since, s.from = args.Since, args.From
	s.question, s.budget = args.QuestionID, c.budget(args.Seconds)
	s.answered = q
	problem, err := t.settle(ctx, c, s, q, transport.Answer(c.request, formID))
	switch {
	case err != nil || problem == "":
	case state.Shown < mostForms:
		form = t.formReply(c, q, state.Shown+1, problem)
	default:
		t.declineMisfit(q, problem)
	}
	return s, form, err
}

func (t *forms) declineMisfit(q inquiry.Question, problem string) {
	t.decline(q, "no answer in the form did fit: "+shortLine(problem, 200))
}

// decline says that the form has no answer, and why. A run's question goes to its next channel; an
// inquiry is open at its other channels already, and is not shown in a form again.
func (t *forms) decline(q inquiry.Question, why string) {
	if q.RunID != "" {
		t.Runs.Desk().Decline(q, channel.Elicit, why)
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.closed) >= mostClosed {
		clear(t.closed)
	}
	t.closed[q.ID] = true
}

// wasClosed reports whether the form of an inquiry was closed without an answer.
func (t *forms) wasClosed(id string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.closed[id]
}

// wants reports whether an inquiry is to be shown in a form.
func (t *forms) wants(c *call, q inquiry.Question) bool {
	return q.Open() && c.forms && q.Index(string(channel.Elicit)) >= 0 && !t.wasClosed(q.ID)
}

func isForm(c inquiry.Channel) bool { return c.Name == string(channel.Elicit) }
