// Package bench stores and summarizes the results of models on tasks that can be checked. The
// caller executes the runs and passes in the results.
package bench

import (
	"slices"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/lab"
)

// Key is one run of a plan.
type Key struct {
	Model string `json:"model"` // as the person named it
	Task  string `json:"task"`
	Round int    `json:"round"` // from 1
}

// Plan runs each task Rounds times with each model.
type Plan struct {
	Models []string `json:"models"`
	Tasks  []string `json:"tasks"`
	Rounds int      `json:"rounds"`
}

// Runs lists the runs in an order of which any first part compares the models fairly.
func (p Plan) Runs() []Key {
	var all []Key
	for round := range p.Rounds {
		for _, task := range p.Tasks {
			for _, m := range p.Models {
				all = append(all, Key{m, task, round + 1})
			}
		}
	}
	return all
}

// Result is the outcome of a run. The check of the phone's state decides about success, never the
// model.
type Result struct {
	Key
	Passed  bool   `json:"passed"`
	Problem string `json:"problem,omitempty"` // what the check missed
	Claimed bool   `json:"claimed"`           // the model said that the task is done
	Answer  string `json:"answer,omitempty"`  // the model's last words
	// Verdict is what was seen of the end that the model claimed.
	Verdict agentloop.Verified `json:"verdict,omitempty"`
	// Broken says why the run is no measurement, such as an endpoint that does not answer. The run
	// does not count and is repeated.
	Broken string `json:"broken,omitempty"`

	StopReason       string  `json:"stop_reason"`
	Steps            int     `json:"steps"`
	Calls            int     `json:"calls"` // of the model
	Questions        int     `json:"questions"`
	PromptTokens     int     `json:"prompt_tokens"`
	CompletionTokens int     `json:"completion_tokens"`
	Seconds          float64 `json:"seconds"`        // of work: no pause, no waiting for answers
	ModelSeconds     float64 `json:"model_seconds"`  // of it, for the model
	Cost             float64 `json:"cost,omitempty"` // 0 when it is not known

	SessionID string    `json:"session_id"`
	Page      string    `json:"page,omitempty"` // the trajectory, beside the report
	StartedAt time.Time `json:"started_at"`
}

// Score sums runs up.
type Score struct {
	Runs      int `json:"runs"`
	Passed    int `json:"passed"`
	lab.Rate      // of Passed among Runs
	Unclaimed int `json:"passed_unclaimed"` // passed, and the model did not say that it is done
	False     int `json:"claimed_falsely"`  // not passed, and the model said so
	Verified  int `json:"verified"`         // claimed, and seen on the screen

	Steps            float64 `json:"steps"` // medians of a run, from here on
	Seconds          float64 `json:"seconds"`
	ModelSeconds     float64 `json:"model_seconds"`
	PromptTokens     float64 `json:"prompt_tokens"`
	CompletionTokens float64 `json:"completion_tokens"`
	Cost             float64 `json:"cost,omitempty"` // total of all runs, 0 if unknown

	SPA SPA `json:"spa_bench"`
}

// SPA are the figures that SPA-Bench gives, under its names. Shares are from 0 to 1.
type SPA struct {
	SuccessRate float64 `json:"success_rate"`
	// Why runs ended: the model said that the task is done, or it had no steps left, or else.
	SelfReported float64 `json:"self_reported_completion_rate"`
	MaxSteps     float64 `json:"maximum_steps_reached_rate"`
	Errors       float64 `json:"error_rate"`
	// The runs whose model wrongly said that the task is done, and the runs without steps left
	// whose task was done.
	Premature float64 `json:"premature_termination_rate"`
	Overdue   float64 `json:"overdue_termination_rate"`

	SecondsPerStep float64 `json:"mean_exec_time_per_step"`
	TokensPerStep  float64 `json:"mean_tokens_per_step"`
	CostPerStep    float64 `json:"mean_api_cost_per_step,omitempty"`
}

