package tools

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"encoding/base64"
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
	"github.com/taploop/taploop/internal/usecase"
)

// forms show questions to the user of a client, which MCP calls elicitation. It is for one call,
// and implements usecase.Forms.
type forms struct {
	edge edge
	call *call
}

// formNeeded says that the client has to ask its user first, and call again.
type formNeeded struct{ result *mcp.CallToolResult }

func (*formNeeded) Error() string { return "the client has to ask its user" }

const (
	mostForms = 5          // how often a question is shown again because the answer does not fit
	formID    = "question" // the name of the form in a result that asks
)

// Why a form is closed, as the client reads it.
var (
	errSettled  = errors.New("the question was settled in another way")
	errLater    = errors.New("the time for this form is over; the question is still open")
	errNoLonger = errors.New("the run does not wait for the answer any more")
)

// Show implements usecase.Forms. Its error may be a *formNeeded.
func (t *forms) Show(ctx context.Context, q inquiry.Question, end time.Time) (
	out usecase.FormOutcome, err error) {
	if q.Secret { // "Servers MUST NOT use form mode elicitation to request sensitive information"
		t.edge.cases.Questions.Decline(q, "a secret must not be asked for in a form")
		return out, nil
	}
	if q.ForPeople() && !t.call.person {
		t.edge.cases.Questions.Decline(q, "a form of a client whose token is no person's decides "+
			"nothing that only people decide")
		return out, nil
	}
	if q = t.edge.cases.Questions.Drafted(ctx, q, end); !q.Open() {
		return out, nil
	}
	if t.call.stateless {
		return out, t.needed(q, 1, "")
	}
	return out, t.dialog(ctx, &out, q, end)
}

// dialog shows the form, on the stream of the call, until there is an answer that fits.
func (t *forms) dialog(ctx context.Context, out *usecase.FormOutcome, q inquiry.Question,
	end time.Time) error {
	showing, closeForm := context.WithCancelCause(ctx)
	showing, late := context.WithTimeoutCause(showing,
		min(time.Until(end), usecase.UntilNextChannel(q, channel.Elicit)), errLater)
	var helpers sync.WaitGroup
	defer helpers.Wait()
	defer closeForm(nil)
	defer late()
	helpers.Go(func() { t.closeWhenSettled(showing, q, closeForm) })
	if q.RunID != "" {
		watch := t.edge.opts.Runs.Watch(q.SessionID)
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
		answer, err := t.show(showing, t.form(q, problem))
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && showing.Err() != nil:
			t.edge.cases.Questions.ReportSettled(ctx, t.call.who, q.ID)
			return nil
		case err != nil:
			t.edge.cases.Questions.Decline(q,
				"the client did not show the form: "+shortLine(err.Error(), 200))
			return nil
		}
		if problem, err = t.settle(ctx, out, q, answer); err != nil || problem == "" {
			return err
		}
	}
	t.declineMisfit(q, problem)
	return nil
}

func (t *forms) closeWhenSettled(ctx context.Context, q inquiry.Question,
	closeForm context.CancelCauseFunc) {
	if now, err := t.edge.opts.Questions.Wait(ctx, q.ID); err == nil && !now.Open() {
		closeForm(errSettled)
	}
}

// show asks once, and reports meanwhile that the call is alive.
func (t *forms) show(ctx context.Context, form mcp.ElicitationParams) (
	answer *mcp.ElicitationResult, err error) {
	err = t.call.who.Report.While(ctx, "the question is shown in a form", func() (err error) {
		answer, err = transport.Elicit(ctx, form)
		return err
	})
	return answer, err
}

// settle settles the question with what came from the form. problem says why an answer does not
// fit.
func (t *forms) settle(ctx context.Context, out *usecase.FormOutcome, q inquiry.Question,
	answer *mcp.ElicitationResult) (
	problem string, err error) {
	r := t.call.byForm()
	r.ID = "form of " + q.ID // the same answer again is a retry
	if answer != nil && answer.Action == mcp.ElicitationResponseActionAccept {
		r.Type = cmp.Or(insteadOf(q, answer.Content, t.call.messages), r.Type)
	}
	switch {
	case answer == nil:
		t.edge.cases.Questions.Decline(q, "the client brought no answer")
		return "", nil
	case r.Type != inquiry.TypeAnswer: // said instead
	case answer.Action == mcp.ElicitationResponseActionAccept && len(q.Offers()) > 0:
		r = offered(r, q, answer.Content, t.call.messages)
	case answer.Action == mcp.ElicitationResponseActionAccept:
		r.Response = answerIn(q, answer.Content)
		if len(inquiry.As[inquiry.Form](q).Fields) == 0 {
			r.Remember = rememberedAs(answer.Content, t.call.messages)
		}
	case answer.Action == mcp.ElicitationResponseActionDecline:
		r.Type = inquiry.TypeDecline
	default:
		t.edge.cases.Questions.Decline(q, "the form was closed without an answer")
		return "", nil
	}
	res, err := t.edge.opts.Questions.Resolve(ctx, q.ID, r)
	if errors.Is(err, inquiry.ErrReplyIDReused) { // another answer in the same form
		r.ID = ""
		res, err = t.edge.opts.Questions.Resolve(ctx, q.ID, r)
	}
	out.Replayed = res.Replayed
	if unfit, is := errors.AsType[*inquiry.InvalidReplyError](err); is {
		return unfit.Error(), nil
	}
	if inquiry.Late(err) {
		out.Late = shortLine(err.Error(), 300)
		err = nil
	}
	if _, forbidden := errors.AsType[*inquiry.ForbiddenError](err); forbidden {
		return "", runs.RefusedReply(err, store.Run{})
	}
	if err == nil && r.Type == inquiry.TypeTimeout && res.Question.Open() {
		t.edge.cases.Questions.Decline(q, "your user gave no answer in time")
	}
	t.edge.cases.Questions.ReportSettled(ctx, t.call.who, q.ID)
	return "", err
}

