package usecase

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestOnlyAPatientClientWaitsLongerByDefault(t *testing.T) {
	for client, want := range map[string]time.Duration{"": 25 * time.Second,
		"somebody": 25 * time.Second, "claude-ai": 25 * time.Second,
		"Claude-Code": 45 * time.Second, "codex-mcp-client": 45 * time.Second} {
		require.Equal(t, want, Waits{}.Of(Patient(client)).Default, client)
		require.Equal(t, 7*time.Second, Waits{Default: 7 * time.Second}.Of(Patient(client)).Default)
		require.Equal(t, 9*time.Second, Waits{Max: 9 * time.Second}.Of(Patient(client)).Default)
	}
}
