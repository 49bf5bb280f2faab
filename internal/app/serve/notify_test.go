package serve

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/notify"
)

func TestTheEventsThatCanBeChosenAreThoseThatThereAre(t *testing.T) {
	require.ElementsMatch(t, notify.Events(), config.NotifyEvents)
}
