package tools

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/usecase"
)

// nextLine is what the last line of a result knows: how the run stands, and the call that comes
// next.
type nextLine struct {
	runs.Status
	in              *messages
	tool, arguments string // of the call
	page            string // where people answer the run's question, or ""
}

// lines word the imperative that ends the text of an unfinished run's result.
var lines = map[usecase.Because]func(nextLine) string{
	usecase.WasPaused: nextLine.paused, usecase.IsInForm: nextLine.form,
	usecase.AsksUser: nextLine.question, usecase.AsksElsewhere: nextLine.elsewhere,
	usecase.WaitsInLine: nextLine.inLine, usecase.IsGoing: nextLine.wait,
	usecase.WasLeft: nextLine.pickUp, usecase.IsPaused: nextLine.resume,
}

// lineOf is the imperative that ends the text of a result; "" when the run has ended. page is where
// people answer its question, or "".
func (c *call) lineOf(st runs.Status, page string) string {
	next := usecase.After(st)
	if next == nil {
		return ""
	}
	n := c.name(next)
	return lines[next.Because](nextLine{st, c.messages, n.Tool, quote(n.Arguments), page})
}

func (o nextLine) form() string { return fmt.Sprintf(o.in.WaitForm, o.arguments) }

func (o nextLine) elsewhere() string { return fmt.Sprintf(o.in.Elsewhere, o.arguments) }

func (o nextLine) inLine() string {
	return fmt.Sprintf(o.in.InLine, o.arguments, placeOf(o.Status, o.in))
}

// wait and resume say first what a paused run needs before it can continue.
func (o nextLine) wait() string {
	return o.hintFirst(fmt.Sprintf(o.in.WaitNow, o.arguments))
}

func (o nextLine) resume() string {
	return o.hintFirst(fmt.Sprintf(o.in.GoOn, o.arguments, quote(o.Session.ID)))
}

func (o nextLine) hintFirst(line string) string {
	if before := hintBefore(o.Status); before != "" {
		return fmt.Sprintf(o.in.HintFirst, before, o.tool, o.arguments)
	}
	return line
}

func (o nextLine) pickUp() string {
	if o.Hint == usecase.PickUp {
		return fmt.Sprintf(o.in.PickUp, o.arguments)
	}
	return o.wait()
}

// paused is about a run that was paused on purpose: it does not urge the model on.
func (o nextLine) paused() string {
	if o.Question != nil {
		return o.in.PausedAsking + o.question()
	}
	return fmt.Sprintf(o.in.Paused, o.arguments, quote(o.Session.ID))
}

// question asks for what the open question waits for.
func (o nextLine) question() string {
	switch o.Question.Body.(type) {
	case *inquiry.Approval:
		return o.decide()
	case *inquiry.Takeover:
		return o.handOver()
	}
	return o.ask()
}

func (o nextLine) ask() string {
	line := fmt.Sprintf(o.in.AskUser, quoted(o.Question.Text, 1000))
	if q := o.Question; q.Secret {
		line += fmt.Sprintf(o.in.SecretAt, o.in.whereToSettle(o.page))
	}
	var options []string
	for _, d := range visible(*o.Question) {
		line += " " + quoted(d.Name+": "+d.Text, 300)
	}
	all := inquiry.Choices(*o.Question)
	for _, option := range all[:min(len(all), 20)] {
		options = append(options, quoted(option, 100))
	}
	if options != nil {
		line += fmt.Sprintf(o.in.Choose, strings.Join(options, ", "))
	}
	if o.Question.ForPeople() {
		return line + o.people()
	}
	if s := o.Question.Suggestion; s != nil {
		line += fmt.Sprintf(o.in.Drafted, shortLine(s.By, 60), quoted(s.Answer, 500))
	}
	return line + fmt.Sprintf(o.in.ReplyWith, o.arguments)
}

// decide asks for a decision about an action.
func (o nextLine) decide() string {
	q := o.Question
	about := inquiry.As[inquiry.Approval](*q)
	line := fmt.Sprintf(o.in.Decide, quoted(q.In(o.in.Lang).Text, 1000))
	if about.Element != "" {
		line += fmt.Sprintf(o.in.UnderFinger, shortLine(about.Element, 200))
	}
	if about.Reason != "" {
		line += fmt.Sprintf(o.in.AskedBecause, quoted(about.Reason, 300))
	}
	if q.ForPeople() {
		return line + o.people()
	}
	return line + fmt.Sprintf(o.in.DecideWith, o.arguments, strings.Join(about.Allowed(0), "|"))
}

// people says where the user decides.
func (o nextLine) people() string {
	return fmt.Sprintf(o.in.DecidePeople, o.in.whereToSettle(o.page), o.tool, o.arguments)
}

// handOver asks for work on the phone.
func (o nextLine) handOver() string {
	if q := o.Question; q.ForPeople() {
		return fmt.Sprintf(o.in.HandBackPeople, quoted(q.Text, 1000),
			o.in.whereToSettle(o.page), o.tool, o.arguments)
	}
	at := ""
	if o.page != "" {
		at = fmt.Sprintf(o.in.TakeOverAt, o.page)
	}
	return fmt.Sprintf(o.in.TakeOver, at, quoted(o.Question.Text, 1000)) +
		fmt.Sprintf(o.in.HandBack, o.arguments)
}

// whereToSettle is where people settle a question; page is its address on the inbox page, or "". It
// names no command, which the model that reads it could run.
func (m *messages) whereToSettle(page string) string { return cmp.Or(page, m.PeoplesPlace) }

// hintBefore is what a paused run needs before it can continue, or "".
func hintBefore(st runs.Status) string {
	if st.Run.State != store.Paused || strings.HasPrefix(st.Hint, "continue the session") {
		return ""
	}
	// the line says it with the call
	before, _, _ := strings.Cut(st.Hint, ", then continue the session")
	return strings.TrimSuffix(shortLine(before, 300), ".")
}

// placeOf says where a QUEUED run stands in the line, and who has the phone if that is known.
func placeOf(st runs.Status, in *messages) string {
	place := fmt.Sprintf(in.Ahead, fmt.Sprint(st.Ahead))
	switch h := st.Holder; {
	case h == nil:
	case h.SessionID == "":
		place += fmt.Sprintf(in.HeldElsewhere, h.State)
	default:
		place += fmt.Sprintf(in.HeldBy, quote(h.SessionID), h.State)
	}
	return place
}
