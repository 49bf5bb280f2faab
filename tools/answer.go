package tools

import (
	"context"
	"encoding/json"

	"github.com/taploop/taploop/inquiry"
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
func (t *inquiries) answer(ctx context.Context, c *call, a answerArgs) (*reply, error) {
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
	if a.Values != nil && len(q.Fields) == 0 {
		return nil, invalid("pass response with a text; the question is still open",
			"the question is no form, and there are values")
	}
	settled, err := t.Questions.Resolve(ctx, q.ID, r)
	if err != nil {
		return nil, t.questions.unresolved(ctx, q, err)
	}
	body := result.NewInquiry(settled.Question)
	body.Replayed = settled.Replayed
	return t.stands(c, settled.Question, body, 0)
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
	case a.Values == nil && a.Response == "" && !a.Decline && !a.wordless():
		return invalid("pass response with your user's own answer, values for a form, or decline",
			"there is no answer")
	}
	return small("values", a.Values, 60_000)
}

// wordless reports whether the answer is of a type that needs no words.
func (a answerArgs) wordless() bool {
	return a.ReplyType != "" && a.ReplyType != inquiry.TypeAnswer
}