// form is the question as the client's user sees it. Forms have no pictures: it says what has.
func (t *forms) form(q inquiry.Question, problem string) mcp.ElicitationParams {
	form := newForm(q, problem, t.call.messages)
	seen := q.Kind.Flag() != ""
	if seen && t.edge.opts.BaseURL != "" { // in words: forms are no place for links
		form.Message += "\n\n" + t.call.messages.OnPage
	}
	return form
}

// needed asks the client to show the form, and to call again with the answer.
func (t *forms) needed(q inquiry.Question, shown int, problem string) error {
	state := t.signState(formState{q.ID, t.call.digest(), shown})
	return &formNeeded{transport.InputRequired(state, formID, t.form(q, problem))}
}

// formState says which question a form is about, and in which call it was asked for. It comes back
// through the client with a mark, so that an answer counts as the user's own only when a form was
// really asked for. All the same it is checked that what it names belongs to the caller.
type formState struct {
	Question string `json:"question_id"`
	Call     []byte `json:"call"`  // its digest
	Shown    int    `json:"shown"` // how often
}

// formPurpose is what the mark is for, see store.Store.Sign.
const formPurpose = "the state of a form"

// signState is the state as a client keeps it: the mark, then the state.
func (t *forms) signState(s formState) string {
	state := quote(s)
	mark := t.edge.opts.Sign(formPurpose, state)
	return base64.RawURLEncoding.EncodeToString(append(mark, state...))
}

// openState is the state in what a client brings.
func (t *forms) openState(signed string) (s formState, err error) {
	const size = 32 // of a mark
	raw, err := base64.RawURLEncoding.DecodeString(signed)
	if err != nil || len(raw) < size ||
		!hmac.Equal(raw[:size], t.edge.opts.Sign(formPurpose, string(raw[size:]))) ||
		json.Unmarshal(raw[size:], &s) != nil || s.Question == "" {
		return formState{}, usecase.RefuseNext(invalid(
			"send requestState back exactly as it was given, or go on without it and without "+
				"inputResponses",
			"requestState was not issued by this server"),
			&usecase.Next{Verb: usecase.ToListQuestions, Why: "it lists the open questions"})
	}
	return s, nil
}

// retried is a call that is made again.
type retried struct {
	usecase.FormOutcome
	question inquiry.Question // that the form was about
	args     struct {
		QuestionID string   `json:"question_id"`
		Since      int      `json:"since_step"`
		From       int      `json:"answer_from"`
		Seconds    *float64 `json:"wait_seconds"`
	}
}

// take takes the answer that comes with a call which is made again. Its error is a *formNeeded if
// the answer does not fit.
func (e edge) take(ctx context.Context, c *call) (r retried, err error) {
	t := &forms{edge: e, call: c}
	state, err := t.openState(c.request.Params.RequestState)
	if err != nil {
		return r, err
	}
	q, err := e.cases.Questions.Question(ctx, c.who, state.Question)
	if err != nil {
		return r, err
	}
	if !bytes.Equal(state.Call, c.digest()) {
		return r, invalid("send requestState back with the same tool and the same arguments; "+
			"for another call leave requestState and inputResponses out",
			"the requestState belongs to another call")
	}
	if err := json.Unmarshal(c.arguments, &r.args); err != nil {
		return r, err
	}
	r.question = q
	problem, err := t.settle(ctx, &r.FormOutcome, q, transport.Answer(c.request, formID))
	switch {
	case err != nil || problem == "":
	case state.Shown < mostForms:
		err = t.needed(q, state.Shown+1, problem)
	default:
		t.declineMisfit(q, problem)
	}
	return r, err
}

func (t *forms) declineMisfit(q inquiry.Question, problem string) {
	t.edge.cases.Questions.Decline(q, "no answer in the form did fit: "+shortLine(problem, 200))
}
