package tools

import (
	"context"
	"strings"

	"github.com/taploop/taploop/tools/result"
)

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
