package dialect

import (
	"errors"
	"image"
	"slices"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/screen"
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
	b := Base{profile: profile, own: t, prompt: t, words: WordsIn(profile.Lang), quality: 1,
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
		if slices.ContainsFunc(of, func(s string) bool { return !strings.Contains(s, l.sign) }) {
			lacks = append(lacks, l.Lack)
		}
	}
	return lacks, nil
}

// Signs of what the sample prompts have in them.
const (
	signTask, signNote, signKept = "the sample's task", "a note of it", "what was kept of it"
	signNew, signOld, signDone   = "a new answer", "an old answer", "done in the sample"
	signApp, signSummary         = "app.of.the.sample", "a summary of the sample"
)

// sign is a lack and what shows that it is none.
type sign struct {
	Lack
	sign   string
	always bool // every prompt is to show it, also a run's first
}

// wanted is what a prompt of the dialect is to show.
func wanted(p Profile) []sign {
	all := []sign{
		{Lack{".Picture", "the screen", true}, "[picture ", true},
		{Lack{".Task", "what it is to do", true}, signTask, true},
		{Lack{".JustIn", "the answer to its question", true}, signNew, false},
		{Lack{".Notes", "that an action was refused, or why a run goes on after a pause", false},
			signNote, false},
		{Lack{".Asked", "what was answered before", false}, signOld, false},
		{Lack{".Remembered", "what it noted", false}, signKept, false},
	}
	if p.Turns > 0 {
		return append(all, sign{Lack{".History", "what it has done", true}, signDone, false})
	}
	return append(all, sign{Lack{".Summary", "what it has done", true}, signSummary, false})
}

// sample is the prompt of a step with as many turns before it, and with news or without.
func (b *Base) sample(turns int, news bool) (string, error) {
	frame, err := screen.NewFrame(image.NewRGBA(image.Rect(0, 0, 54, 120)))
	if err != nil {
		return "", err
	}
	s := Situation{Task: signTask, Look: screen.Observation{Frame: frame}}
	if news {
		s.Look.State.App, s.Summary = signApp, signSummary
		s.Notes, s.Remembered, s.ReplyJustIn = []string{signNote}, []string{signKept}, true
		s.Exchanges = []actions.Exchange{
			{Question: "?", Answer: signOld, Outcome: actions.Answered},
			{Question: "?", Answer: signNew, Outcome: actions.Answered}}
	}
	for i := range turns {
		s.History = append(s.History, Turn{Turn: actions.Turn{Step: i + 1, Did: signDone,
			Reply: actions.Reply{Text: signDone}}, Frame: frame})
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
