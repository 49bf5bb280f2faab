package inquiry

import (
	"time"
)

// Options say how a broker works.
type Options struct {
	Attention time.Duration    // until AttentionUntil, when a question does not say; 0 means 10 min
	TTL       time.Duration    // until ExpiresAt, when a question does not say; 0 means 24 h
	MaxAnswer int              // bytes of an answer; 0 means 64 KiB
	Buffer    int              // events that a subscriber may be behind; 0 means 256
	Every     time.Duration    // how often Run sweeps; 0 means 1 s
	Now       func() time.Time // nil means time.Now

	// ProgramsDecide lets programs with a token, and the models of MCP clients, decide about
	// Sensitive actions; about Routine ones they do, about Critical ones never.
	ProgramsDecide bool
	// CheckEdit says why an action cannot take the place of the one that was asked about; nil
	// refuses all that do
	CheckEdit func(was ActionRequest, edited EditedAction) error
}

// The bounds of a time that a model may set.
const (
	minAttention = 30 * time.Second
	MaxAttention = 24 * time.Hour
)

// Clamp brings a time that a model asked for into its bounds.
func Clamp(d time.Duration) time.Duration { return min(max(d, minAttention), MaxAttention) }
