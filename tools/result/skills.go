package result

import "github.com/taploop/taploop/internal/usecase"

// Skills are the skills that can be run.
type Skills struct {
	Skills []usecase.ListedSkill `json:"skills"`
	Error  *Failure              `json:"error"`
}
