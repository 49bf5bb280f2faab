package usecase

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/logs"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/text"
)

const (
	maxOpen = 100 // inquiries of one client that are open
	// how long an inquiry can be answered, unless its time-out is longer
	answerable = 24 * time.Hour
)

// TooManyQuestions is the code about a client that asks and asks.
const TooManyQuestions runs.Code = "QUESTION_LIMIT"

// Inquire asks people, or waits for an answer to what was asked before.
type Inquire struct {
	Prompt        string   `json:"prompt,omitempty" max:"10000"`
	Context       string   `json:"context,omitempty" max:"2000"`
	Options       []string `json:"options,omitempty" max:"50" each:"500"`
	FreeText      bool     `json:"free_text" default:"true" listed:"inquiry"`
	Fields        []Field  `json:"fields,omitempty" max:"50"`
	Draft         string   `json:"draft,omitempty" max:"20000"`
	DefaultAnswer string   `json:"default_answer,omitempty" max:"10000"`
	Timeout       *float64 `json:"timeout_seconds,omitempty" max:"10000000" listed:"inquiry"`
	// "" is the server's own
	OnTimeout  inquiry.OnTimeout `json:"on_timeout" default:"pause"`
	Secret     *bool             `json:"secret,omitempty"`
	SessionID  string            `json:"session_id,omitempty" max:"200" listed:"inquiry"`
	Key        string            `json:"idempotency_key,omitempty" max:"200" listed:"inquiry"`
	QuestionID string            `json:"question_id,omitempty" max:"200"`
	From       int               `json:"answer_from,omitempty" max:"1000000" listed:"inquiry"`
	Seconds    *float64          `json:"wait_seconds,omitempty" max:"3600"`
}

// Field is an inquiry.Field with its bounds.
type Field struct {
	Name     string            `json:"name" max:"64"`
	Label    string            `json:"label,omitempty" max:"500"`
	Type     inquiry.FieldType `json:"type"`
	Options  []string          `json:"options,omitempty" max:"100" each:"500"`
	Optional bool              `json:"optional" default:"false"`
	Default  any               `json:"default,omitempty"`
	Min      *float64          `json:"min,omitempty" min:"-1e15" max:"1e15"`
	Max      *float64          `json:"max,omitempty" min:"-1e15" max:"1e15"`
}

// Inquire asks, or finds what was asked before, and waits for the answer.
func (u *Questions) Inquire(ctx context.Context, c *Call, a Inquire) (*Inquiry, error) {
	began := time.Now()
	q, err := u.find(ctx, c, a)
	if err != nil {
		return nil, err
	}
	logs.Learn(ctx, logs.Question, q.ID, logs.Session, q.SessionID, logs.Run, q.RunID)
	c.begun()
	end := began.Add(c.Budget(a.Seconds))
	out := &Inquiry{Budget: c.Budget(a.Seconds)}
	if q, err = u.opts.Questions.Get(ctx, q.ID); err != nil {
		return nil, err
	}
	inForm := c.Forms != nil && q.Index(string(channel.Elicit)) >= 0 && !u.wasClosed(q.ID)
	if q.Open() && inForm && time.Now().Before(end) {
		u.reportAsked(ctx, c, q)
		form, err := c.Forms.Show(ctx, q, end)
		if err != nil {
			return nil, err
		}
		out.Replayed, out.Late = form.Replayed, form.Late
		if q, err = u.opts.Questions.Get(ctx, q.ID); err != nil {
			return nil, err
		}
	}
	if q, err = u.awaitAnswer(ctx, c, q, max(time.Until(end), 0)); err != nil {
		return nil, err
	}
	out.Question, out.Waited = q, time.Since(began)
	return out, nil
}

