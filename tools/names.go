package tools

import (
	"maps"

	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/tools/result"
)

// toolOf are the tools of the use cases.
var toolOf = map[usecase.Verb]string{
	usecase.ToStart: startTool, usecase.ToContinue: continueTool, usecase.ToWait: waitTool,
	usecase.ToStop: stopTool, usecase.ToInquire: inquiryTool, usecase.ToAnswer: answerTool,
	usecase.ToListPhones: phonesTool, usecase.ToListSessions: sessionsTool,
	usecase.ToListQuestions: pendingTool,
}

// name words what can be done next as the call of a tool; nil stays nil.
func (c *call) name(n *usecase.Next) *result.Next {
	switch {
	case n == nil:
		return nil
	case n.Verb == usecase.ToRepeat:
		arguments := c.canonical()
		maps.DeleteFunc(arguments, func(name string, _ any) bool { return !c.given[name] })
		return result.Repeat(n, c.request.Params.Name, arguments)
	}
	return Name(n)
}

// Name words what can be done next as the call of a tool. It cannot repeat a call.
func Name(n *usecase.Next) *result.Next {
	return &result.Next{Tool: toolOf[n.Verb], Arguments: result.Arguments(n), Why: n.Why}
}
