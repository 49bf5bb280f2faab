package policy_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/agentloop/policy"
	"github.com/taploop/taploop/internal/patient"
	"github.com/taploop/taploop/internal/screen"
)

type decider func(context.Context) (agentloop.Proposal, error)

func (d decider) Next(ctx context.Context, _ agentloop.Situation) (agentloop.Proposal, error) {
	return d(ctx)
}

type describer func(ctx context.Context, task string, f *screen.Frame) (string, error)

func (d describer) Describe(ctx context.Context, task string, f *screen.Frame) (string, error) {
	return d(ctx, task, f)
}

// decides after a second.
func decides(context.Context) (agentloop.Proposal, error) {
	time.Sleep(time.Second)
	return agentloop.Proposal{Decision: actions.Decision{Action: actions.Back{}}}, nil
}

func TestTheFrameIsDescribedWhileThePolicyDecides(t *testing.T) {
	s := situation(t)
	synctest.Test(t, func(t *testing.T) {
		p := policy.WithCaptions(
			decider(decides),
			describer(func(_ context.Context, task string, f *screen.Frame) (string, error) {
				require.Equal(t, "open the shop", task)
				require.Same(t, s.Screen.Frame, f)
				time.Sleep(3 * time.Second)
				return "a shop", nil
			}),
			nil,
		)
		begun := time.Now()
		got, err := p.Next(t.Context(), s)
		require.NoError(t, err)
		require.Equal(t, actions.Back{}, got.Action)
		require.Equal(t, "a shop", got.Caption)
		require.Equal(t, 3*time.Second, time.Since(begun),
			"both at once, and the longer one is waited for")
	})
}

func TestACaptionThatCannotBeHadFailsNoStep(t *testing.T) {
	s := situation(t)
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		p := policy.WithCaptions(
			decider(decides),
			describer(func(context.Context, string, *screen.Frame) (string, error) {
				return "half a cap", errors.New("out of words")
			}),
			slog.New(slog.NewTextHandler(&log, nil)),
		)
		got, err := p.Next(t.Context(), s)
		require.NoError(t, err)
		require.Equal(t, actions.Back{}, got.Action)
		require.Empty(t, got.Caption)
		require.Contains(t, log.String(), "out of words")
	})
}

func TestDescribingIsCalledOffAndWaitedForWhenThePolicyFails(t *testing.T) {
	s := situation(t)
	synctest.Test(t, func(t *testing.T) {
		failed := errors.New("no model")
		ended := false
		var log bytes.Buffer
		p := policy.WithCaptions(decider(func(context.Context) (agentloop.Proposal, error) {
			return agentloop.Proposal{Tries: []agentloop.Try{{Error: "no model"}}}, failed
		}), describer(func(ctx context.Context, _ string, _ *screen.Frame) (string, error) {
			<-ctx.Done()
			time.Sleep(time.Second) // putting things away
			ended = true
			return "", ctx.Err()
		}), slog.New(slog.NewTextHandler(&log, nil)))
		got, err := p.Next(t.Context(), s)
		require.ErrorIs(t, err, failed)
		require.Len(t, got.Tries, 1)
		require.True(t, ended, "Next returned before its goroutine had ended")
		require.Empty(t, log.String(), "what was called off is no failure")
	})
}

func TestAStopEndsDecidingAndDescribing(t *testing.T) {
	s := situation(t)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), patient.Lid)
		defer cancel()
		ended := false
		p := policy.WithCaptions(decider(func(ctx context.Context) (agentloop.Proposal, error) {
			<-ctx.Done()
			return agentloop.Proposal{}, ctx.Err()
		}), describer(func(ctx context.Context, _ string, _ *screen.Frame) (string, error) {
			<-ctx.Done()
			ended = true
			return "", ctx.Err()
		}), nil)
		_, err := p.Next(ctx, s)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.True(t, ended)
	})
}

func TestWithoutAFrameNothingIsDescribed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy.WithCaptions(decider(decides), describer(nil), nil)
		got, err := p.Next(t.Context(), agentloop.Situation{})
		require.NoError(t, err)
		require.Empty(t, got.Caption)
	})
}

func TestOnlyTheFrameOnWhichTheRunEndsIsDescribed(t *testing.T) {
	at := screen.Point{X: 0.5, Y: 0.5}
	for _, c := range []struct {
		action agentloop.Proposal
		want   string
	}{
		{propose(actions.Complete{Report: "done"}), "a shop"},
		{propose(actions.Abort{Reason: "no"}), "a shop"},
		{propose(actions.Info{Question: "which?"}), "a shop"},
		{propose(actions.Click{At: at}), ""},
		{propose(actions.Note{Text: "x"}), ""},
	} {
		t.Run(c.action.Action.Verb(), func(t *testing.T) {
			p := policy.WithFinalCaption(
				decider(func(context.Context) (agentloop.Proposal, error) { return c.action, nil }),
				describer(func(context.Context, string, *screen.Frame) (string, error) {
					return "a shop", nil
				}),
				nil,
			)
			got, err := p.Next(t.Context(), situation(t))
			require.NoError(t, err)
			require.Equal(t, c.want, got.Caption)
		})
	}
	failing := describer(func(context.Context, string, *screen.Frame) (string, error) {
		return "half", errors.New("out of words")
	})
	end := decider(func(context.Context) (agentloop.Proposal, error) {
		return propose(actions.Complete{Report: "done"}), nil
	})
	got, err := policy.WithFinalCaption(end, failing, nil).Next(t.Context(), situation(t))
	require.NoError(t, err, "a caption that cannot be had fails no step")
	require.Empty(t, got.Caption)
}

func propose(a actions.Action) agentloop.Proposal {
	return agentloop.Proposal{Decision: actions.Decision{Action: a}}
}
