package policy

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/model"
	"github.com/taploop/taploop/internal/screen"
)

// Sight returns what a cassette records of a screen: step is 0 behind the last one, and task what
// the request is about.
func Sight(step int, task string, look screen.Observation) func() (model.Sight, error) {
	return func() (model.Sight, error) {
		small, err := look.Frame.Thumbnail()
		return model.Sight{Step: step, App: look.State.App, PNG: small,
			Task: fmt.Sprintf("%.8x", sha256.Sum256([]byte(task)))}, err
	}
}

// Compare returns a function that says how a screen differs from a recorded one: another app is in
// front, or the pictures differ by more than the tolerance.
func Compare(l screen.Likeness) func(recorded, now model.Sight) (string, error) {
	return func(recorded, now model.Sight) (string, error) {
		if recorded.App != now.App {
			return fmt.Sprintf("another screen: %s is in front, and %s was when it was recorded",
				app(now.App), app(recorded.App)), nil
		}
		share, err := l.Difference(now.App, recorded.PNG, now.PNG)
		if err != nil || share <= l.Tolerance {
			return "", err
		}
		return fmt.Sprintf("another screen: %.2f%% of it is not as it was recorded (at most "+
			"%.2f%% may be)", 100*share, 100*l.Tolerance), nil
	}
}

func app(name string) string {
	if name == "" {
		return "no known app"
	}
	return fmt.Sprintf("%q", name)
}

// diverged is err as the loop knows it, when a cassette had no answer.
func diverged(err error) error {
	d, ok := errors.AsType[*model.Divergence](err)
	if !ok {
		return err
	}
	return hint.Add(fmt.Errorf("%w: %w", agentloop.ErrDiverged, d), hint.Of(err))
}
