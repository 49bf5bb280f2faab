package agentloop

import (
	"context"
	"log/slog"
	"time"
)

// Runner pursues goals. It is a value without state of its own: one Runner may serve one Run after
// the other, or several at a time if its parts can.
type Runner struct {
	Phone   Phone
	Policy  Policy
	Gate    Gate   // nil allows everything
	Parker  Parker // may be nil when there are no questions
	Journal Journal
	Limits  Limits

	// ByHand tells of an INFO action's question whether its answer is an act on the phone; nil
	// believes the action alone.
	ByHand func(question string) bool

	// NoQuestions answers the model's questions at once: there is no answer. What a Gate asks is
	// parked all the same.
	NoQuestions bool

	// Background runs f on a goroutine of its owner's, who waits for it, or returns false. With it
	// the phone is looked at while the Policy decides; the loop waits for f before Run returns.
	Background func(f func()) bool
	// ReadAhead has the elements of each screen read while the Policy decides, when the Phone is a
	// Reader and there is Background: the Gate then finds them read.
	ReadAhead bool
	// Early asks the Policy with the first look that shows what a gesture did, while Background
	// finds out whether the screen is at rest. When it was not, the Policy is called off and asked
	// again.
	Early bool

	Moving  bool         // the phone was touched just before: the first step waits for rest, too
	Observe func(Event)  // called synchronously, on the goroutine of Run; may be nil
	Log     *slog.Logger // nil discards
}

// loop is one call of Run.
type loop struct {
	*Runner
	record
	limits     Limits
	start      time.Time
	watch      watch
	background *background // of this step; nil when nothing goes on
	asked      int         // how often the policy was asked early
	again      int         // and again, because that was in vain
	repeats    repeatDetector
}

// timed is ctx until the time of this call is used up.
func (l *loop) timed(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithDeadlineCause(ctx, l.start.Add(l.limits.Time), errTime)
}

func (l *loop) situation(s *Step) Situation {
	album, _ := l.Journal.(Album)
	return Situation{Progress: l.progress.clone(), Screen: s.Screen, Step: s.Index, Album: album,
		Reader: l.watch.reader()}
}
