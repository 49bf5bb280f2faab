package tools

import (
	"encoding/json"

	"github.com/taploop/taploop/agentloop"
)

// The schemas of structuredContent. Every key that a result may have is declared, and nothing else is allowed: a test holds
// real results against them.

type props map[string]any

// because is p with other words.
func (p props) because(words string) props {
	p["description"] = words
	return p
}

func typed(t, words string) props { return props{"type": t, "description": words} }

// orNull is p with null as another value.
func orNull(p props) props {
	p["type"] = []any{p["type"], "null"}
	return p
}

func oneOf[T ~string](values []T, words string) props {
	p := typed("string", words)
	p["enum"] = values
	return p
}

func moment(words string) props {
	p := typed("string", words)
	p["format"] = "date-time"
	return p
}

func listOf(items props, words string) props {
	p := typed("array", words)
	p["items"] = items
	return p
}

func size(words string) props {
	p := listOf(props{"type": "integer"}, words)
	p["minItems"], p["maxItems"] = 2, 2
	return p
}

// structure is an object with these properties, of which the required ones are always there.
func structure(words string, required []string, p props) props {
	o := typed("object", words)
	if words == "" {
		delete(o, "description")
	}
	o["properties"], o["additionalProperties"] = p, false
	if len(required) > 0 {
		o["required"] = required
	}
	return o
}

func (p props) encode() json.RawMessage { return json.RawMessage(quote(p)) }

// outline is the schema without its descriptions, and without what is in its objects: for what another tool describes. The
// whole list is read by models, who pay for each word.
func (p props) outline() props {
	out := props{"type": p["type"]}
	if items, is := p["items"].(props); is {
		out["items"] = items.outline()
	}
	return out
}

// as is the outline with words that point at the description.
func (p props) as(words string) props { return p.outline().because(words) }

// sameAs is the schema of a result that the tool describes: the same keys in outline.
func (p props) sameAs(tool string) json.RawMessage {
	keys := props{}
	for name, s := range p["properties"].(props) {
		keys[name] = s.(props).outline()
	}
	required, _ := p["required"].([]string)
	return structure("The same object as "+tool+" returns.", required, keys).encode()
}

// allReasons are the stop reasons that a result may have.
var allReasons = []agentloop.StopReason{
	agentloop.TaskCompleted, agentloop.TaskAborted, agentloop.MaxStepsReached, agentloop.ManualStop, agentloop.InfoNeedsReply,
	agentloop.UserPaused, agentloop.NotStarted, agentloop.StillRunning, agentloop.ClientDetached, agentloop.Cancelled,
	agentloop.ModelOutputInvalid, agentloop.ModelError, agentloop.DeviceDisconnected, agentloop.ScreenLocked, agentloop.Stuck,
	agentloop.ServerRestarted, agentloop.SessionExpired, agentloop.QuestionTimedOut, agentloop.QuestionLimit,
	agentloop.TimeLimitReached, agentloop.SecureScreen, agentloop.DeviceError, agentloop.InternalError,
}

// resultSchema is that of a Result.
func resultSchema() props {
	return structure("", []string{"local_step_idx", "global_step_idx", "steps_delta", "answer", "question", "next", "error"}, props{
		"session_id":        typed("string", "The session; absent only when the call could not be carried out."),
		"run_id":            typed("string", "The run: one task of the session."),
		"state":             oneOf(allStates, "Where the run stands."),
		"stop_reason":       oneOf(allReasons, "Why the run, or this call, stopped. STILL_RUNNING: the call ended before the run did."),
		"task":              typed("string", "The run's task; absent when the call answered a question."),
		"reply_from_client": typed("string", "The answer that the call gave, in the place of task; masked when it is secret."),
		"device_info": structure("The phone.", []string{"device_id", "device_wm_size"}, props{
			"device_id":       typed("string", "Its serial."),
			"device_wm_size":  size("Width and height of its display."),
			"model":           typed("string", "Its model."),
			"android_version": typed("string", "Its Android version."),
		}),
		"local_step_idx":    typed("integer", "Steps since the last start or continue."),
		"global_step_idx":   typed("integer", "Steps of the whole session; pass it to ask_agent_wait as since_step."),
		"steps_delta":       typed("integer", "New steps in this result, the last one included."),
		"final_action":      stepSchema("The last step of the session so far."),
		"intermediate_logs": listOf(stepSchema(""), "The new steps but the last; absent when logs are switched off."),
		"answer":            orNull(typed("string", "The agent's report when the task is completed; else null.")),
		"question":          questionSchema(),
		"next":              nextSchema(),
		"timing": structure("Where the time went, in milliseconds.", nil, props{
			"waited_ms":      typed("integer", "How long this call took."),
			"wait_budget_ms": typed("integer", "How long it would have waited at most."),
			"run_ms":         typed("integer", "Age of the run, until it ended or paused."),
			"model_ms":       typed("integer", "Time that the model took to decide, in this run."),
		}),
		"usage": structure("What the run has cost.", nil, props{
			"prompt_tokens":     typed("integer", "Tokens sent to the model."),
			"completion_tokens": typed("integer", "Tokens that came back."),
		}),
		"notes": listOf(props{"type": "string"}, "What was asked for and is not here, and why; and who answered the agent's questions when it was not this client: a model, nobody in time, or somebody through another door."),
		"error": failureSchema(),
	})
}

