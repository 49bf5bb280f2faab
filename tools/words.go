package tools

// Instructions are for the server's handshake: what a model should know before it reads any tool.
const Instructions = `taploop lets you hand a task to an Android phone. An agent with a vision model looks at the screen and taps, types and swipes until the task is done, cannot be done, or needs your user.
Give it one simple, specific task in one installed app; break a larger goal down and hand the parts over one after the other.
Calls return before long tasks end: then the result says STILL_RUNNING, and its last line names the next call. Follow that line.
When the agent asks something (INFO_ACTION_NEEDS_REPLY), ask your user, and pass on what the user says. Never invent an answer.
Never let the agent pay, order or confirm a purchase: let it stop before, and let your user do that step by hand.`

// The descriptions of the tools, a line each. They are read by a model that has to choose and use a tool without any other
// help: when to use it, when not, what comes back, what to do next, how long ids live.

var devicesWords = []string{
	"Lists the Android phones and emulators that this server can reach.",
	"Use it first when you do not know a device_id, when there are several phones, or after DEVICE_NOT_FOUND or DEVICE_BUSY.",
	"You need not call it when there is only one phone: every other tool then finds it by itself.",
	"Returns for each phone: device_id, state, usable, model, android_version, device_wm_size, whether the screen is on or locked, the app in front, and held_by when a session is using it (with its session_id when it is one of yours).",
	"Take a phone that is usable and not held_by another session. One whose state is offline or unauthorized needs your user: tell the user what mend says.",
	"A device_id stays the same while the phone is connected in the same way; a phone that reconnects over Wi-Fi may get another one.",
	"It changes nothing on any phone.",
}

var startWords = []string{
	"Starts a new task on an Android phone: goes to the home screen, then an agent looks at the screen and acts until the task is done.",
	"Use it for a first task, for a task in another app, and after a task that failed. For an answer, more steps, or a task that builds on what is on the screen now, use ask_agent_continue.",
	"Write one simple, specific task in one app that is installed, with all that it needs, for example: \"In Clock, set an alarm for 7:30 on weekdays\". Break a larger goal down yourself and hand the parts over one by one.",
	"The agent reads only the text of the task. It cannot be given pictures: put what matters in them into the task, in words.",
	"Never ask it to pay, to place an order or to send money: let the task end before that step, and let your user do it by hand.",
	"Returns what is true when the call ends: session_id, state, stop_reason, steps_delta, final_action, answer, question, and next, the call that goes on from here.",
	"stop_reason STILL_RUNNING: the task goes on; call ask_agent_wait with the session_id, and go on doing so until it ends. Do not start the task again.",
	"stop_reason INFO_ACTION_NEEDS_REPLY: the agent asks something, for example at a login or a captcha. Ask your user; when the user has answered, or has done it on the phone, call ask_agent_continue with session_id and reply_from_client. Never answer in the user's place.",
	"stop_reason TASK_COMPLETED_SUCCESSFULLY: answer holds the agent's report. MAX_STEPS_REACHED: ask_agent_continue gives it more steps. TASK_ABORTED_BY_AGENT: final_action says why; start a better task.",
	"If nobody waits for the run for a while it pauses (CLIENT_DETACHED), until ask_agent_wait picks it up. A session_id is good for as long as the server keeps the session, also after a restart; a question can be answered for a day.",
	"Send the same idempotency_key again when you do not know whether a call arrived: the task then starts once.",
}

