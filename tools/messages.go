package tools

import (
	"fmt"

	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

// messages are the sentences around results, questions and descriptions in one language. What
// agents, phones and people have said is not translated, and neither are descriptions, errors and
// whatever programs read.
type messages struct {
	Lang string
	// What has happened: the beginning of a result.
	Done, GaveUp, Failed, Stopped, Expired, Queued, Going, AsksNow, PausedAfter string
	NotDone, OneStep, Steps, OfAgents, Screen, PicturesOf, OpenNow              string
	Phones, NoPhones, Locked, ScreenOff, Sessions, Questions                    string
	ScreenOf, ScreenIsOff, Try                                                  string
	InquiryOpen, InquiryClosed, TheAnswer                                       string

	Note     string // of a result
	Ignored  string // of an address, for Note
	CutSteps string // of a call, for Note
	Fits     string // a skill's name and parameters, for Note
	Lacks    string // the parameters that the task does not say

	// The call that comes next.
	WaitNow, Elsewhere, WaitForm, PickUp, HintFirst, GoOn string
	// A run that waits for the phone, or that was paused.
	InLine, Ahead, HeldBy, HeldElsewhere, Paused, PausedAsking string
	// A question of the agent on the phone.
	AskUser, SecretAt, Choose, Drafted, ReplyWith string
	// An action that waits for a decision.
	NeedsApproval, Decide, UnderFinger, AskedBecause, Details string
	DecidePeople, DecideWith                                  string
	Decision, DecisionMessage, EditedAction                   string
	// A phone that is handed over to a person.
	HandsOver, TakenOver, TakeOver, TakeOverAt, HandBack, HandBackPeople string
	Outcome, IsDone, CouldNot, Remark, RemarkHelp                        string
	// A form.
	DraftOf, Misfit, Asks, YourAnswer, Another, AnotherHelp, ChooseOne, ChooseOrWrite string
	Instead, InsteadHelp, YouDecide, NoAnswer                                         string
	Remember, RememberSession, RememberApp, RememberAlways, OnPage                    string
	// An inquiry that is open, and one that is settled.
	LeftToYou, RunGoesOn, OnlyYou, OpenFor, WaitOn                                    string
	SecretGiven, PassedOn, AnsweredBy, Refused, Defaulted, Silent, AskPending, ReadOn string
	OnlyPeople, PeoplesPlace, ByDecisions                                             string
	// Who settled a question of the run (for Note).
	Unedited, ByModel, ByForm, ByDefault, BySilence, ByOther string
	DeclinedBy, DelegatedBy, HandedBackBy, ByMemory, InForm  string
	NotAsked, MoreAnswered                                   string
	NotInTime                                                string // for a prompt
	// The end of a description that is not ours.
	Safety, ParamSafety string
}

var messagesIn = words.Of[messages]("tools")

// notes are lines of a result's text.
func (m *messages) notes(notes []string) []string {
	return text.Each(notes, func(n string) string { return fmt.Sprintf(m.Note, n) })
}

// quote is a value as JSON.
func quote(v any) string { return text.Readable(v) }

// shortLine is a text on one line, cut to n characters.
func shortLine(s string, n int) string { return text.Cut(text.Line(s), n) }

// quoted is a text from the phone on one line, marked as somebody's words.
func quoted(s string, most int) string { return quote(text.Line(text.Cut(s, most))) }
