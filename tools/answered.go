package tools

import (
	"cmp"
	"context"
	"fmt"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/runs"
)

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
	who := shortLine(r.Who(), 100)
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
