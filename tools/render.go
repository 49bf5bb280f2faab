package tools

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/tools/result"
)

// run makes the result of a call about a run. err is the call's.
func (e edge) run(
	ctx context.Context, c *call, o *usecase.Outcome, err error,
) (*toolResult, error) {
	if err != nil {
		return nil, err
	}
	body, err := e.body(o, c.name, c.messages)
	if err != nil {
		return nil, err
	}
	if c.gelab { // these clients know their own words
		if err := asInfo(&body); err != nil {
			return nil, err
		}
	}
	pictures, err := e.pictures(ctx, &body, o.Status, o.Shown.Private(e.opts.Privacy))
	if err != nil {
		return nil, err
	}
	r := &toolResult{text: func() string { return c.said(&body, o.Status) }}
	err = c.fit(r, &body)
	r.pictures = pictures
	return r, err
}

// asInfo makes what waits for a person, an approval or a phone that is handed over, a question in
// words, which says so, and the action that waits an INFO.
func asInfo(body *result.Result) (err error) {
	switch body.Reason {
	case agentloop.ActionNeedsApproval, agentloop.TakeoverNeeded:
		body.Reason = agentloop.InfoNeedsReply
	default:
		return nil
	}
	if body.State.Waiting() {
		body.State = store.WaitingReply
	}
	if q := body.Question; q != nil && q.Kind == inquiry.KindApproval {
		asked := *q
		asked.Text += "\n(This is an approval of an action. A person decides, on the inbox page " +
			"or at the terminal.)"
		body.Question = &asked
		if body.Final != nil {
			asks := actions.Decision{Action: actions.Info{Question: asked.Text}}
			body.Final.Action, err = asks.AgentAction()
		}
	}
	return err
}

// body is the object of a result, without pictures.
func (e edge) body(o *usecase.Outcome, name result.Namer, in *messages) (result.Result, error) {
	shown, st := o.Shown.Private(e.opts.Privacy), o.Status
	body, err := result.New(st)
	if err != nil {
		return body, err
	}
	if o.NotPickedUp != nil && body.Error != nil {
		body.Error = new(result.NewFailure(o.NotPickedUp))
	}
	if o.Reply != "" {
		body.Task, body.Reply = "", o.Reply
	}
	body.Notes = slices.Concat(body.Notes, e.notes(o, name, in), in.answered(o))
	e.reach(body.Question)
	body.Next = name(usecase.After(st))
	if body.Final != nil && !shown.FinalCaption {
		body.Final.Caption = ""
	}
	if o.Shown.Pictures() && e.opts.Privacy == usecase.PrivacyCaptions {
		body.Notes = append(body.Notes,
			"this server keeps pictures private: screens are described in words instead")
	}
	if shown.Logs {
		err = body.AddLogs(st, shown.Captions)
	}
	return body, err
}

// notes are what the call has to say beyond the state of the run.
func (e edge) notes(o *usecase.Outcome, name result.Namer, in *messages) (notes []string) {
	if o.Cut > 0 {
		notes = append(notes, fmt.Sprintf(in.CutSteps, fmt.Sprint(o.Cut),
			fmt.Sprint(e.opts.MaxSteps)))
	}
	if o.Fit != nil {
		params := text.Readable(o.Fit.Params)
		if len(o.Fit.Lacks) > 0 {
			params += fmt.Sprintf(in.Lacks, strings.Join(o.Fit.Lacks, ", "))
		}
		notes = append(notes, fmt.Sprintf(in.Fits, o.Fit.Name, params))
	}
	if o.Late != "" {
		notes = append(notes, cameTooLate(o.Late))
	}
	if len(o.Asked) > 0 {
		list := name(&usecase.Next{Verb: usecase.ToListQuestions})
		answer := name(&usecase.Next{Verb: usecase.ToAnswer})
		notes = append(notes, fmt.Sprintf("questions of the agents that wait: %d. Call %s, and %s "+
			"with what your user says", len(o.Asked), list.Tool, answer.Tool))
	}
	return notes
}

func cameTooLate(why string) string {
	return "what your user said in the form came too late: " + why
}

// shown is q as results show it, with the channels through which it can be answered now, and its
// addresses.
func (e edge) shown(q inquiry.Question) *result.OpenQuestion {
	out := result.NewQuestion(q)
	out.Channels = e.cases.Questions.Open(q)
	e.reach(out)
	return out
}

// reach leaves of an open question's channels those through which it can be settled, and adds the
// addresses under which it can be answered over HTTP, when that is on.
func (e edge) reach(q *result.OpenQuestion) {
	if q == nil {
		return
	}
	q.Channels = channel.Settling(inquiry.Question{
		Body: &inquiry.Takeover{PeopleOnly: q.PeopleOnly}}, q.Channels)
	if base := e.opts.BaseURL; base != "" {
		q.ReplyURL = e.replyURL(q.ID)
		q.PageURL = result.PageURL(base, q.ID)
	}
}

// replyURL is where programs answer the question, "" without HTTP.
func (e edge) replyURL(id string) string {
	if e.opts.BaseURL == "" {
		return ""
	}
	return strings.TrimRight(e.opts.BaseURL, "/") + "/v1/inquiries/" + url.PathEscape(id) + "/reply"
}
