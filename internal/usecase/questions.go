package usecase

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
)

// QuestionNotFound is the code about a question that is not there, or that is somebody else's.
const QuestionNotFound runs.Code = "QUESTION_NOT_FOUND"

// Questions are the use cases about questions to people. They are safe for concurrent use.
type Questions struct {
	opts *Options

	mu     sync.Mutex
	closed map[string]bool // inquiries whose form was closed without an answer
}

// Question is the caller's one with the id, or with an id that begins so: asked in a session of the
// caller's, or by the caller.
func (u *Questions) Question(ctx context.Context, c *Call, id string) (inquiry.Question, error) {
	q, err := u.opts.Questions.Find(ctx, id, func(q inquiry.Question) (bool, error) {
		return u.owns(ctx, c, q)
	})
	_, several := errors.AsType[*inquiry.AmbiguousError](err)
	switch {
	case several:
		return q, invalid("pass more of the question's id", "%w", err)
	case errors.Is(err, inquiry.ErrNotFound):
		return q, noQuestion(id)
	case err == nil:
		c.session = q.SessionID
	}
	return q, err
}

func noQuestion(id string) error {
	return runs.Refuse(QuestionNotFound,
		"pass the id of an open question",
		"there is no question %s", text.Quote(id, 60))
}

func (u *Questions) owns(ctx context.Context, c *Call, q inquiry.Question) (bool, error) {
	if q.SessionID == "" {
		return c.Owners().Has(q.Client), nil
	}
	_, err := u.opts.Runs.Session(ctx, q.SessionID, c.Owners())
	if runs.CodeOf(err) == runs.SessionNotFound {
		return false, nil
	}
	return err == nil, err
}

// Open are the channels through which an open question can be answered now.
func (u *Questions) Open(q inquiry.Question) []inquiry.Channel {
	list := u.opts.Runs.Desk().Channels(q)
	if u.wasClosed(q.ID) {
		list = slices.DeleteFunc(list, func(c inquiry.Channel) bool {
			return c.Name == string(channel.Elicit)
		})
	}
	return list
}

// ListQuestions lists open questions.
type ListQuestions struct {
	SessionID string `json:"session_id,omitempty" max:"200"`
	Limit     int    `json:"limit" default:"20" min:"1" max:"100" listed:"inquiry"`
}

// ListQuestions lists the caller's open questions, and says how many there are.
func (u *Questions) ListQuestions(ctx context.Context, c *Call, a ListQuestions) (
	list []inquiry.Question, total int, err error) {
	if a.SessionID != "" {
		sess, err := u.opts.Runs.Session(ctx, a.SessionID, c.Owners())
		if err != nil {
			return nil, 0, err
		}
		a.SessionID = sess.ID
	}
	open, err := u.opts.Questions.List(ctx,
		inquiry.Filter{Status: inquiry.Pending, SessionID: a.SessionID})
	if err != nil {
		return nil, 0, err
	}
	owned := map[string]bool{} // sessions
	for _, q := range open {
		mine, known := owned[q.SessionID]
		if !known || q.SessionID == "" {
			if mine, err = u.owns(ctx, c, q); err != nil {
				return nil, 0, err
			}
			owned[q.SessionID] = mine
		}
		if !mine {
			continue
		}
		if total++; total <= a.Limit {
			list = append(list, q)
		}
	}
	return list, total, nil
}

// Inquiry is how a question stands after a call.
type Inquiry struct {
	Question inquiry.Question
	Replayed bool          // the answer had been accepted before
	Waited   time.Duration // and at most for Budget
	Budget   time.Duration
	Late     string // why the answer in a form came too late, or ""
}

// Answer answers a question in words that a client passes on.
type Answer struct {
	QuestionID string          `json:"question_id" max:"200"`
	Response   string          `json:"response,omitempty" max:"30000"`
	Values     json.RawMessage `json:"values,omitempty"`
	Decline    bool            `json:"decline" default:"false"`
	ReplyType  inquiry.Type    `json:"reply_type,omitempty" listed:"inquiry"`
	Remember   inquiry.Scope   `json:"remember,omitempty" listed:"inquiry"`
	ReplyID    string          `json:"reply_id,omitempty" max:"200" listed:"inquiry"`
}

// Answer settles a question of the caller's.
func (u *Questions) Answer(ctx context.Context, c *Call, a Answer) (*Inquiry, error) {
	r, err := a.reply()
	if err != nil {
		return nil, err
	}
	r.ID, r.Remember = a.ReplyID, a.Remember
	r.Channel, r.Authority = c.By.Channel, c.By.Authority
	q, err := u.Question(ctx, c, a.QuestionID)
	if err != nil {
		return nil, err
	}
	if a.Values != nil && !q.TakesValues() {
		return nil, mend("pass %s; the question is still open", ArgResponse).
			because("the question is no form, and there are values")
	}
	settled, err := u.opts.Questions.Resolve(ctx, q.ID, r)
	if err != nil {
		return nil, u.unresolved(ctx, q, err)
	}
	return &Inquiry{Question: settled.Question, Replayed: settled.Replayed}, nil
}

