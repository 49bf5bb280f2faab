package dialect

import (
	"errors"
	"image"
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
	first, err := b.sample(0)
	if err != nil {
		return nil, err
	}
	later, err := b.sample(max(profile.Turns, 1))
	if err != nil {
		return nil, err
	}
	var lacks []Lack
	for _, l := range wanted(profile) {
		if !strings.Contains(later, l.sign) && (!l.first || !strings.Contains(first, l.sign)) {
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
	sign  string
	first bool // it is enough when the first prompt of a run shows it
}

// wanted is what a prompt of the dialect is to show.
func wanted(p Profile) []sign {
	all := []sign{
		{Lack{".Picture", "the screen", true}, "[picture ", false},
		{Lack{".Task", "what it is to do", true}, signTask, false},
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

// sample is the prompt of a step with as many turns before it.
func (b *Base) sample(turns int) (string, error) {
	frame, err := screen.NewFrame(image.NewRGBA(image.Rect(0, 0, 54, 120)))
	if err != nil {
		return "", err
	}
	s := Situation{Task: signTask, Summary: signSummary, Remembered: []string{signKept},
		Notes: []string{signNote}, ReplyJustIn: true, Look: screen.Observation{Frame: frame,
			State: screen.State{App: signApp}},
		Exchanges: []actions.Exchange{{Question: "?", Answer: signOld, Outcome: actions.Answered},
			{Question: "?", Answer: signNew, Outcome: actions.Answered}}}
	for i := range turns {
		s.History = append(s.History, Turn{Turn: actions.Turn{Step: i + 1, Did: signDone,
			Reply: actions.Reply{Text: signDone}}, Frame: frame})
	}
	messages, err := b.messages(&s)
	if err == nil && len(messages) == 0 {
		err = errors.New("it is empty")
	}
	return text.Line(Request{Messages: messages}.String()), err
}
