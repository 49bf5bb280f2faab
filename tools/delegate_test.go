package tools

import (
	"context"
	"errors"

	"github.com/taploop/taploop/internal/runs"
)

// noGoals takes none.
type noGoals struct{}

func (noGoals) Start(context.Context, Goal) (string, error) { return "", errors.New("no goals") }

func (noGoals) GoOn(context.Context, string, string, runs.Actor) error {
	return errors.New("no goals")
}
