package app

import (
	"fmt"

	"github.com/taploop/taploop/internal/guard/judge"
	"github.com/taploop/taploop/internal/model"
)

// openFor opens the model that a setting names, "" for the one that acts. It is recorded and
// replayed with the models of p, and closed with d.
func (ms *Models) openFor(setting, name string, p *Policies, d *Parts) (*model.Client, error) {
	m := ms.set.Conf.Model
	if name != "" {
		var err error
		if m, err = ms.set.Conf.ModelOf(name); err != nil {
			return nil, Usage(fmt.Errorf("%s: %w", setting, err), "")
		}
	}
	client, err := model.New(ms.deciding(m, p.transport))
	if err == nil {
		d.OnClose(func() error { client.Close(); return nil })
	}
	return client, err
}

// labeller opens the model that says what labels do, nil if the configuration wants none.
func (ms *Models) labeller(p *Policies, d *Parts) (*model.Client, error) {
	g := ms.set.Conf.Guard
	if !g.Judges() {
		return nil, nil
	}
	return ms.openFor("guard.judge_model", g.JudgeModel, p, d)
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
