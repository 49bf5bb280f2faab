package tools

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/runs"
	"github.com/taploop/taploop/session"
	"github.com/taploop/taploop/tools/result"
)

// Next names the call that goes on with a run; nil when the run has ended.
func Next(st runs.Status) *result.Next {
	tool, why := goOnTool, "the run is paused and goes on from where it is"
	switch asks, running := st.Question != nil, st.Reason == agentloop.StillRunning; {
	case pausedOnPurpose(st):
		why = "the run is paused as it was wanted; call this when your user wants it to go on"
	case questionInForm(st) != nil:
		tool = waitTool
		why = "the agent's question is shown to your user in a form while a call waits"
	case keptByPerson(st) && !running:
		tool = waitTool
		why = "a person has taken the phone over and hands it back, which no call can; " +
			"this waits for that"
	case takenOver(st) && !running:
		why = "your user is to do something on the phone by hand; add reply_type done when your " +
			"user says so, or could_not with reply_from_client"
	case awaitsDecision(st) && st.Question.PeopleOnly:
		tool = waitTool
		why = "an action waits until a person has decided about it, which no call can; " +
			"this waits for that"
	case awaitsDecision(st):
		why = "an action waits for a decision of your user's; add decisions, one for each of " +
			"the question's action_requests"
	case asks && !running:
		why = "the agent asks something that only your user can answer; " +
			"add reply_from_client with your user's own answer"
	case st.Run.State.Terminal():
		return nil
	case running && asks:
		tool, why = waitTool, "the agent's question is being asked elsewhere, "+
			"and the run goes on with the answer"
	case running && st.Run.State == session.Queued:
		tool, why = waitTool, "the run waits for its phone"+placeOf(st, languages["en"]())
	case st.Stalled:
		tool, why = waitTool, "the run waits for its data folder, which does not answer"
	case running:
		tool, why = waitTool, "the run goes on"
	case st.Reason == agentloop.ClientDetached:
		tool = waitTool
		why = "the run paused because nobody waited for it, and goes on when somebody does"
	case st.Reason == agentloop.MaxStepsReached:
		why = "the steps of this call are used up; continuing gives it more"
	case st.Message != "":
		why = "the run is paused (" + shortLine(st.Message, 300) + ") and goes on from where it is"
	}
	args := map[string]any{"session_id": st.Session.ID}
	if tool == waitTool {
		args["since_step"] = st.Session.Steps
	} else if st.Question != nil {
		args["question_id"] = st.Question.ID
	}
	return nextCall(tool, args, why)
}

// awaitsDecision reports whether an action waits for a decision.
func awaitsDecision(st runs.Status) bool {
	return st.Question != nil && st.Question.Kind == inquiry.Approval &&
		st.Reason != agentloop.StillRunning && !pausedOnPurpose(st)
}

// decideLine asks for a decision about an action.
func decideLine(n *result.Next, st runs.Status, page string, in *messages) string {
	q := st.Question
	var what []string
	for _, r := range q.ActionRequests[:min(len(q.ActionRequests), 10)] {
		what = append(what, quoted(r.Description, 300))
	}
	line := fmt.Sprintf(in.Decide, strings.Join(what, ", "))
	if q.Element != "" {
		line += fmt.Sprintf(in.UnderFinger, shortLine(q.Element, 200))
	}
	if q.Reason != "" {
		line += fmt.Sprintf(in.AskedBecause, quoted(q.Reason, 300))
	}
	if q.PeopleOnly {
		return line + fmt.Sprintf(in.DecidePeople, whereToSettle(q.ID, q.Kind, page), n.Tool,
			quote(n.Arguments))
	}
	return line + fmt.Sprintf(in.DecideWith, quote(n.Arguments), strings.Join(q.Allowed(0), "|"))
}

// whereToSettle is where people settle a question of this kind; page is its address on the inbox
// page, or "".
func whereToSettle(id string, kind inquiry.Kind, page string) string {
	how := " --approve"
	if kind == inquiry.Takeover {
		how = " --done"
	}
	return cmp.Or(page, "taploop reply "+id[:min(len(id), 8)]+how)
}

// takenOver reports whether a person is to have the phone.
func takenOver(st runs.Status) bool {
	return st.Question != nil && st.Question.Kind == inquiry.Takeover &&
		st.Run.State == session.WaitingTakeover
}

// keptByPerson reports whether a person has the phone and only people hand it back.
func keptByPerson(st runs.Status) bool { return takenOver(st) && st.Question.PeopleOnly }

