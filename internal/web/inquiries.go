package web

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/page"
	"github.com/taploop/taploop/internal/store"
)

// inbox serves questions, remembered answers, and leave to act without asking.
type inbox struct{ *core }

func (s *inbox) listInquiries(w http.ResponseWriter, r *http.Request, v viewer) error {
	f := inquiry.Filter{SessionID: r.URL.Query().Get("session_id")}
	switch status := inquiry.Status(r.URL.Query().Get("status")); status {
	case "", "all":
	case "open":
		f.Status = inquiry.Pending
	case inquiry.Pending, inquiry.Answered, inquiry.Refused, inquiry.TimedOut, inquiry.Withdrawn,
		inquiry.Expired:
		f.Status = status
	default:
		return badRequest(
			"unknown status %q (want open, answered, refused, timed_out, withdrawn, expired, all)",
			status)
	}
	limit, err := number(r, "limit", maxLimit)
	if err != nil {
		return err
	}
	if f.SessionID != "" {
		x, err := s.opts.Sessions.Find(r.Context(), f.SessionID, v.owners())
		if err == nil {
			f.SessionID = x.ID
		} else if !errors.Is(err, store.ErrNotFound) { // one that is not there has none
			return err
		}
	}
	if limit == 0 && f.Status != inquiry.Pending {
		limit = maxLimit // settled questions only accumulate
	}
	list, err := s.records.visible(r.Context(), v, f, limit)
	return sendUnless(w, err, map[string]any{"inquiries": list})
}

func (s *inbox) getInquiry(w http.ResponseWriter, r *http.Request, v viewer) error {
	wait, err := number(r, "wait_seconds", int(24*time.Hour/time.Second))
	if err != nil {
		return err
	}
	q, err := s.records.question(r, v)
	if err != nil {
		return err
	}
	if wait > 0 && q.Open() {
		held, leave, err := s.takePlace(w, r, v)
		if err != nil {
			return err
		}
		defer leave()
		if q, err = s.await(held, q.ID, min(time.Duration(wait)*time.Second, maxWait)); err != nil {
			return err
		}
		if err = s.auth.recheck(r, v); err != nil {
			return err
		}
	}
	return send(w, http.StatusOK, s.records.viewOf(q))
}

// await returns the question once it is settled, or as it is after d.
func (s *inbox) await(held context.Context, id string, d time.Duration) (inquiry.Question, error) {
	ctx, end := s.untilClosing(held)
	defer end()
	late := errors.New("nobody has answered yet")
	ctx, cancel := context.WithTimeoutCause(ctx, d, late)
	defer cancel()
	q, err := s.opts.Questions.Wait(ctx, id)
	// even when the time was over within a query
	if err != nil && errors.Is(context.Cause(ctx), late) {
		return s.opts.Questions.Find(held, id, nil)
	}
	return q, err
}

// replyBody is what an answer looks like. A bare response is an answer.
type replyBody struct {
	ReplyID  string       `json:"reply_id"`
	Type     inquiry.Type `json:"type"`
	Response response     `json:"response"`
	// for which questions like this one the answer is used again
	Remember inquiry.Scope `json:"remember"`

	// about the actions of an approval, one each: "decisions" is their type
	Decisions []inquiry.Decision `json:"decisions"`
	// the same as LangGraph's clients resume with, see [inquiry.Question.Resume]
	Resume  json.RawMessage `json:"resume"`
	Command struct {
		Resume json.RawMessage `json:"resume"`
	} `json:"command"`
	// with a type of decisions, of the decision about the only action
	EditedAction *inquiry.EditedAction `json:"edited_action"`
	EditedAlias  *inquiry.EditedAction `json:"editedAction"`
	Message      string                `json:"message"`
}

// response is the words of an answer: a text, or the object of a form as it was sent.
type response struct {
	text   string
	given  bool
	object bool
}

// UnmarshalJSON takes a string or an object. It ignores null.
func (r *response) UnmarshalJSON(b []byte) error {
	switch b[0] {
	case 'n':
		return nil
	case '{':
		*r = response{string(b), true, true}
		return nil
	case '"':
		*r = response{given: true}
		return json.Unmarshal(b, &r.text)
	}
	return errors.New(`"response" is neither text nor an object`)
}

