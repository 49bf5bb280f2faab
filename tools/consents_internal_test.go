package tools

import (
	"testing"

	"github.com/taploop/taploop/internal/inquiry/inquirytest"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/tools/result"
)

func TestAnActIsShownInTheWordsOfItsReader(t *testing.T) {
	for _, c := range inquirytest.Consents(t) {
		for lang := range c.Headlines {
			in := messagesIn(lang)
			form := newForm(c.Question, "", in)
			c.Shown(t, lang, form.Message, in.Details)
			next := nextLine{Status: runs.Status{Question: &c.Question},
				in: in}
			c.Shown(t, lang, next.question(), "")
			c.Question.Status = "pending"
			body := result.NewInquiry(c.Question)
			body.Next = new(result.Next)
			c.Shown(t, lang, edge{opts: new(Options)}.asked(c.Question, body, in), "")
		}
	}
}
