package tools

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/text"
)

// inquiries are the tools that ask people for any client, and that list and answer questions.
type inquiries struct {
	*Options
	forms     *forms
	questions *questions
}

const (
	maxOpen = 100 // inquiries of one client that are open
	// how long an inquiry can be answered, unless its time-out is longer
	answerable = 24 * time.Hour
)

// tooManyQuestions is the code about a client that asks and asks.
const tooManyQuestions runs.Code = "QUESTION_LIMIT"

type inquiryArgs struct {
	Prompt        string            `json:"prompt,omitempty" max:"10000"`
	Context       string            `json:"context,omitempty" max:"2000"`
	Options       []string          `json:"options,omitempty" max:"50" each:"500"`
	FreeText      bool              `json:"free_text" default:"true" listed:"no"`
	Fields        []field           `json:"fields,omitempty" max:"50"`
	Draft         string            `json:"draft,omitempty" max:"20000" listed:"no"`
	DefaultAnswer string            `json:"default_answer,omitempty" max:"10000" listed:"no"`
	Timeout       *float64          `json:"timeout_seconds,omitempty" max:"10000000" listed:"no"`
	OnTimeout     inquiry.OnTimeout `json:"on_timeout" default:"pause" listed:"no"`
	Secret        *bool             `json:"secret,omitempty"`
	SessionID     string            `json:"session_id,omitempty" max:"200" listed:"no"`
	Key           string            `json:"idempotency_key,omitempty" max:"200" listed:"no"`
	QuestionID    string            `json:"question_id,omitempty" max:"200"`
	From          int               `json:"answer_from,omitempty" max:"1000000" listed:"no"`
	Seconds       *float64          `json:"wait_seconds,omitempty" max:"3600"`
}

// field is an inquiry.Field with its bounds as an argument.
type field struct {
	Name     string            `json:"name" max:"64"`
	Label    string            `json:"label,omitempty" max:"500"`
	Type     inquiry.FieldType `json:"type"`
	Options  []string          `json:"options,omitempty" max:"100" each:"500"`
	Optional bool              `json:"optional" default:"false"`
	Default  any               `json:"default,omitempty"`
	Min      *float64          `json:"min,omitempty" min:"-1e15" max:"1e15"`
	Max      *float64          `json:"max,omitempty" min:"-1e15" max:"1e15"`
}

// send asks the person, or waits on for an answer to what was asked before.
func (t *inquiries) send(ctx context.Context, c *call, a inquiryArgs) (*toolResult, error) {
	s := &callState{began: time.Now(), budget: c.budget(a.Seconds), from: a.From}
	q, err := t.find(ctx, c, a)
	if err != nil {
		return nil, err
	}
	return t.follow(ctx, c, s, q.ID)
}

// retry takes the answer that comes with a call which is made again.
func (t *inquiries) retry(ctx context.Context, c *call) (*toolResult, error) {
	s, form, err := t.forms.take(ctx, c, t.questions)
	if err != nil || form != nil {
		return form, err
	}
	return t.follow(ctx, c, s, s.answered.ID)
}

// follow waits for the answer within the call's budget, and shows the question in a form when that
// is wanted.
func (t *inquiries) follow(ctx context.Context, c *call, s *callState, id string) (
	*toolResult, error) {
	end := s.began.Add(s.budget)
	q, err := t.Questions.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	if t.forms.wants(c, q) && time.Now().Before(end) {
		t.reportAsked(ctx, c, q)
		if form, err := t.forms.ask(ctx, c, s, q, end); err != nil || form != nil {
			return form, err
		}
		if q, err = t.Questions.Get(ctx, id); err != nil {
			return nil, err
		}
	}
	if q, err = t.await(ctx, c, q, max(time.Until(end), 0)); err != nil {
		return nil, err
	}
	r, err := t.status(c, q, s)
	if err == nil {
		t.delivered(ctx, q)
	}
	return r, err
}

// await waits within the budget until the question is settled, and reports that to the client when
// it wants it. Its error is ctx's cause, or that the question cannot be read.
func (t *inquiries) await(ctx context.Context, c *call, q inquiry.Question,
	budget time.Duration) (inquiry.Question, error) {
	if !q.Open() {
		return q, nil
	}
	waiting, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	t.reportAsked(waiting, c, q)
	var now inquiry.Question
	err := c.progress.while(waiting, c.waits.Heartbeat, "waiting for an answer",
		func() (err error) {
			now, err = t.Questions.Wait(waiting, q.ID)
			return err
		})
	switch {
	case ctx.Err() != nil:
		return q, context.Cause(ctx)
	case err != nil && waiting.Err() != nil: // the budget is used up, perhaps within a read
		return t.Questions.Get(ctx, q.ID)
	case err != nil:
		return q, err
	}
	t.forms.reportSettled(ctx, c, q.ID)
	return now, nil
}

