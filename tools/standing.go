package tools

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/tools/result"
)

// standing tells how a question stands that the call has waited for.
func (t *inquiries) standing(c *call, q inquiry.Question, s *callState) (*reply, error) {
	body := result.NewInquiry(q)
	body.Replayed = s.replayed
	body.Timing, body.Notes = new(result.NewWaiting(time.Since(s.began), s.budget)), s.notes
	return t.stands(c, q, body, s.from)
}

// stands tells how a question stands, with its answer from a character on.
func (t *inquiries) stands(c *call, q inquiry.Question, body *result.Inquiry, from int) (
	*reply, error) {
	if q.Open() {
		body.Question = t.questions.shown(q)
	}
	body.Next = nextOfQuestion(q)
	r := &reply{text: func() string { return t.said(q, body, c.messages) }}
	if res := q.Resolution; res != nil &&
		(res.Type == inquiry.TypeAnswer || res.Type == inquiry.TypeDefault) {
		body.Settled.Answer = "" // it is said once
		return r, c.fitAnswer(r, q, body, from)
	}
	return r, c.fit(r, body)
}

// fitAnswer adds the answer: all of it, or as much as fits and the call that reads on.
func (c *call) fitAnswer(r *reply, q inquiry.Question, body *result.Inquiry, from int) error {
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
			arguments := map[string]any{"question_id": q.ID, "answer_from": to}
			body.Next = nextCall(inquiryTool, arguments, "the answer goes on")
		}
		size, err := c.size(r)
		if err != nil || size <= maxResult || to <= from {
			return err
		}
	}
}

// nextOfQuestion names the call that goes on from a question; nil when there is nothing to go on
// with.
func nextOfQuestion(q inquiry.Question) *result.Next {
	switch {
	case q.RunID != "":
		return nextCall(waitTool, map[string]any{"session_id": q.SessionID},
			"the run goes on with the answer")
	case q.Open():
		return nextCall(inquiryTool, map[string]any{"question_id": q.ID}, "nobody has answered yet")
	}
	return nil
}

// said is how the question stands, in text: what has happened, the answer, and what follows.
func (t *inquiries) said(q inquiry.Question, body *result.Inquiry, in *messages) string {
	text := quoted(q.Text, 500)
	if q.Open() {
		who := fmt.Sprintf(in.OnlyYou, quote(q.ID))
		if len(t.Options.Channels) > 0 {
			who = fmt.Sprintf(in.OpenFor, strings.Join(t.Options.Channels, ", "))
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
		return fmt.Sprintf(in.LeftToYou, shortLine(q.Resolution.Who(), 100))
	case answered && q.Secret:
		return in.SecretGiven
	case answered && q.Resolution.Authority == inquiry.AuthorityClientModel:
		return in.PassedOn
	case answered && q.Resolution.Recalled != "":
		who := q.Resolution.Who() + ", " + q.Resolution.Why
		return fmt.Sprintf(in.AnsweredBy, shortLine(who, 200))
	case answered:
		return fmt.Sprintf(in.AnsweredBy, shortLine(q.Resolution.Who(), 100))
	case q.Status == inquiry.Refused:
		return in.Refused
	case q.Resolution.Type == inquiry.TypeDefault:
		return in.Defaulted
	}
	return fmt.Sprintf(in.Silent, q.Status)
}
