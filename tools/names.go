package tools

import (
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/tools/result"
)

// The tools that others name.
const (
	startTool    = "ask_agent_start_new_task"
	continueTool = "ask_agent_continue"
	waitTool     = "ask_agent_wait"
	stopTool     = "ask_agent_stop"
	olderTool    = "ask_agent"
	goalTool     = "delegate_goal"
	skillsTool   = "list_skills"
	skillTool    = "run_skill"

	sessionsTool = "list_sessions"
	pendingTool  = "list_pending_questions"
	inquiryTool  = "send_inquiry"
	answerTool   = "answer_question"
)

// phonesTool is the tool that gelab-zero's clients read a plain list from.
const phonesTool = "list_connected_devices"

// toolOf are the tools of the use cases.
var toolOf = map[usecase.Verb]string{
	usecase.ToStart: startTool, usecase.ToContinue: continueTool, usecase.ToWait: waitTool,
	usecase.ToStop: stopTool, usecase.ToInquire: inquiryTool, usecase.ToAnswer: answerTool,
	usecase.ToListPhones: phonesTool, usecase.ToListSessions: sessionsTool,
	usecase.ToListQuestions: pendingTool,
}

// Name words what can be done next as the call of a tool. It cannot repeat a call.
func Name(n *usecase.Next) *result.Next {
	return result.Call(n, toolOf[n.Verb], result.Arguments(n))
}
