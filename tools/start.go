package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/runs"
)

// What arguments may be at most. The phone's steps and the waits are bounded more tightly, by configuration; what is above
// that and below this is cut down to it.
const (
	maxSteps   = 1000
	maxSeconds = 3600
	maxTask    = 20_000
	maxReply   = 10_000
	maxID      = 200
	maxExtra   = 10_000
)

var (
	deviceParam = param{name: "device_id", kind: textual, max: maxID,
		words: "The phone, as list_connected_devices names it. May be left out when only one phone is usable."}
	sessionParam = param{name: "session_id", kind: textual, max: maxID, required: true,
		words: "The session, as the result that began it names it."}
	secondsParam = param{name: "wait_seconds", kind: number, max: maxSeconds,
		words: "How long this call waits for the run before it returns STILL_RUNNING, in seconds. 0 returns at once. Left out, the server's own time is used (45 unless configured); more than the server allows is cut down to that. Keep it at least 10 s below your own time-out for tool calls."}
	queueParam = param{name: "queue", kind: flag, def: false,
		words: "Whether to wait for the phone's turn when another session holds it, first come first served. Otherwise the call is refused with DEVICE_BUSY."}
	extraParam = param{name: "extra_info", kind: object, max: maxExtra,
		words: "Anything that you want to have kept with the run, as a JSON object. The agent on the phone does not see it."}
	detachedParam = param{name: "detached_ok", kind: flag,
		words: "Whether the run may go on while nobody waits for it. Otherwise it pauses (CLIENT_DETACHED) after about two minutes without a call, until ask_agent_wait picks it up. Left out, a new task pauses then, and a session keeps what it had."}
)

func (t *Tools) stepsParam() param {
	words := "The most steps that this call adds. When they are used up the run pauses with MAX_STEPS_REACHED and can be continued."
	if t.opts.MaxSteps > 0 {
		words += fmt.Sprintf(" The server allows at most %d.", t.opts.MaxSteps)
	}
	return param{name: "max_steps", kind: integer, def: 20, min: 1, max: maxSteps, words: words}
}

func replyModeParam(left string) param {
	return param{name: "reply_mode", kind: textual, max: maxID,
		words: "Who answers when the agent asks: pass_to_client returns the question to you, for your user; elicit shows your user a form, if you can show forms; manual_reply asks the person at the server's console; auto_reply lets a model answer in the person's place, and the result's notes say what it answered; no_reply tells the agent to go on without an answer. Several may have their turn one after the other, each with a time: \"manual_reply (60s) -> auto_reply\", \"elicit -> pass_to_client\". " + left}
}

func resetParam(def bool) param {
	return param{name: "reset_environment", kind: flag, def: def,
		words: "Whether to go to the phone's home screen first. Otherwise the phone is left as it is."}
}

var taskWords = "What is to be done: one simple, specific task in one installed app, with everything that it needs, in words."

func (t *Tools) startParams() []param {
	mode := replyModeParam(fmt.Sprintf("Left out, it is %s.", t.opts.ReplyMode))
	mode.def = string(t.opts.ReplyMode)
	return slices.Concat([]param{
		{name: "task", kind: textual, required: true, max: maxTask, words: taskWords},
		deviceParam, t.stepsParam(), mode, resetParam(true)},
		showParams, []param{extraParam, secondsParam, keyParam, queueParam, detachedParam})
}

var keyParam = param{name: "idempotency_key", kind: textual, max: maxID,
	words: "A key of your own making, one for each task. A start with the same key and task joins the session that was begun under it instead of starting again, also after a restart."}

// start begins a session with a task.
func (t *Tools) start(ctx context.Context, c *call) (*reply, error) {
	s, began := showsOf(c.args), time.Now()
	set, err := t.settings(c, s, runs.Settings{ReplyMode: t.opts.ReplyMode})
	if err != nil {
		return nil, err
	}
	st, err := t.opts.Runs.Start(ctx, runs.StartRequest{
		Task: c.args.text("task"), Serial: c.args.text("device_id"), MaxSteps: c.args.int("max_steps"),
		KeepEnvironment: !c.args.flag("reset_environment"), Queue: c.args.flag("queue"), Client: c.principal,
		Key: c.args.text("idempotency_key"), Settings: set,
	})
	if err != nil {
		return nil, err
	}
	return t.follow(ctx, c, &following{status: st, shows: s, began: began})
}

// eitherParams are those of the older tool, which starts or continues.
func (t *Tools) eitherParams() []param {
	session := sessionParam
	session.required = false
	session.words = "The session to go on with. Left out, a new one is started."
	reset := resetParam(false)
	reset.def = nil
	reset.words += " Left out, it is true for a new task and false for a session."
	return slices.Concat([]param{
		{name: "task", kind: textual, max: maxTask, words: taskWords + " Needed without session_id."},
		session, replyParam, questionParam, replyIDParam, deviceParam, t.stepsParam(),
		replyModeParam(fmt.Sprintf("Left out, it is %s for a new task, and for a session what it was before.", t.opts.ReplyMode)), reset},
		showParams, []param{extraParam, secondsParam, keyParam, queueParam, detachedParam})
}

// either starts without a session and continues with one.
func (t *Tools) either(ctx context.Context, c *call) (*reply, error) {
	if !c.args.has("reset_environment") {
		c.args["reset_environment"] = !c.args.has("session_id")
	}
	if c.args.has("session_id") {
		if c.args.has("idempotency_key") {
			return nil, invalid("leave idempotency_key out; reply_id does the same for an answer", "idempotency_key is for a new task, and there is a session_id")
		}
		return t.goOn(ctx, c)
	}
	for _, name := range []string{"reply_from_client", "question_id", "reply_id"} {
		if c.args.has(name) {
			return nil, invalid("pass the session_id of the session that asked", "%s is for a session, and session_id is missing", name)
		}
	}
	if strings.TrimSpace(c.args.text("task")) == "" {
		return nil, invalid("pass a task to start, or a session_id to go on", "there is neither a task nor a session_id")
	}
	return t.start(ctx, c)
}
