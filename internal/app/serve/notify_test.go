package serve

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/notify"
	"github.com/taploop/taploop/internal/store"
)

// A process that dies between the end of a run and its message leaves the message to the next one.
// One that lives sends it under the same id, so that nobody is told twice.
func TestANoticeIsStoredWithTheEndOfItsRun(t *testing.T) {
	got := make(chan string, 10)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got <- r.Header.Get("webhook-id")
	}))
	defer hook.Close()
	db, err := store.Open(t.Context(), t.TempDir(), nil)
	require.NoError(t, err)
	defer db.Close()
	process := func() *Service {
		n, err := notify.New(&notify.Options{Ledger: ledger{db.Audit}, Events: []string{"run.*"},
			Questions: inquiry.NewBroker(db.Questions, &inquiry.Options{}),
			Webhooks: []notify.Webhook{{URL: hook.URL, Secret: "whsec_" +
				base64.StdEncoding.EncodeToString(make([]byte, 32))}}})
		require.NoError(t, err)
		s := &Service{Parts: &app.Parts{Store: db}}
		s.notifier.Store(n)
		s.noteRuns(n)
		return s
	}
	end := func(serial string) store.Run {
		_, r, err := db.Begin(t.Context(), store.Session{Serial: serial}, store.Run{Task: "x"})
		require.NoError(t, err)
		_, err = db.Runs.Transition(t.Context(), r.ID, store.Change{To: store.Running})
		require.NoError(t, err)
		r, err = db.Runs.Transition(t.Context(), r.ID, store.Change{To: store.Completed})
		require.NoError(t, err)
		return r
	}
	process()
	end("emu-1")
	alive := process()
	second := end("emu-2")
	alive.tellRun(second, "emu-2")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- alive.notifier.Load().Run(ctx) }()
	ids := []string{<-got, <-got}
	require.NotEqual(t, ids[0], ids[1])
	alive.tellRun(end("emu-3"), "emu-3") // comes after all of the two before
	require.NotContains(t, ids, <-got)
	cancel()
	<-ended
}
