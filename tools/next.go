package tools

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/tools/result"
)

// way is the call that goes on with a run.
type way struct {
	tool, why string
	line      func(onward) string // the imperative that ends the text of a result
}

// onward is what a line needs to know of a run that goes on.
type onward struct {
	runs.Status
	in              *messages
	tool, arguments string // of the call
	page            string // where people answer the run's question, or ""
}

// wayOn decides how a run goes on; false when it has ended.
func wayOn(st runs.Status) (way, bool) {
	asks, running := st.Question != nil, st.Reason == agentloop.StillRunning
	switch {
	case pausedOnPurpose(st):
		return way{continueTool, "the run is paused as it was wanted; call this when your user " +
			"wants it to go on", onward.paused}, true
	case questionInForm(st) != nil:
		return way{waitTool, "the agent's question is shown to your user in a form while a call " +
			"waits", onward.form}, true
	case asks && !running:
		return wayToSettle(st), true
	case st.Run.State.Terminal():
		return way{}, false
	case asks:
		return way{waitTool, "the agent's question is being asked elsewhere, and the run goes on " +
			"with the answer", onward.elsewhere}, true
	case running && st.Run.State == store.Queued:
		return way{waitTool, "the run waits for its phone" + placeOf(st, messagesIn("en")),
			onward.inLine}, true
	case st.Stalled:
		return way{waitTool, "the run waits for its data folder, which does not answer",
			onward.wait}, true
	case running:
		return way{waitTool, "the run goes on", onward.wait}, true
	case st.Reason == agentloop.ClientDetached:
		return way{waitTool, "the run paused because nobody waited for it, and goes on when " +
			"somebody does", onward.pickUp}, true
	case st.Reason == agentloop.MaxStepsReached:
		return way{continueTool, "the steps of this call are used up; continuing gives it more",
			onward.resume}, true
	case st.Message != "":
		return way{continueTool, "the run is paused (" + shortLine(st.Message, 300) +
			") and goes on from where it is", onward.resume}, true
	}
	return way{continueTool, "the run is paused and goes on from where it is", onward.resume}, true
}

// wayToSettle is how a run goes on that rests until its question is settled.
func wayToSettle(st runs.Status) way {
	switch {
	case keptByPerson(st):
		return way{waitTool, "a person has taken the phone over and hands it back, which no call " +
			"can; this waits for that", onward.question}
	case takenOver(st):
		return way{continueTool, "your user is to do something on the phone by hand; add " +
			"reply_type done when your user says so, or could_not with reply_from_client",
			onward.question}
	case awaitsDecision(st) && st.Question.ForPeople():
		return way{waitTool, "an action waits until a person has decided about it, which no call " +
			"can; this waits for that", onward.question}
	case awaitsDecision(st):
		return way{continueTool, "an action waits for a decision of your user's; add decisions, " +
			"one for each of the question's action_requests", onward.question}
	}
	return way{continueTool, "the agent asks something that only your user can answer; add " +
		"reply_from_client with your user's own answer", onward.question}
}

// call is the call of the way.
func (w way) call(st runs.Status) *result.Next {
	arguments := map[string]any{"session_id": st.Session.ID}
	if w.tool == waitTool {
		arguments["since_step"] = st.Session.Steps
	}
	if st.Question != nil && st.Reason != agentloop.StillRunning { // what is settled, or waited for
		arguments["question_id"] = st.Question.ID
	}
	return nextCall(w.tool, arguments, w.why)
}

// Next names the call that goes on with a run; nil when the run has ended.
func Next(st runs.Status) *result.Next {
	w, on := wayOn(st)
	if !on {
		return nil
	}
	return w.call(st)
}

// nextLine is the imperative that ends the text of an unfinished run's result. page is where people
// answer its question, or "".
func nextLine(st runs.Status, page string, in *messages) string {
	w, on := wayOn(st)
	if !on {
		return ""
	}
	n := w.call(st)
	return w.line(onward{st, in, n.Tool, quote(n.Arguments), page})
}

func (o onward) form() string      { return fmt.Sprintf(o.in.WaitForm, o.arguments) }
func (o onward) elsewhere() string { return fmt.Sprintf(o.in.Elsewhere, o.arguments) }

func (o onward) inLine() string {
	return fmt.Sprintf(o.in.InLine, o.arguments, placeOf(o.Status, o.in))
}

// wait and resume say first what is to be done before a paused run can go on.
func (o onward) wait() string {
	return o.hintFirst(fmt.Sprintf(o.in.WaitNow, o.arguments))
}

func (o onward) resume() string {
	return o.hintFirst(fmt.Sprintf(o.in.GoOn, o.arguments, quote(o.Session.ID)))
}

func (o onward) hintFirst(line string) string {
	if before := hintBefore(o.Status); before != "" {
		return fmt.Sprintf(o.in.HintFirst, before, o.tool, o.arguments)
	}
	return line
}

