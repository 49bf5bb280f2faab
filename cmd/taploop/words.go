package main

import (
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/words"
)

// texts are what the commands say to a person, in one language.
type texts struct {
	Answer, Typed, GoOn string
	Cut, Hides          string
	// of a skill that could not be repeated, with a path
	ScreenNow, ScreenRecorded string
	Hidden, Whole             string // before an answer is typed
	// how a run stands that something was said to, and one that was stopped
	Heard, Stopped map[store.State]string

	Demo demoWords
	Test testWords
}

// demoWords are those of the demo.
type demoWords struct {
	Begin, Given, Asks, Again, Checked, Page, Took string
}

// testWords are those of tests.
type testWords struct {
	Of, Bad, Again, Took, Note string // of a line
	Scripted, Nothing          string
}

var textsIn = words.Of[texts]("cli")

// wordsIn returns the texts in the language that fits best.
func wordsIn(lang string) texts { return *textsIn(lang) }
