package tools

import (
	"context"
	"strings"

	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/tools/result"
)

// runSkill repeats a skill.
func (e edge) runSkill(ctx context.Context, c *call, a usecase.RunSkill) (*toolResult, error) {
	o, err := e.cases.RunSkill(ctx, c.who, a)
	return e.run(ctx, c, o, err)
}

// skills lists the skills.
func (e edge) skills(_ context.Context, _ *call, _ struct{}) (*toolResult, error) {
	list, err := e.cases.Skills()
	if err != nil {
		return nil, err
	}
	return &toolResult{body: &result.Skills{Skills: list}, text: func() string {
		var b strings.Builder
		for _, s := range list {
			b.WriteString(s.Name + ": " + s.Description + " params: " + string(s.Params) +
				s.Problem + "\n")
		}
		if len(list) == 0 {
			return "There is no skill."
		}
		return b.String()
	}}, nil
}