// awaitAnswer waits within the budget until the question is settled, and reports that to the client
// when it wants it. Its error is ctx's cause, or that the question cannot be read.
func (u *Questions) awaitAnswer(ctx context.Context, c *Call, q inquiry.Question,
	budget time.Duration) (inquiry.Question, error) {
	if !q.Open() {
		return q, nil
	}
	waiting, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	u.reportAsked(waiting, c, q)
	var now inquiry.Question
	err := c.Report.While(waiting, "waiting for an answer", func() (err error) {
		now, err = u.opts.Questions.Wait(waiting, q.ID)
		return err
	})
	switch {
	case ctx.Err() != nil:
		return q, context.Cause(ctx)
	case err != nil && waiting.Err() != nil: // the budget is used up, perhaps within a read
		return u.opts.Questions.Get(ctx, q.ID)
	case err != nil:
		return q, err
	}
	u.ReportSettled(ctx, c, q.ID)
	return now, nil
}

// reportAsked tells the client of an inquiry that is open, once.
func (u *Questions) reportAsked(ctx context.Context, c *Call, q inquiry.Question) {
	c.Report.question(ctx, "asked: "+text.Cut(text.Line(q.Text), 500), q)
}

// ReportSettled tells the client that the question is settled, if it is.
func (u *Questions) ReportSettled(ctx context.Context, c *Call, id string) {
	if c.Report == nil {
		return
	}
	if now, err := u.opts.Questions.Get(ctx, id); err == nil && !now.Open() {
		c.Report.question(ctx, settledLine(now), now)
	}
}

// Delivered notes that the client has the answer, once. A secret one is erased with that.
func (u *Questions) Delivered(ctx context.Context, q inquiry.Question) {
	if q.Open() || !q.AppliedAt.IsZero() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if _, err := u.opts.Questions.Apply(ctx, q.ID, q.Fence); err != nil &&
		!errors.Is(err, inquiry.ErrApplied) {
		u.opts.Log.WarnContext(ctx, "noting an answer as given", "question", q.ID, "err", err)
	}
}

// find is the question that the call is about: a new one, or one that was asked before.
func (u *Questions) find(ctx context.Context, c *Call, a Inquire) (inquiry.Question, error) {
	if a.QuestionID != "" {
		return u.before(ctx, c, a)
	}
	q, err := u.draft(ctx, c, a)
	if err != nil {
		return q, err
	}
	earlier := u.inVain
	if q.Key != "" { // a new one says that the question is meant to be put again
		earlier = u.underKey
	}
	if before, found, err := earlier(ctx, q); found || err != nil {
		return before, err
	}
	if err := u.mayAsk(ctx, c); err != nil {
		return q, err
	}
	out, err := u.opts.Runs.Desk().Inquire(ctx, q, c.mode(u.opts.ReplyMode, u.opts.ReplyMode))
	switch {
	case err == nil:
		return out, nil
	case errors.Is(err, inquiry.ErrKeyTaken): // the same call was faster
		before, _, err := u.underKey(ctx, q)
		return before, err
	case errors.Is(err, inquiry.ErrInvalid):
		return q, invalid("correct the question and send it again; nothing was asked", "%w", err)
	}
	return q, err
}

// before is the inquiry that the call waits for again.
func (u *Questions) before(ctx context.Context, c *Call, a Inquire) (inquiry.Question, error) {
	for _, other := range []struct {
		name  Argument
		given bool
	}{{ArgPrompt, a.Prompt != ""}, {ArgContext, a.Context != ""}, {ArgOptions, a.Options != nil},
		{ArgFields, a.Fields != nil}, {ArgDraft, a.Draft != ""},
		{ArgDefault, a.DefaultAnswer != ""}, {ArgTimeout, a.Timeout != nil},
		{ArgSession, a.SessionID != ""}, {ArgKey, a.Key != ""}} {
		if other.given {
			return inquiry.Question{}, &refusedNext{mend("leave %s out to wait on; leave %s out "+
				"to ask something else", other.name, ArgQuestion).because(
				"there are both %s and %s", ArgQuestion, other.name), &Next{Verb: ToInquire,
				Question: &inquiry.Question{ID: a.QuestionID}, Why: "it waits for the answer"}}
		}
	}
	q, err := u.Question(ctx, c, a.QuestionID)
	if err == nil && q.RunID != "" {
		return q, &refusedNext{invalid("wait for the run that asks it",
			"question %s is one of the agent on the phone", q.ID),
			&Next{Verb: ToWait, SessionID: q.SessionID, Why: "it shows how the run stands"}}
	}
	return q, err
}