var continueWords = []string{
	"Goes on with a session: answers its open question, gives it more steps, or begins a related new task in it. The phone is left as it is.",
	"Use it with reply_from_client after INFO_ACTION_NEEDS_REPLY: first ask your user, then pass on what the user said, in the user's words. Never invent an answer, a code or a consent.",
	"Use it without reply_from_client and task when a run is PAUSED (for example MAX_STEPS_REACHED, SERVER_RESTARTED, SCREEN_LOCKED), once whatever stopped it is mended.",
	"Use it with a new task when the last one succeeded and the next one builds on it, in the same app. For another app, or after a failure, use ask_agent_start_new_task.",
	"Do not use it to look how a run is doing: that is ask_agent_wait. While a run is going on it changes nothing and waits like ask_agent_wait; a new task is refused then (RUN_IN_PROGRESS).",
	"Returns the same as ask_agent_start_new_task, with reply_from_client in the place of task when it answered a question. Step numbers go on: global_step_idx counts the session, local_step_idx this call.",
	"Afterwards follow the last line of the result: ask_agent_wait while it is STILL_RUNNING, your user again after another question.",
	"A question has one answer. A second one is refused with QUESTION_ALREADY_RESOLVED, an answer to an older question with QUESTION_SUPERSEDED; nothing has changed then. The same reply_id sent again is the same success.",
	"A session_id lives as long as the server keeps the session, also after a restart or from another conversation; a question_id can be answered for a day, unless it is settled or withdrawn before.",
}

var waitWords = []string{
	"Waits until a run needs something or has ended, and tells how it stands. Any number of callers may wait.",
	"Use it after STILL_RUNNING, again and again until the stop_reason is another one; there is no need to pause between the calls.",
	"Use it with wait_seconds 0 to look how a run is doing: that changes nothing.",
	"A run that paused only because nobody waited for it (CLIENT_DETACHED) goes on with the steps that it had left. Do not use it for a run that paused for another reason, or to answer: that is ask_agent_continue.",
	"Returns the same object as ask_agent_start_new_task. With since_step it lists only the steps after that one; pass the global_step_idx of the last result.",
	"With question_id it also waits while that question is open, for somebody who answers it elsewhere.",
	"While somebody waits, a run goes on for as long as its steps last; with nobody waiting for about two minutes it pauses. It begins nothing that ask_agent_start_new_task or ask_agent_continue did not begin.",
	"A session_id is good for as long as the server keeps the session, also after a restart.",
}

var stopWords = []string{
	"Stops the run of a session. The phone is left alone within one action; a decision that comes later is not acted on.",
	"Use it when your user wants the task to end, when the task was a mistake, or before you give the phone to another session.",
	"mode cancel (the default) ends the run for good and withdraws its open question. mode pause keeps both: ask_agent_continue goes on from there.",
	"Do not use it on a run that has ended: it changes nothing then, and is no error.",
	"Returns the same object as ask_agent_start_new_task, with state CANCELLED or PAUSED, or the state in which the run had ended before.",
	"It does not undo what has been done on the phone. The session lives on: ask_agent_continue with a new task begins its next run.",
	"The session_id is good for as long as the server keeps the session.",
}

var eitherWords = []string{
	"The older name of two tools: without session_id it is ask_agent_start_new_task, with session_id it is ask_agent_continue.",
	"Use it only where your instructions name it; the two newer tools say more clearly what they do.",
	"Pass task to start. Pass session_id with reply_from_client to answer the agent's question, or with a task to begin a related one.",
	"The rules are the same: one simple, specific task in one installed app, in words; nothing that pays or orders; and questions are answered by your user, never by you.",
	"Returns the same object: session_id, state, stop_reason, final_action, answer, question, next.",
	"After STILL_RUNNING call ask_agent_wait; after INFO_ACTION_NEEDS_REPLY ask your user, then call this tool again with session_id and reply_from_client.",
	"A session_id is good for as long as the server keeps the session, also after a restart; a question can be answered for a day.",
}

var sessionsWords = []string{
	"Lists your recent sessions, the one that changed last first.",
	"Use it when you have lost a session_id, after a restart, or to see what waits for an answer (state WAITING_REPLY).",
	"Do not use it to wait for a run: ask_agent_wait tells you at once when something changes.",
	"Returns for each session: session_id, run_id, device_id, task, state, stop_reason, steps, times, the answer, the open question, and next, the call that goes on from here.",
	"Long texts are cut. Only sessions that were made with your own credential are listed.",
	"A session_id is good for as long as the server keeps the session; a question can be answered for a day.",
	"It changes nothing.",
}

