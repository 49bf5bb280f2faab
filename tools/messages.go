package tools

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"sync"
)

// messages are our sentences around results, questions and descriptions in one language. What
// agents, phones and people have said stays as it was said, and so do descriptions, errors and
// everything that programs read.
type messages struct {
	// What has happened: the beginning of a result.
	Done, GaveUp, Failed, Stopped, Expired, Queued, Going, AsksNow, PausedAfter string
	NotDone, OneStep, Steps, OfAgents, Screen, PicturesOf, OpenNow              string
	Phones, Sessions, Questions, ScreenOf, ScreenIsOff                          string
	InquiryOpen, InquiryClosed, TheAnswer                                       string

	Note     string // of a result
	CutSteps string // of a call, for Note

	// The call that comes next.
	WaitNow, Elsewhere, WaitForm, PickUp, HintFirst, GoOn string
	// A run that waits for the phone, or that was paused.
	InLine, Ahead, HeldBy, HeldElsewhere, Paused, PausedAsking string
	// A question of the agent on the phone.
	AskUser, Choose, Drafted, ReplyWith string
	// An action that waits for a decision.
	NeedsApproval, Decide, UnderFinger, AskedBecause string
	DecidePeople, DecideWith                         string
	Decision, DecisionMessage, EditedAction          string
	// A phone that is handed over to a person.
	HandsOver, TakeOver, TakeOverAt, HandBack     string
	Outcome, IsDone, CouldNot, Remark, RemarkHelp string
	// A form.
	DraftOf, Misfit, Asks, YourAnswer, Another, AnotherHelp, ChooseOne, ChooseOrWrite string
	Instead, InsteadHelp, YouDecide, NoAnswer                                         string
	Remember, RememberSession, RememberApp, RememberAlways                            string
	// An inquiry that is open, and one that is settled.
	LeftToYou, RunGoesOn, OnlyYou, OpenFor, WaitOn                                    string
	SecretGiven, PassedOn, AnsweredBy, Refused, Defaulted, Silent, AskPending, ReadOn string
	// Who settled a question of the run; for Note.
	Unedited, ByModel, ByForm, ByDefault, BySilence, ByOther string
	DeclinedBy, DelegatedBy, ByMemory                        string
	NotAsked, MoreAnswered                                   string
	// The end of a description that is not ours.
	Safety, ParamSafety string
}

//go:embed messages/*.json
var messageFiles embed.FS

// languages are those in which there are messages, each read when it is first spoken.
var languages = map[string]func() *messages{
	"en": sync.OnceValue(func() *messages { return readMessages("en") }),
	"zh": sync.OnceValue(func() *messages { return readMessages("zh") }),
}

func readMessages(language string) *messages {
	b, err := messageFiles.ReadFile("messages/" + language + ".json")
	if err != nil {
		panic(err)
	}
	m := new(messages)
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(m); err != nil {
		panic(fmt.Sprintf("messages in %s: %v", language, err))
	}
	return m
}
