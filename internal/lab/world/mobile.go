package world

import (
	"context"
	"net/http"
	"net/url"
)

// mobile is MobileWorld's server, which names the device as its own adb does. Its tasks have fixed
// parameters, and some of them a user who knows what the goal does not say.
type mobile struct {
	server
	device string
}

// Tasks implements World.
func (m *mobile) Tasks(ctx context.Context, _ int) (names []string, err error) {
	var out []struct {
		Name string `json:"name"`
	}
	err = m.ask(ctx, http.MethodGet, "/task/list", nil, nil, &out)
	for _, t := range out {
		names = append(names, t.Name)
	}
	return names, err
}

// about is the body of a request about a task.
func (m *mobile) about(task string) map[string]string {
	return map[string]string{"task_name": task, "req_device": m.device}
}

// Begin implements World.
func (m *mobile) Begin(ctx context.Context, task string, _ int) (goal string, err error) {
	err = m.ask(ctx, http.MethodPost, "/init", nil, map[string]string{"device": m.device}, nil)
	if err == nil {
		err = m.ask(ctx, http.MethodPost, "/task/init", nil, m.about(task), nil)
	}
	if err == nil {
		err = m.ask(ctx, http.MethodGet, "/task/goal", url.Values{"task_name": {task}}, nil, &goal)
	}
	return goal, err
}

// act sends one of the actions that touch no phone, and returns its result.
func (m *mobile) act(ctx context.Context, kind, text string) (string, error) {
	var out struct {
		Result string `json:"result"`
	}
	err := m.ask(ctx, http.MethodPost, "/step", nil, map[string]any{"device": m.device,
		"action": map[string]string{"action_type": kind, "text": text}}, &out)
	return out.Result, err
}

// Ask implements World.
func (m *mobile) Ask(ctx context.Context, question string) (string, error) {
	return m.act(ctx, "ask_user", question)
}

// Report implements World.
func (m *mobile) Report(ctx context.Context, answer string) error {
	_, err := m.act(ctx, "answer", answer)
	return err
}

// Score implements World.
func (m *mobile) Score(ctx context.Context, task string, _ int) (float64, string, error) {
	var out struct {
		Score  any `json:"score"`
		Reason any `json:"reason"`
	}
	err := m.ask(ctx, http.MethodGet, "/task/eval", nil, m.about(task), &out)
	if err != nil {
		return 0, "", err
	}
	reason, _ := out.Reason.(string)
	score, err := scored(task, out.Score)
	return score, reason, err
}

// End implements World.
func (m *mobile) End(ctx context.Context, task string, _ int) error {
	return m.ask(ctx, http.MethodPost, "/task/tear_down", nil, m.about(task), nil)
}