func stepSchema(words string) props {
	action := orNull(typed("object", "What the agent decided, in the order in which it said it, for example cot, explain, action, action_type, value, point, summary; null when it could not be understood."))
	action["additionalProperties"] = true
	return structure(words, []string{"agent_action", "global_step_idx"}, props{
		"agent_action":       action,
		"global_step_idx":    typed("integer", "The step within the session, from 1."),
		"screenshot_caption": typed("string", "The screen on which it was decided, in words."),
		"screenshot_b64_url": typed("string", "The same as a data URL (JPEG)."),
	})
}

func nextSchema() props {
	arguments := typed("object", "Its arguments.")
	arguments["additionalProperties"] = true
	return orNull(structure("The call that goes on from here; null when the run has ended.", []string{"tool", "arguments", "why"}, props{
		"tool": typed("string", "Name of the tool."), "arguments": arguments, "why": typed("string", "Why this one."),
	}))
}

func failureSchema() props {
	return orNull(structure("Why the call could not be carried out, or what is in the way of the run; else null.", []string{"code", "message"}, props{
		"code":    typed("string", "For programs, for example DEVICE_BUSY."),
		"message": typed("string", "What is wrong."),
		"mend":    typed("string", "What can be done about it."),
		"holder":  holderSchema("Under DEVICE_BUSY: who has the phone."),
		"winner":  winnerSchema("Under QUESTION_ALREADY_RESOLVED: how the question was settled."),
	}))
}

func holderSchema(words string) props {
	return structure(words, []string{"state", "since", "held_seconds"}, props{
		"session_id": typed("string", "The session; absent when it is not one of yours."), "state": oneOf(allStates, "Where its run stands."), "since": moment("Since when."),
		"held_seconds": typed("integer", "For how long."), "until": moment("When a session that waits for a person loses the phone."),
	})
}

func devicesSchema() json.RawMessage {
	one := structure("", []string{"device_id", "state", "usable", "device_wm_size", "screen_on", "locked", "held_by"}, props{
		"device_id":       typed("string", "Pass it as device_id."),
		"state":           typed("string", "As ADB says: device is one that can be used; offline, unauthorized and others cannot."),
		"usable":          typed("boolean", "Whether it takes tasks."),
		"model":           typed("string", "Its model."),
		"android_version": typed("string", "Its Android version."),
		"sdk":             typed("integer", "Its API level."),
		"device_wm_size":  orNull(size("Width and height of its display; null when it is not known.")),
		"screen_on":       orNull(typed("boolean", "Whether the screen is lit; null when it is not known.")),
		"locked":          orNull(typed("boolean", "Whether the lock screen is in front; null when it is not known.")),
		"foreground_app":  typed("string", "Package of the app in front."),
		"held_by":         orNull(holderSchema("The session that is using it; null when it is free.")),
	})
	return structure("", []string{"devices", "error"}, props{"devices": listOf(one, "The phones."), "error": failureSchema().as("Why the call could not be carried out, as in ask_agent_start_new_task; else null.")}).encode()
}

func sessionsSchema() json.RawMessage {
	one := structure("", []string{"session_id", "run_id", "device_id", "task", "state", "stop_reason", "global_step_idx", "answer", "question", "next", "created_at", "updated_at"}, props{
		"session_id":      typed("string", "Pass it as session_id."),
		"run_id":          typed("string", "Its last run."),
		"device_id":       typed("string", "Its phone."),
		"task":            typed("string", "Task of its last run."),
		"state":           oneOf(allStates, "Where its last run stands."),
		"stop_reason":     oneOf(allReasons, "Why it stopped."),
		"global_step_idx": typed("integer", "Steps of the whole session."),
		"answer":          orNull(typed("string", "The agent's report; null when the task is not completed.")),
		"question":        questionSchema().as("The open question, as ask_agent_start_new_task returns it; null when there is none."),
		"next":            nextSchema().as("The call that goes on from here, as in ask_agent_start_new_task."),
		"created_at":      moment("When it began."),
		"updated_at":      moment("When it changed last."),
	})
	return structure("", []string{"sessions", "error"}, props{"sessions": listOf(one, "The sessions, the one that changed last first."), "error": failureSchema().as("Why the call could not be carried out, as in ask_agent_start_new_task; else null.")}).encode()
}

func shotSchema() json.RawMessage {
	return structure("", []string{"screen_on", "locked", "error"}, props{
		"device_id":       typed("string", "The phone."),
		"at":              moment("When it was looked at."),
		"device_wm_size":  size("Width and height of its display as it is turned now."),
		"screenshot_size": size("Width and height of the picture; absent when there is none."),
		"screen_on":       typed("boolean", "Whether the screen is lit."),
		"locked":          typed("boolean", "Whether the lock screen is in front."),
		"foreground_app":  typed("string", "Package of the app in front."),
		"notes":           listOf(props{"type": "string"}, "Why something is not here."),
		"error":           failureSchema().as("Why the call could not be carried out, as in ask_agent_start_new_task; else null."),
	}).encode()
}
