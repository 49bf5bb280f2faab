// Package bench keeps and sums up what models made of tasks that can be checked. It carries no run
// out: its owner does, and hands in the results.
package bench

import (
	"slices"
	"time"

	"github.com/taploop/taploop/internal/lab"
)

// Key is one run of a plan.
type Key struct {
	Model string `json:"model"` // as the person named it
	Task  string `json:"task"`
	Round int    `json:"round"` // from 1
}

// Plan says what is to be run: each task so many times with each model.
type Plan struct {
	Models []string `json:"models"`
	Tasks  []string `json:"tasks"`
	Rounds int      `json:"rounds"`
}

// Runs lists the runs so that a part of them, from the beginning, compares the models fairly.
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

// Result is what came of a run. Success is the check's word on the phone's state, never the
// model's.
type Result struct {
	Key
	Passed  bool   `json:"passed"`
	Problem string `json:"problem,omitempty"` // what the check missed
	Claimed bool   `json:"claimed"`           // the model said that the task is done
	Answer  string `json:"answer,omitempty"`  // the model's last words
	// Broken says what kept the run from being a measurement, such as an endpoint that does not
	// answer. Such a run counts for nothing, and is run again.
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
	lab.Rate      // of Runs, those that passed
	Unclaimed int `json:"passed_unclaimed"` // passed, and the model did not say that it is done
	False     int `json:"claimed_falsely"`  // not passed, and the model said so

	Steps            float64 `json:"steps"` // medians of a run, from here on
	Seconds          float64 `json:"seconds"`
	ModelSeconds     float64 `json:"model_seconds"`
	PromptTokens     float64 `json:"prompt_tokens"`
	CompletionTokens float64 `json:"completion_tokens"`
	Cost             float64 `json:"cost,omitempty"` // of all runs together; 0 when it is not known
}

// NewScore sums results up; broken ones do not count.
func NewScore(results []Result) Score {
	broken := func(r Result) bool { return r.Broken != "" }
	results = slices.DeleteFunc(slices.Clone(results), broken)
	s := Score{Runs: len(results)}
	for _, r := range results {
		s.Cost += r.Cost
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
	s.Rate = lab.NewRate(s.Passed, s.Runs)
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

// Report is what a bench has found.
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

// TaskReport is what a model made of one task.
type TaskReport struct {
	Task  string   `json:"task"`
	Score Score    `json:"score"`
	Runs  []Result `json:"-"`
}

// NewReport sums up those of the results that belong to the plan, the last of each run.
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

// of is the runs of a model, and of one task unless that is "".
func (r *Report) of(model, task string) []Result {
	var list []Result
	for _, x := range r.Runs {
		if x.Model == model && (task == "" || x.Task == task) {
			list = append(list, x)
		}
	}
	return list
}
