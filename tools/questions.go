package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/tools/result"
)

// inquire asks the person, or waits on for an answer to what was asked before.
func (e edge) inquire(ctx context.Context, c *call, a usecase.Inquire) (*toolResult, error) {
	if !c.given["on_timeout"] {
		a.OnTimeout = ""
	}
	out, err := e.cases.Questions.Inquire(ctx, c.who, a)
	if err != nil {
		return nil, err
	}
	return e.inquired(ctx, c, out, a.From)
}

// retryInquiry takes the answer that comes with a call which is made again.
func (e edge) retryInquiry(ctx context.Context, c *call) (*toolResult, error) {
	f, err := e.take(ctx, c)
	if err != nil {
		return nil, err
	}
	out, err := e.cases.Questions.Inquire(ctx, c.who,
		usecase.Inquire{QuestionID: f.question.ID, Seconds: f.args.Seconds})
	if err != nil {
		return nil, err
	}
	out.Replayed, out.Late = f.Replayed, f.Late
	return e.inquired(ctx, c, out, f.args.From)
}

func (e edge) inquired(ctx context.Context, c *call, out *usecase.Inquiry, from int) (
	*toolResult, error) {
	body := result.NewInquiry(out.Question)
	body.Replayed = out.Replayed
	body.Timing = new(result.NewWaiting(out.Waited, out.Budget))
	if out.Late != "" {
		body.Notes = []string{cameTooLate(out.Late)}
	}
	r, err := e.standing(c, out.Question, body, from)
	if err == nil {
		e.cases.Questions.Delivered(ctx, out.Question)
	}
	return r, err
}

// answer answers in words that the client passes on.
func (e edge) answer(ctx context.Context, c *call, a usecase.Answer) (*toolResult, error) {
	out, err := e.cases.Questions.Answer(ctx, c.who, a)
	if err != nil {
		return nil, err
	}
	body := result.NewInquiry(out.Question)
	body.Replayed = out.Replayed
	return e.standing(c, out.Question, body, 0)
}

// pending lists the caller's open questions.
func (e edge) pending(ctx context.Context, c *call, a usecase.ListQuestions) (*toolResult, error) {
	list, total, err := e.cases.Questions.ListQuestions(ctx, c.who, a)
	if err != nil {
		return nil, err
	}
	body := result.Pending{Questions: []result.OpenQuestion{}, Total: total}
	for _, q := range list {
		listed := *e.shown(q)
		listed.SessionID = q.SessionID
		body.Questions = append(body.Questions, listed)
	}
	r := &toolResult{text: func() string { return questionsSaid(&body, c.messages) }}
	return r, c.fit(r, &body)
}

// standing tells how a question stands, with its answer from a character on.
func (e edge) standing(c *call, q inquiry.Question, body *result.Inquiry, from int) (
	*toolResult, error) {
	if q.Open() {
		body.Question = e.shown(q)
	}
	body.Next = c.name(usecase.AfterQuestion(q))
	r := &toolResult{text: func() string { return e.asked(q, body, c.messages) }}
	if res := q.Resolution; res != nil &&
		(res.Type == inquiry.TypeAnswer || res.Type == inquiry.TypeDefault) {
		body.Settled.Answer = "" // it is said once
		return r, c.fitAnswer(r, q, body, from)
	}
	return r, c.fit(r, body)
}

// fitAnswer adds the answer: all of it, or as much as fits and the call that reads on.
func (c *call) fitAnswer(r *toolResult, q inquiry.Question, body *result.Inquiry, from int) error {
	answer := []rune(q.Resolution.Response.String())
	from = min(from, len(answer))
	next, notes := body.Next, slices.Clip(body.Notes)
	r.body = body
	for to := len(answer); ; to = from + (to-from)*2/3 {
		part := string(answer[from:to])
		body.Answer, body.Values = &part, nil
		body.Next, body.Notes = next, notes
		if to == len(answer) && from == 0 {
			body.Values = result.ValuesOf(q)
		}
		if to < len(answer) {
			body.Notes = append(notes,
				fmt.Sprintf("the answer has %d characters; these are the ones from %d to %d",
					len(answer), from, to))
		}
		// a client that has answered knows the rest
		if to < len(answer) && c.request.Params.Name == inquiryTool {
			body.Next = c.name(&usecase.Next{Verb: usecase.ToInquire,
				Question: &q, From: to, Why: "the answer goes on"})
		}
		size, err := c.size(r)
		if err != nil || size <= maxResult || to <= from {
			return err
		}
	}
}

// asked is how the question stands, in text: what has happened, the answer, and what follows.
func (e edge) asked(q inquiry.Question, body *result.Inquiry, in *messages) string {
	text := quoted(q.In(in.Lang).Text, 500)
	if q.Open() {
		who := fmt.Sprintf(in.OnlyYou, quote(q.ID))
		if len(e.opts.Channels) > 0 {
			who = fmt.Sprintf(in.OpenFor, strings.Join(e.opts.Channels, ", "))
		}
		return strings.Join([]string{fmt.Sprintf(in.InquiryOpen, text), who,
			fmt.Sprintf(in.WaitOn, quote(body.Next.Arguments))}, "\n")
	}
	lines := []string{fmt.Sprintf(in.InquiryClosed, q.Status, text)}
	switch {
	case body.Values != nil:
		lines = append(lines, fmt.Sprintf(in.TheAnswer, body.Values))
	case body.Answer != nil:
		lines = append(lines, fmt.Sprintf(in.TheAnswer, quote(*body.Answer)))
	}
	lines = append(lines, in.notes(body.Notes)...)
	switch next := body.Next; {
	case q.RunID != "":
		lines = append(lines, fmt.Sprintf(in.RunGoesOn, quote(next.Arguments)))
	case next != nil:
		lines = append(lines, fmt.Sprintf(in.ReadOn, quote(next.Arguments)))
	default:
		lines = append(lines, settledSentence(q, in))
	}
	return strings.Join(lines, "\n")
}

func settledSentence(q inquiry.Question, in *messages) string {
	switch answered := q.Status == inquiry.Answered; {
	case answered && q.Resolution.Type == inquiry.TypeDelegate:
		return fmt.Sprintf(in.LeftToYou, in.who(*q.Resolution))
	case answered && q.Secret:
		return in.SecretGiven
	case answered && q.Resolution.Authority == inquiry.AuthorityClientModel:
		return in.PassedOn
	case answered && q.Resolution.Recalled != "":
		who := q.Resolution.Who() + ", " + q.Resolution.Why
		return fmt.Sprintf(in.AnsweredBy, shortLine(who, 200))
	case answered:
		return fmt.Sprintf(in.AnsweredBy, in.who(*q.Resolution))
	case q.Status == inquiry.Refused:
		return in.Refused
	case q.Resolution.Type == inquiry.TypeDefault:
		return in.Defaulted
	}
	return fmt.Sprintf(in.Silent, q.Status)
}
