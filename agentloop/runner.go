package agentloop

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/screen"
)

// Runner pursues goals. It has no state: one Runner may serve several calls of Run, also at once if
// its parts can.
type Runner struct {
	Phone   Phone
	Policy  Policy
	Gate    Gate   // nil allows everything
	Parker  parker // may be nil when there are no questions
	Journal Journal
	Limits  Limits
	// Verifier looks at the end that the Policy reports. nil believes it.
	Verifier Verifier

	// ByHand reports whether the answer to an INFO action's question is an act on the phone. nil
	// means that the action alone says so.
	ByHand func(question string) bool

	// NoQuestions answers the model's questions at once: there is no answer. What a Gate asks is
	// parked all the same.
	NoQuestions bool

	// Background runs f on a goroutine that its owner waits for, or returns false. With it the
	// phone is looked at while the Policy decides. The loop waits for f before Run returns.
	Background func(f func()) bool
	// ReadAhead has the elements of each screen read while the Policy decides, when the Phone is a
	// Reader and there is Background: the Gate then finds them read.
	ReadAhead bool
	// Early asks the Policy with the first look that shows what a gesture did, while Background
	// finds out whether the screen is at rest. When it was not, the Policy is called off and asked
	// again.
	Early bool
	// EarlyAlways has it asked early from the first gesture on, before the phone's screens have
	// shown that this saves time.
	EarlyAlways bool

	Pace    Pace         // of the phone, from earlier runs
	Moving  bool         // the phone was touched just before: the first step waits for rest, too
	Left    screen.State // what was in front before that, zero if it is not known
	Observe func(Event)  // called synchronously on the goroutine of Run, may be nil
	Log     *slog.Logger // nil discards
}

// loop is one call of Run.
type loop struct {
	*Runner
	record     record
	limits     Limits
	start      time.Time
	watch      watch
	background *background     // of this step, or nil
	life       context.Context // of the call of Run: previews go on over a step's end
	previews   sync.WaitGroup
	repeats    repeatDetector
}

// timed is ctx until the time of this call is used up.
func (l *loop) timed(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithDeadlineCause(ctx, l.start.Add(l.limits.Time), errTime)
}

func (l *loop) situation(s *Step) Situation {
	album, _ := l.Journal.(Album)
	return Situation{Progress: l.record.progress.clone(), Screen: s.Screen, Step: s.Index,
		Album: album, Reader: l.watch.reader()}
}
