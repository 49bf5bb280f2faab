package web

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/export"
)

// toldRun is a run with what it has cost.
type toldRun struct {
	*runView
	Tokens int   `json:"tokens"`
	TookMS int64 `json:"took_ms"`
}

// toldStep is a step with what was seen and said in it.
type toldStep struct {
	stepView
	Places   []inquiry.Place `json:"places,omitempty"` // of the picture that are touched
	App      string          `json:"app,omitempty"`
	Tokens   int             `json:"tokens,omitempty"`
	Question string          `json:"question,omitempty"`
	Reply    string          `json:"reply,omitempty"`
	Tries    []tryView       `json:"tries,omitempty"`
}

// tryView is a call of the model as it was.
type tryView struct {
	Prompt           string `json:"prompt"`
	Reply            string `json:"reply"`
	Model            string `json:"model,omitempty"`
	Error            string `json:"error,omitempty"`
	TookMS           int64  `json:"took_ms"`
	PromptTokens     int    `json:"prompt_tokens"`
	CompletionTokens int    `json:"completion_tokens"`
}

// getTrajectory gives all of a session but its pictures and the model's words.
func (s *sessions) getTrajectory(w http.ResponseWriter, r *http.Request, v viewer) error {
	x, err := s.records.session(r, v)
	if err != nil {
		return err
	}
	t, err := s.opts.Sessions.Trajectory(r.Context(), x.ID)
	if err != nil {
		return err
	}
	if err := s.presented(r.Context(), &t); err != nil {
		return err
	}
	asked, err := s.records.visible(r.Context(), v, inquiry.Filter{SessionID: x.ID})
	if err != nil {
		return err
	}
	runs := make([]toldRun, 0, len(t.Runs))
	for _, run := range t.Runs {
		u := t.Usage[run.ID]
		runs = append(runs, toldRun{runView: viewOfRun(&run),
			Tokens: u.PromptTokens + u.CompletionTokens, TookMS: u.Work().Milliseconds()})
	}
	steps := make([]toldStep, 0, len(t.Steps))
	for _, st := range t.Steps {
		steps = append(steps, tellStep(st))
	}
	return send(w, http.StatusOK, map[string]any{"session": t.Session, "runs": runs,
		"steps": steps, "questions": asked})
}

// presented puts the latest run of a trajectory in the words of who owns it.
func (s *sessions) presented(ctx context.Context, t *store.Trajectory) error {
	if len(t.Runs) == 0 {
		return nil
	}
	last, err := s.opts.Sessions.LatestRun(ctx, t.Session.ID)
	if err == nil && last.ID == t.Runs[len(t.Runs)-1].ID {
		t.Runs[len(t.Runs)-1] = last
	}
	return err
}

func tellStep(st store.StepRecord) toldStep {
	v := toldStep{stepView: viewOfStep(st), App: st.Screen.State.App}
	if a := st.Proposal.Action; a != nil {
		for _, p := range a.Traits().Points {
			v.Places = append(v.Places, place(p))
		}
	}
	for _, t := range st.Proposal.Tries {
		v.Tokens += t.PromptTokens + t.CompletionTokens
	}
	if x := st.Exchange; x != nil {
		v.Question, v.Reply = x.Question, x.Answer
	}
	return v
}

func place(p screen.Point) inquiry.Place { return inquiry.Place{X: p.X, Y: p.Y} }

// getStep gives a step with the model's prompts and replies.
func (s *sessions) getStep(w http.ResponseWriter, r *http.Request, v viewer) error {
	x, err := s.records.session(r, v)
	if err != nil {
		return err
	}
	index, err := strconv.Atoi(r.PathValue("index"))
	if err != nil || index < 1 {
		return badRequest("the step is %.20q (want its number)", r.PathValue("index"))
	}
	list, err := s.opts.Sessions.Steps(r.Context(), x.ID, index-1)
	if err != nil {
		return err
	}
	if len(list) == 0 || list[0].Index != index {
		return refuse("NOT_FOUND", fmt.Errorf("session %s has no step %d", x.ID, index))
	}
	view := tellStep(list[0])
	for _, t := range list[0].Proposal.Tries {
		view.Tries = append(view.Tries, tryView{Prompt: t.Prompt, Reply: t.Reply, Model: t.Model,
			Error: t.Error, TookMS: t.Took.Milliseconds(), PromptTokens: t.PromptTokens,
			CompletionTokens: t.CompletionTokens})
	}
	return send(w, http.StatusOK, view)
}

// getExport gives a session as one page that loads nothing.
func (s *sessions) getExport(w http.ResponseWriter, r *http.Request, v viewer) error {
	x, err := s.records.session(r, v)
	if err != nil {
		return err
	}
	var page bytes.Buffer
	if err := export.HTML(r.Context(), &page, s.opts.Sessions, x.ID); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="taploop-`+x.ID+`.html"`)
	_, _ = w.Write(page.Bytes())
	return nil
}

// deleteSession removes a session for good.
func (s *sessions) deleteSession(w http.ResponseWriter, r *http.Request, v viewer) error {
	if err := v.person("sessions are deleted by people"); err != nil {
		return err
	}
	x, err := s.records.session(r, v)
	if err != nil {
		return err
	}
	if err := s.opts.Sessions.Delete(r.Context(), x.ID); err != nil {
		return err
	}
	s.opts.Log.InfoContext(r.Context(), "session deleted", "session", x.ID, "by", v.name)
	return send(w, http.StatusOK, map[string]any{"deleted": x.ID})
}

// filterOf reads which sessions a request wants listed.
func filterOf(r *http.Request) (f store.Filter, err error) {
	q := r.URL.Query()
	f = store.Filter{State: store.State(q.Get("state")), Serial: q.Get("serial"),
		Text: q.Get("q"), App: q.Get("app"), Over: q.Get("over") == "true"}
	if f.State != "" && !f.State.Known() {
		return f, badRequest("unknown state %q (want RUNNING, WAITING_REPLY, PAUSED, ...)", f.State)
	}
	for name, to := range map[string]*time.Time{"since": &f.Since, "until": &f.Until} {
		if q.Get(name) == "" {
			continue
		}
		if *to, err = time.Parse(time.RFC3339, q.Get(name)); err != nil {
			return f, badRequest("%s is %.40q (want a time such as 2026-01-31T12:00:00Z)", name,
				q.Get(name))
		}
	}
	if f.Offset, err = number(r, "offset", 1<<30); err != nil {
		return f, err
	}
	f.Limit, err = number(r, "limit", maxLimit)
	f.Limit = cmp.Or(f.Limit, 50)
	return f, err
}