// reportAsked tells the client of an inquiry that is open, once.
func (t *inquiries) reportAsked(ctx context.Context, c *call, q inquiry.Question) {
	if c.progress.first(q) {
		c.progress.report(ctx, c.progress.step(), 0, "asked: "+shortLine(q.Text, 500),
			t.askedMeta(q))
	}
}

// delivered notes that the client has the answer, once. A secret one is erased with that.
func (t *inquiries) delivered(ctx context.Context, q inquiry.Question) {
	if q.Open() || !q.AppliedAt.IsZero() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if _, err := t.Questions.Apply(ctx, q.ID, q.Fence); err != nil &&
		!errors.Is(err, inquiry.ErrApplied) {
		t.Log.WarnContext(ctx, "noting an answer as given", "question", q.ID, "err", err)
	}
}

// find is the question that the call is about: a new one, or one that was asked before.
func (t *inquiries) find(ctx context.Context, c *call, a inquiryArgs) (inquiry.Question, error) {
	if a.QuestionID != "" {
		return t.before(ctx, c, a)
	}
	q, err := t.draft(ctx, c, a)
	if err != nil {
		return q, err
	}
	if q.Key != "" {
		if before, found, err := t.underKey(ctx, q); found || err != nil {
			return before, err
		}
	}
	if err := t.mayAsk(ctx, c); err != nil {
		return q, err
	}
	out, err := t.Runs.Desk().Inquire(ctx, q, c.options.replyMode(t.ReplyMode, t.ReplyMode))
	switch {
	case err == nil:
		return out, nil
	case errors.Is(err, inquiry.ErrKeyTaken): // the same call was faster
		before, _, err := t.underKey(ctx, q)
		return before, err
	case errors.Is(err, inquiry.ErrInvalid):
		return q, invalid("correct the question and send it again; nothing was asked", "%w", err)
	}
	return q, err
}

// before is the inquiry that the call waits on for.
func (t *inquiries) before(ctx context.Context, c *call, a inquiryArgs) (inquiry.Question, error) {
	for _, name := range []string{"prompt", "context", "options", "fields", "draft",
		"default_answer", "timeout_seconds",
		"session_id", "idempotency_key"} {
		if c.given[name] {
			return inquiry.Question{}, &redirect{
				invalid("leave "+name+" out to wait on; leave question_id out to ask anew",
					"there are both question_id and %s", name),
				nextCall(inquiryTool, map[string]any{"question_id": a.QuestionID},
					"it waits for the answer")}
		}
	}
	q, err := t.questions.get(ctx, c, a.QuestionID)
	if err == nil && q.RunID != "" {
		return q, &redirect{invalid("wait for the run that asks it",
			"question %s is one of the agent on the phone", q.ID), nextCall(waitTool,
			map[string]any{"session_id": q.SessionID}, "it shows how the run stands")}
	}
	return q, err
}

