package dialect

import (
	"errors"
	"image"
	"slices"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/text"
)

// Lack is something that a template does not show.
type Lack struct {
	Variable string // such as .Task
	Means    string // what the model then does not learn
	Needed   bool   // no run can go well without it
}

// CheckTemplate says what a template for the dialect does not show. The error is one that a prompt
// would end with, such as a variable that is not there.
func CheckTemplate(t *Template, d Dialect) ([]Lack, error) {
	profile := d.Profile()
	b := Base{profile: profile, own: t, prompt: t, words: wordsIn(profile.Lang), quality: 1,
		abort: "abort", thinking: [2]string{"<think>", "</think>"}}
	var samples []string // without anything but what every step has, and then with all there is
	for _, turns := range []int{0, max(profile.Turns, 1)} {
		for _, news := range []bool{false, true} {
			said, err := b.sample(turns, news)
			if err != nil {
				return nil, err
			}
			samples = append(samples, said)
		}
	}
	var lacks []Lack
	for _, l := range wanted(profile) {
		of := samples[len(samples)-1:]
		if l.always {
			of = samples
		}
		if slices.ContainsFunc(of, func(s string) bool { return !strings.Contains(s, l.sample) }) {
			lacks = append(lacks, l.Lack)
		}
	}
	return lacks, nil
}

// What the sample prompts have in them.
const (
	sampleTask       = "the sample's task"
	sampleNote       = "a note of it"
	sampleRemembered = "what was kept of it"
	sampleNewAnswer  = "a new answer"
	sampleOldAnswer  = "an old answer"
	sampleAction     = "done in the sample"
	sampleApp        = "app.of.the.sample"
	sampleSummary    = "a summary of the sample"
)

// expectation is a possible lack, and what in the sample shows that it is not one.
type expectation struct {
	Lack
	sample string
	always bool // every prompt is to show it, even a run's first
}

// wanted is what a prompt of the dialect is to show.
func wanted(p Profile) []expectation {
	all := []expectation{
		{Lack{".Picture", "the screen", true}, "[picture ", true},
		{Lack{".Task", "what it is to do", true}, sampleTask, true},
		{Lack{".JustIn", "the answer to its question", true}, sampleNewAnswer, false},
		{Lack{".Notes", "that an action was refused, or why a run goes on after a pause", false},
			sampleNote, false},
		{Lack{".Asked", "what was answered before", false}, sampleOldAnswer, false},
		{Lack{".Remembered", "what it noted", false}, sampleRemembered, false},
	}
	if p.Turns > 0 {
		return append(all, expectation{Lack{".History", "what it has done", true}, sampleAction,
			false})
	}
	return append(all, expectation{Lack{".Summary", "what it has done", true}, sampleSummary,
		false})
}

// sample is the prompt of a step with as many turns before it, and with news or without.
func (b *Base) sample(turns int, news bool) (string, error) {
	frame, err := screen.NewFrame(image.NewRGBA(image.Rect(0, 0, 54, 120)))
	if err != nil {
		return "", err
	}
	s := Situation{Task: sampleTask, Screen: screen.Observation{Frame: frame}}
	if news {
		s.Screen.State.App, s.Summary = sampleApp, sampleSummary
		s.Notes, s.Remembered = []string{sampleNote}, []string{sampleRemembered}
		s.ReplyJustIn = true
		s.Exchanges = []actions.Exchange{
			{Question: "?", Answer: sampleOldAnswer, Outcome: actions.Answered},
			{Question: "?", Answer: sampleNewAnswer, Outcome: actions.Answered}}
	}
	for i := range turns {
		s.History = append(s.History, Turn{Turn: actions.Turn{Step: i + 1, Did: sampleAction,
			Reply: actions.Reply{Text: sampleAction}}, Frame: frame})
	}
	messages, _, err := b.messages(&s)
	if err == nil {
		err = conversation(messages)
	}
	return text.Line(Request{Messages: messages}.String()), err
}

// conversation is an error where endpoints would not take the messages, or a model could not answer
// them.
func conversation(messages []Message) error {
	if len(messages) == 0 {
		return errors.New("it is empty")
	}
	for _, m := range messages {
		if m.Role == "system" && slices.ContainsFunc(m.Parts, func(p Part) bool {
			return p.JPEG != nil
		}) {
			return errors.New("a picture stands in {{system}}, where endpoints take text alone: " +
				"put it behind {{user}}")
		}
	}
	if messages[len(messages)-1].Role == "assistant" {
		return errors.New("it ends with {{assistant}}, which leaves the model nothing to answer: " +
			"end with {{user}}")
	}
	return nil
}