// draft is the new question of the call.
func (u *Questions) draft(ctx context.Context, c *Call, a Inquire) (inquiry.Question, error) {
	q := inquiry.Question{
		Kind: inquiry.KindInquiry, Client: c.Client, SessionID: a.SessionID,
		Task: a.Context, Text: a.Prompt,
		Body: &inquiry.Ask{Options: a.Options, FreeText: len(a.Options) > 0 && a.FreeText,
			Draft: a.Draft},
		DefaultAnswer: a.DefaultAnswer,
		OnTimeout:     cmp.Or(a.OnTimeout, inquiry.Pause), Key: a.Key,
	}
	if a.Fields != nil {
		form := new(inquiry.Form)
		for _, f := range a.Fields {
			form.Fields = append(form.Fields, inquiry.Field(f))
		}
		q.Body = form
	}
	q.Secret = q.AsksForSecret()
	if a.Secret != nil {
		q.Secret, q.Public = *a.Secret, !*a.Secret
	}
	if a.OnTimeout == "" && u.opts.OnTimeout.Model() != "" {
		q.OnTimeout = u.opts.OnTimeout
	}
	inquiry.Clean(&q) // the stored form, which is compared with the question under the same key
	q.Channels = u.channels(c, q.Secret)
	if err := agree(a, &q); err != nil {
		return q, err
	}
	if a.Timeout != nil {
		d := inquiry.Clamp(time.Duration(*a.Timeout * float64(time.Second)))
		q.AttentionUntil = time.Now().Add(d)
		// what silence leads to comes before the end
		q.ExpiresAt = time.Now().Add(max(answerable, d+time.Hour))
	}
	if q.SessionID != "" {
		sess, err := u.opts.Runs.Session(ctx, q.SessionID, c.Owners())
		if err != nil {
			return q, err
		}
		q.SessionID = sess.ID
	}
	return q, nil
}

// agree refuses arguments that do not go together, and fills in the default answer of a form.
func agree(a Inquire, q *inquiry.Question) error {
	options, form, draft := len(a.Options) > 0, len(a.Fields) > 0, a.Draft != ""
	switch {
	case q.Text == "":
		return mend("pass %s with the question, or %s to wait on for an answer", ArgPrompt,
			ArgQuestion).because("%s is missing", ArgPrompt)
	case options && form, options && draft, form && draft:
		return invalid("ask in one way, or in several calls",
			"options, fields and draft do not go together")
	case q.Secret && (form || draft || q.DefaultAnswer != ""):
		return mend("ask for each secret in a separate call, with %s and %s alone", ArgPrompt,
			ArgContext).because("a secret question has no form, no draft and no default answer")
	case q.OnTimeout == inquiry.Default && q.DefaultAnswer == "" && form:
		q.DefaultAnswer = defaultsOf(a.Fields)
	case q.OnTimeout == inquiry.Default && q.DefaultAnswer == "":
		return mend("pass %s, or something else as %s", ArgDefault, ArgOnTimeout).
			because("%s is %s, and there is none", ArgOnTimeout, inquiry.Default)
	}
	return nil
}

