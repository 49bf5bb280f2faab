package agentloop

import "strings"

// Note is something that the model reads once, on its next step. It is kept as facts, and worded
// when it is shown, in the language of the run.
type Note struct {
	Kind   NoteKind `json:"kind"`
	Action string   `json:"action,omitempty"` // the action that it is about, in words
	Detail string   `json:"detail,omitempty"` // the phone's words, or a person's
}

// NoteKind says what a Note is about.
type NoteKind string

// The kinds of notes.
const (
	// NoteRefused: Action was not carried out; Detail says why, and whether the phone refused it.
	NoteRefused NoteKind = "refused"
	// NotePartial: Action was carried out only in part; Detail says how far, and why no further.
	NotePartial NoteKind = "partial"
	// NoteOutcomeUnknown: the run was interrupted while Action was being carried out.
	NoteOutcomeUnknown NoteKind = "outcome_unknown"
	// NoteNotDone: the run was stopped before Action was carried out.
	NoteNotDone NoteKind = "not_done"
	// NoteScreenChanged: Action was not carried out, because Detail happened meanwhile.
	NoteScreenChanged NoteKind = "screen_changed"
	// NoteRepeated: the same Action on the same screen, again and again, changed nothing.
	NoteRepeated NoteKind = "repeated"
	// NoteBlack: the picture is wholly black on a display that is lit.
	NoteBlack NoteKind = "black"
	// NoteNoElements: the elements of the screen could not be listed; Detail says why.
	NoteNoElements NoteKind = "no_elements"
	// NoteNotAllowed: the gate refused Action; Detail says why.
	NoteNotAllowed NoteKind = "not_allowed"
	// NoteRejected: a person did not want Action; Detail is what they say.
	NoteRejected NoteKind = "rejected"
	// NoteRejectedSilently: a person did not want Action, and did not say why.
	NoteRejectedSilently NoteKind = "rejected_silently"
	// NoteUndecided: nobody decided in time whether Action may be carried out.
	NoteUndecided NoteKind = "undecided"
	// NoteResponded: instead of approving Action a person says Detail.
	NoteResponded NoteKind = "responded"
	// NoteEdited: a person changed Action to Detail.
	NoteEdited NoteKind = "edited"
	// NoteAskedBefore: Detail, the question, was asked before and not answered.
	NoteAskedBefore NoteKind = "asked_before"
	// NoteResumed: the run goes on after a pause; the screen may have changed.
	NoteResumed NoteKind = "resumed"
	// NoteEarlierTask: Action is the session's task before this one, Detail how it ended.
	NoteEarlierTask NoteKind = "earlier_task"
)

