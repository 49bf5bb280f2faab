package agentloop

import (
	"context"
	"errors"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/screen"
)

// Phone is what the loop needs of a phone. It is used by one goroutine at a time, but for what a
// [Reader] reads.
//
// Of an error the loop asks whether it is [screen.ErrDisconnected], [screen.ErrLocked],
// [screen.ErrDark] or [screen.ErrSecure]. Any other error of a touch is a refusal, and its text is
// shown to the model.
type Phone interface {
	actions.Surface
	// Look captures one frame and reads the state with it. The frame is nil when the display is
	// off. A window that forbids capture is screen.ErrSecure. Look never invents a frame. It
	// repeats by itself what may succeed at once. The loop looks once more right before each
	// gesture, and the frame may be the last one where the phone can tell that nothing has moved.
	Look(ctx context.Context) (screen.Observation, error)
	// Frame is what Look's frame would be, without the state, which is most of what a look asks of
	// the phone. Such a frame is only held against others, and shown to nothing.
	Frame(ctx context.Context) (*screen.Frame, error)
}

// Reader is a Phone that can list the elements of its screen, which takes a second or more. With
// one, the policy may read the screen while it is looked at or while the model thinks.
type Reader interface {
	// Elements lists the elements of the screen that the last Look showed. An error says why they
	// could not be read this time, even if the phone is fine. The list may be shared and must not
	// be changed.
	Elements(ctx context.Context) ([]screen.Element, error)
}

// Policy decides the next action.
type Policy interface {
	// Next decides from the situation. It reports every model call in Proposal.Tries, even with
	// an error. ErrUnreadable means that no try could be read as an action.
	Next(ctx context.Context, s Situation) (Proposal, error)
}

// Ready reports why the model behind a policy cannot be asked. It is nil if no reason is known
// beforehand, and for what has no such method.
func Ready(ctx context.Context, of any) error {
	if r, can := of.(interface{ Ready(context.Context) error }); can {
		return r.Ready(ctx)
	}
	return nil
}

// ErrUnreadable is returned by a Policy whose model could not be understood after all its tries.
var ErrUnreadable = errors.New("the model's replies could not be read as an action")

// ErrDiverged is returned by a Policy that replays a recording and meets something else than was
// recorded.
var ErrDiverged = errors.New("the run is not the one that was recorded")

// ErrSkillDiverged is returned by a Policy that replays a skill and meets a screen on which its
// next step cannot be repeated.
var ErrSkillDiverged = errors.New("the screen is not as it was when the skill was recorded")

// ErrKeyRefused is returned by a Policy whose model's endpoint does not take the key.
var ErrKeyRefused = errors.New("the endpoint does not take the key")

// parker keeps questions for people.
type parker interface {
	// Park stores a question for those who answer in the run's reply mode, and returns the reason
	// for which a run waits for the answer. If the error is nil, the question survives a crash. The
	// run then ends for now, and a later call of Run continues with the answer. An error that is
	// one of the causes of a cancellation, such as ErrStopped, ends the run for that reason.
	Park(ctx context.Context, q Question) (StopReason, error)
}

// Album is a Journal that can show what former steps saw. With one, a policy may show them again.
type Album interface {
	// Steps are those of the run that were journaled, oldest first, without pictures.
	Steps(ctx context.Context) ([]Step, error)
	// Frame is what the session's step of that index was decided on.
	Frame(ctx context.Context, step int) (*screen.Frame, error)
}

// Preparer is a Journal that can keep a step's frame while the policy thinks, so that an Intent has
// less to wait for.
type Preparer interface {
	// Prepare returns at once. What goes wrong is tried again by the step's Intent or Done, and no
	// harm is done when neither follows.
	Prepare(ctx context.Context, s Step)
}

// Journal is where a run is written down, step by step, durably.
type Journal interface {
	// Intent records the action or question that comes next. It returns nil only once the record
	// would survive a crash. The phone is touched, and a question asked, after it.
	Intent(ctx context.Context, s Step) error
	// Done records the step with its outcome, and the progress after it, in one transaction. It may
	// be that only the next Intent makes it survive a crash of the machine. A step without a
	// gesture or a question has no Intent, only a Done.
	//
	// A step that asked about a gesture is recorded once more after the answer, in a later call of
	// Run and under the same Index: with what became of the gesture, or with another question. That
	// adds to the record, which keeps the question, its answer, and what the step has cost.
	Done(ctx context.Context, s Step, p Progress) error
}

// Situation is what a policy decides from.
type Situation struct {
	Progress
	Screen screen.Observation
	Step   int   // index of the step within the session, from 1
	Album  Album // the screens of former steps, nil if they are not kept

	Reader Reader // lists the elements of Screen, nil if the phone cannot
	// Replying, when it is not nil, is called as soon as the reply begins to arrive: by any
	// goroutine, any number of times.
	Replying func()
}

// Verifier looks at the end of a run that the policy says is completed.
type Verifier interface {
	// Verify holds the report against the screen. An error counts as not knowing.
	Verify(ctx context.Context, s Situation, report string) (Verification, error)
}
