package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/session"
)

// inquiryView is a question as it leaves. A secret answer masks itself.
type inquiryView struct {
	inquiry.Question
	InquiryID     string          `json:"inquiryId"`
	InputSchema   json.RawMessage `json:"input_schema,omitempty"` // of a form
	ScreenshotURL string          `json:"screenshot_url,omitempty"`
}

func (s *Server) viewOf(q inquiry.Question) inquiryView {
	q.Channels = s.opts.Channels(q)
	v := inquiryView{Question: q, InquiryID: q.ID, InputSchema: inquiry.Schema(q.Fields)}
	if q.Frame != "" && q.SessionID != "" {
		v.ScreenshotURL = frameURL(q.SessionID, q.Frame)
	}
	return v
}

func (s *Server) listInquiries(w http.ResponseWriter, r *http.Request, v viewer) error {
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
	list, err := s.visible(r.Context(), v, f)
	if err != nil {
		return err
	}
	if limit == 0 && f.Status != inquiry.Pending {
		limit = maxLimit // what is settled only grows
	}
	if limit > 0 && len(list) > limit {
		list = list[len(list)-limit:] // the newest
	}
	return send(w, http.StatusOK, map[string]any{"inquiries": list})
}

// visible lists the questions that the viewer may see, oldest first; never nil.
func (s *Server) visible(ctx context.Context, v viewer, f inquiry.Filter) ([]inquiryView, error) {
	all, err := s.opts.Questions.List(ctx, f)
	if err != nil {
		return nil, err
	}
	type owner struct{ session, client string }
	owners := map[owner]bool{}
	list := make([]inquiryView, 0, len(all))
	for _, q := range all {
		o := owner{q.SessionID, q.Client}
		seen, known := owners[o]
		if !known {
			if seen, err = s.seesQuestion(ctx, v, q); err != nil {
				return nil, err
			}
			owners[o] = seen
		}
		if seen {
			list = append(list, s.viewOf(q))
		}
	}
	return slices.Clip(list), nil
}

// seesQuestion decides by whom the question belongs to.
func (s *Server) seesQuestion(ctx context.Context, v viewer, q inquiry.Question) (bool, error) {
	if v.all {
		return true, nil
	}
	client, owned, err := s.ownerOf(ctx, q)
	return v.sees(client, owned), err
}

// ownerOf is whom a question belongs to: as its session, and without one its own client. One with
// neither belongs to no client.
func (s *Server) ownerOf(ctx context.Context,
	q inquiry.Question) (client string, owned bool, err error) {
	if q.SessionID == "" {
		return q.Client, q.Client != "", nil
	}
	return s.owner(ctx, q.SessionID)
}

// owner is whom a session belongs to. One that was deleted belongs to no client.
func (s *Server) owner(ctx context.Context, sessionID string) (
	client string, owned bool, err error) {
	x, err := s.opts.Sessions.Session(ctx, sessionID)
	if errors.Is(err, session.ErrNotFound) {
		return "", false, nil
	}
	return x.Client, err == nil, err
}

// question is the one that the path names, if the viewer may see it.
func (s *Server) question(r *http.Request, v viewer) (inquiry.Question, error) {
	q, err := s.opts.Questions.Get(r.Context(), r.PathValue("id"))
	if err != nil {
		return q, err
	}
	seen, err := s.seesQuestion(r.Context(), v, q)
	if err == nil && !seen {
		err = inquiry.ErrNotFound
	}
	return q, err
}

func (s *Server) getInquiry(w http.ResponseWriter, r *http.Request, v viewer) error {
	wait, err := number(r, "wait_seconds", int(24*time.Hour/time.Second))
	if err != nil {
		return err
	}
	q, err := s.question(r, v)
	if err != nil {
		return err
	}
	if wait > 0 && q.Open() {
		if q, err = s.await(r, q.ID, min(time.Duration(wait)*time.Second, maxWait)); err != nil {
			return err
		}
	}
	return send(w, http.StatusOK, s.viewOf(q))
}

// await returns the question once it is settled, or as it is after d.
func (s *Server) await(r *http.Request, id string, d time.Duration) (inquiry.Question, error) {
	ctx, done := s.within(r)
	defer done()
	late := errors.New("nobody has answered yet")
	ctx, cancel := context.WithTimeoutCause(ctx, d, late)
	defer cancel()
	q, err := s.opts.Questions.Wait(ctx, id)
	// even when the time was over within a query
	if err != nil && errors.Is(context.Cause(ctx), late) {
		return s.opts.Questions.Get(r.Context(), id)
	}
	return q, err
}

// replyBody is what an answer looks like. A bare response is an answer.
type replyBody struct {
	ReplyID  string       `json:"reply_id"`
	Type     inquiry.Type `json:"type"`
	Response response     `json:"response"`
}

// response is the words of an answer: a text, or the object of a form as it was sent.
type response struct {
	text   string
	given  bool
	object bool
}

// UnmarshalJSON takes a string or an object; null is nothing.
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

func (s *Server) reply(w http.ResponseWriter, r *http.Request, v viewer) error {
	q, err := s.question(r, v)
	if err != nil {
		return err
	}
	var body replyBody
	if err := receive(r, &body); err != nil {
		return err
	}
	switch {
	case !body.Response.given && body.Type != inquiry.TypeDecline:
		return badRequest(
			`there is no "response" (want {"response": "..."}, {"response": {...}} to answer a form, ` +
				`or {"type": "decline"} to refuse)`)
	case body.Response.object && (len(q.Fields) == 0 || body.Type == inquiry.TypeDecline):
		return badRequest(`"response" is an object, which only the answer to a form is (want text)`)
	}
	res, err := s.opts.Questions.Resolve(r.Context(), q.ID,
		inquiry.Reply{ID: body.ReplyID, Type: body.Type, Response: body.Response.text,
			Channel: v.channel(), Authority: inquiry.AuthorityHumanToken, By: v.name})
	if err != nil {
		return s.refused(err)
	}
	s.opts.Log.InfoContext(r.Context(), "question answered", "question", q.ID, "by", v.name,
		"through", v.channel(), "type", res.Question.Resolution.Type)
	return send(w, http.StatusOK, map[string]any{"status": res.Question.Status,
		"replayed": res.Replayed, "inquiry": s.viewOf(res.Question)})
}

// refused is the broker's refusal of a reply; any other error stays as it is.
func (s *Server) refused(err error) error {
	why, is := inquiry.RefusalOf(err)
	if !is {
		return err
	}
	body := map[string]any{}
	if why.Invalid != nil && len(why.Invalid.Options) > 0 {
		body["options"] = why.Invalid.Options
	}
	if why.Invalid != nil && len(why.Invalid.Fields) > 0 {
		body["fields"] = why.Invalid.Fields
	}
	if why.Question != nil {
		body["inquiry"] = s.viewOf(*why.Question)
	}
	if why.Code == inquiry.CodeResolved {
		body["winner"] = why.Question.Resolution
	}
	return &refusal{string(why.Code), hint.Add(err, why.Hint), body}
}