// notes holds the wordings.
var notes = map[NoteKind]struct{ en, zh string }{
	NoteRefused: {
		"The last action, {action}, was not carried out: {detail}",
		"上一步操作({action})没有执行:{detail}",
	},
	NotePartial: {
		"The last action, {action}, was carried out only in part: {detail}. Look at the screen " +
			"first, and do not repeat what is done.",
		"上一步操作({action})只执行了一部分:{detail}。请先看当前屏幕,不要重复已经完成的部分。",
	},
	NoteOutcomeUnknown: {
		"The run was interrupted during the last action, {action}. Whether it took effect is " +
			"unknown: look at the screen first, and do not submit it twice.",
		"任务在执行上一步操作({action})时被中断,不清楚它是否已经生效。请先看当前屏幕,不要重复提交。",
	},
	NoteNotDone: {
		"The run was stopped before the action {action} was carried out. Decide anew from the " +
			"screen as it is now.",
		"任务在执行操作({action})之前被暂停,该操作没有执行。请根据当前屏幕重新决定。",
	},
	NoteScreenChanged: {
		"The action {action} was not carried out: {detail} in the meantime. Decide anew from " +
			"the screen as it is now.",
		"操作({action})没有执行:在此期间屏幕发生了变化({detail})。请根据当前屏幕重新决定。",
	},
	NoteRepeated: {
		"The same action, {action}, has been repeated on the same screen and changed nothing. " +
			"Do something else, or ABORT and say what is in the way.",
		"同样的操作({action})在同一个屏幕上已经重复多次,没有任何变化。请换一种做法,或者 ABORT 并说明障碍。",
	},
	NoteBlack: {
		"The picture of the screen is wholly black, and a second one was, too, although the " +
			"display is lit: an app may forbid capture, or show nothing yet. Do not tap what " +
			"cannot be seen; WAIT, go BACK or HOME, or ask with INFO. If the next picture is " +
			"black as well, the run stops.",
		"屏幕亮着,但截图全黑,再截一次仍然全黑:可能是应用禁止截屏,或者还没有显示内容。" +
			"请不要点击看不见的东西,可以 WAIT、BACK、HOME,或者用 INFO 询问。如果下一张截图还是全黑,任务就会停止。",
	},
	NoteNoElements: {
		"The elements of this screen are not numbered ({detail}). Name places on the picture by " +
			"their coordinates.",
		"本屏幕的元素没有编号({detail})。请用坐标指出图上的位置。",
	},
	NoteNotAllowed: {
		"The action {action} was not allowed, and not carried out: {detail}",
		"操作({action})未获允许,没有执行:{detail}",
	},
	NoteRejected: {
		"The action {action} was rejected by the other side, and not carried out. They say: " +
			"\"{detail}\". Do not propose it again on this screen.",
		"对方拒绝了操作({action}),该操作没有执行。对方说:“{detail}”。请不要在这个屏幕上再次提出它。",
	},
	NoteRejectedSilently: {
		"The action {action} was rejected by the other side, and not carried out. Do not " +
			"propose it again on this screen: find another way, or ABORT and say what is in " +
			"the way.",
		"对方拒绝了操作({action}),该操作没有执行。请不要在这个屏幕上再次提出它:请换一种做法,或者 ABORT 并说明障碍。",
	},
	NoteUndecided: {
		"The action {action} needs the other side's approval, which did not come in time. That " +
			"is neither yes nor no. It was not carried out; do not propose it again on this " +
			"screen.",
		"操作({action})需要对方同意,但对方没有及时答复。这既不是同意也不是拒绝。该操作没有执行,请不要在这个屏幕上再次提出它。",
	},
	NoteResponded: {
		"The action {action} was not carried out. In its place the other side says: \"{detail}\".",
		"操作({action})没有执行。对方的答复是:“{detail}”。",
	},
	NoteEdited: {
		"The other side changed the action {action} to: {detail}. Go by the screen as it is now.",
		"对方把操作({action})改成了:{detail}。请以当前屏幕为准。",
	},
	NoteAskedBefore: {
		"The question \"{detail}\" was asked before and was not answered. It has not been " +
			"asked again. Go on with what is known, or ABORT and say what is missing.",
		"问题“{detail}”之前已经问过,对方没有回答,因此没有再次提问。请根据已知信息继续,或者 ABORT 并说明缺少什么。",
	},
	NoteResumed: {
		"The run goes on after a pause. The screen may have changed in between: go by the " +
			"screen as it is now.",
		"任务在暂停之后继续。期间屏幕可能已经变化,请以当前屏幕为准。",
	},
	NoteEarlierTask: {
		"Before this task the phone was used for another one: {action}. It ended so: {detail}",
		"在本任务之前,这部手机执行过另一个任务:{action}。结果:{detail}",
	},
}

// Text is the note for a model, in Chinese when lang starts with "zh", else in English.
func (n Note) Text(lang string) string {
	w, ok := notes[n.Kind]
	if !ok {
		return strings.TrimSpace(n.Action + " " + n.Detail)
	}
	form := w.en
	if strings.HasPrefix(strings.ToLower(lang), "zh") {
		form = w.zh
	}
	return strings.NewReplacer("{action}", n.Action, "{detail}", n.Detail).Replace(form)
}