func (o onward) pickUp() string {
	if o.Hint == pickUp {
		return fmt.Sprintf(o.in.PickUp, o.arguments)
	}
	return o.wait()
}

// paused is about a run that was paused on purpose: it does not urge the model on.
func (o onward) paused() string {
	if o.Question != nil {
		return o.in.PausedAsking + o.question()
	}
	return fmt.Sprintf(o.in.Paused, o.arguments, quote(o.Session.ID))
}

// question asks for what the open question waits for.
func (o onward) question() string {
	switch o.Question.Body.(type) {
	case *inquiry.Approval:
		return o.decide()
	case *inquiry.Takeover:
		return o.handOver()
	}
	return o.ask()
}

func (o onward) ask() string {
	line := fmt.Sprintf(o.in.AskUser, quoted(o.Question.Text, 1000))
	if q := o.Question; q.Secret {
		line += fmt.Sprintf(o.in.SecretAt, whereToSettle(q.ID, q.Kind, o.page))
	}
	var options []string
	offered := inquiry.As[inquiry.Ask](*o.Question).Options
	for _, option := range offered[:min(len(offered), 20)] {
		options = append(options, quoted(option, 100))
	}
	if options != nil {
		line += fmt.Sprintf(o.in.Choose, strings.Join(options, ", "))
	}
	if s := o.Question.Suggestion; s != nil {
		line += fmt.Sprintf(o.in.Drafted, shortLine(s.By, 60), quoted(s.Answer, 500))
	}
	return line + fmt.Sprintf(o.in.ReplyWith, o.arguments)
}

// decide asks for a decision about an action.
func (o onward) decide() string {
	q := o.Question
	about := inquiry.As[inquiry.Approval](*q)
	var what []string
	for _, r := range about.ActionRequests[:min(len(about.ActionRequests), 10)] {
		what = append(what, quoted(r.Description, 300))
	}
	line := fmt.Sprintf(o.in.Decide, strings.Join(what, ", "))
	if about.Element != "" {
		line += fmt.Sprintf(o.in.UnderFinger, shortLine(about.Element, 200))
	}
	if about.Reason != "" {
		line += fmt.Sprintf(o.in.AskedBecause, quoted(about.Reason, 300))
	}
	if q.ForPeople() {
		return line + fmt.Sprintf(o.in.DecidePeople, whereToSettle(q.ID, q.Kind, o.page), o.tool,
			o.arguments)
	}
	return line + fmt.Sprintf(o.in.DecideWith, o.arguments, strings.Join(about.Allowed(0), "|"))
}

// handOver asks for what is to be done on the phone.
func (o onward) handOver() string {
	if q := o.Question; q.ForPeople() {
		return fmt.Sprintf(o.in.HandBackPeople, quoted(q.Text, 1000),
			whereToSettle(q.ID, q.Kind, o.page), o.tool, o.arguments)
	}
	at := ""
	if o.page != "" {
		at = fmt.Sprintf(o.in.TakeOverAt, o.page)
	}
	return fmt.Sprintf(o.in.TakeOver, at, quoted(o.Question.Text, 1000)) +
		fmt.Sprintf(o.in.HandBack, o.arguments)
}

// awaitsDecision reports whether an action waits for a decision.
func awaitsDecision(st runs.Status) bool {
	return st.Question != nil && len(inquiry.As[inquiry.Approval](*st.Question).ActionRequests) > 0 &&
		st.Reason != agentloop.StillRunning && !pausedOnPurpose(st)
}

// takenOver reports whether a person is to have the phone.
func takenOver(st runs.Status) bool {
	return st.Question != nil && st.Run.State == store.WaitingTakeover
}

// keptByPerson reports whether a person has the phone and only people hand it back.
func keptByPerson(st runs.Status) bool { return takenOver(st) && st.Question.ForPeople() }

// whereToSettle is where people settle a question of this kind; page is its address on the inbox
// page, or "".
func whereToSettle(id string, kind inquiry.Kind, page string) string {
	how := " " + cmp.Or(kind.Flag(), "-") // a secret could be read on the command line
	return cmp.Or(page, "taploop reply "+id[:min(len(id), 8)]+how)
}

// pausedOnPurpose reports whether a person or a client has paused the run.
func pausedOnPurpose(st runs.Status) bool {
	return st.Reason == agentloop.UserPaused && st.Run.State == store.Paused
}

// pickUp is the hint about a run that paused only because no client waited for it.
const pickUp = "wait for the run, which lets it go on"

// hintBefore is what is to be done before a paused run can go on; "" when going on is all.
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

// shortLine is a text on one line, cut to n characters.
func shortLine(s string, n int) string { return text.Cut(text.Line(s), n) }

// quoted is a text from the phone on one line, marked as somebody's words.
func quoted(s string, most int) string { return quote(text.Line(text.Cut(s, most))) }

func nextCall(tool string, arguments map[string]any, why string) *result.Next {
	return &result.Next{Tool: tool, Arguments: arguments, Why: why}
}