var inquiryWords = []string{
	"Asks a person a question, and waits for the answer: whoever looks after this server sees it in the inbox, in a browser or on a phone, or at the command line; where the server asks in forms, your client shows it too.",
	"Use it when you need a decision, a piece of information or a consent that only a person can give, about anything; no phone and no session is needed.",
	"Do not use it to answer the agent on the phone (ask_agent_continue does that), nor to tell something: every call is a question that waits for somebody.",
	"Ask with prompt; add options to choose from, or fields for several questions in one form, or draft for a text that the person edits. Say in context what depends on the answer.",
	"Returns question_id, status, answer (values for a form), and resolution: who answered, through which door and with whose authority.",
	"status pending: nobody has answered yet; the question stays open. Call it again with question_id to wait on, also after a restart or from another conversation. Do not ask anew.",
	"status refused: the person chose not to answer. timed_out, expired, withdrawn: closed without one; that is neither consent nor refusal, unless default_answer was agreed beforehand.",
	"The same idempotency_key sent again joins the question that was asked under it. Otherwise each call without question_id asks a new one.",
	"With secret the answer is shown to nobody: you learn only that it was given. Never ask for a password in a question that is not secret.",
	"A question can be answered for a day and read for as long as the server keeps it; a session_id is good for as long as the server keeps the session.",
}

var pendingWords = []string{
	"Lists your questions that wait for an answer: those of the agent on the phone in your sessions, and your own inquiries.",
	"Use it when you have lost a question_id, after a restart, or to see what your user has still to answer.",
	"Do not use it to wait for an answer: ask_agent_wait and send_inquiry tell you at once.",
	"Returns for each question: question_id, kind, text, options, fields or draft, the doors through which it can be answered, reply_url, and its deadlines; and total.",
	"A question of a session comes with its session_id: answer it with ask_agent_continue, which goes on with the run, or with answer_question.",
	"Only questions that were asked with your own credential are listed. A session_id is good for as long as the server keeps the session.",
	"It changes nothing.",
}

var answerWords = []string{
	"Answers an open question with what your user said: one of the agent on the phone, or an inquiry.",
	"Use it when your user has answered in this conversation. For a question in a session that you are following ask_agent_continue does the same, and waits for the run.",
	"Do not use it with an answer of your own: never invent an answer, a code or a consent. The answer is marked as passed on by a model.",
	"Pass response with a text, values for a form, or decline when your user chose not to answer.",
	"Returns the same object as send_inquiry. The run that asked goes on by itself; next names the call that waits for it.",
	"A question has one answer. A second one is refused with QUESTION_ALREADY_RESOLVED, and winner says which was first; the same reply_id sent again is the same success.",
	"An answer that does not fit is refused with INVALID_ARGUMENT and says why, field by field; the question is still open then.",
	"A question that is unknown, or somebody else's, gives QUESTION_NOT_FOUND. A question can be answered for a day, unless it is settled before.",
}

var shotWords = []string{
	"Shows the screen of a phone as it is now, as a JPEG picture with a long side of at most 1280 pixels.",
	"Use it to check what a task has led to, or to see what your user has to do by hand.",
	"Do not use it to steer the phone yourself: there is no tool for single taps. Describe what is to be done in a task.",
	"Returns the picture, and in words: device_id, its size, whether the screen is on or locked, and the app in front. There is no picture while the screen is off.",
	"An app that forbids screenshots (passwords, payments) gives SECURE_SCREEN. A server that keeps pictures private gives PRIVACY_MODE: its results describe screens in words instead.",
	"It touches nothing, and may be called while a task is running. The picture is not kept.",
	"device_id may be left out when only one phone is usable.",
}
