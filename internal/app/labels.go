package app

import (
	"fmt"

	"github.com/taploop/taploop/internal/guard/judge"
	"github.com/taploop/taploop/internal/model"
)

// labeller opens the model that says what labels do, nil if the configuration wants none. It is
// recorded and replayed with the models of p.
func (ms *Models) labeller(p *Policies) (*model.Client, error) {
	g := ms.set.Conf.Guard
	if !g.Judges() {
		return nil, nil
	}
	m := ms.set.Conf.Model
	if g.JudgeModel != "" {
		var err error
		if m, err = ms.set.Conf.ModelOf(g.JudgeModel); err != nil {
			return nil, Usage(fmt.Errorf("guard.judge_model: %w", err), "")
		}
	}
	return model.New(ms.deciding(m, p.transport))
}

// judging returns the judges of runs, over the model of d once that is open.
func judging(s *Settings, d *Parts) func() *judge.Judge {
	return func() *judge.Judge {
		if d.labels == nil {
			return nil
		}
		g := s.Conf.Guard
		return judge.New(judge.Options{Model: d.labels, Memory: d.Store.Judged,
			Timeout: g.JudgeTimeout, Tokens: g.JudgeTokens})
	}
}
