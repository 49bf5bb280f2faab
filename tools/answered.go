package tools

import (
	"fmt"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/usecase"
)

// mostAnswered is how many answered questions a result lists, the last ones.
const mostAnswered = 8

// answered tells how the agent's questions were settled that were asked in the steps of the result
// and that were not answered by a client's own call: what a model, the clock, a form or another
// channel has said is not known to the caller yet.
func (m *messages) answered(o *usecase.Outcome) (lines []string) {
	for _, q := range o.Settled {
		if l := answeredLine(q, m); l != "" {
			lines = append(lines, l)
		}
	}
	for _, step := range o.Status.Steps {
		if x := step.Exchange; x != nil && x.Outcome == actions.NoReply {
			lines = append(lines, fmt.Sprintf(m.NotAsked, quoted(x.Question, 200)))
		}
	}
	if n := len(lines) - mostAnswered; n > 0 {
		lines = append([]string{fmt.Sprintf(m.MoreAnswered, fmt.Sprint(n))}, lines[n:]...)
	}
	return lines
}

// answeredLine is "" about a question that is open, that ended with its run, or that the client
// itself has passed an answer to.
func answeredLine(q inquiry.Question, in *messages) string {
	r := q.Resolution
	if r == nil {
		return ""
	}
	question, answer := quoted(q.In(in.Lang).Text, 200), quoted(r.Response.String(), 300)
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

// remark is what was said when the phone was handed back. The answer is in quotes.
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