// misfits is why a body is no reply.
var misfits = map[inquiry.Misfit]string{
	inquiry.NoDecisions: `there are no "decisions" (want {"type": "decisions", ` +
		`"decisions": [{"type": "approve"}]}, one for each of the action_requests)`,
	inquiry.Both: `"decisions" come with the type "decisions", and without a "response"`,
	inquiry.Nothing: `there is no "response" (want {"response": "..."}, ` +
		`{"response": {...}} to answer a form, {"type": "decline"} to refuse, ` +
		`{"type": "delegate"} to leave it to the agent, {"type": "timeout"}, or of a ` +
		`take-over {"type": "done"} or {"type": "could_not"})`,
	inquiry.NotValues: `"response" is an object, which only the answer to a form is (want text)`,
}

// reply makes a reply to q of the body.
func (b *replyBody) reply(q inquiry.Question) (inquiry.Reply, error) {
	sent := inquiry.Sent{Type: b.Type, Decisions: b.Decisions}
	if b.Resume == nil {
		b.Resume = b.Command.Resume
	}
	if b.Resume != nil && b.Decisions == nil {
		var err error
		if sent.Decisions, err = q.Resume(b.Resume); err != nil {
			return inquiry.Reply{}, badRequest(`"resume": %w`, err)
		}
	}
	if b.EditedAction != nil && b.EditedAlias != nil {
		return inquiry.Reply{}, badRequest("edited_action is there twice, once as editedAction")
	}
	edited := cmp.Or(b.EditedAction, b.EditedAlias)
	if sent.OfDecision(edited, b.Message); sent.Decisions == nil &&
		(edited != nil || b.Message != "") {
		return inquiry.Reply{}, badRequest(`"edited_action" and "message" are of a decision ` +
			`(want "type": "edit", "reject" or "respond")`)
	}
	switch {
	case b.Response.object:
		sent.Values = []byte(b.Response.text)
	case b.Response.given:
		sent.Words = &b.Response.text
	}
	r, misfit := sent.Reply()
	if sent.Values != nil && misfit == inquiry.Fits && !q.TakesValues() {
		misfit = inquiry.NotValues
	}
	if misfit != inquiry.Fits {
		return r, badRequest("%s", misfits[misfit])
	}
	r.ID, r.Remember = b.ReplyID, b.Remember
	return r, nil
}

func (s *inbox) reply(w http.ResponseWriter, r *http.Request, v viewer) error {
	q, err := s.records.question(r, v)
	if err != nil {
		return err
	}
	var body replyBody
	if err := receive(r, &body); err != nil {
		return err
	}
	given, err := body.reply(q)
	if err != nil {
		return err
	}
	given.Channel, given.Authority, given.By = v.channel(), v.authority(), v.Name
	res, err := s.opts.Questions.Resolve(r.Context(), q.ID, given)
	if err != nil {
		return s.refused(r.Context(), err)
	}
	return send(w, http.StatusOK, map[string]any{"status": res.Question.Status,
		"replayed": res.Replayed, "inquiry": s.records.viewOf(res.Question)})
}

// refused is the broker's refusal of a reply. Other errors are returned unchanged.
func (s *inbox) refused(ctx context.Context, err error) error {
	why, is := inquiry.RefusalOf(err)
	if !is {
		return err
	}
	if q := why.Question; q != nil && q.RunID != "" {
		if latest, err := s.opts.Sessions.LatestRun(ctx, q.SessionID); err == nil {
			why.Hint = latest.AfterLate(*q)
		}
	}
	body := map[string]any{}
	if why.Invalid != nil && len(why.Invalid.Options) > 0 {
		body["options"] = why.Invalid.Options
	}
	if why.Invalid != nil && len(why.Invalid.Fields) > 0 {
		body["fields"] = why.Invalid.Fields
	}
	if why.Question != nil {
		body["inquiry"] = s.records.viewOf(*why.Question)
	}
	if why.Code == inquiry.CodeResolved {
		body["winner"] = why.Question.Resolution
	}
	return &refusal{code: string(why.Code), err: hint.Add(err, why.Hint), body: body}
}

// showMarks tells the page what the marks of a text stand for that is being written.
func (s *inbox) showMarks(w http.ResponseWriter, r *http.Request, _ viewer) error {
	var body struct {
		Text string `json:"text"`
	}
	if err := receive(r, &body); err != nil {
		return err
	}
	tree := page.Markdown(body.Text)
	if tree == nil {
		tree = page.Paragraph(body.Text)
	}
	return send(w, http.StatusOK, map[string]any{"markdown": tree})
}
