package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/tools/result"
)

type answerArgs struct {
	QuestionID string          `json:"question_id" max:"200"`
	Response   string          `json:"response,omitempty" max:"30000"`
	Values     json.RawMessage `json:"values,omitempty"`
	Decline    bool            `json:"decline" default:"false"`
	ReplyType  inquiry.Type    `json:"reply_type,omitempty" listed:"no"`
	Remember   inquiry.Scope   `json:"remember,omitempty" listed:"no"`
	ReplyID    string          `json:"reply_id,omitempty" max:"200" listed:"no"`
}

// answer answers in words that the client passes on.
func (t *inquiries) answer(ctx context.Context, c *call, a answerArgs) (*toolResult, error) {
	r := inquiry.Reply{ID: a.ReplyID, Type: a.ReplyType, Response: a.Response,
		Remember: a.Remember,
		Channel:  inquiry.ChannelMCP, Authority: inquiry.AuthorityClientModel}
	if a.Values != nil {
		r.Response = string(a.Values)
	}
	if a.Decline {
		r.Type = inquiry.TypeDecline
	}
	if err := a.check(); err != nil {
		return nil, err
	}
	q, err := t.questions.get(ctx, c, a.QuestionID)
	if err != nil {
		return nil, err
	}
	if a.Values != nil && len(inquiry.As[inquiry.Form](q).Fields) == 0 {
		return nil, invalid("pass response with a text; the question is still open",
			"the question is no form, and there are values")
	}
	settled, err := t.Questions.Resolve(ctx, q.ID, r)
	if err != nil {
		return nil, t.questions.unresolved(ctx, q, err)
	}
	body := result.NewInquiry(settled.Question)
	body.Replayed = settled.Replayed
	return t.statusFrom(c, settled.Question, body, 0)
}

func (a answerArgs) check() error {
	switch {
	case a.Values != nil && a.Response != "":
		return invalid("pass one of them: values for a form, response for anything else",
			"there are both values and response")
	case a.Values != nil && a.Decline:
		return invalid("pass one of them", "there are both values and decline")
	case a.Decline && a.ReplyType != "" && a.ReplyType != inquiry.TypeDecline:
		return invalid("pass one of them", "there are both decline and reply_type %q", a.ReplyType)
	case a.Values == nil && a.Response == "" && !a.Decline &&
		(a.ReplyType == "" || a.ReplyType == inquiry.TypeAnswer): // others need no words
		return invalid("pass response with your user's own answer, values for a form, or decline",
			"there is no answer")
	}
	return small("values", a.Values, 60_000)
}

// mostAnswered is of how many questions a result tells who answered them; the last ones count.
const mostAnswered = 8

// answered tells how the agent's questions were settled that were asked in the steps of the result
// and that were not answered by a client's own call: what a model, the clock, a form or another
// channel has said is not known to the caller yet.
func (t *tasks) answered(ctx context.Context, st runs.Status, s *callState, in *messages) (
	[]string, error) {
	// an answer counts from the step after the one that asked
	from := cmp.Or(s.since, st.Session.Steps-st.Local)
	asked, err := t.Questions.List(ctx, inquiry.Filter{RunID: st.Run.ID})
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, q := range asked {
		if q.Step < from {
			continue
		}
		if l := answeredLine(q, in); l != "" {
			lines = append(lines, l)
		}
	}
	for _, step := range st.Steps {
		if x := step.Exchange; x != nil && x.Outcome == actions.NoReply {
			lines = append(lines, fmt.Sprintf(in.NotAsked, quoted(x.Question, 200)))
		}
	}
	if n := len(lines) - mostAnswered; n > 0 {
		lines = append([]string{fmt.Sprintf(in.MoreAnswered, fmt.Sprint(n))}, lines[n:]...)
	}
	return lines, nil
}

// answeredLine is "" about a question that is open, that ended with its run, or that the client
// itself has passed an answer to.
func answeredLine(q inquiry.Question, in *messages) string {
	r := q.Resolution
	if r == nil {
		return ""
	}
	question, answer := quoted(q.Text, 200), quoted(r.Response.String(), 300)
	who := in.who(*r)
	switch {
	case r.Type == inquiry.TypeDefault:
		return fmt.Sprintf(in.ByDefault, question, answer)
	case r.Type == inquiry.TypeTimeout:
		return fmt.Sprintf(in.BySilence, question)
	case r.Recalled != "":
		return fmt.Sprintf(in.ByMemory, question, shortLine(r.Why, 200), answer)
	case r.Channel == inquiry.ChannelMCP && r.Authority == inquiry.AuthorityClientModel:
		return ""
	case r.Type == inquiry.TypeDecline:
		return fmt.Sprintf(in.DeclinedBy, question, who)
	case r.Type == inquiry.TypeDelegate:
		return fmt.Sprintf(in.DelegatedBy, question, who)
	case r.Type == inquiry.TypeDone:
		return fmt.Sprintf(in.HandedBackBy, who, quote(in.IsDone), remark(answer))
	case r.Type == inquiry.TypeCouldNot:
		return fmt.Sprintf(in.HandedBackBy, who, quote(in.CouldNot), remark(answer))
	case r.Type != inquiry.TypeAnswer:
		return ""
	case r.Authority == inquiry.AuthorityAgent:
		which := ""
		if r.By != "" {
			which = " (" + shortLine(r.By, 60) + ")"
		}
		return fmt.Sprintf(in.ByModel, question, which, answer)
	case r.Channel == inquiry.ChannelElicit:
		draft := ""
		if r.Unedited != "" {
			draft = fmt.Sprintf(in.Unedited, shortLine(r.Unedited, 60))
		}
		return fmt.Sprintf(in.ByForm, question, draft, answer)
	}
	return fmt.Sprintf(in.ByOther, question, who, answer)
}

// remark is what was said when the phone was handed back; answer is in quotes.
func remark(answer string) string {
	if answer == `""` {
		return ""
	}
	return " " + answer
}

// who is who has settled a question: the client's user, or who it was and through which channel.
func (m *messages) who(r inquiry.Resolution) string {
	if r.Channel == inquiry.ChannelElicit {
		return m.InForm
	}
	return shortLine(r.Who(), 100)
}

type pendingArgs struct {
	SessionID string `json:"session_id,omitempty" max:"200"`
	Limit     int    `json:"limit" default:"20" min:"1" max:"100" listed:"no"`
}

// list lists the caller's open questions.
func (t *inquiries) list(ctx context.Context, c *call, a pendingArgs) (*toolResult, error) {
	if a.SessionID != "" {
		sess, err := t.Runs.Session(ctx, a.SessionID, c.principal)
		if err != nil {
			return nil, err
		}
		a.SessionID = sess.ID
	}
	open, err := t.Questions.List(ctx,
		inquiry.Filter{Status: inquiry.Pending, SessionID: a.SessionID})
	if err != nil {
		return nil, err
	}
	body := result.Pending{Questions: []result.OpenQuestion{}}
	owned := map[string]bool{} // sessions
	for _, q := range open {
		mine, known := owned[q.SessionID]
		if !known || q.SessionID == "" {
			if mine, err = t.questions.owns(ctx, c, q); err != nil {
				return nil, err
			}
			owned[q.SessionID] = mine
		}
		if !mine {
			continue
		}
		if body.Total++; body.Total <= a.Limit {
			listed := *t.questions.shown(q)
			listed.SessionID = q.SessionID
			body.Questions = append(body.Questions, listed)
		}
	}
	r := &toolResult{text: func() string { return questionsSaid(&body, c.messages) }}
	return r, c.fit(r, &body)
}