// newSPA sums up results, none of which is broken.
func newSPA(results []Result) (s SPA) {
	share := func(n, of int) float64 { return float64(n) / float64(max(of, 1)) }
	passed, claimed, early, spent, late, steps := 0, 0, 0, 0, 0, 0
	for _, r := range results {
		switch {
		case r.Claimed:
			claimed++
			early += one(!r.Passed)
		case r.StopReason == string(agentloop.MaxStepsReached):
			spent++
			late += one(r.Passed)
		}
		passed, steps = passed+one(r.Passed), steps+r.Steps
		s.SecondsPerStep += r.Seconds
		s.TokensPerStep += float64(r.PromptTokens + r.CompletionTokens)
		s.CostPerStep += r.Cost
	}
	for _, total := range []*float64{&s.SecondsPerStep, &s.TokensPerStep, &s.CostPerStep} {
		*total /= float64(max(steps, 1))
	}
	all := len(results)
	s.SuccessRate, s.SelfReported = share(passed, all), share(claimed, all)
	s.MaxSteps, s.Errors = share(spent, all), share(all-claimed-spent, all)
	s.Premature, s.Overdue = share(early, claimed), share(late, spent)
	return s
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// NewScore summarizes the results that are not broken.
func NewScore(results []Result) Score {
	broken := func(r Result) bool { return r.Broken != "" }
	results = slices.DeleteFunc(slices.Clone(results), broken)
	s := Score{Runs: len(results)}
	for _, r := range results {
		s.Cost += r.Cost
		s.Verified += one(r.Verdict == agentloop.IsVerified)
		switch {
		case r.Passed:
			s.Passed++
			if !r.Claimed {
				s.Unclaimed++
			}
		case r.Claimed:
			s.False++
		}
	}
	s.Rate, s.SPA = lab.NewRate(s.Passed, s.Runs), newSPA(results)
	median := func(of func(Result) float64) float64 {
		values := make([]float64, len(results))
		for i, r := range results {
			values[i] = of(r)
		}
		return lab.Median(values)
	}
	s.Steps = median(func(r Result) float64 { return float64(r.Steps) })
	s.Seconds = median(func(r Result) float64 { return r.Seconds })
	s.ModelSeconds = median(func(r Result) float64 { return r.ModelSeconds })
	s.PromptTokens = median(func(r Result) float64 { return float64(r.PromptTokens) })
	s.CompletionTokens = median(func(r Result) float64 { return float64(r.CompletionTokens) })
	return s
}

// Report is the result of a bench.
type Report struct {
	Setup   Setup         `json:"setup"`
	Planned int           `json:"planned"` // runs
	Done    int           `json:"done"`
	Models  []ModelReport `json:"models"`
	Runs    []Result      `json:"runs"`
}

// ModelReport is one model's share of it.
type ModelReport struct {
	Model string       `json:"model"`
	Score Score        `json:"score"` // over all tasks
	Tasks []TaskReport `json:"tasks"`
}

// TaskReport is the share of one task.
type TaskReport struct {
	Task  string   `json:"task"`
	Score Score    `json:"score"`
	Runs  []Result `json:"-"`
}

// NewReport summarizes the last result of each run of the plan.
func NewReport(setup Setup, p Plan, results []Result) Report {
	last := map[Key]Result{}
	for _, r := range results {
		last[r.Key] = r
	}
	out := Report{Setup: setup}
	for _, k := range p.Runs() {
		out.Planned++
		if r, ok := last[k]; ok {
			out.Runs = append(out.Runs, r)
			if r.Broken == "" {
				out.Done++
			}
		}
	}
	for _, m := range p.Models {
		mr := ModelReport{Model: m, Score: NewScore(out.of(m, ""))}
		for _, task := range p.Tasks {
			runs := out.of(m, task)
			mr.Tasks = append(mr.Tasks, TaskReport{task, NewScore(runs), runs})
		}
		out.Models = append(out.Models, mr)
	}
	return out
}

// of returns the runs of a model, of one task unless it is "".
func (r *Report) of(model, task string) []Result {
	var list []Result
	for _, x := range r.Runs {
		if x.Model == model && (task == "" || x.Task == task) {
			list = append(list, x)
		}
	}
	return list
}

// Setup holds the conditions that comparable runs share. It is the first line of the results file.
type Setup struct {
	Program string           `json:"program"` // and its version
	Models  map[string]Model `json:"models"`  // by the name that the person gave
	Tasks   []string         `json:"tasks"`
	Draw    int              `json:"draw,omitempty"`  // the seed of the tasks, 0 for the usual ones
	World   string           `json:"world,omitempty"` // KIND=URL, "" for simulated phones
	Locale  string           `json:"locale"`          // of the phone
	Size    string           `json:"size"`            // of its screen
	Steps   int              `json:"max_steps"`
}

// Model is how a model is asked. It holds no key.
type Model struct {
	BaseURL  string         `json:"base_url"`
	Name     string         `json:"name"`
	Settings map[string]any `json:"settings,omitempty"` // what else changes its replies
}