// reply makes a reply of the arguments.
func (a Answer) reply() (r inquiry.Reply, err error) {
	sent := inquiry.Sent{Type: a.ReplyType, Values: a.Values}
	if a.Response != "" {
		sent.Words = &a.Response
	}
	if a.Decline {
		sent.Type = inquiry.TypeDecline
	}
	r, misfit := sent.Reply()
	switch {
	case misfit == inquiry.Both:
		return r, mend("pass one of them: %s for a form, %s for anything else", ArgValues,
			ArgResponse).because("there are both %s and %s", ArgValues, ArgResponse)
	case a.Values != nil && a.Decline:
		return r, mend("pass one of them").because("there are both %s and %s", ArgValues,
			ArgDecline)
	case a.Decline && a.ReplyType != "" && a.ReplyType != inquiry.TypeDecline:
		return r, mend("pass one of them").because("there are both %s and %s %q", ArgDecline,
			ArgReplyType, a.ReplyType)
	case misfit == inquiry.NotValues:
		return r, mend("pass %s alone", ArgValues).because("there are both %s and %s %q", ArgValues,
			ArgReplyType, a.ReplyType)
	case misfit != inquiry.Fits:
		return r, mend("pass %s with your user's own answer, %s for a form, or %s", ArgResponse,
			ArgValues, ArgDecline).because("there is no answer")
	}
	return r, small("values", a.Values, 60_000)
}

// unresolved is the broker's refusal of an answer, with its code and with what can be done next.
func (u *Questions) unresolved(ctx context.Context, q inquiry.Question, err error) error {
	switch late := inquiry.Late(err) || errors.Is(err, inquiry.ErrReplyIDReused); {
	case errors.Is(err, inquiry.ErrNotFound): // deleted meanwhile
		return noQuestion(q.ID)
	case late && q.RunID == "":
		return &refusedNext{runs.RefusedReply(err, store.Run{}), &Next{Verb: ToInquire,
			Question: &q, Why: "it shows how the question was settled"}}
	case late:
		st, failed := u.opts.Runs.Status(ctx, q.SessionID)
		if failed != nil {
			return failed
		}
		return runs.RefusedReply(err, st.Run)
	}
	return runs.RefusedReply(err, store.Run{})
}

// mostClosed is how many inquiries are remembered as not to be shown in a form again.
const mostClosed = 10_000

// Decline says that a form has no answer, and why. A run's question goes to its next channel; an
// inquiry is open at its other channels already, and is not shown in a form again.
func (u *Questions) Decline(q inquiry.Question, why string) {
	if q.RunID != "" {
		u.opts.Runs.Desk().Decline(q, channel.Elicit, why)
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.closed) >= mostClosed {
		clear(u.closed)
	}
	u.closed[q.ID] = true
}

// wasClosed reports whether the form of an inquiry was closed without an answer.
func (u *Questions) wasClosed(id string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.closed[id]
}

// draftTime is how long after its question a form waits for a model's draft: what it shows does not
// change any more.
const draftTime = 3 * time.Second

// Drafted is the question with its draft, when that is being made and comes soon. Every other
// channel has the question meanwhile.
func (u *Questions) Drafted(
	ctx context.Context, q inquiry.Question, end time.Time,
) inquiry.Question {
	soon := min(time.Until(q.AskedAt.Add(draftTime)), time.Until(end))
	has := q.Suggestion != nil || inquiry.As[inquiry.Ask](q).Draft != ""
	if soon <= 0 || !u.opts.Drafts || has || q.ForModels() != nil {
		return q
	}
	events := u.opts.Questions.Subscribe()
	defer events.Close()
	ctx, cancel := context.WithTimeout(ctx, soon)
	defer cancel()
	now, err := u.opts.Questions.Get(ctx, q.ID)
	for err == nil && now.Open() && now.Suggestion == nil {
		var e inquiry.Event
		if e, err = events.Next(ctx); e.Question.ID == q.ID {
			now = e.Question
		}
	}
	if now.ID != "" {
		now.Channels = q.Channels // the channels that are left
		q = now
	}
	return q
}

// UntilNextChannel is how long the question stays with this channel, at least a moment. It is a day
// if that is not bounded.
func UntilNextChannel(q inquiry.Question, of channel.Mode) time.Duration {
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
