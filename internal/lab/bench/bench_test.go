package bench_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/lab"
	"github.com/taploop/taploop/internal/lab/bench"
)

var (
	plan  = bench.Plan{Models: []string{"a", "b"}, Tasks: []string{"t1", "t2"}, Rounds: 2}
	setup = bench.Setup{Program: "taploop test", Tasks: plan.Tasks, Locale: "en", Size: "360x800",
		Steps: 40, Models: map[string]bench.Model{"a": {Name: "a"}, "b": {Name: "org/b",
			Settings: map[string]any{"temperature": 0.1}}}}
)

func key(m, task string, round int) bench.Key {
	return bench.Key{Model: m, Task: task, Round: round}
}

func TestThePlanComparesModelsFromTheBeginning(t *testing.T) {
	runs := plan.Runs()
	require.Equal(t, []bench.Key{key("a", "t1", 1), key("b", "t1", 1), key("a", "t2", 1),
		key("b", "t2", 1), key("a", "t1", 2)}, runs[:5])
	require.Len(t, runs, 8)
}

func TestABookGoesOnWhereItWas(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	b, err := bench.Open(dir, setup)
	require.NoError(t, err)
	require.Equal(t, plan.Runs(), b.Left(plan))
	require.NoError(t, b.Add(bench.Result{Key: key("a", "t1", 1), Passed: true, Answer: "a\nb"}))
	require.NoError(t, b.Add(bench.Result{Key: key("b", "t1", 1), Broken: "no endpoint"}))
	_, err = bench.Open(dir, setup)
	require.ErrorContains(t, err, "another bench writes to")
	require.NoError(t, b.Close())

	b, err = bench.Open(dir, setup)
	require.NoError(t, err)
	require.Len(t, b.Results, 2)
	require.Equal(t, plan.Runs()[1:], b.Left(plan), "a broken run is run again")
	require.NoError(t, b.Add(bench.Result{Key: key("b", "t1", 1), Passed: true}))
	require.Equal(t, plan.Runs()[2:], b.Left(plan))
	more := plan
	more.Rounds = 3
	require.Len(t, b.Left(more), 10, "more rounds go on, too")
	require.NoError(t, b.Close())
}

func TestALineThatWasNotWrittenWholeIsDropped(t *testing.T) {
	dir := t.TempDir()
	b, err := bench.Open(dir, setup)
	require.NoError(t, err)
	require.NoError(t, b.Add(bench.Result{Key: key("a", "t1", 1)}))
	require.NoError(t, b.Close())
	path := filepath.Join(dir, "results.jsonl")
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, cut := range []int{1, 10, len(whole) - 1} {
		require.NoError(t, os.WriteFile(path, whole[:cut], 0o600))
		b, err = bench.Open(dir, setup)
		require.NoError(t, err)
		require.NoError(t, b.Add(bench.Result{Key: key("a", "t1", 1)}))
		require.NoError(t, b.Close())
		again, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(whole), string(again))
	}
}

func TestABookOfSomethingElseIsRefusedAndStays(t *testing.T) {
	dir := t.TempDir()
	b, err := bench.Open(dir, setup)
	require.NoError(t, err)
	require.NoError(t, b.Close())
	path := filepath.Join(dir, "results.jsonl")
	head, err := os.ReadFile(path)
	require.NoError(t, err)
	other := setup
	other.Locale = "zh"
	_, err = bench.Open(dir, other)
	require.ErrorContains(t, err, "it was begun with other models, settings or tasks")
	require.Contains(t, hint.Of(err), "-o")

	damaged := string(head) + "not a result\n{}\n"
	require.NoError(t, os.WriteFile(path, []byte(damaged), 0o600))
	_, err = bench.Open(dir, setup)
	require.ErrorContains(t, err, "line 2 of "+path+": it is no result")
	stays, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, damaged, string(stays))
}

