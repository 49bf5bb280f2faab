package agentloop

import (
	"strings"

	"github.com/taploop/taploop/internal/words"
)

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
	// NoteRefused: Action was not carried out. Detail says why, and whether the phone refused it.
	NoteRefused NoteKind = "refused"
	// NotePartial: Action was carried out only in part. Detail says how far, and why no further.
	NotePartial NoteKind = "partial"
	// NoteOutcomeUnknown: the run was interrupted while Action was being carried out.
	NoteOutcomeUnknown NoteKind = "outcome_unknown"
	// NoteNotDone: the run was stopped before Action was carried out.
	NoteNotDone NoteKind = "not_done"
	// NoteScreenChanged: Action was not carried out, because Detail happened meanwhile.
	NoteScreenChanged NoteKind = "screen_changed"
	// NoteListingMoved: Action was not carried out, because the screen moved while its elements
	// were listed.
	NoteListingMoved NoteKind = "listing_moved"
	// NoteRepeated: the same Action on the same screen, again and again, changed nothing.
	NoteRepeated NoteKind = "repeated"
	// NoteBlack: the picture is wholly black on a display that is lit.
	NoteBlack NoteKind = "black"
	// NoteNoElements: the elements of the screen could not be listed. Detail says why.
	NoteNoElements NoteKind = "no_elements"
	// NoteNotAllowed: the gate refused Action. Detail says why.
	NoteNotAllowed NoteKind = "not_allowed"
	// NoteRejected: a person did not want Action. Detail has the person's words.
	NoteRejected NoteKind = "rejected"
	// NoteRejectedSilently: a person did not want Action, and did not say why.
	NoteRejectedSilently NoteKind = "rejected_silently"
	// NoteUndecided: no decision came in time whether Action may be carried out.
	NoteUndecided NoteKind = "undecided"
	// NoteResponded: instead of approving Action a person says Detail.
	NoteResponded NoteKind = "responded"
	// NoteEdited: a person changed Action to Detail.
	NoteEdited NoteKind = "edited"
	// NoteAskedBefore: Detail, the question, was asked before and not answered.
	NoteAskedBefore NoteKind = "asked_before"
	// NoteContradicted: the run was said to be done, and Detail, on the screen, says otherwise.
	NoteContradicted NoteKind = "contradicted"
	// NoteAnswerMisfit: the report is not in the form that was asked for. Detail says why.
	NoteAnswerMisfit NoteKind = "answer_misfit"
	// NoteResumed: the run was paused in between. The screen may have changed.
	NoteResumed NoteKind = "resumed"
	// NoteEarlierTask: Action is the session's task before this one, Detail how it ended.
	NoteEarlierTask NoteKind = "earlier_task"
)

const movedByListing = "the screen moved while its elements were listed"

// Superseded is the note that an action was not carried out because this changed meanwhile.
func Superseded(action, change string) Note {
	n := Note{Kind: NoteScreenChanged, Action: action, Detail: change}
	if change == movedByListing {
		n.Kind = NoteListingMoved
	}
	return n
}

// noteTexts are what notes say, in a language.
type noteTexts map[NoteKind]string

var noteTextsIn = words.Of[noteTexts]("notes")

// Text is the note for a model, in the language that fits best.
func (n Note) Text(lang string) string {
	form, ok := (*noteTextsIn(lang))[n.Kind]
	if !ok {
		return strings.TrimSpace(n.Action + " " + n.Detail)
	}
	return strings.NewReplacer("{action}", n.Action, "{detail}", n.Detail).Replace(form)
}
