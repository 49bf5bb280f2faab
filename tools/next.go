package tools

import (
	"fmt"
	"strings"

	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/tools/result"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/runs"
	"github.com/taploop/taploop/session"
)

// nextOf names the call that goes on from here; nil when the run has ended.
func nextOf(st runs.Status) *result.Next {
	args := map[string]any{"session_id": st.Session.ID}
	if st.Reason == agentloop.UserPaused && st.Run.State == session.Paused {
		if st.Question != nil {
			args["question_id"] = st.Question.ID
		}
		return nextCall("ask_agent_continue", args, "the run is paused as it was wanted; call this when your user wants it to go on")
	}
	if inForm(st) != nil {
		args["since_step"] = st.Session.Steps
		return nextCall("ask_agent_wait", args, "the agent's question is shown to your user in a form while a call waits")
	}
	if st.Question != nil && st.Reason != agentloop.StillRunning {
		args["question_id"] = st.Question.ID
		return nextCall("ask_agent_continue", args, "the agent asks something that only your user can answer; add reply_from_client with your user's own answer")
	}
	switch {
	case st.Run.State.Terminal():
		return nil
	case st.Reason == agentloop.StillRunning:
		args["since_step"] = st.Session.Steps
		if st.Question != nil {
			return nextCall("ask_agent_wait", args, "the agent's question is being asked elsewhere, and the run goes on with the answer")
		}
		if st.Run.State == session.Queued {
			return nextCall("ask_agent_wait", args, "the run waits for its phone"+placeOf(st, tongues["en"]))
		}
		return nextCall("ask_agent_wait", args, "the run goes on")
	case st.Reason == agentloop.ClientDetached:
		args["since_step"] = st.Session.Steps
		return nextCall("ask_agent_wait", args, "the run paused because nobody waited for it, and goes on when somebody does")
	case st.Reason == agentloop.MaxStepsReached:
		return nextCall("ask_agent_continue", args, "the steps of this call are used up; continuing gives it more")
	case st.Message != "":
		return nextCall("ask_agent_continue", args, "the run is paused ("+text.Cut(text.Line(st.Message), 300)+") and goes on from where it is")
	default:
		return nextCall("ask_agent_continue", args, "the run is paused and goes on from where it is")
	}
}

// pickUp is the mend of a run that nothing but nobody's waiting has paused.
const pickUp = "call ask_agent_wait, which picks the run up"

// nextLine is the imperative that ends the text of an unfinished run's result.
func nextLine(n *result.Next, st runs.Status, in *tongue) string {
	if n == nil {
		return ""
	}
	arguments := quote(n.Arguments)
	switch {
	case st.Reason == agentloop.UserPaused && st.Run.State == session.Paused:
		return pausedLine(arguments, st, in)
	case inForm(st) != nil:
		return say(in.waitForm, arguments)
	case n.Tool == "ask_agent_wait" && st.Question != nil:
		return say(in.elsewhere, arguments)
	case st.Question != nil:
		return askLine(arguments, st, in)
	case st.Reason == agentloop.ClientDetached && st.Mend == pickUp:
		return say(in.pickUp, arguments)
	case mendBefore(st) != "":
		return say(in.mendFirst, mendBefore(st), n.Tool, arguments)
	case st.Run.State == session.Queued:
		return say(in.inLine, arguments, placeOf(st, in))
	case n.Tool == "ask_agent_wait":
		return say(in.waitNow, arguments)
	default:
		return say(in.goOn, arguments, quote(st.Session.ID))
	}
}

// mendBefore is what is to be done before a paused run can go on; "" when going on is all.
func mendBefore(st runs.Status) string {
	if st.Run.State != session.Paused || strings.HasPrefix(st.Mend, "continue the session") {
		return ""
	}
	before, _, _ := strings.Cut(st.Mend, ", then continue the session") // the line says it with the call
	return strings.TrimSuffix(text.Cut(text.Line(before), 300), ".")
}

// pausedLine is about a run that somebody has paused: it urges nobody on.
func pausedLine(arguments string, st runs.Status, in *tongue) string {
	if st.Question != nil {
		return in.pausedAsking + askLine(arguments, st, in)
	}
	return say(in.paused, arguments, quote(st.Session.ID))
}

// placeOf says where a QUEUED run stands in the line, and who has the phone if that is known.
func placeOf(st runs.Status, in *tongue) string {
	place := say(in.ahead, fmt.Sprint(st.Ahead))
	switch h := st.Holder; {
	case h == nil:
	case h.SessionID == "":
		place += say(in.heldElsewhere, h.State)
	default:
		place += say(in.heldBy, quote(h.SessionID), h.State)
	}
	return place
}

func askLine(arguments string, st runs.Status, in *tongue) string {
	line := say(in.askUser, quoted(st.Question.Text, 1000))
	var options []string
	for _, o := range st.Question.Options[:min(len(st.Question.Options), 20)] {
		options = append(options, quoted(o, 100))
	}
	if options != nil {
		line += say(in.choose, strings.Join(options, ", "))
	}
	return line + say(in.replyWith, arguments)
}

// quoted is a text from the phone on one line, marked as somebody's words.
func quoted(s string, most int) string { return quote(text.Line(text.Cut(s, most))) }

// mendLine tells what to do about a call that could not be carried out.
func mendLine(f result.Failure) string {
	if f.Hint == "" {
		return ""
	}
	return "Try: " + text.Line(f.Hint)
}

func nextCall(tool string, arguments map[string]any, why string) *result.Next {
	return &result.Next{Tool: tool, Arguments: arguments, Why: why}
}
