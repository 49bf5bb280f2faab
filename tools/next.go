package tools

import (
	"fmt"
	"strings"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/runs"
	"github.com/taploop/taploop/session"
)

// nextOf names the call that goes on from here; nil when the run has ended.
func nextOf(st runs.Status) *Next {
	args := map[string]any{"session_id": st.Session.ID}
	if inForm(st) != nil {
		args["since_step"] = st.Session.Steps
		return &Next{"ask_agent_wait", args, "the agent's question is shown to your user in a form while a call waits"}
	}
	if st.Question != nil && st.Reason != agentloop.StillRunning {
		args["question_id"] = st.Question.ID
		return &Next{"ask_agent_continue", args, "the agent asks something that only your user can answer; add reply_from_client with your user's own answer"}
	}
	switch {
	case st.Run.State.Terminal():
		return nil
	case st.Reason == agentloop.StillRunning:
		args["since_step"] = st.Session.Steps
		if st.Question != nil {
			return &Next{"ask_agent_wait", args, "the agent's question is being asked elsewhere, and the run goes on with the answer"}
		}
		return &Next{"ask_agent_wait", args, "the run goes on"}
	case st.Reason == agentloop.ClientDetached:
		args["since_step"] = st.Session.Steps
		return &Next{"ask_agent_wait", args, "the run paused because nobody waited for it, and goes on when somebody does"}
	case st.Reason == agentloop.MaxStepsReached:
		return &Next{"ask_agent_continue", args, "the steps of this call are used up; continuing gives it more"}
	case st.Message != "":
		return &Next{"ask_agent_continue", args, "the run is paused (" + oneLine(cut(st.Message, 300)) + ") and goes on from where it is"}
	default:
		return &Next{"ask_agent_continue", args, "the run is paused and goes on from where it is"}
	}
}

// pickUp is the mend of a run that nothing but nobody's waiting has paused.
const pickUp = "call ask_agent_wait, which picks the run up"

// line is the imperative that ends the text of an unfinished run's result.
func (n *Next) line(st runs.Status) string {
	switch {
	case n == nil:
		return ""
	case inForm(st) != nil:
		return fmt.Sprintf("Call ask_agent_wait now with %s: it shows your user the agent's question in a form. Do not answer in the user's place.", quote(n.Arguments))
	case n.Tool == "ask_agent_wait" && st.Question != nil:
		return fmt.Sprintf("Call ask_agent_wait now with %s: the agent's question is being asked elsewhere, and the run goes on with the answer.", quote(n.Arguments))
	case st.Question != nil:
		return askLine(n, st)
	case st.Reason == agentloop.ClientDetached && st.Mend == pickUp:
		return fmt.Sprintf("Call ask_agent_wait with %s: the run paused because nobody waited for it, and goes on when you do.", quote(n.Arguments))
	case st.Mend != "" && st.Run.State == session.Paused:
		return fmt.Sprintf("Mend this first: %s; then call %s with %s.", strings.TrimSuffix(oneLine(cut(st.Mend, 300)), "."), n.Tool, quote(n.Arguments))
	case n.Tool == "ask_agent_wait":
		return fmt.Sprintf("Call ask_agent_wait now with %s: the run goes on, and do not start the task again.", quote(n.Arguments))
	default:
		return fmt.Sprintf("Call ask_agent_continue with %s to go on with the run, or ask_agent_stop with {\"session_id\":%s} to end it.", quote(n.Arguments), quote(st.Session.ID))
	}
}

func askLine(n *Next, st runs.Status) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Ask your user this question of the agent on the phone, and do not invent an answer: %s", quoted(st.Question.Text, 1000))
	if len(st.Question.Options) > 0 {
		b.WriteString(" (to choose from: ")
		for i, o := range st.Question.Options[:min(len(st.Question.Options), 20)] {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(quoted(o, 100))
		}
		b.WriteString(")")
	}
	fmt.Fprintf(&b, "; then call ask_agent_continue with %s and reply_from_client set to your user's own answer.", quote(n.Arguments))
	return b.String()
}

// quoted is a text from the phone on one line, marked as somebody's words.
func quoted(s string, most int) string { return quote(oneLine(cut(s, most))) }

// mendLine tells what to do about a call that could not be carried out.
func mendLine(f Failure) string {
	if f.Mend == "" {
		return ""
	}
	return "Try: " + oneLine(f.Mend)
}