// channels are the ways to answer an inquiry: a form, when the server or the connection wants forms
// and the client shows them, the client's own call, and the places where all questions are listed.
func (u *Questions) channels(c *Call, secret bool) []inquiry.Channel {
	var list []inquiry.Channel
	mode := c.mode(u.opts.ReplyMode, u.opts.ReplyMode)
	if c.Forms != nil && !secret && mode.Has(channel.Elicit) {
		list = append(list, inquiry.Channel{Name: string(channel.Elicit)})
	}
	list = append(list, inquiry.Channel{Name: string(channel.PassToClient)})
	for _, name := range u.opts.Channels {
		list = append(list, inquiry.Channel{Name: name})
	}
	return list
}

// defaultsOf is the answer that the defaults of the fields are.
func defaultsOf(fields []Field) string {
	values := map[string]any{}
	for _, f := range fields {
		if f.Default != nil {
			values[f.Name] = f.Default
		}
	}
	b, err := text.Marshal(values)
	if err != nil {
		panic(err) // they were read from JSON
	}
	return string(b)
}

// underKey is the inquiry that was asked under the key before, or false if no question was.
func (u *Questions) underKey(ctx context.Context, q inquiry.Question) (
	inquiry.Question, bool, error) {
	list, err := u.opts.Questions.List(ctx, inquiry.Filter{Client: &q.Client, Key: q.Key})
	switch {
	case err != nil || len(list) == 0:
		return q, false, err
	case list[0].Text != q.Text, !sameInquiry(list[0], q):
		return q, false, invalid("use a new key for a new question",
			"the key %s stands for question %s, which was another one",
			text.Quote(q.Key, 60), list[0].ID)
	}
	return list[0], true, nil
}

// notAgain is for how long an inquiry that was in vain is not put again.
const notAgain = 10 * time.Minute

// inVain is the client's same inquiry that was refused, or that nobody answered, a while ago, or
// false if none was. Its words are the same but for case, spacing and closing marks.
func (u *Questions) inVain(ctx context.Context, q inquiry.Question) (
	inquiry.Question, bool, error) {
	for _, status := range []inquiry.Status{inquiry.Refused, inquiry.TimedOut} {
		list, err := u.opts.Questions.List(ctx, inquiry.Filter{Client: &q.Client, Status: status,
			NoRun: true, Brief: true})
		if err != nil {
			return q, false, err
		}
		for _, one := range list {
			if time.Since(one.ExpiresAt) > notAgain ||
				!one.AppliedAt.IsZero() && time.Since(one.AppliedAt) > notAgain {
				continue // it was settled before
			}
			before, err := u.opts.Questions.Get(ctx, one.ID)
			if err != nil {
				return q, false, err
			}
			if time.Since(before.Resolution.At) < notAgain && sameInquiry(before, q) &&
				inquiry.Likeness(before) == inquiry.Likeness(q) {
				return before, true, nil
			}
		}
	}
	return q, false, nil
}

// sameInquiry reports whether two questions hold the same, whatever their words are. One that is
// answered is as secret as its answer.
func sameInquiry(a, b inquiry.Question) bool {
	x, err := json.Marshal(a.Body)
	y, other := json.Marshal(b.Body)
	return err == nil && other == nil && bytes.Equal(x, y) && a.Task == b.Task &&
		a.SessionID == b.SessionID && a.DefaultAnswer == b.DefaultAnswer &&
		a.OnTimeout == b.OnTimeout && a.Public == b.Public &&
		(a.Status == inquiry.Answered || a.Secret == b.Secret)
}

// mayAsk refuses a client that has asked too much that is not answered.
func (u *Questions) mayAsk(ctx context.Context, c *Call) error {
	open, err := u.opts.Questions.List(ctx,
		inquiry.Filter{Client: &c.Client, Status: inquiry.Pending, NoRun: true})
	if err != nil {
		return err
	}
	if len(open) >= maxOpen {
		return runs.Refuse(TooManyQuestions,
			"wait for answers, and ask for several things in one form",
			"%d inquiries are open (at most %d)", len(open), maxOpen)
	}
	return nil
}
