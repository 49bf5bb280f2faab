package agentloop

import (
	"context"
)

// Verifier looks at the end of a run that the policy says is completed.
type Verifier interface {
	// Verify holds the report against the screen. An error counts as not knowing.
	Verify(ctx context.Context, s Situation, report string) (Verification, error)
}
