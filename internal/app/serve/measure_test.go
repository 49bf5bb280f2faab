package serve

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/VictoriaMetrics/metrics"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/pgtest"
	"github.com/taploop/taploop/internal/store"
)

// Of the machines that are up those are told that were drained and have yet to end.
func TestTheMetricsTellWhichMachinesAreDrained(t *testing.T) {
	server := pgtest.Start(t)
	require.NoError(t, pgtest.Exec(t.Context(), server.URL("postgres"), "CREATE DATABASE farm"))
	var machines []*store.Store
	for _, name := range []string{"kitchen", "berlin"} {
		db, err := store.Open(t.Context(), t.TempDir(), &store.Options{URL: server.URL("farm")})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, db.Close()) })
		require.NoError(t, db.Farm.Announce(t.Context(),
			store.Worker{Name: name, Role: "both", Phones: []byte("[]")}))
		machines = append(machines, db)
	}
	s := &Service{Parts: &app.Parts{Store: machines[0]}, log: slog.New(slog.DiscardHandler)}
	says := func() string {
		var text strings.Builder
		g := gauges{metrics.NewSet()}
		s.measureFarm(t.Context(), &g)
		g.WritePrometheus(&text)
		return text.String()
	}
	require.Contains(t, says(), "taploop_farm_drained 0\n")
	berlin := store.ClosedWorker + machines[1].Owner.ID
	_, err := machines[0].Farm.SetClosed(t.Context(), berlin, true,
		store.AuditEntry{Event: store.AuditCordoned})
	require.NoError(t, err)
	require.Contains(t, says(), "taploop_farm_drained 1\n")
	require.Contains(t, says(), "taploop_farm_workers 2\n")
	require.Contains(t, says(), "taploop_farm_gone 0\n")
}
