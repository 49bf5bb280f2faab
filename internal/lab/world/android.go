package world

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
)

// android is AndroidWorld's server. Its tasks are drawn by a seed.
type android struct {
	server
	seed int
}

// Tasks implements World.
func (a *android) Tasks(ctx context.Context, n int) ([]string, error) {
	draw := url.Values{"n_task_combinations": {strconv.Itoa(n)}, "seed": {strconv.Itoa(a.seed)}}
	if err := a.ask(ctx, http.MethodGet, "/suite/reinitialize", draw, nil, nil); err != nil {
		return nil, err
	}
	var out struct {
		Tasks []string `json:"task_list"`
	}
	err := a.ask(ctx, http.MethodGet, "/suite/task_list", url.Values{"max_index": {"-1"}}, nil,
		&out)
	return out.Tasks, err
}

func which(task string, n int) url.Values {
	return url.Values{"task_type": {task}, "task_idx": {strconv.Itoa(n)}}
}

// Begin implements World.
func (a *android) Begin(ctx context.Context, task string, n int) (string, error) {
	err := a.ask(ctx, http.MethodPost, "/reset", url.Values{"go_home": {"true"}}, nil, nil)
	if err == nil {
		err = a.ask(ctx, http.MethodPost, "/task/initialize", which(task, n), nil, nil)
	}
	var out struct {
		Goal string `json:"goal"`
	}
	if err == nil {
		err = a.ask(ctx, http.MethodGet, "/task/goal", which(task, n), nil, &out)
	}
	return out.Goal, err
}

// Ask implements World.
func (a *android) Ask(context.Context, string) (string, error) { return "", ErrNoUser }

// Report implements World.
func (a *android) Report(ctx context.Context, answer string) error {
	return a.ask(ctx, http.MethodPost, "/execute_action", nil,
		map[string]string{"action_type": "answer", "text": answer}, nil)
}

// Score implements World.
func (a *android) Score(ctx context.Context, task string, n int) (float64, string, error) {
	var out struct {
		Score any `json:"score"`
	}
	if err := a.ask(ctx, http.MethodGet, "/task/score", which(task, n), nil, &out); err != nil {
		return 0, "", err
	}
	score, err := scored(task, out.Score)
	return score, "", err
}

// End implements World.
func (a *android) End(ctx context.Context, task string, n int) error {
	return a.ask(ctx, http.MethodPost, "/task/tear_down", which(task, n), nil, nil)
}
