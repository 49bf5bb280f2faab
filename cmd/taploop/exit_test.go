package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/model"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/suite"
	"github.com/taploop/taploop/internal/terminal/usage"
	"github.com/taploop/taploop/internal/words"
)

func TestThePageOfCommandsHasTheTableOfExitCodes(t *testing.T) {
	page, err := os.ReadFile("../../docs/commands.md")
	require.NoError(t, err)
	for _, lang := range words.Languages() {
		said := usage.Exits(lang)
		for i, code := range []int{exitDone, exitError, exitUsage, exitNotCompleted, exitWaiting,
			exitPhone, exitModel, exitKey, exitInterrupted} {
			number, says, _ := strings.Cut(said[i], " ")
			require.Equal(t, strconv.Itoa(code), number, lang)
			if lang == words.Default {
				require.Contains(t, string(page), fmt.Sprintf("| %d | %s |", code, says))
			}
		}
	}
}

func TestTheExitCodeTellsTroubleFromATaskThatFailed(t *testing.T) {
	for reason, want := range map[agentloop.StopReason]int{
		agentloop.TaskAborted: exitNotCompleted, agentloop.MaxStepsReached: exitNotCompleted,
		agentloop.Stuck: exitNotCompleted, agentloop.TimeLimitReached: exitNotCompleted,
		agentloop.ManualStop: exitNotCompleted, agentloop.SecureScreen: exitNotCompleted,
		agentloop.ReplayDiverged: exitNotCompleted, agentloop.SkillDiverged: exitNotCompleted,
		agentloop.Cancelled: exitNotCompleted, agentloop.DeviceDisconnected: exitPhone,
		agentloop.DeviceError: exitPhone, agentloop.ScreenLocked: exitPhone,
		agentloop.ModelError: exitModel, agentloop.ModelOutputInvalid: exitModel,
		agentloop.ModelKeyRefused: exitKey, agentloop.InternalError: exitError,
		agentloop.StoreUnavailable: exitError,
	} {
		require.Equal(t, want, exitOfRun(reason), reason)
	}
	for _, c := range []struct {
		err  error
		want int
	}{
		{errors.New("disk full"), exitError},
		{fmt.Errorf("x: %w", store.ErrLocked), exitError},
		{fmt.Errorf("x: %w", store.ErrDiskFull), exitError},
		{app.Usage(errors.New("x"), "y"), exitUsage},
		{runs.Coded(runs.InvalidArgument, errors.New("x")), exitUsage},
		{fmt.Errorf("running: %w", runs.Coded(runs.DeviceBusy, errors.New("x"))), exitPhone},
		{runs.Coded(runs.DeviceAmbiguous, errors.New("x")), exitPhone},
		{runs.Coded(runs.DeviceOffline, errors.New("x")), exitPhone},
		{runs.Coded(runs.DeviceMismatch, errors.New("x")), exitPhone},
		{runs.Coded(runs.SessionNotFound, errors.New("x")), exitError},
		{fmt.Errorf("asking: %w", &model.Error{Kind: model.Unauthorized}), exitKey},
		{fmt.Errorf("asking: %w", &model.Error{Kind: model.TimedOut}), exitModel},
		{fmt.Errorf("waiting: %w", context.Canceled), exitInterrupted},
	} {
		require.Equal(t, c.want, exitOf(c.err), "%v", c.err)
	}
}

func TestACommandIsRepeatedAsAShellTakesIt(t *testing.T) {
	for want, args := range map[string][]string{
		`taploop run --queue 'it'\''s "x" $HOME'`:      {"run", `it's "x" $HOME`},
		"taploop -v run --queue --json -- --task":      {"-v", "run", "--json", "--", "--task"},
		"taploop continue --queue 8241 'another task'": {"continue", "8241", "another task"},
	} {
		require.Equal(t, want, nextWords{args: args}.repeated("--queue").Command)
	}
	require.Nil(t, nextWords{args: []string{"continue", "8241", "--reply=482913"}}.repeated("--queue"),
		"an answer is not said again")
}

// Whatever mixture of outcomes there is, the exit code is that of the most telling one.
func TestTheExitCodeOfTestsIsThatOfTheMostTellingOutcome(t *testing.T) {
	t.Parallel()
	kinds := []string{"", suite.KindPhone, suite.KindApp, suite.KindADB, suite.KindSuite,
		suite.KindCassette}
	cases := []struct {
		suite.Outcome
		kind string
		code int
	}{
		{suite.Passed, "", exitDone}, {suite.Skipped, "", exitDone},
		{suite.Healed, "", exitDone},
		{suite.Flaky, "", exitDone},
		{suite.Failed, "", exitNotCompleted},
		{suite.Crashed, "", exitNotCompleted},
		{suite.NeedsPerson, "", exitWaiting},
		{suite.SetupFailed, suite.KindModel, exitModel},
		{suite.SetupFailed, "other", exitPhone},
	}
	order := []int{exitNotCompleted, exitWaiting, exitModel, exitPhone, exitDone}
	for set := range 1 << len(cases) {
		var all []suite.Result
		var codes []int
		for n, c := range cases {
			if set>>n&1 == 0 {
				continue
			}
			if c.kind == "other" {
				c.kind = kinds[set%len(kinds)]
			}
			all = append(all, suite.Result{Outcome: c.Outcome, Kind: c.kind})
			codes = append(codes, c.code)
		}
		want := exitDone
		for _, code := range slices.Backward(order) {
			if slices.Contains(codes, code) {
				want = code
			}
		}
		require.Equal(t, want, endOfTests(all), "%v", all)
	}
}