// draft is the new question of the call.
func (t *inquiries) draft(ctx context.Context, c *call, a inquiryArgs) (inquiry.Question, error) {
	q := inquiry.Question{
		Kind: inquiry.KindInquiry, Client: c.principal, SessionID: a.SessionID,
		Task: a.Context, Text: a.Prompt,
		Body: &inquiry.Ask{Options: a.Options, FreeText: len(a.Options) > 0 && a.FreeText,
			Draft: a.Draft},
		DefaultAnswer: a.DefaultAnswer,
		OnTimeout:     a.OnTimeout, Key: a.Key,
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
	if !c.given["on_timeout"] && t.OnTimeout.Model() != "" {
		q.OnTimeout = t.OnTimeout
	}
	q.Clean() // as it is stored, and compared with what was asked under the same key
	q.Channels = t.channels(c, q.Secret)
	if err := agree(&q); err != nil {
		return q, err
	}
	if a.Timeout != nil {
		d := inquiry.Clamp(time.Duration(*a.Timeout * float64(time.Second)))
		q.AttentionUntil = time.Now().Add(d)
		// what silence leads to comes before the end
		q.ExpiresAt = time.Now().Add(max(answerable, d+time.Hour))
	}
	if q.SessionID != "" {
		sess, err := t.Runs.Session(ctx, q.SessionID, c.principal)
		if err != nil {
			return q, err
		}
		q.SessionID = sess.ID
	}
	return q, nil
}

// agree refuses arguments that do not go together, and fills in the default answer of a form.
func agree(q *inquiry.Question) error {
	options, form := len(inquiry.As[inquiry.Ask](*q).Options) > 0, len(inquiry.As[inquiry.Form](*q).Fields) > 0
	draft := inquiry.As[inquiry.Ask](*q).Draft != ""
	switch {
	case q.Text == "":
		return invalid("pass prompt with the question, or question_id to wait on for an answer",
			"prompt is missing")
	case options && form, options && draft, form && draft:
		return invalid("ask in one way, or in several calls",
			"options, fields and draft do not go together")
	case q.Secret && (form || draft || q.DefaultAnswer != ""):
		return invalid("ask for each secret in a call of its own, with nothing but prompt "+
			"and context",
			"a secret question has no form, no draft and no default answer")
	case q.OnTimeout == inquiry.Default && q.DefaultAnswer == "" && form:
		q.DefaultAnswer = defaultsOf(inquiry.As[inquiry.Form](*q).Fields)
	case q.OnTimeout == inquiry.Default && q.DefaultAnswer == "":
		return invalid("pass default_answer, or another on_timeout",
			"on_timeout is default_answer, and there is none")
	}
	return nil
}

// channels are the ways to answer an inquiry: a form, when the server or the connection wants forms
// and the client shows them; the client's own call; and the places where all questions are listed.
func (t *inquiries) channels(c *call, secret bool) []inquiry.Channel {
	var list []inquiry.Channel
	mode := c.options.replyMode(t.ReplyMode, t.ReplyMode)
	if c.forms && !secret && mode.Has(channel.Elicit) {
		list = append(list, inquiry.Channel{Name: string(channel.Elicit)})
	}
	list = append(list, inquiry.Channel{Name: string(channel.PassToClient)})
	for _, name := range t.Options.Channels {
		list = append(list, inquiry.Channel{Name: name})
	}
	return list
}

// defaultsOf is the answer that the defaults of the fields are.
func defaultsOf(fields []inquiry.Field) string {
	values := map[string]any{}
	for _, f := range fields {
		if f.Default != nil {
			values[f.Name] = f.Default
		}
	}
	return quote(values)
}

// underKey is the inquiry that was asked under the key before; false when there is none.
func (t *inquiries) underKey(ctx context.Context, q inquiry.Question) (
	inquiry.Question, bool, error) {
	list, err := t.Questions.List(ctx, inquiry.Filter{Client: &q.Client, Key: q.Key})
	switch {
	case err != nil || len(list) == 0:
		return q, false, err
	case !sameInquiry(list[0], q):
		return q, false, invalid("use a new key for a new question",
			"the key %s stands for question %s, which was another one",
			text.Quote(q.Key, 60), list[0].ID)
	}
	return list[0], true, nil
}

func sameInquiry(a, b inquiry.Question) bool {
	return a.Text == b.Text && a.Task == b.Task && a.SessionID == b.SessionID &&
		inquiry.As[inquiry.Ask](a).Draft == inquiry.As[inquiry.Ask](b).Draft && a.OnTimeout == b.OnTimeout &&
		slices.Equal(inquiry.As[inquiry.Ask](a).Options, inquiry.As[inquiry.Ask](b).Options) &&
		slices.EqualFunc(inquiry.As[inquiry.Form](a).Fields, inquiry.As[inquiry.Form](b).Fields, func(x, y inquiry.Field) bool {
			return x.Name == y.Name && x.Label == y.Label && x.Type == y.Type &&
				x.Optional == y.Optional && slices.Equal(x.Options, y.Options)
		})
}

// mayAsk refuses a client that has asked too much that is not answered.
func (t *inquiries) mayAsk(ctx context.Context, c *call) error {
	open, err := t.Questions.List(ctx,
		inquiry.Filter{Client: &c.principal, Status: inquiry.Pending, NoRun: true})
	if err != nil {
		return err
	}
	if len(open) >= maxOpen {
		return runs.Refuse(tooManyQuestions,
			"wait for answers, and ask for several things in one form",
			"%d inquiries are open (at most %d)", len(open), maxOpen)
	}
	return nil
}