// handOverLine asks for what is to be done on the phone.
func handOverLine(n *result.Next, st runs.Status, page string, in *messages) string {
	if q := st.Question; q.PeopleOnly {
		return fmt.Sprintf(in.HandBackPeople, quoted(q.Text, 1000),
			whereToSettle(q.ID, q.Kind, page), n.Tool, quote(n.Arguments))
	}
	at := ""
	if page != "" {
		at = fmt.Sprintf(in.TakeOverAt, page)
	}
	return fmt.Sprintf(in.TakeOver, at, quoted(st.Question.Text, 1000)) +
		fmt.Sprintf(in.HandBack, quote(n.Arguments))
}

// pausedOnPurpose reports whether a person or a client has paused the run.
func pausedOnPurpose(st runs.Status) bool {
	return st.Reason == agentloop.UserPaused && st.Run.State == session.Paused
}

// pickUp is the hint about a run that paused only because no client waited for it.
const pickUp = "call ask_agent_wait, which picks the run up"

// nextLine is the imperative that ends the text of an unfinished run's result. page is where people
// answer its question, or "".
func nextLine(n *result.Next, st runs.Status, page string, in *messages) string {
	if n == nil {
		return ""
	}
	arguments := quote(n.Arguments)
	switch {
	case pausedOnPurpose(st):
		return pausedLine(n, st, page, in)
	case questionInForm(st) != nil:
		return fmt.Sprintf(in.WaitForm, arguments)
	case st.Question != nil && st.Reason == agentloop.StillRunning:
		return fmt.Sprintf(in.Elsewhere, arguments)
	case st.Question != nil:
		return questionLine(n, st, page, in)
	case st.Reason == agentloop.ClientDetached && st.Mend == pickUp:
		return fmt.Sprintf(in.PickUp, arguments)
	case hintBefore(st) != "":
		return fmt.Sprintf(in.HintFirst, hintBefore(st), n.Tool, arguments)
	case st.Run.State == session.Queued:
		return fmt.Sprintf(in.InLine, arguments, placeOf(st, in))
	case n.Tool == waitTool:
		return fmt.Sprintf(in.WaitNow, arguments)
	default:
		return fmt.Sprintf(in.GoOn, arguments, quote(st.Session.ID))
	}
}

// hintBefore is what is to be done before a paused run can go on; "" when going on is all.
func hintBefore(st runs.Status) string {
	if st.Run.State != session.Paused || strings.HasPrefix(st.Mend, "continue the session") {
		return ""
	}
	// the line says it with the call
	before, _, _ := strings.Cut(st.Mend, ", then continue the session")
	return strings.TrimSuffix(shortLine(before, 300), ".")
}

// pausedLine is about a run that was paused on purpose: it does not urge the model on.
func pausedLine(n *result.Next, st runs.Status, page string, in *messages) string {
	if st.Question != nil {
		return in.PausedAsking + questionLine(n, st, page, in)
	}
	return fmt.Sprintf(in.Paused, quote(n.Arguments), quote(st.Session.ID))
}

// questionLine asks for what the open question waits for.
func questionLine(n *result.Next, st runs.Status, page string, in *messages) string {
	switch st.Question.Kind {
	case inquiry.Approval:
		return decideLine(n, st, page, in)
	case inquiry.Takeover:
		return handOverLine(n, st, page, in)
	}
	return askLine(quote(n.Arguments), st, in)
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

func askLine(arguments string, st runs.Status, in *messages) string {
	line := fmt.Sprintf(in.AskUser, quoted(st.Question.Text, 1000))
	var options []string
	for _, o := range st.Question.Options[:min(len(st.Question.Options), 20)] {
		options = append(options, quoted(o, 100))
	}
	if options != nil {
		line += fmt.Sprintf(in.Choose, strings.Join(options, ", "))
	}
	if s := st.Question.Suggestion; s != nil {
		line += fmt.Sprintf(in.Drafted, shortLine(s.By, 60), quoted(s.Answer, 500))
	}
	return line + fmt.Sprintf(in.ReplyWith, arguments)
}

// shortLine is a text on one line, cut to n characters.
func shortLine(s string, n int) string { return text.Cut(text.Line(s), n) }

// quoted is a text from the phone on one line, marked as somebody's words.
func quoted(s string, most int) string { return quote(text.Line(text.Cut(s, most))) }

func nextCall(tool string, arguments map[string]any, why string) *result.Next {
	return &result.Next{Tool: tool, Arguments: arguments, Why: why}
}