func TestAScoreCountsWhatTheCheckSays(t *testing.T) {
	s := bench.NewScore([]bench.Result{
		{Passed: true, Claimed: true, Verdict: agentloop.IsVerified, Steps: 4, Seconds: 10, PromptTokens: 100, Cost: 0.5},
		{Passed: true, Verdict: agentloop.Unverified, Steps: 8, Seconds: 20, PromptTokens: 300, Cost: 0.25},
		{Claimed: true, Steps: 9, Seconds: 90, PromptTokens: 900},
		{Broken: "endpoint", Steps: 1000, Seconds: 1000, Cost: 7, Claimed: true},
	})
	require.Equal(t, 3, s.Runs)
	require.Equal(t, 2, s.Passed)
	require.InDelta(t, 2.0/3, s.Share, 1e-9)
	require.InDelta(t, 0.2077, s.Low, 1e-3)
	require.InDelta(t, 0.9385, s.High, 1e-3)
	require.Equal(t, []int{1, 1, 1}, []int{s.Unclaimed, s.False, s.Verified})
	require.Equal(t, []float64{8, 20, 300, 0.75}, []float64{s.Steps, s.Seconds, s.PromptTokens,
		s.Cost})
	require.Equal(t, bench.Score{Rate: lab.Rate{High: 1}}, bench.NewScore(nil))
}

func TestAScoreHasTheFiguresOfSPABench(t *testing.T) {
	spent := string(agentloop.MaxStepsReached)
	s := bench.NewScore([]bench.Result{
		{Passed: true, Claimed: true, Steps: 4, Seconds: 10, PromptTokens: 100, Cost: 1},
		{Claimed: true, Steps: 2, Seconds: 4, CompletionTokens: 20},
		{Passed: true, StopReason: spent, Steps: 9, Seconds: 20},
		{StopReason: "STUCK", Steps: 5, Seconds: 6},
	}).SPA
	require.Equal(t, bench.SPA{SuccessRate: 0.5, SelfReported: 0.5, MaxSteps: 0.25, Errors: 0.25,
		Premature: 0.5, Overdue: 1, SecondsPerStep: 2, TokensPerStep: 6, CostPerStep: 0.05}, s)
}

func TestTheReportHasTheLastOfEachRunAndNothingElse(t *testing.T) {
	r := bench.NewReport(setup, plan, []bench.Result{
		{Key: key("a", "t1", 1), Broken: "endpoint"}, {Key: key("a", "t1", 1), Passed: true},
		{Key: key("b", "t2", 1), Broken: "endpoint"}, {Key: key("z", "t1", 1), Passed: true},
		{Key: key("a", "t1", 3), Passed: true},
	})
	require.Equal(t, []int{8, 1, 2}, []int{r.Planned, r.Done, len(r.Runs)})
	require.Equal(t, 1, r.Models[0].Score.Passed)
	require.Zero(t, r.Models[1].Score.Runs)
	require.Len(t, r.Models[1].Tasks[1].Runs, 1)
}

func TestThePageLinksRunsAndShowsHostileWordsAsText(t *testing.T) {
	evil := "<script>alert(1)</script>\x1b[31m\u202e\n" + strings.Repeat("x", 9999)
	hostile := plan
	hostile.Models = []string{"a", `"><b>`}
	s := setup
	s.Models = map[string]bench.Model{"a": {Name: evil[:40]}, `"><b>`: {Name: "n"}}
	r := bench.NewReport(s, hostile, []bench.Result{
		{Key: key("a", "t1", 1), Passed: true, Page: "runs/1.html", Steps: 7},
		{Key: key(`"><b>`, "t1", 1), Problem: evil, Answer: evil, Page: "runs/2.html", Cost: 2.5},
		{Key: key("a", "t2", 1), Broken: evil},
	})
	var b strings.Builder
	require.NoError(t, r.HTML(&b))
	page := b.String()
	require.Contains(t, page, `href="runs/1.html"`)
	require.Contains(t, page, "yes, 7 steps")
	require.Contains(t, page, "2.5000")
	require.Contains(t, page, "not measured: ")
	for _, bad := range []string{"<script", "\x1b", "\u202e", "<b>", strings.Repeat("x", 400),
		"ZgotmplZ"} {
		require.NotContains(t, page, bad)
	}
	var empty strings.Builder
	require.NoError(t, bench.NewReport(setup, plan, nil).HTML(&empty))
	require.Contains(t, empty.String(), "0 of 8 runs so far")
}
