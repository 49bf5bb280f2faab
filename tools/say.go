package tools

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/tools/result"
)

// maxSaid is how much of what the agent reports at the end is in the text. All of it is in the
// structure.
const maxSaid = 8000

// said is a result in text: what happened, in a sentence for a person, which session it is, the
// steps, a line each, the notes, and the call that comes next.
func (c *call) said(body *result.Result, st runs.Status) string {
	in := c.messages
	lines := []string{happened(body, st, in),
		fmt.Sprintf("session_id %s, device_id %s, %s, %s", quote(body.SessionID),
			quote(body.Device.ID), body.State, body.Reason)}
	if body.Logs != nil && body.Delta > 0 && body.Final != nil {
		for _, s := range append(body.Logs[:len(body.Logs):len(body.Logs)], *body.Final) {
			lines = append(lines, fmt.Sprintf("%d. %s", s.Global, s.Line))
			if s.Caption != "" {
				lines = append(lines, fmt.Sprintf(in.Screen, shortLine(s.Caption, 1000)))
			}
		}
	}
	if len(body.Pictures) > 0 {
		lines = append(lines, fmt.Sprintf(in.PicturesOf, list(body.Pictures)))
	}
	lines = append(lines, in.notes(body.Notes)...)
	page := ""
	if body.Question != nil {
		page = body.Question.PageURL
	}
	if l := c.lineOf(st, page); l != "" {
		lines = append(lines, l)
	} else if f := body.Error; f != nil {
		lines = append(lines, in.tryLines(*f)...)
	}
	return strings.Join(lines, "\n")
}

// tryLines are what can be done about a failure, if anything.
func (m *messages) tryLines(f result.Failure) []string {
	if f.Hint == "" {
		return nil
	}
	return []string{fmt.Sprintf(m.Try, text.Line(f.Hint))}
}

// happened says in a sentence how the run stands.
func happened(body *result.Result, st runs.Status, in *messages) string {
	after := in.OneStep
	switch {
	case st.Run.MaxSteps == 0:
		after = in.OfAgents
	case body.Global != 1:
		after = fmt.Sprintf(in.Steps, fmt.Sprint(body.Global))
	}
	why := ""
	if body.Error != nil {
		why = shortLine(body.Error.Message, 500)
	}
	switch state := st.Run.State; {
	case state == store.Completed:
		return fmt.Sprintf(in.Done, after, quoted(*body.Answer, maxSaid))
	case state == store.Aborted:
		if st.Run.Answer != "" {
			why = quoted(st.Run.Answer, maxSaid)
		}
		return fmt.Sprintf(in.GaveUp, after, cmp.Or(why, string(st.Reason)))
	case state == store.Failed:
		return fmt.Sprintf(in.Failed, after, cmp.Or(why, string(st.Reason)))
	case state == store.Cancelled:
		return strings.TrimSpace(fmt.Sprintf(in.Stopped, after) + " " + why)
	case state == store.Expired:
		return fmt.Sprintf(in.Expired, after)
	case state == store.Queued:
		return in.Queued
	case st.Reason == agentloop.StillRunning:
		return fmt.Sprintf(in.Going, after)
	case usecase.AwaitsDecision(st):
		return fmt.Sprintf(in.NeedsApproval, after)
	case usecase.KeptByPerson(st):
		return fmt.Sprintf(in.TakenOver, after)
	case usecase.TakenOver(st):
		return fmt.Sprintf(in.HandsOver, after)
	case st.Question != nil && !usecase.PausedOnPurpose(st):
		return fmt.Sprintf(in.AsksNow, after)
	}
	return fmt.Sprintf(in.PausedAfter, after, cmp.Or(why, string(st.Reason)))
}

// refused is a call that could not be carried out, in text.
func refused(f result.Failure, in *messages) string {
	lines := []string{fmt.Sprintf(in.NotDone, text.Line(f.Message), f.Code)}
	if q := f.Open; q != nil {
		lines = append(lines, fmt.Sprintf(in.OpenNow, quoted(q.Text, 1000), quote(q.ID)))
	}
	return strings.Join(append(lines, in.tryLines(f)...), "\n")
}

// phonesSaid is a list of phones in text.
func phonesSaid(b *result.Phones, in *messages) string {
	if len(b.Devices) == 0 {
		return in.NoPhones
	}
	lines := []string{fmt.Sprintf(in.Phones, fmt.Sprint(len(b.Devices)))}
	for _, d := range b.Devices {
		facts := []string{d.State}
		if d.Model != "" {
			facts = append(facts, shortLine(d.Model, 60))
		}
		if d.Locked != nil && *d.Locked {
			facts = append(facts, in.Locked)
		}
		if d.On != nil && !*d.On {
			facts = append(facts, in.ScreenOff)
		}
		if d.App != "" {
			facts = append(facts, shortLine(d.App, 100))
		}
		if h := d.HeldBy; h != nil {
			held := fmt.Sprintf("held_by %s %s", h.SessionID, h.State)
			facts = append(facts, strings.Join(strings.Fields(held), " "))
		}
		lines = append(lines, quote(d.ID)+": "+strings.Join(facts, ", "))
	}
	return strings.Join(lines, "\n")
}

// sessionsSaid is a list of sessions in text.
func sessionsSaid(b *result.Sessions, in *messages) string {
	lines := []string{fmt.Sprintf(in.Sessions, fmt.Sprint(len(b.Sessions)))}
	for _, s := range b.Sessions {
		line := fmt.Sprintf("%s on %s: %s, %s, %s", s.SessionID, quote(s.DeviceID), s.State,
			s.Reason, quoted(s.Task, 100))
		switch {
		case s.Answer != nil:
			line += " -> " + quoted(*s.Answer, 200)
		case s.Question != nil:
			line += " ? " + quoted(s.Question.Text, 200)
		}
		if s.Next != nil {
			line += "; next: " + s.Next.Tool
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// questionsSaid is a list of open questions in text.
func questionsSaid(b *result.Pending, in *messages) string {
	lines := []string{fmt.Sprintf(in.Questions, fmt.Sprint(b.Total))}
	answerable := len(b.Questions) < b.Total
	for _, q := range b.Questions {
		how := settledOtherwise(q, in)
		answerable = answerable || how == ""
		lines = append(lines, q.ID+": "+quoted(q.Text, 500)+how)
	}
	lines = append(lines, in.notes(b.Notes)...)
	if answerable {
		lines = append(lines, in.AskPending)
	}
	return strings.Join(lines, "\n")
}

// settledOtherwise says how a question is settled that answer_question cannot, or "" if any other.
func settledOtherwise(q result.OpenQuestion, in *messages) string {
	switch {
	case q.PeopleOnly:
		return fmt.Sprintf(in.OnlyPeople, in.whereToSettle(q.PageURL))
	case len(q.Requests) > 0:
		return fmt.Sprintf(in.ByDecisions, quote(q.SessionID))
	}
	return ""
}

// list is numbers with commas.
func list(numbers []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ", "), "[]")
}
