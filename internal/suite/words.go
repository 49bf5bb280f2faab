package suite

import "github.com/taploop/taploop/internal/words"

// Words are the texts about tests that people read.
type Words struct {
	Outcomes map[Outcome]string
	Verdicts map[string]string
	Sum      struct{ Line, Count, None, NoneRan string }
	Play     struct {
		Claimed, Expected, Checking, Healed, Flaky, Crashed, Hung, Tokens, Cost, Time, AllSteps,
		OverTime, Asks, GaveUp, Interrupted, Needs, FailFast, NoFit, NoneLeft, TakenOut,
		IsBack, Taken string
	}
	Found Found
	Page  struct {
		Lang, Line, Took, Attempt, Phone, Answer, Claimed, Judged, Asked, NoAnswer,
		Note, NotAsked string
	}
}

// Found is what an expectation has found instead.
type Found struct {
	Reported, Is, Rows, TheRows, Count, NoneLike, Nearest, ID, Class, Text, Desc, Checked, Enabled,
	Front, NoApp, Secure, Shown, Says, NotThere, There, Contains, Ended, LogLine, NoLine, Dark,
	Shape, Differs, No, Own, Model, Known string
}

// WordsIn returns the texts in the language that fits best.
var WordsIn = words.Of[Words]("suite")
